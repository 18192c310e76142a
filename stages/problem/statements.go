package problem

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
)

// Listener tells which of several statements a text makes. It is read-only, and may be shared.
type Listener struct{ ears []heard }

// Statement is something that a candidate may hold to be so: in plain words as in Approach, by language.
type Statement struct {
	ID    string
	Plain map[string][]string
	Named bool // it is enough that it is named as something of theirs: a condition beside it makes nothing else of it
}

// Made is a statement that a text makes, with the sentence that makes it, as it stands there.
type Made struct{ ID, Quote string }

// Listen prepares the recognition of statements.
func Listen(list []Statement) *Listener {
	l := &Listener{ears: make([]heard, 0, len(list))}
	for i := range list {
		l.ears = append(l.ears, heard{id: list[i].ID, statement: !list[i].Named, named: list[i].Named, plain: firmly(wordings(list[i].Plain, nil))})
	}
	return l
}

// Hear returns the statements that a text makes, in the order in which it makes them, each once. What is denied, asked or merely
// mentioned is not stated (RM-3).
func (l *Listener) Hear(text, locale string) []Made {
	var out []Made
	for _, part := range sentenceTexts(text) {
		var made []string
		for _, s := range sentences(part) {
			made = append(made, claimed(l.ears, &s, prompts.Language(locale))...)
		}
		if lower := strings.ToLower(part); len(made) == 0 || unheld.MatchString(lower) || isQuestion(lower) {
			continue
		}
		for _, id := range made {
			if !slices.ContainsFunc(out, func(m Made) bool { return m.ID == id }) {
				out = append(out, Made{id, strings.TrimSpace(part)})
			}
		}
	}
	return out
}

// sentenceTexts are the sentences of a text as they stand there.
func sentenceTexts(text string) []string {
	var out []string
	from := 0
	for _, at := range stops.FindAllStringIndex(text, -1) {
		out = append(out, text[from:at[1]])
		from = at[1]
	}
	return append(out, text[from:])
}

// gapStated is how many words may stand where a statement has "…": what lies further apart is seldom one thought.
const gapStated = 8

func firmly(all map[string][]wording) map[string][]wording {
	for lang, list := range all {
		for _, w := range list {
			for i := range w {
				w[i].firm = i > 0
				if lang != "zh" {
					w[i].gap = min(w[i].gap, gapStated)
				}
			}
		}
	}
	return all
}

// Words that make something else of a statement: among its words or before it, and after it.
var (
	conditions = phrases("no", "if", "unless", "whether", "hardly", "rarely", "seldom", "nobody", "none", "nothing", "assuming",
		"如果", "除非", "只有", "假如", "假设", "要是", "并非", "难以", "nếu", "trừ khi", "chỉ khi", "giả sử", "chưa", "hiếm khi", "đâu")
	softens = append(append(phrases("almost", "nearly", "practically", "usually", "often", "amortized", "amortised", "average", "expected", "only",
		"几乎", "通常", "一般", "平均", "均摊", "hầu như", "thường", "trung bình", "gần như"), conditions...), denials...)
	provisos = phrases("only", "if", "when", "unless", "as long as", "provided", "once", "until", "except", "with", "after", "where", "amortized", "amortised",
		"on average", "如果", "只要", "除非", "前提", "平均", "均摊", "nếu", "miễn", "trừ khi", "khi", "với điều kiện", "trung bình")
)

// lacks reports whether the words at this place follow a word that says there is none of it.
func (s *sentence) lacks(at span) bool {
	return at.from > 0 && s.words[at.from-1].clause == s.words[at.from].clause && s.any(at.from-1, none)
}

var none = phrases("no", "any", "zero", "nobody", "无", "không có")

// states reports whether the words at this place are held to be so, and under no condition.
func (s *sentence) states(at span) bool {
	if s.words[at.to-1].clause > s.words[at.from].clause+1 {
		return false // it says of one thing what belongs to another
	}
	far := 0.
	for i := at.from - 1; i >= 0 && s.words[i].clause == s.words[at.from].clause && far < reach; i-- {
		if s.any(i, conditions) {
			return false
		}
		far += weight(s.words[i].text)
	}
	far = 0
	for i := at.to; i < len(s.words) && far < reach; i++ {
		if s.any(i, provisos) {
			return false
		}
		far += weight(s.words[i].text)
	}
	return true
}

var (
	// unheld is how people speak of what they do not hold: as of what others say, of a mistake, of what they once thought, of a mere case.
	unheld = regexp.MustCompile(`\b(?:people|some|somebody|someone|others|many|every(?:one|body)|they|he|she|colleagues?|manager|boss|candidates?|juniors?) ` +
		`(?:\w+ly |often |sometimes |always |still |once |just |might |may |will |would |tend to )*(?:say|think|believe|claim|assume|expect|insist|tell|told|thought|said)(?:s|d|ed)?\b|` +
		`\b(?:i|we) (?:first |once |always |had |wrongly |initially )*(?:thought|believed|assumed|expected|hoped|used to (?:think|believe|assume))\b|` +
		`\b(?:myth|mistake|misconception|fallacy|mistaken|not true|not right|incorrect|nonsense|as if|as though|pretend|suppose|imagine|tempting|tempted)\b|` +
		`\b(?:that|which|this)(?:'s| is| was| would be) (?:\w+ )?(?:wrong|false|untrue)\b|\bwrong(?:ly)? to\b|\b(?:you|one) (?:may|might|could|would) (?:think|say|believe|expect|assume)\b|` +
		`\b(?:said|claimed|told (?:me|us)|insisted) that\b|\bit would be (?:nice|great)\b|\bi(?:'m| am) not sure\b|\bi (?:do not|don't) (?:think|believe)\b|` +
		`(?:有人|别人|很多人|不少人|大家|他们?|她|同事|老板|经理)[^，。]{0,6}(?:说|认为|觉得)|以为|误解|误区|错误地|是错的|不对|不成立|不是真的|不一定|未必|不能说|不代表|不等于|不意味|不见得|并不|不保证|难道|假设|假如|` +
		`(?:nhiều người|người ta|có người|ai đó|họ|sếp|đồng nghiệp|mọi người)(?: [^ ,.]+){0,3} (?:nghĩ|nói|bảo|tưởng|cho rằng|tin)|tưởng|hiểu lầm|sai lầm|là sai|không đúng|giả sử|không phải|chưa chắc|không hẳn|không có nghĩa|không nhất thiết|không đảm bảo|không nên|đừng`)
	// tag asks for no more than a nod.
	tag = regexp.MustCompile(`(?:\b(?:right|correct|yeah|ok|okay)|对吧|对吗|是吧|đúng không|phải không)\s*[?？]\s*$`)
	// questions are those without their mark.
	questions = regexp.MustCompile(`^\s*(?:(?:so|and|but|or|ok|okay|well|um|hmm|wait|sorry)[, ]+)*(?:(?:is|are|was|were|does|do|did|can|could|would|will|should|has|have) |how |why |what )|` +
		`(?:吗|[^这那]么|是不是|会不会|能不能|是否|为什么|什么时候)|(?:không|chưa|hả)\s*$|^\s*(?:có phải|liệu|tại sao|vì sao)`)
)

// isQuestion reports whether a sentence, in lower case, is a question.
func isQuestion(text string) bool {
	if tag.MatchString(text) {
		return false
	}
	return strings.ContainsAny(text, "?？") || questions.MatchString(strings.TrimRight(text, " .!。！\n"))
}
