package understand

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
	Text  string  // the words it was done with
}

// Intents that only acts have. Their rules stand in acts/<language>.yaml.
const (
	intentDistress    Intent = "distress"
	intentHuman       Intent = "human"
	intentNoRecording Intent = "no_recording"
	intentLanguage    Intent = "language"
	intentPause       Intent = "pause"
	intentRephrase    Intent = "rephrase"
	intentEasier      Intent = "easier"
	intentBack        Intent = "back"
	intentGoTo        Intent = "go_to"
	intentGoOn        Intent = "go_on"
	intentEmotion     Intent = "emotion"
	intentVerify      Intent = "verify"
	intentObjection   Intent = "objection"
	intentCorrection  Intent = "correction"
	intentRemark      Intent = "remark"
	intentNothing     Intent = "nothing"
	intentQuestion    Intent = "question"
	intentStanding    Intent = "standing"
)

// AboutStanding is what a question is about that asks how the candidate did.
const AboutStanding = "how_did_i_do"

// Before reports whether a clause is about what came before: the last question, an earlier answer.
func (r *Rules) Before(clause string) bool { return r.Mentions(lexiconBefore, plain(clause)) }

// lexiconBefore are words for what came before.
const lexiconBefore = "before"

// reading is how a clause is read: in this order, the first that matches counts.
type reading struct {
	intent Intent
	kind   ActKind
	asks   Request
	// own says that the language's rules for whole turns count as well.
	own bool
}

var readings = []reading{
	{intentDistress, ActDistress, "", false},
	{intentNothing, ActNothing, "", false},
	{intentNoRecording, ActRequest, AskNoRecording, false},
	{intentHuman, ActRequest, AskHuman, false},
	{intentRemark, ActRemark, "", false},
	{intentPause, ActRequest, AskPause, false},
	{End, ActRequest, AskEnd, false},
	{intentLanguage, ActRequest, AskLanguage, false},
	{intentRephrase, ActRequest, AskRephrase, false},
	{Repeat, ActRequest, AskRepeat, true},
	{intentEasier, ActRequest, AskEasier, false},
	{intentEmotion, ActEmotion, "", false},
	{intentObjection, ActObjection, "", false},
	{Answer, ActRequest, AskSolution, true},
	{Hint, ActRequest, AskHint, true},
	{Think, ActRequest, AskThink, true},
	{intentGoOn, ActRequest, AskGoOn, false},
	{intentBack, ActRequest, AskBack, false},
	{Skip, ActRequest, AskSkip, true},
	{intentStanding, ActQuestion, "", false},
	{intentVerify, ActRequest, AskVerdict, false},
	{intentCorrection, ActCorrection, "", false},
	{intentGoTo, ActRequest, AskGoTo, false},
	{intentQuestion, ActQuestion, "", false},
}

// actIntents are the intents that rules for acts may be given for.
func actIntents() []Intent {
	out := make([]Intent, 0, len(readings))
	for _, r := range readings {
		out = append(out, r.intent)
	}
	return out
}

// Bounds of what is read as one turn.
const (
	maxActs    = 12
	fillerMost = 3  // words of a clause that is nothing but a word before what follows
	told       = 12 // words of an answer beside which a mood, an objection or a pause for thought is part of it
	story      = 30 // words of an answer that may ask itself a question
)

// Acts reads a turn as what the candidate does with it, in order. A turn that is nothing else is an answer; one without
// letters has none.
func (r *Rules) Acts(text string) []Act {
	text = plain(text)
	var acts []Act
	for _, sentence := range cutSentences(text) {
		for _, clause := range r.clauses(sentence) {
			acts = append(acts, r.act(clause))
		}
	}
	acts = settle(acts)
	if len(acts) > maxActs {
		acts = acts[:maxActs]
	}
	return acts
}

// Asks reports whether a clause is a question.
func (r *Rules) Asks(clause string) bool {
	clause = plain(clause)
	return r.does(intentQuestion, clause, fold(clause), Words(clause), false)
}

// Without reads a clause as if it could not be a request of that sort.
func (r *Rules) Without(clause string, not Request) Act { return r.read(plain(clause), not) }

// act reads one clause.
func (r *Rules) act(clause string) Act { return r.read(clause, "") }

func (r *Rules) read(clause string, not Request) Act {
	folded, words := fold(clause), Words(clause)
	for _, as := range readings {
		if not != "" && as.asks == not {
			continue
		}
		if !r.does(as.intent, clause, folded, words, as.own) || as.kind == ActRequest && as.asks != AskVerdict && r.tells(clause, folded) {
			continue
		}
		a := Act{Kind: as.kind, Asks: as.asks, About: r.about(as.intent, clause, folded), Text: clause}
		if as.intent == intentStanding {
			a.About = AboutStanding
		}
		return a
	}
	return Act{Kind: ActAnswer, Text: clause}
}

// tells reports whether a clause tells of others, or of what was: a wish in it is nobody's now.
func (r *Rules) tells(clause, folded string) bool {
	for i := range r.told {
		if p := &r.told[i]; p.may(folded) && p.MatchString(clause) {
			return true
		}
	}
	return slices.ContainsFunc(r.also, func(other *Rules) bool { return other.tells(clause, folded) })
}

func (r *Rules) does(name Intent, text, folded string, words int, own bool) bool {
	if rule, ok := r.acts[name]; ok && rule.matches(text, folded, words) {
		return true
	}
	if rule, ok := r.intents[name]; own && ok && rule.matches(text, folded, words) {
		return true
	}
	return slices.ContainsFunc(r.also, func(other *Rules) bool { return other.does(name, text, folded, words, own) })
}

// about is what a clause names, for the intents whose rules have a group for that.
func (r *Rules) about(name Intent, text, folded string) string {
	rule := r.acts[name]
	for i := range rule.patterns {
		p := &rule.patterns[i]
		at := p.SubexpIndex("v")
		if at < 0 || !p.may(folded) {
			continue
		}
		if m := p.FindStringSubmatch(text); m != nil && strings.TrimSpace(m[at]) != "" {
			return strings.TrimSpace(m[at])
		}
	}
	for _, other := range r.also {
		if v := other.about(name, text, folded); v != "" {
			return v
		}
	}
	return ""
}

// clauses cuts a sentence before what does something else: "I'd take a map, how big can n get?" is two.
func (r *Rules) clauses(sentence string) []string {
	for _, at := range joints.FindAllStringIndex(sentence, 8) {
		before, rest := strings.TrimSpace(sentence[:at[0]]), strings.TrimSpace(sentence[at[1]:])
		if before == "" || rest == "" || reports.MatchString(before) && !marked(rest) {
			continue
		}
		if r.thinks(before) && Words(rest) >= fillerMost && r.act(rest).Kind == ActAnswer {
			return []string{before, rest} // they have thought
		}
		if !r.opensHere(rest) {
			continue
		}
		if a := r.act(rest); a.Kind == ActAnswer {
			continue
		}
		return append([]string{before}, r.clauses(rest)...)
	}
	return []string{sentence}
}

// thinks reports whether a clause asks for a moment.
func (r *Rules) thinks(clause string) bool {
	return Words(clause) <= shortWords && r.does(Think, clause, fold(clause), Words(clause), true)
}

// joints are where a sentence may be cut.
var joints = regexp.MustCompile(`[,，、:：–—]\s*(?:(?:and|but|so|also|or|oh|then|because) )?|\s+(?:and|but|so|also|anyway|um+|uh+|by the way|wait|sorry|though|actually|oh) (?:also |then |um+ |uh+ |by the way |wait |sorry |like )*|(?:但是?|不过|而且|另外)|\s+(?:nhưng|và|mà) `)

// reports is the beginning of what somebody else was asked or told: what follows belongs to it.
var reports = regexp.MustCompile(`(?i)\b(asked|told|explained|knew|discussed|wondered) .{0,40}\b(what|how|who|why|where|when|which|if|whether)\b`)

// marked reports whether a text ends in a question mark.
func marked(text string) bool { return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") }

func (r *Rules) opensHere(rest string) bool {
	if marked(rest) {
		return true
	}
	folded := fold(rest)
	for i := range r.opens {
		p := &r.opens[i]
		if !p.may(folded) {
			continue
		}
		if at := p.FindStringIndex(rest); at != nil && at[0] == 0 {
			return true
		}
	}
	return slices.ContainsFunc(r.also, func(other *Rules) bool { return other.opensHere(rest) })
}

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

// Goes returns where a clause wishes to go, whatever else it may be read as.
func (r *Rules) Goes(clause string) string {
	clause = plain(clause)
	if folded := fold(clause); r.does(intentGoTo, clause, folded, Words(clause), false) && !r.tells(clause, folded) {
		return r.about(intentGoTo, clause, folded)
	}
	return ""
}

// Proposes reports whether a clause that has the form of a question proposes something to do: "could I use a map?".
func (r *Rules) Proposes(clause string) bool {
	folded := fold(clause)
	rule := r.acts[intentQuestion]
	return slices.ContainsFunc(rule.not, func(p pattern) bool { return p.may(folded) && p.MatchString(clause) })
}

// settle joins what belongs together, and takes for part of an answer what only stands in one.
func settle(acts []Act) []Act {
	acts = slices.DeleteFunc(acts, func(a Act) bool { return a.Kind == ActAnswer && Words(a.Text) == 0 })
	said, other := 0, false
	for _, a := range acts {
		if a.Kind == ActAnswer {
			said += Words(a.Text)
		}
		other = other || a.Kind != ActAnswer && a.Kind != ActRemark && a.Kind != ActNothing
	}
	last := len(acts) - 1
	var out []Act
	for i, a := range acts {
		switch {
		case a.Kind == ActAnswer && other && filler(a.Text):
			continue
		case (a.Kind == ActRemark || a.Kind == ActNothing) && (said > fillerMost || other):
			continue
		case within(a, said, i == 0, i == last):
			a = Act{Kind: ActAnswer, Text: a.Text}
		}
		if n := len(out) - 1; n >= 0 && a.Kind == out[n].Kind && a.Kind != ActQuestion && a.Asks == out[n].Asks {
			out[n].Text += " " + a.Text
			continue
		}
		out = append(out, a)
	}
	return out
}

// within reports whether an act only stands in an answer of so many words, first or last in it.
func within(a Act, said int, first, last bool) bool {
	switch a.Kind {
	case ActQuestion:
		return said >= story && !last && !first
	case ActEmotion, ActObjection:
		return said >= told
	case ActRequest:
		switch a.Asks {
		case AskThink:
			return said > fillerMost && !last
		case AskEnd, AskHuman, AskNoRecording:
			return said >= story && !last && !first
		case AskVerdict:
			return said > 0
		}
		return said >= told && !first && !last
	}
	return false
}

// fillers are words before what follows.
var fillers = regexp.MustCompile(`(?i)^[\s\pP]*((sorry|excuse me|ok(ay)?|well|um+|uh+|hm+|please|yes|yeah|no|so|and|but|oh|ah|hi|hello|hey|wait|actually|right|sure|thanks|thank you|just|also|then|first|before that|by the way|i see|one thing|not yet|hold on|man|viva|look|listen|honestly|maybe|for me|now|here|again|不好意思|抱歉|对不起|嗯|好|好的|请问|那|那个|等等|你好|是的|xin lỗi|dạ|vâng|à|thưa|chào|anh|chị|bạn|em|ơi|ạ)[\s\pP]*)+$`)

func filler(text string) bool {
	return Words(text) <= fillerMost+1 && fillers.MatchString(text)
}
