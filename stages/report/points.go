package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/conclusion"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

const (
	longestPoint  = 160 // characters of a point's name
	longestQuote  = 240 // characters of an answer that stands for itself
	fewestPoints  = 4   // right claims of a part that are told
	fewestPraised = 5   // words of a quote that shows something good
	fewestContent = 4   // words that say what it is about, of a sentence that says much
	mostLines     = 6   // points of a part up to which notes are added
)

// points tells what came of a part, from the state alone: facts and notes, criteria, claims, the questions of an expert, and what
// was asked for and did not come up (RM-30). A part in which nothing was answered has none.
func (b *builder) points(s *Stage, visits []uint64) {
	st := b.def.Stage(s.ID)
	s.Answers = len(b.answersOf(visits))
	since := engine.EasierSince(b.u)
	before := func(visit uint64) bool { return visit <= since }
	here := slices.DeleteFunc(slices.Clone(visits), before) // what was said of an earlier problem is none of the points
	said := slices.DeleteFunc(b.answersOf(here), b.overhangs)
	if st == nil {
		return
	}
	if st.Limits.Hints > 0 || len(st.Hints) > 0 {
		given := 0
		for _, v := range b.u.Visits {
			if slices.Contains(visits, v.Visit) {
				given += v.HintLevel
			}
		}
		if b.u.Model { // which says itself what its words were
			given = min(given, b.stuck(visits))
		}
		s.Hints = &given
	}
	s.Code = b.code(here)
	if len(said) == 0 {
		return
	}
	b.covers(s)
	b.claims(s)
	b.costs(s, st, said)
	b.queued(s, here)
	told, open := b.told(s, st, said)
	s.Points = slices.Concat(told, b.noted(s, mostLines-len(told)-len(s.Points)), s.Points, open)
	if s.Code == nil && !s.Judged && len(b.r.Questions) == 0 && !slices.ContainsFunc(s.Points, func(p Point) bool { return p.Quote != nil }) {
		if p := b.piece(said...); p != nil && !b.toldBefore(nil, *p.Quote) {
			s.Points = append([]Point{*p}, s.Points...)
		}
	}
}

// overhangs reports whether a turn goes on with what was said in the part before: the candidate had not stopped, or the time limit cut them
// off. Nothing had been asked in its own part yet.
func (b *builder) overhangs(t state.Turn) bool {
	place := slices.IndexFunc(b.u.Turns, func(o state.Turn) bool { return o.ID == t.ID })
	if before := place - 1; before >= 0 && b.u.Turns[before].Speaker == state.SpeakerCandidate && b.u.Turns[before].Visit != t.Visit {
		return true
	}
	at := slices.IndexFunc(b.u.Visits, func(v state.StageVisit) bool { return v.Visit == t.Visit })
	if at < 1 || b.u.Visits[at-1].Reason != engine.ReasonDeadline {
		return false
	}
	first := slices.IndexFunc(b.u.Turns, func(o state.Turn) bool { return o.Visit == t.Visit && o.Speaker == state.SpeakerAgent })
	return first < 0 || b.u.Turns[first].ID > t.ID
}

// stuck counts the turns in which the candidate asked for help or was at a loss: each may have got a hint.
func (b *builder) stuck(visits []uint64) int {
	n := 0
	for _, t := range b.u.Turns {
		if t.Speaker == state.SpeakerCandidate && slices.Contains(visits, t.Visit) && (b.src.Rules == nil || slices.ContainsFunc(b.src.Rules.Intents(t.Text), func(i understand.Intent) bool {
			return slices.Contains(atALoss, i)
		})) {
			n++
		}
	}
	return n
}

// point makes a point; key names its sentence, which may hold {name}.
func (b *builder) point(kind, key, name string, quote *Quote, pairs ...string) Point {
	name = understand.Clip(strings.Join(strings.Fields(name), " "), longestPoint)
	text := b.words.Say("point."+key, append([]string{"name", name}, pairs...)...)
	return Point{Kind: kind, Name: name, Quote: quote, Text: capital(text)}
}

// covers lists the criteria of a part, each with its latest level: what was put right counts as it came out (RM-31). That a part served its
// purpose tells its candidate nothing.
func (b *builder) covers(s *Stage) {
	var order []string
	latest, first := make(map[string]state.Cover), make(map[string]int)
	for _, c := range b.u.Covered {
		if c.Criterion == engine.PurposeCriterion || c.Stage != s.ID || c.Part != s.Item || c.Level < 1 || c.Level > 3 || b.verified(c.Quote, c.Turn) == nil {
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
		p := b.point(PointCovered, key, b.label(id, ""), b.verified(c.Quote, c.Turn),
			"level", b.words.Say("level."+number(c.Level)), "before", b.words.Say("level."+number(first[id])))
		if c.Level > 1 && understand.Words(c.Quote) < fewestPraised && b.isSlot(id) {
			s.Points = append(s.Points, b.point(PointTold, "told", b.label(id, ""), p.Quote)) // a name or a number needs no praise
			continue
		}
		if q := b.toldSince(id, c.Turn); c.Level == 1 && q != nil {
			p.Settled, p.Mended = true, q
		}
		if p.Level = c.Level; first[id] != c.Level {
			p.Before = first[id]
		}
		s.Points = append(s.Points, p)
	}
}

// toldSince is what the notebook has of a fact after a turn.
func (b *builder) toldSince(id string, turn uint64) *Quote {
	for _, n := range slices.Backward(b.u.Notebook) {
		if n.ID == id && n.Turn > turn {
			if q := b.verified(n.Quote, n.Turn); q != nil {
				return q
			}
		}
	}
	return nil
}

// flagDisputed says that the talk came to another cost than the candidate: what they said holds for another solution than theirs.
const flagDisputed = "complexity_disputed"

// lexiconCosts is the word list of a part that asks what a solution costs.
const lexiconCosts = "complexity"

// costs lists the costs that were named and are those of a good solution, where nobody has checked claims. Others may be right for
// another solution: of them nothing is said.
func (b *builder) costs(s *Stage, st *definition.Stage, said []state.Turn) {
	checked := b.u.Flags[flagDisputed] || slices.ContainsFunc(b.u.Claims, func(c state.Claim) bool { return c.Stage == s.ID })
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
				s.Points = append(s.Points, b.point(PointRight, c.key, c.want, b.quoteSentence(t, claim.Quote)))
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

// queued lists the questions that an expert had in store for a part: the answered ones with the answer.
func (b *builder) queued(s *Stage, visits []uint64) {
	for _, q := range b.u.Queue {
		if !slices.Contains(visits, q.Visit) || q.Status == state.Waiting {
			continue
		}
		answer, heard := b.answerTo(q.Text, visits)
		switch {
		case !heard: // nobody was asked
		case answer != nil: // nobody knows better whether it is one
			s.Points = append(s.Points, b.point(PointAsked, "asked", q.Text, answer))
		default:
			s.Points = append(s.Points, b.point(PointOpen, "unanswered", q.Text, nil))
		}
	}
}

// answerTo finds the answer that followed a question, if it was heard at all: before another of the questions was put, and no wish for a hint.
// Where something else was asked in between, nobody knows what the next words answer: then nothing is told of the question.
func (b *builder) answerTo(question string, visits []uint64) (answer *Quote, heard bool) {
	other, spoke := false, false // something else was asked; something was said at length, and is no answer
	for _, t := range b.u.Turns {
		switch agent := t.Speaker == state.SpeakerAgent; {
		case !slices.Contains(visits, t.Visit):
			other = other || heard && agent
		case agent && strings.Contains(t.Text, question):
			heard, other, spoke = true, false, false
		case agent && heard && b.putsAnother(t.Text, question):
			return nil, true
		case agent:
			other = other || heard && (spoke || strings.ContainsAny(t.Text, "?？"))
		case heard && b.replies(t):
			return b.quoteIf(!other, t), !other
		case heard && understand.Words(t.Text) >= substance:
			spoke = true
		}
	}
	return nil, heard
}

func (b *builder) quoteIf(known bool, t state.Turn) *Quote {
	if !known {
		return nil
	}
	return b.quoteTurn(t)
}

// replies reports whether a turn can be the answer to what was asked just before.
func (b *builder) replies(t state.Turn) bool {
	return b.answers(t) && !t.Aside && !b.onlyWishes(t.Text)
}

// putsAnother reports whether the interviewer's words hold another question that an expert had in store.
func (b *builder) putsAnother(text, question string) bool {
	return slices.ContainsFunc(b.u.Queue, func(q state.Queued) bool { return q.Text != question && strings.Contains(text, q.Text) })
}

// onlyWishes reports whether nothing in a text answers.
func (b *builder) onlyWishes(text string) bool {
	return b.src.Rules != nil && !slices.ContainsFunc(b.src.Rules.Acts(text), answering)
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
	if text = b.spokenCode(strings.TrimRight(text, "\n "), visits); text == "" {
		return nil
	}
	return &Code{Text: text, Lines: strings.Count(text, "\n") + 1}
}

// spokenCode leaves out of lines that were said what belongs to the talk: what had been said before, and what asks for something.
func (b *builder) spokenCode(text string, visits []uint64) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, t := range slices.Backward(b.u.Turns) {
			if t.Speaker == state.SpeakerCandidate && !t.Typed && slices.Contains(visits, t.Visit) && strings.TrimSpace(line) != "" && strings.Contains(t.Text, line) {
				fresh := b.fresh(t)
				said := slices.DeleteFunc(evaluate.Sentences(line), func(s string) bool { return !strings.Contains(fresh, strings.TrimSpace(s)) })
				line = strings.TrimSpace(strings.Join(said, ""))
				break
			}
		}
		kept = append(kept, strings.TrimRight(line, " "))
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// label is what people call a fact, a criterion or a field.
func (b *builder) label(id, otherwise string) string {
	if b.words.Has("slot." + id) {
		return b.words.Say("slot." + id)
	}
	if name := b.criterion(id); name != spaced(id) {
		return name
	}
	return cmp.Or(otherwise, spaced(id))
}

// verified returns a quote as it was said, with its time; nil where the candidate did not say it.
func (b *builder) verified(text string, turn uint64) *Quote {
	found := b.quotes(evaluate.Verify([]evaluate.Quote{{Turn: turn, Text: text}}, conversation(b.turns([]uint64{turn}))), nil)
	if len(found) == 0 {
		return nil
	}
	return &found[0]
}

// quoteTurn quotes what of a turn answers; where that is long or not said in a row, its longest sentence.
func (b *builder) quoteTurn(t state.Turn) *Quote {
	text := strings.TrimSpace(b.fresh(t))
	if all := b.sentences(t); len(all) > 0 && (len([]rune(text)) > longestQuote || !strings.Contains(t.Text, text) || b.onlyWishes(text)) {
		text = strings.TrimSpace(slices.MaxFunc(all, func(x, y string) int { return cmp.Compare(len(x), len(y)) }))
	}
	text = understand.Clip(text, longestQuote)
	return &Quote{Turn: t.ID, Text: text, At: b.spokenAt(t.ID, text)}
}

// quoteSentence quotes the sentence of a turn that holds these words.
func (b *builder) quoteSentence(t state.Turn, words string) *Quote {
	at := strings.Index(t.Text, words)
	if at < 0 {
		return b.quoteTurn(t)
	}
	from, to := evaluate.SentenceAt(t.Text, at, at+len(words))
	if to-from > longestQuote {
		from, to = at, at+len(words)
	}
	return b.verified(strings.TrimSpace(t.Text[from:to]), t.ID)
}

func capital(text string) string {
	r := []rune(text)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
