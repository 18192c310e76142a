package evaluate

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/conclusion"
)

// shortestQuote is how many letters a quote needs to show anything.
const shortestQuote = 3

// Verify returns those quotes that the candidate really said in the turn they name, as they stand in the transcript:
// compared word by word, without regard to case, signs and spaces (RX-16). Quotes of the interviewer show nothing about
// the candidate.
func Verify(quotes []Quote, turns []Turn) []Quote {
	return verified(quotes, slices.DeleteFunc(slices.Clone(turns), func(t Turn) bool { return t.Role != RoleUser }))
}

func verified(quotes []Quote, turns []Turn) []Quote {
	var out []Quote
	for _, q := range quotes {
		i := slices.IndexFunc(turns, func(t Turn) bool { return t.ID == q.Turn })
		if i < 0 {
			continue
		}
		if text, ok := exact(q.Text, turns[i].Content); ok {
			out = append(out, Quote{Turn: q.Turn, Text: text})
		}
	}
	return out
}

// exact finds the words of a quote in a content and returns them as they stand there.
func exact(quote, content string) (string, bool) {
	want, said := words(quote), words(content)
	letters := 0
	for _, w := range want {
		letters += len(w.text)
	}
	if letters < shortestQuote {
		return "", false
	}
	at := within(want, said)
	if at < 0 {
		return "", false
	}
	from, to := said[at].start, said[at+len(want)-1].end
	return content[from:closed(content, from, to)], true
}

// closed is where a quote ends that takes in the brackets that it opens: "O(n" is no cost that anybody named.
func closed(content string, from, to int) int {
	for to < len(content) {
		quote := content[from:to]
		switch {
		case content[to] == ')' && strings.Count(quote, "(") > strings.Count(quote, ")"),
			content[to] == ']' && strings.Count(quote, "[") > strings.Count(quote, "]"):
			to++
		case strings.HasPrefix(content[to:], "）") && strings.Count(quote, "（") > strings.Count(quote, "）"):
			to += len("）")
		default:
			return to
		}
	}
	return to
}

// within returns where some words stand in a row, or -1.
func within(want, said []token) int {
	for i := 0; i+len(want) <= len(said); i++ {
		if slices.EqualFunc(want, said[i:i+len(want)], func(a, b token) bool { return a.text == b.text }) {
			return i
		}
	}
	return -1
}

// Said are texts whose words can be looked for.
type Said [][]token

// Words makes texts ready to be looked through.
func Words(texts ...string) Said {
	out := make(Said, len(texts))
	for i, text := range texts {
		out[i] = words(text)
	}
	return out
}

// Holds reports whether one of the texts holds the words of a quote, compared as Verify does, however short it is.
func (s Said) Holds(quote string) bool {
	want := words(quote)
	return len(want) > 0 && slices.ContainsFunc(s, func(said []token) bool { return within(want, said) >= 0 })
}

// Said reports whether the candidate said these words in the turn that they name, compared as Verify does, however few they are.
func (q Quote) Said(turns []Turn) bool {
	return slices.ContainsFunc(turns, func(t Turn) bool {
		return t.ID == q.Turn && t.Role == RoleUser && Words(t.Content).Holds(q.Text)
	})
}

// Bounds of a judgement, beside those of its texts: it has to fit into one entry of a journal.
const (
	maxMarks      = 100
	maxLookedUp   = 400      // quotes
	maxQuoteBytes = 64 << 10 // of all that are kept
	maxName       = 400      // characters of a criterion or a flag
)

// Verified is a judgement that can be relied on, whoever made it: on its scales, within bounds, and resting on nothing but words
// that were said (RX-13, RX-16, R002-43). A level or score whose quotes are all invented is not assessed.
func Verified(e Evaluation, it Item) Evaluation {
	v := verifier{turns: it.counted(), looks: maxLookedUp, room: maxQuoteBytes}
	e = Sanitize(e)
	for i := range e.Flags {
		e.Flags[i] = Line(e.Flags[i], maxName)
	}
	e.Marks = v.marks(e.Marks)
	for i := range e.Parts {
		e.Parts[i].Marks = v.marks(e.Parts[i].Marks)
	}
	e.Costs = v.costs(e.Costs)
	quoted := len(e.Evidence) > 0
	kept, said := v.quotes(e.Evidence)
	if e.Evidence = kept; quoted && !said && len(e.Marks) == 0 && e.Assessed() {
		e.Status = StatusNotAssessed
		e = Sanitize(e)
	}
	if v.unsaid {
		e.flag(FlagUnverified)
	}
	if v.clamped {
		e.flag(FlagClamped)
	}
	return e
}

// verifier checks what quotes and marks claim.
type verifier struct {
	turns           []Turn // whose words count
	looks           int    // how many more quotes are looked up
	room            int    // bytes of quotes that still fit
	unsaid, clamped bool
}

// quotes keeps what was said, as far as there is room; said reports whether any of it was.
func (v *verifier) quotes(claimed []Quote) (kept []Quote, said bool) {
	looked := claimed[:min(len(claimed), v.looks)]
	v.looks -= len(looked)
	found := verified(looked, v.turns)
	v.unsaid = v.unsaid || len(found) < len(claimed)
	for _, q := range found {
		if len(q.Text) <= v.room {
			v.room -= len(q.Text)
			kept = append(kept, q)
		}
	}
	return kept, len(found) > 0
}

// costs keeps what is an expression and rests on words that were said, which may be few: O(n). Of a measure the first counts.
func (v *verifier) costs(claimed []Cost) []Cost {
	var out []Cost
	for _, c := range claimed[:min(len(claimed), maxEntries)] {
		form, readable := conclusion.Form(c.Form)
		known := (c.Of == string(conclusion.Time) || c.Of == string(conclusion.Space)) &&
			!slices.ContainsFunc(out, func(o Cost) bool { return o.Of == c.Of })
		said := c.Quote.Said(v.turns)
		v.unsaid = v.unsaid || !said
		if known && readable && said && len(c.Quote.Text) <= v.room {
			v.room -= len(c.Quote.Text)
			out = append(out, Cost{Of: c.Of, Form: form, Condition: Line(c.Condition, maxEntry), Quote: c.Quote})
		}
	}
	return out
}

// marks keeps levels on their scales. A level whose quotes were all invented is not assessed.
func (v *verifier) marks(claimed []Mark) []Mark {
	var out []Mark
	for _, m := range claimed[:min(len(claimed), maxMarks)] {
		quoted := len(m.Evidence) > 0
		m.Criterion = Line(m.Criterion, maxName)
		kept, said := v.quotes(m.Evidence)
		m.Evidence = kept
		if m.Status != StatusOK || m.Max <= m.Min || quoted && !said {
			out = append(out, Mark{Criterion: m.Criterion, Status: StatusNotAssessed, Min: m.Min, Max: m.Max})
			continue
		}
		level, norm := min(max(m.Level, m.Min), m.Max), min(max(m.Norm, 0), 1)
		v.clamped = v.clamped || level != m.Level || norm != m.Norm
		m.Level, m.Norm = level, norm
		out = append(out, m)
	}
	return out
}
