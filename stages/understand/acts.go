package understand

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/understand/classify"
	"github.com/vivavoice/viva/stages/understand/prefilter"
)

// ActKind is what a candidate does with a turn, or with a part of one.
type ActKind string

// The kinds of acts.
const (
	ActAnswer     ActKind = "answer"
	ActQuestion   ActKind = "question"
	ActRequest    ActKind = "request"
	ActCorrection ActKind = "correction" // of what was said before
	ActObjection  ActKind = "objection"  // to a question, or to how the interview goes
	ActEmotion    ActKind = "emotion"    // nerves, frustration
	ActDistress   ActKind = "distress"   // words of self-harm
	ActRemark     ActKind = "remark"     // thanks, a greeting, the weather
	ActNothing    ActKind = "nothing"    // sounds that say nothing
)

// Request is what is asked for with a request.
type Request string

// The requests.
const (
	AskRepeat      Request = "repeat"
	AskRephrase    Request = "rephrase"
	AskThink       Request = "think" // a moment
	AskPause       Request = "pause" // a break: nobody is to speak until they do
	AskHint        Request = "hint"
	AskEasier      Request = "easier"
	AskSkip        Request = "skip"
	AskGoOn        Request = "go_on"
	AskGoTo        Request = "go_to" // a part of the interview, named in About
	AskBack        Request = "back"  // to what came before, or to the part named in About
	AskEnd         Request = "end"
	AskHuman       Request = "human"
	AskNoRecording Request = "no_recording"
	AskSolution    Request = "solution"
	AskLanguage    Request = "language" // another one, named in About
	AskVerdict     Request = "verdict"  // whether what was said is right
)

// Act is one thing that the candidate did with a turn (RM-1).
type Act struct {
	Kind  ActKind
	Asks  Request // of a request
	About string  // what it is about, in the candidate's words; empty = nothing in particular
	Fact  string  // of a question, or of a wish that may be one: the fact of every sheet that it asks for; empty = none that is known
	Text  string  // the words it was done with
}

// AboutStanding is what a question is about that asks how the candidate did.
const AboutStanding = "how_did_i_do"

// Before reports whether a clause is about what came before: the last question, an earlier answer.
func (r *Rules) Before(clause string) bool { return r.Mentions(lexiconBefore, plain(clause)) }

// lexiconBefore are words for what came before.
const lexiconBefore = "before"

// Bounds of what is read as one turn.
const (
	maxActs    = 12
	fillerMost = 3  // words of a clause that is nothing but a word before what follows
	told       = 12 // words of an answer beside which a mood, an objection or a pause for thought is part of it
	longest    = 45 // words of a clause that does something else
	story      = 30 // words of an answer that may ask itself a question
)

// How likely something else than an answer has to be, to be taken for it, and what is likely beside it, to count as well.
const (
	sure    = 0.5
	moved   = 0.8  // of a feeling, an objection, a correction or a remark: people tell of such things in answers, too
	weighty = 0.8  // of a wish that stops the talk for something else: for a person, or that nothing is recorded
	certain = 0.98 // of a question that has not the form of one
	beside  = 0.1
)

// actRules are what of a turn is read by patterns: the file acts/<language>.yaml.
type actRules struct {
	distress, not, nothing, asks []prefilter.Pattern
	well                         []prefilter.Pattern             // how somebody says that they are, or were misheard
	says                         []prefilter.Pattern             // how a clause says what the answer is, which asks for none
	amends                       []prefilter.Pattern             // how a correction begins, where it is said to be one
	cheerful, sure               []prefilter.Pattern             // how something is told that is no bad feeling, and no correction
	named                        map[ActKind][]prefilter.Pattern // what an act of the kind names, as v
	ends                         []prefilter.Pattern             // an end that is wished for outright, as v
	travel                       []string
	danger                       *classify.Model // of distress alone; nil where model is
	model                        *classify.Model // nil: only answers are known, and the wishes of whole turns
}

// Acts reads a turn as what the candidate does with it, in order. A turn that is nothing else is an answer; one without
// letters has none.
func (r *Rules) Acts(text string) []Act {
	text = plain(text)
	var acts []Act
	for _, part := range r.distressed(text) {
		if part.Kind == ActDistress {
			acts = append(acts, part)
			continue
		}
		acts = append(acts, r.clauses(part.Text)...)
	}
	acts = settle(acts)
	if len(acts) > maxActs {
		acts = acts[:maxActs]
	}
	return acts
}

// clauses reads what stands between sentences of distress.
func (r *Rules) clauses(text string) []Act {
	in := r.speaks(text)
	if in.acts.model == nil {
		return r.wishes(text)
	}
	var out []Act
	clauses := in.acts.model.Clauses(text)
	for i := range clauses {
		if quoted(text, clauses[i].From) {
			clauses[i].Class = classify.Answer
		}
		end := len(text)
		if i+1 < len(clauses) {
			end = clauses[i+1].From
		}
		clause := strings.TrimRight(text[clauses[i].From:end], " ,，、")
		a := in.act(clause, &clauses[i])
		if _, rest, cut := strings.Cut(clause, ", "); cut && a.Kind == ActAnswer && marked(clause) && !strings.Contains(rest, ", ") { // "besides, how long …?"
			if c, _ := in.acts.model.Whole(rest); strings.HasPrefix(c.Class, classify.FactOf) {
				a = in.act(clause, &c)
			}
		}
		out = append(out, a)
	}
	if len(out) == 0 && anyOf(in.acts.nothing, text) {
		out = []Act{{Kind: ActNothing, Text: text}}
	}
	return out
}

// quoted reports whether a place of a text stands within quotation marks, with something beside them: what is quoted somebody else said.
func quoted(text string, at int) bool {
	open := false
	for i, c := range text {
		switch {
		case c == '"':
			if open = !open; open && i < at && !strings.Contains(text[i+1:], `"`) {
				return false // it is never closed
			}
		case strings.ContainsRune("“「『", c):
			open = true
		case strings.ContainsRune("”」』", c):
			open = false
		}
		if i >= at {
			break
		}
	}
	return open && strings.ContainsFunc(text[:at], unicode.IsLetter)
}

// speaks returns the rules of the language that a text is in, among this one's and those that it names.
func (r *Rules) speaks(text string) *Rules {
	language := Language(text, r.locale)
	if short := prompts.Language(language); short == r.base() {
		return r
	}
	for _, other := range r.also {
		if other.base() == language && other.acts.model != nil {
			return other
		}
	}
	return r
}

func (r *Rules) base() string {
	short := prompts.Language(r.locale)
	return short
}

// wishes reads a sentence in a language that there are no examples of.
func (r *Rules) wishes(text string) []Act {
	var out []Act
	for _, sentence := range cutSentences(text) {
		a := Act{Kind: ActAnswer, Text: sentence}
		folded, words := prefilter.Fold(sentence), Words(sentence)
		for _, w := range wished {
			if r.intends(w.intent, sentence, folded, words) {
				a.Kind, a.Asks = ActRequest, w.asks
				break
			}
		}
		if marked(sentence) && a.Kind == ActAnswer {
			a.Kind = ActQuestion
		}
		out = append(out, a)
	}
	return out
}

// wished are the intents of whole turns that are wishes.
var wished = []struct {
	intent Intent
	asks   Request
}{{End, AskEnd}, {Repeat, AskRepeat}, {Answer, AskSolution}, {Hint, AskHint}, {Think, AskThink}, {Skip, AskSkip}}

// act is what a clause does that was classified.
func (r *Rules) act(text string, c *classify.Clause) Act {
	a := Act{Kind: ActAnswer, Text: text}
	switch {
	case anyOf(r.acts.nothing, text):
		a.Kind = ActNothing
		return a
	case c.P < r.enough(c.Class, text), Words(text) > longest, c.Class == classify.Distress: // it is seen to before (distressed)
		return a
	case c.Class == string(ActEmotion) && anyOf(r.acts.cheerful, text), c.Class == string(ActCorrection) && anyOf(r.acts.sure, text):
		return a
	}
	if asking := c.Class == classify.Unknown || strings.HasPrefix(c.Class, classify.FactOf); asking && c.P < certain && !anyOf(r.acts.asks, text) {
		return a // it speaks of it, and does not ask
	}
	if !marked(text) && anyOf(r.acts.says, text) {
		return a // "the bad one's the answer"
	}
	near := ""
	if c.NearP >= beside {
		near = c.Near
	}
	r.classed(&a, c.Class, near)
	switch {
	case a.Asks == AskGoTo || a.Asks == AskBack:
		a.About = r.destination(text)
	case a.Asks == AskEnd:
		a.About = names(r.acts.ends, text)
	case a.About == "":
		a.About = names(r.acts.named[a.Kind], text)
	}
	return a
}

// enough is how likely a class has to be.
func (r *Rules) enough(class, text string) float64 {
	switch ActKind(class) {
	case classify.WishOf + ActKind(AskHuman), classify.WishOf + ActKind(AskNoRecording):
		if !marked(text) {
			return weighty
		}
	case ActEmotion, ActObjection, ActRemark:
		return moved
	case ActCorrection:
		if !anyOf(r.acts.amends, text) {
			return moved
		}
	}
	return sure
}

// classed turns a class, and one that is likely beside it, into what a clause does.
func (r *Rules) classed(a *Act, class, near string) {
	fact, isFact := strings.CutPrefix(class, classify.FactOf)
	wish, isWish := strings.CutPrefix(class, classify.WishOf)
	nearFact, _ := strings.CutPrefix(near, classify.FactOf)
	nearWish, mayWish := strings.CutPrefix(near, classify.WishOf)
	switch {
	case isFact && fact == AboutStanding:
		a.Kind, a.About = ActQuestion, AboutStanding
	case fact == factThink && marked(a.Text), isFact && mayWish: // "can we take a break?" asks whether, and for one
		if fact == factThink && marked(a.Text) {
			nearWish = string(AskThink)
		}
		a.Kind, a.Asks, a.Fact = ActRequest, Request(nearWish), fact
	case isFact:
		a.Kind, a.Fact = ActQuestion, fact
	case isWish:
		a.Kind, a.Asks = ActRequest, Request(wish)
		if nearFact != near && nearFact != AboutStanding {
			a.Fact = nearFact
		}
	case class == classify.Unknown:
		a.Kind = ActQuestion
	case class == classInjection:
		a.Kind = ActAnswer
	default:
		a.Kind = ActKind(class)
	}
}

// factThink is whether one may think: who asks that thinks.
const factThink = "may_think"

// classInjection is the class of clauses that try to change what the interviewer does: they are heard, as any answer is, and
// nothing comes of them.
const classInjection = "injection"

func anyOf(patterns []prefilter.Pattern, text string) bool {
	folded := prefilter.Fold(text)
	return slices.ContainsFunc(patterns, func(p prefilter.Pattern) bool { return p.May(folded) && p.MatchString(text) })
}

// names is what a text names by one of the patterns, or "".
func names(patterns []prefilter.Pattern, text string) string {
	folded := prefilter.Fold(text)
	for i := range patterns {
		p := &patterns[i]
		at := p.SubexpIndex("v")
		if at < 0 || !p.May(folded) {
			continue
		}
		if m := p.FindStringSubmatch(text); m != nil && strings.TrimSpace(m[at]) != "" {
			return strings.TrimSpace(m[at])
		}
	}
	return ""
}

// destination is what is left of a wish to go somewhere without the words around its name.
func (r *Rules) destination(text string) string {
	if strings.ContainsFunc(text, wide) {
		for _, w := range r.acts.travel {
			text = strings.ReplaceAll(text, w, " ")
		}
		return strings.Join(strings.Fields(text), " ")
	}
	words := strings.FieldsFunc(text, func(c rune) bool { return !inName(c) })
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(r.acts.travel, strings.ToLower(w)) })
	return strings.Join(words, " ")
}

func inName(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.Mn, c) || c == '\'' || c == '-'
}

// Asks reports whether a clause is a question.
func (r *Rules) Asks(clause string) bool {
	clause = plain(clause)
	in := r.speaks(clause)
	if in.acts.model == nil {
		return marked(clause)
	}
	c, _ := in.acts.model.Whole(clause)
	return c.P >= sure && (c.Class == classify.Unknown || strings.HasPrefix(c.Class, classify.FactOf))
}

// KnowsFact reports whether questions for a fact are told from others by examples, so that its wordings are not needed.
func (r *Rules) KnowsFact(id string) bool {
	return r.acts.model != nil && r.acts.model.Has(classify.FactOf+id)
}

// Goes returns where a clause wishes to go, whatever else it may be read as.
func (r *Rules) Goes(clause string) string {
	clause = plain(clause)
	in := r.speaks(clause)
	if in.acts.model == nil {
		return ""
	}
	_, likely := in.acts.model.Whole(clause)
	if likely(classify.WishOf+string(AskGoTo))+likely(classify.WishOf+string(AskBack)) < beside {
		return ""
	}
	return in.destination(clause)
}

// marked reports whether a text ends in a question mark.
func marked(text string) bool { return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") }

// cutSentences cuts a text behind full stops, marks and semicolons. A point within a number or a name is none.
func cutSentences(text string) []string {
	var out []string
	start := 0
	for i, c := range text {
		end := i + utf8.RuneLen(c)
		switch {
		case strings.ContainsRune("。！？；\n", c), c == ' ' && between(text, i):
		case strings.ContainsRune(".!?;…", c):
			if next, _ := utf8.DecodeRuneInString(text[end:]); end < len(text) && !unicode.IsSpace(next) {
				continue
			}
		default:
			continue
		}
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

// between reports whether the blank at i stands between two characters of a script without blanks: there it is a stop.
func between(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+1:])
	return wide(before) && wide(after)
}
