package facts

import (
	"regexp"
	"strings"
)

// form is how a language asks. Patterns are matched against plain sentences without the words that only lead in to them.
type form struct {
	lead     *regexp.Regexp // words that a sentence may begin with and mean nothing
	reported *regexp.Regexp // what somebody else asks
	asks     *regexp.Regexp // questions and requests, without a question mark too
	not      *regexp.Regexp // statements that look like one; a question mark overrules it
	clause   *regexp.Regexp // questions that may follow on something else in a sentence
}

var forms = map[string]form{"en": english, "zh": chinese, "vi": viet}

func asks(one sentence, language string) bool {
	f := forms[language]
	text := begin(one.text, language)
	switch {
	case f.reported.MatchString(text):
		return false
	case one.asked:
		return true
	case f.not.MatchString(text):
		return false
	}
	return f.asks.MatchString(text) || f.clause.MatchString(text)
}

// begin leaves out what only leads in to a sentence.
func begin(text, language string) string {
	lead := forms[language].lead
	for {
		rest := strings.TrimLeft(lead.ReplaceAllString(text, ""), " ,，、:：—–-")
		if rest == "" || rest == text {
			return text
		}
		text = rest
	}
}

var english = form{
	lead: regexp.MustCompile(`^(okay|ok|so|and|but|well|um+|uh+|er|hm+|oh|hi|hey|hello|sorry|excuse me|wait|right|yes|yeah|sure|thanks|thank you|great|good|alright|all right|` +
		`before (we|i) (start|begin|go on|continue|answer)|quick question|one (more |quick |last )?question|by the way|also|roughly|approximately|about|maybe|i mean|listen|look|ah|alright|cool|got it|i see|makes sense|btw|now|actually|just|please|one (more )?thing|first|out of curiosity)\b`),
	reported: regexp.MustCompile(`\b(he|she|they|clients?|customers?|users?|boss|managers?|people|colleagues?|team|somebody|someone|everyone|everybody|stakeholders?|recruiters?)\b( \w+){0,3} (asked|asks|ask|asking|wondered|said|says|wanted to know|want to know)\b|` +
		`\bi (would|will|had to|always|often|first|then|usually|might|also)( \w+)? (ask|asked|tell|explain)\b|\bi (asked|told|ask|tell) (him|her|them|the|my|our|users?|customers?|people|everyone)\b|\bmy (first )?question to (them|him|her|the)\b`),
	asks: regexp.MustCompile(`^(how \w+ (is|are|do|does|can|could|should|must|may|will|would|did|was|were) |(which|what) \w+( \w+)? (is|are|do|does|can|could|should|must|may|will|would|have|has|am) |how (long|many|much|big|often|far|about|do|does|did|am|is|are|will|would|should|can|could|was|were|come)|` +
		`what (is|are|do|does|did|am|will|would|should|can|could|happens|comes|else|about|kind|sort|language|company|role|job|position|time|was|were|if|next|now)|` +
		`then what|then (how|what|who|when|can|is|are|do|will) |who|whose|where (is|are|do|does|will|am|can|should)|when (is|are|do|does|will|am|can|should)|why (is|are|do|does|did|not|should|would)|` +
		`which (is|are|one|language|company|part|role|question|job|position)|` +
		`(is|are|am|was|were|did|can|could|may|might|should|shall|will|would) (i|we|you|it|this|that|there|they|he|she|my|your|our|these|those|any\w*|some\w*|the)|` +
		`(do|does|have|has) (i|we|you|it|this|that|they|he|she|any\w*|some\w*)|is (any|some)\w*|(any chance|mind if|okay if|ok if|what language|remind me|tell me|explain|let me know|give me))\b|` +
		`\b(tell me|let me know|remind me|i (would|want|need) (like )?to know|i (am|was) (wondering|curious|not sure) (if|whether|how|what|who|when|where|about)|i wonder (if|whether|how|what|who)|i have a question about|` +
		`(do|would) you (mind|know)|(can|could) you (tell|say|explain|remind)|is it (ok|okay|fine|alright|all right|allowed|possible))\b`),
	not: regexp.MustCompile(`^(what|how|who|why|where|which) (i|we|he|she|they|my|our)\b|^what (is|was|were|are) .*\b(is|was|are|were) (that|the|to|how|because|my|our)\b|^who (we|i|built|wrote|did|knew)\b|` +
		`^(it|that|this) (is|was) (how|what|why|where|when)\b|^(i|we) (never|did not|do not|always|usually)? ?(tell|told|explain|explained)\b`),
	clause: regexp.MustCompile(`\b(by the way|btw|before (we|i) (start|begin|go on)|wait|sorry|um|uh|hmm) (who|what|how|where|when|why|is|are|am|do|does|did|can|could|may|will|would|should) |\bwho (is|will|are) (gonna|going to)\b|\bis (that|it|this) (allowed|ok|okay|fine|possible|alright)$|[,:;—–-] ?(and |but |so |or |also )?(how (long|many|much|do|does|should|is|are|will|am) |what (is|are) (you|this|the (company|role|job|score|next))|what (happens|comes)|who (is|are|will|sees|gets|reads|hears)|(is|are|am) (i|this|it|there|that|you|we) |(do|can|could|may|should|will) (i|you|we) )|` +
		`\b(and|but|so|or) ((is|are) (this|it|there|you|we) |am i |(do|can|could|may|should|will) (i|you|we) |how (long|many|much) |who (is|sees|gets|reads|will) |what (are you|happens|comes))`),
}

var chinese = form{
	lead:     regexp.MustCompile(`^(嗯+|呃+|那么|那|好的?|对了|顺便|不好意思|抱歉|你好|您好|等一下|稍等|所以|(然后|还有|最后)[,，、]|谢谢|另外|还有一个问题|在开始之前|开始之前|我有个问题|有个问题|我有一个问题|一个问题)[ ,，、:：吧]*`),
	reported: regexp.MustCompile(`(他们?|她们?|客户|用户|同事|老板|经理|产品|别人|有人|大家|领导|团队)(们|就|会|也|都|经常|总是|曾经?|可能|后来|当时|常常)*(问|想知道|说)|我(会|先|就|再|当时|后来|还|通常)*(问|告诉)(了|过)?(一下)?(他|她|用户|客户|同事|老板|对方|团队|大家|产品)`),
	asks: regexp.MustCompile(`吗[呀啊]?$|吗(还是|[,，])|^你是[^,，]{1,8}吧$|(可以|行|好|对|能|是)(不|吧)(可以|行|好|对|能|是)?$|请问|(我|我们)?(想|要)(请?问|了解一下|确认)|问一下|想知道|(告诉|提醒)(我|一下)|^(你|您)(能|可以|可不可以|能不能)|` +
		`^(我|我们)?(现在|可不可以|能不能|是不是|会不会|要不要|需不需要|应该怎么|该怎么|怎么|还要多|还剩|什么时候)|` +
		`^(我们?|你们?|您|这|这个|这次|这里|今天|现在|咱们|面试|对话|谈话|录音|接下来|下一|后面|大概|大约|一共|总共|全程|要聊|要谈|要面|整个|结束后?|之后|结果|成绩|分数|公司|职位|岗位|时间|中途|离结束)[^,，]{0,14}(什么|怎么|怎样|如何|多少|多久|多长|几个|几道|几分|几轮|几部|几题|谁|哪|是否|能否|可否|能不能|可不可以|会不会|有没有|是不是|要不要|呢$)|` +
		`^(回答|答案|代码|说|讲|用|写|做|面试|用时|评分|打分|标准|工资|薪水|语言|规则)[^,，]{0,8}(什么|多少|多久|多长|多详细|多细|哪|怎么|怎样)[^,，]{0,4}$|^(还)?(要|需要|有|会|是|剩|大概|一共|总共|问)*(多少|多久|多长|几个|几道|几分钟|几轮|几题|什么|谁|哪|怎么|怎样|如何|为什么|为何|能否|可否|是否|能不能|可不可以|会不会|有没有|是不是|要不要)`),
	not:    regexp.MustCompile(`^(我们?)(当时|之前|后来|先|就|也|都)?(做|写|用|觉得|认为|知道|不知道|解释|说明|检查|判断|看|决定|明白|负责|设计|讨论|研究|关心|分析)|(没|没有|无论|不管|不论)(有)?(什么|怎么|多少|谁|哪|多久)|(什么|谁|怎么|哪里|多少|多久)[^,，]{0,4}都|什么的|^不(知道|清楚|确定)|(^|[,，])(要|先|再|就)(判断|检查|看)|(决定|取决于|影响)了?`),
	clause: regexp.MustCompile(`[,，、:：] ?(那|那么|请问|还有|另外)?(你|您)?(是谁|还(有|剩)多|会(不会)?(被)?录音|可以(暂停|休息)吗|接下来(是|做)什么|要多久|有多少(个)?问题|有几个问题|谁(会|能)(看|听))`),
}

// The Vietnamese question words stand where the answer would, so that most questions end with one or with a particle.
var viet = form{
	lead: regexp.MustCompile(`^(dạ|vâng|ừ+m?|ờ|à|ok|okay|được rồi|xin lỗi|thế|vậy|rồi|còn nữa|à mà|nhân tiện|cảm ơn|xin chào|chào (bạn|anh|chị)|trước khi bắt đầu|tiện thể|đợi đã|khoan|một câu hỏi)( |,|$)|` +
		`^(da|vang|um|uh|ok|okay|duoc roi|xin loi|the|vay|roi|nhan tien|cam on|xin chao|truoc khi bat dau|tien the|doi da|khoan)( |,|$)`),
	reported: regexp.MustCompile(`(?:^| )(khách( hàng)?|người dùng|họ|anh ấy|cô ấy|sếp|đồng nghiệp|mọi người|người ta|nhóm|khach( hang)?|nguoi dung|ho|anh ay|co ay|dong nghiep|moi nguoi|nguoi ta|nhom)( \S+){0,2} (hỏi|nói|bảo|muốn biết|hoi|noi|bao|muon biet)( |$|,|:)|(tôi|em|mình|toi|minh) (sẽ|đã|thường|phải|se|da|thuong|phai) (hỏi|nói|bảo|hoi|noi)`),
	asks: regexp.MustCompile(`(^|[,:] ?|(rằng|hỏi|biết|là|xem) )liệu |(^| )(không|chưa|hả|hở|nhỉ|phải không|được không|đúng không|gì|ai|đâu|nào|mấy|bao nhiêu|bao lâu|thế nào|ra sao|làm sao|sao)( ạ| vậy| thế| nhỉ| hả| đây| chị| anh| bạn| ơi| em)*[ ,]*$|(^| )(gì|nào|đâu|ai|bao lâu|bao nhiêu) (ạ|vậy|thế)( |$)|(^| )hay (là )?[^,]{1,30} (ạ|vậy|nhỉ|thế)$|` +
		`(^| )(cho (tôi|em|mình) (hỏi|biết)|cho hỏi|cho biết|xin hỏi|(tôi|em|mình) muốn (hỏi|biết)|làm ơn nói|nhắc (tôi|em|mình)|có phải|bạn có thể|anh có thể|chị có thể)( |$)|` +
		`^(ai|tại sao|vì sao|khi nào|bao giờ|ở đâu|làm thế nào|làm sao|mất bao lâu|còn (bao nhiêu|bao lâu|mấy)|có bao nhiêu|có mấy|bao nhiêu|bao lâu|mấy|cái gì|điều gì|tiếp theo là gì)( |$)|` +
		`(^| )(dài|ngắn|mất|lâu) (bao nhiêu|bao lâu|mấy)( |$)|(^| )(bao nhiêu|bao lâu|mấy) (câu|câu hỏi|phần|phút|thời gian|nữa|vòng)( |$)|` +
		// typed without marks
		`(^| )(khong|chua|ha|phai khong|duoc khong|dung khong|gi|ai|dau|nao|may|bao nhieu|bao lau|the nao|ra sao|lam sao)( a| vay| the| nhi)*[ ,]*$|(^| )(cho (toi|em|minh) (hoi|biet)|cho hoi|xin hoi|(toi|em|minh) muon (hoi|biet)|ban co the)( |$)|(^| )(bao nhieu|bao lau|may) (cau|cau hoi|phan|phut|thoi gian|nua)( |$)`),
	not:    regexp.MustCompile(`(^| )(là|nói|nghĩ|chắc|thì|hoàn toàn|hầu như|la|noi|nghi) (không|chưa|khong|chua)[ ,]*$|^(không|chưa|khong|chua)[ ,]*$|(^| )(không|chẳng|chưa|khong) (có |co )?(gì|ai|đâu|nào|sao|biết|gi|dau|nao|biet)( |$)|(gì|ai|đâu|nào|bao nhiêu|bao lâu|thế nào) (cũng|đều)|(^| )(một|những|các|vài) \S+ nào( |$)`),
	clause: regexp.MustCompile(`[,:] ?(còn |và |thế |vậy )?(bạn là (ai|gì)|cuộc (này|nói chuyện này) (có )?(được )?(ghi âm|thu âm)|mất bao lâu|còn bao (lâu|nhiêu))`),
}
