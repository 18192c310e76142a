package problem

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/understand"
)

// word is one word of a sentence.
type word struct {
	text, stem string
	clause     int
}

// sentence is what stands between two stops.
type sentence struct {
	words   []word // without fillers
	clauses []clause
}

// clause is a part of a sentence as it was said; asked says that it may belong to a question.
type clause struct {
	text  string
	asked bool
}

var (
	stops = regexp.MustCompile(`[?!](?:\s|$)|\.(?:\s|$)|[呢吗][，,]|[。！？；;\n…]`)
	// commas part clauses, and so do words after which a negation no longer holds.
	commas  = regexp.MustCompile(`[,，:：]|\s[-–—]\s|\b(?:but|so (?:i|we|that|then)|because|although|though|instead(?: i| we|$)|except)\b|但是|但|而是|所以|因为|不过|(?:^|\s)(?:nhưng|nên|vì)(?:\s|$)`)
	notOnly = regexp.MustCompile(`\b(?:not (?:only|just)|why not|or not|no (?:doubt|matter)|if not|whether or not)\b|不仅|不但|不管|要不然|不断|不停|不然`)
	noes    = regexp.MustCompile(`^\s*(?:no|nope)\s+(i|we|let|that|it)\b`)
	nt      = regexp.MustCompile(`n['’]t\b|\b(do|did|does|wo|would|ca|could|should|is|are)nt\b`)
)

// sentences splits a text.
func sentences(text string) []sentence {
	text = strings.ToLower(text)
	var out []sentence
	from := 0
	for _, at := range append(stops.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if part := text[from:at[0]]; strings.TrimSpace(part) != "" {
			out = append(out, newSentence(part, strings.ContainsAny(text[at[0]:at[1]], "?？")))
		}
		from = at[1]
	}
	return out
}

func newSentence(text string, asked bool) sentence {
	text = nt.ReplaceAllString(text, "$1 not")
	text = notOnly.ReplaceAllString(noes.ReplaceAllString(text, "$1"), " ")
	text, either := eitherOr(percent.Replace(text))
	asked = asked || either
	var s sentence
	from := 0
	for _, at := range append(commas.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if clause := text[from:at[0]]; strings.TrimSpace(clause) != "" { // "，所以" parts two clauses, and not three
			s.clause(clause, asked)
		}
		from = at[1]
	}
	return s
}

// percent has the sign heard as the word.
var percent = strings.NewReplacer("%", " percent ", "％", " percent ")

// eitherOr writes "能不能" and "有没有", which deny nothing, as "能否" and "有否", and reports whether the text begins with one: it asks.
func eitherOr(text string) (string, bool) {
	runes := []rune(text)
	out := make([]rune, 0, len(runes))
	asked := false
	for i := 0; i < len(runes); i++ {
		if i > 0 && i+1 < len(runes) && (runes[i] == '不' || runes[i] == '没') && runes[i-1] == runes[i+1] && unicode.Is(unicode.Han, runes[i+1]) {
			asked = asked || i <= 2
			out = append(out, '否')
			i++
			continue
		}
		out = append(out, runes[i])
	}
	return string(out), asked
}

func (s *sentence) clause(text string, asked bool) {
	n := len(s.clauses)
	s.clauses = append(s.clauses, clause{text, asked})
	for _, w := range understand.Tokens(text) {
		if !fillers[w] {
			s.words = append(s.words, word{w, stem(w), n})
		}
	}
}

// Clauses that speak about something without taking it, by what they hold: in any case, as a question, as what may be one; and
// what makes a proposal of a question. Candidates mix languages, so that all of them count.
var (
	about = regexp.MustCompile(`\b(?:explain|definition|remind me|tell me|heard of|heard about|you (?:said|mentioned|mean|say)|the (?:word|term))\b|` +
		`什么是|是什么|什么叫|什么意思|怎么实现|是怎么|为什么|解释|听说过|你说的|你提到|不知道|不懂|` +
		`là gì|nghĩa là|giải thích|là sao|tại sao|vì sao`)
	asking = regexp.MustCompile(`^\s*(?:(?:so|and|but|or|ok|okay|well|um|hmm|wait|sorry)[, ]+)*(?:what(?:'s| is| are| was| does| do)\b|why\b|` +
		`how (?:is|are|do|does|did|can|would|big|long|large)\b|(?:is|are|was|were|does|did|am)\b|(?:do|have) (?:you|they|we|i|the)\b)`)
	perhaps = regexp.MustCompile(`^\s*(?:(?:so|and|but|or|ok|okay|well|um|hmm|wait|sorry)[, ]+)*(?:what|how|when|where|which|who|can|could|should|would|may|will|do|have)\b|` +
		`\b(?:is|are|comes?|be) (?:already |always )?(?:sorted|ordered)\b|吗|么\s*$|是否|有否|^\s*(?:是|有)|` +
		`(?:không|chưa|à|hả)\s*$`)
	proposal = regexp.MustCompile(`\bi'(?:d|ll|m)\b|\bi (?:would|could|can|might|will|want|think|guess|use|take|keep|sort|do)\b|` +
		`\b(?:can|could|should|may|might|shall|must|would|do) (?:i|we|one)\b|\bwhat if (?:i|we)\b|\b(?:what|how) about\b|` +
		`\b(?:allowed|okay|ok|fine|good idea|better|enough|help|work|possible|make sense)\b|` +
		`我|咱|用|可以|能|先|把|试|要不|如果|直接|行|怎么样|应该|` +
		`(?:^|\s)(?:tôi|mình|em|ta|có thể|dùng|thử|nếu|hay là|nên)(?:\s|$)|được không`)
	explains = regexp.MustCompile(`^\s*(?:(?:so|and|but|or|ok|okay|well)[, ]+)*(?:why\b|how (?:do|does)\b|what(?:'s| is| are)\b)`)
	// ends are how a question ends without its mark.
	ends = regexp.MustCompile(`(?:^|\s)(?:không|chưa|hả)\s*$|[吗么]\s*$`)
	// given says that the input is so already, which is no plan.
	given = regexp.MustCompile(`\b(?:is|are|was|were|'s|be|comes?|get|given|assume)(?: it)?(?: already| always| not| in)*(?: a)? (?:sorted|ordered|unsorted)\b|` +
		`(?:是|已经|本来)[^我先]{0,3}(?:排(?:好|过)?序|有序)|đã (?:được )?(?:sắp xếp|xếp)`)
	once = regexp.MustCompile(`\b(?:once|after|now|having|when)\b|之后|以后|排完|sau khi|khi`)
)

// mentions reports whether a clause asks or speaks about something, and takes it for nothing.
func (c clause) mentions() bool {
	clause, asked := c.text, c.asked
	switch {
	case about.MatchString(clause):
		return true
	case given.MatchString(clause) && !once.MatchString(clause):
		return true
	case explains.MatchString(clause) && !strings.Contains(clause, "i would") && !strings.Contains(clause, "i'd"):
		return true
	case asking.MatchString(clause), (asked || ends.MatchString(clause)) && perhaps.MatchString(clause):
		return !proposal.MatchString(clause)
	}
	return false
}

// Words that deny what follows, and what follows an idea that is dropped.
var (
	denials = phrases("not", "never", "without", "cannot", "nor", "neither", "avoid", "skip", "forget", "instead of", "rather than", "no need",
		"不", "没", "别", "无需", "而非", "避免", "代替", "không", "đừng", "chẳng", "thay vì", "tránh")
	drops = phrases("too slow", "too expensive", "too long", "too much", "not work", "not good", "not help", "not enough", "not what", "fail",
		"太慢", "太久", "不行", "不对", "不好", "不够", "行不通", "quá chậm", "quá lâu", "không hiệu quả")
)

func phrases(list ...string) []string {
	for i := range list {
		list[i] = joined(list[i])
	}
	return list
}

// How far a denial reaches, in words; a character of a script without spaces is half a word.
const reach = 4.

// claims reports whether the words at this place are claimed.
func (s *sentence) claims(at span) bool {
	clause := s.words[at.from].clause
	far := 0.
	for i := at.from - 1; i >= 0 && s.words[i].clause == clause && far < reach; i-- {
		if s.any(i, denials) {
			return false
		}
		far += weight(s.words[i].text)
	}
	far = 0
	last := s.words[at.to-1].clause
	for i := at.to; i < len(s.words) && s.words[i].clause == last && far < reach; i++ {
		if s.any(i, drops) {
			return false
		}
		far += weight(s.words[i].text)
	}
	return !s.clauses[clause].mentions()
}

func (s *sentence) any(at int, expressions []string) bool {
	return beginsAny(s.words[at:], expressions)
}

func beginsAny(words []word, expressions []string) bool {
	return slices.ContainsFunc(expressions, func(e string) bool { return begins(words, e) > 0 })
}

func weight(w string) float64 {
	if r, n := utf8.DecodeRuneInString(w); n == len(w) && unicode.Is(unicode.Han, r) {
		return 0.5
	}
	return 1
}
