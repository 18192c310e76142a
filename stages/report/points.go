package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

const (
	longestPoint = 160 // characters of a point's name
	longestQuote = 240 // characters of an answer that stands for itself
	fewestCommon = 5   // letters of a word by which two claims are about the same
)

// points tells what came of a part, from the state alone: facts and notes, criteria, claims, the questions of an expert, and what
// was asked for and did not come up (RM-30). A part in which nothing was answered has none.
func (b *builder) points(s *Stage, visits []uint64) {
	st := b.def.Stage(s.ID)
	said := b.answersOf(visits)
	s.Answers = min(len(said), s.Turns) // the interview itself takes noise and repetition for no turn
	if st == nil {
		return
	}
	if st.Limits.Hints > 0 || len(st.Hints) > 0 {
		given := 0
		for _, v := range b.u.Visits {
			if slices.Contains(visits, v.Visit) {
				given = max(given, v.HintLevel)
			}
		}
		s.Hints = &given
	}
	s.Code = b.code(visits)
	if s.Answers == 0 {
		return
	}
	b.told(s, st, said)
	b.covers(s)
	b.claims(s)
	b.costs(s, st, said)
	b.queued(s, visits)
	if s.Code == nil && !s.Judged && len(b.r.Questions) == 0 && !slices.ContainsFunc(s.Points, func(p Point) bool { return p.Quote != nil }) {
		longest := slices.MaxFunc(said, func(x, y state.Turn) int { return cmp.Compare(understand.Words(x.Text), understand.Words(y.Text)) })
		s.Points = append([]Point{b.point(PointTold, "told", b.words.Say("point.longest"), b.quoteTurn(longest))}, s.Points...)
	}
}

// point makes a point; key names its sentence, which may hold {name}.
func (b *builder) point(kind, key, name string, quote *Quote, pairs ...string) Point {
	name = understand.Clip(strings.Join(strings.Fields(name), " "), longestPoint)
	text := b.words.Say("point."+key, append([]string{"name", name}, pairs...)...)
	return Point{Kind: kind, Name: name, Quote: quote, Text: capital(text)}
}

// told lists the facts that were asked for in the order of the definition, then what else was noted, then the text that completes
// the stage, and what was asked for and did not come up.
func (b *builder) told(s *Stage, st *definition.Stage, said []state.Turn) {
	var open []Point
	for i := range st.Slots {
		slot := &st.Slots[i]
		switch known := b.u.Slots[slot.ID]; {
		case known.Status == state.SlotFilled && known.Turn > 0:
			if q := b.quoteOf(known.Value, known.Turn); q != nil {
				s.Points = append(s.Points, b.point(PointTold, "told", b.label(slot.ID, slot.Hint), q))
			}
		case known.Status == state.SlotEmpty && known.Asked > 0, known.Status == state.SlotWaived:
			open = append(open, b.point(PointOpen, "open", b.label(slot.ID, slot.Hint), nil))
		}
	}
	b.noted(s, st)
	if f := st.Done.Field; f != "" && !b.def.Fields[f].Secret && s.Code == nil {
		b.completed(s, f, said)
	}
	s.Points = append(s.Points, open...)
}

// noted lists what was noted of a part beyond the facts of its definition, each as it was told last.
func (b *builder) noted(s *Stage, st *definition.Stage) {
	for i, n := range b.u.Notebook {
		later := slices.ContainsFunc(b.u.Notebook[i+1:], func(o state.Note) bool { return o.ID == n.ID && o.Stage == n.Stage && o.Part == n.Part })
		if n.Stage != s.ID || n.Part != s.Item || later || st.Slot(n.ID) != nil {
			continue
		}
		if q := b.verified(n.Quote, n.Turn); q != nil {
			s.Points = append(s.Points, b.point(PointTold, "told", b.label(n.ID, ""), q))
		}
	}
}

// completed tells the text that completes a stage, as far as it was said.
func (b *builder) completed(s *Stage, field string, said []state.Turn) {
	var text string
	if json.Unmarshal(b.u.Fields[field].Value, &text) != nil || text == "" {
		return
	}
	if at := slices.IndexFunc(said, func(t state.Turn) bool { return strings.Contains(t.Text, text) }); at >= 0 {
		s.Points = append(s.Points, b.point(PointTold, "told", b.label(field, ""), b.quoteTurn(said[at])))
	}
}

// covers lists the criteria of a part, each with its latest level: what was put right counts as it came out (RM-31).
func (b *builder) covers(s *Stage) {
	var order []string
	latest, first := make(map[string]state.Cover), make(map[string]int)
	for _, c := range b.u.Covered {
		if c.Stage != s.ID || c.Part != s.Item || c.Level < 1 || c.Level > 3 || b.verified(c.Quote, c.Turn) == nil {
			continue
		}
		if _, known := latest[c.Criterion]; !known {
			order, first[c.Criterion] = append(order, c.Criterion), c.Level
		}
		latest[c.Criterion] = c
	}
	for _, id := range order {
		c := latest[id]
		key := "covered." + number(c.Level)
		if first[id] < c.Level {
			key = "covered.up"
		}
		p := b.point(PointCovered, key, b.criterion(id), b.verified(c.Quote, c.Turn),
			"level", b.words.Say("level."+number(c.Level)), "before", b.words.Say("level."+number(first[id])))
		if p.Level = c.Level; first[id] != c.Level {
			p.Before = first[id]
		}
		s.Points = append(s.Points, p)
	}
}

// claims lists what was checked of what the candidate held to be so. A wrong one that was put right says so.
func (b *builder) claims(s *Stage) {
	for i, c := range b.u.Claims {
		q := b.verified(c.Quote, c.Turn)
		if c.Stage != s.ID || q == nil || s.Item != "" && !b.within(s, c.Turn) {
			continue
		}
		why := strings.TrimRight(strings.Join(strings.Fields(c.Why), " "), ".。 ")
		switch c.Verdict {
		case state.ClaimRight:
			s.Points = append(s.Points, b.point(PointRight, "right", q.Text, q))
		case state.ClaimWrong, state.ClaimContradicts:
			key := c.Verdict
			if why != "" {
				key += ".why"
			}
			p := b.point(PointWrong, key, q.Text, q, "why", why)
			p.Why, p.Mended = why, b.mended(c, b.u.Claims[i+1:])
			if p.Mended != nil {
				p.Text += b.words.Say("sentence.join") + b.words.Say("point.mended")
			}
			s.Points = append(s.Points, p)
		}
	}
}

// lexiconCosts is the word list of a part that asks what a solution costs.
const lexiconCosts = "complexity"

// costs lists the costs that were named and are those of a good solution, where nobody has checked claims. Others may be right for
// another solution: of them nothing is said.
func (b *builder) costs(s *Stage, st *definition.Stage, said []state.Turn) {
	checked := slices.ContainsFunc(b.u.Claims, func(c state.Claim) bool { return c.Stage == s.ID })
	if b.src.Rules == nil || checked || !mentions(st.Done, lexiconCosts) {
		return
	}
	for _, c := range []struct {
		of        conclusion.Measure
		want, key string
	}{{conclusion.Time, b.src.Cost.Time, "cost.time"}, {conclusion.Space, b.src.Cost.Space, "cost.space"}} {
		right, known := conclusion.Form(c.want)
		for _, t := range slices.Backward(said) {
			claim := conclusion.Read(t.Text).Of(c.of)
			if claim == nil {
				continue
			}
			if known && conclusion.Same(claim.Form, right) {
				s.Points = append(s.Points, b.point(PointRight, c.key, c.want, b.quoteTurn(t)))
			}
			break // the latest counts
		}
	}
}

// mentions reports whether a guard asks for words of a list.
func mentions(g definition.Guard, list string) bool {
	deeper := func(o definition.Guard) bool { return mentions(o, list) }
	return g.Mentions == list || slices.ContainsFunc(g.All, deeper) || slices.ContainsFunc(g.Any, deeper)
}

// mended returns what the candidate said later about the same thing, and got right.
func (b *builder) mended(wrong state.Claim, later []state.Claim) *Quote {
	for _, c := range later {
		if c.Stage == wrong.Stage && c.Verdict == state.ClaimRight && c.Turn > wrong.Turn && alike(wrong.Quote+" "+wrong.Why, c.Quote+" "+c.Why) {
			if q := b.verified(c.Quote, c.Turn); q != nil {
				return q
			}
		}
	}
	return nil
}

// alike reports whether two texts share a long word, or two signs of a script without spaces.
func alike(a, b string) bool {
	b = strings.ToLower(b)
	for _, w := range strings.FieldsFunc(strings.ToLower(a), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		runes := []rune(w)
		if unicode.Is(unicode.Han, runes[0]) {
			for i := 0; i+2 <= len(runes); i++ {
				if strings.Contains(b, string(runes[i:i+2])) {
					return true
				}
			}
		} else if len(runes) >= fewestCommon && strings.Contains(b, w) {
			return true
		}
	}
	return false
}

// queued lists the questions that an expert had in store for a part: the answered ones with the answer.
func (b *builder) queued(s *Stage, visits []uint64) {
	for _, q := range b.u.Queue {
		if !slices.Contains(visits, q.Visit) || q.Status == state.Waiting {
			continue
		}
		answer, heard := b.answerTo(q.Text, visits)
		switch {
		case !heard: // nobody was asked
		case q.Status == state.Answered && answer != nil:
			s.Points = append(s.Points, b.point(PointAsked, "asked", q.Text, answer))
		default:
			s.Points = append(s.Points, b.point(PointOpen, "unanswered", q.Text, nil))
		}
	}
}

// answerTo finds the answer that followed a question, if it was heard at all.
func (b *builder) answerTo(question string, visits []uint64) (answer *Quote, heard bool) {
	for _, t := range b.u.Turns {
		switch {
		case !slices.Contains(visits, t.Visit):
		case t.Speaker == state.SpeakerAgent && strings.Contains(t.Text, question):
			heard = true
		case heard && b.answers(t):
			return b.quoteTurn(t), true
		}
	}
	return nil, heard
}

// code is the last version of what was written in these visits, in the field that the definition names.
func (b *builder) code(visits []uint64) *Code {
	if b.def.Report == nil || b.def.Report.Code == "" {
		return nil
	}
	f := b.u.Fields[b.def.Report.Code]
	var text string
	if !slices.Contains(visits, f.Visit) || json.Unmarshal(f.Value, &text) != nil || strings.TrimSpace(text) == "" {
		return nil
	}
	text = strings.TrimRight(text, "\n ")
	return &Code{Text: text, Lines: strings.Count(text, "\n") + 1}
}

// label is what people call a fact, a note or a field.
func (b *builder) label(id, otherwise string) string {
	if b.words.Has("slot." + id) {
		return b.words.Say("slot." + id)
	}
	if name := b.src.Names[id]; name != "" {
		return name
	}
	return cmp.Or(otherwise, spaced(id))
}

// within reports whether a turn was taken in the sub-phase.
func (b *builder) within(s *Stage, turn uint64) bool {
	return slices.ContainsFunc(b.u.Turns, func(t state.Turn) bool {
		return t.ID == turn && slices.ContainsFunc(b.u.Visits, func(v state.StageVisit) bool { return v.Visit == t.Visit && v.Stage == s.ID && v.Item == s.Item })
	})
}

// verified returns a quote as it was said, with its time; nil where the candidate did not say it.
func (b *builder) verified(text string, turn uint64) *Quote {
	found := b.quotes(evaluate.Verify([]evaluate.Quote{{Turn: turn, Text: text}}, conversation(b.turns([]uint64{turn}))), nil)
	if len(found) == 0 {
		return nil
	}
	return &found[0]
}

// quoteOf quotes a value where it was said in these words, and else the turn that it was taken from.
func (b *builder) quoteOf(value string, turn uint64) *Quote {
	if q := b.verified(value, turn); q != nil {
		return q
	}
	for _, t := range b.turns([]uint64{turn}) {
		return b.quoteTurn(t)
	}
	return nil
}

// quoteTurn quotes a turn, or the beginning of a long one.
func (b *builder) quoteTurn(t state.Turn) *Quote {
	text := understand.Clip(strings.TrimSpace(t.Text), longestQuote)
	return &Quote{Turn: t.ID, Text: text, At: b.spokenAt(t.ID, text)}
}

func capital(text string) string {
	r := []rune(text)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
