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
	"github.com/vivavoice/viva/stages/phrase"
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
	said := b.answersOf(here)
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

// point makes a point; key names its sentence, which may hold {name}.
func (b *builder) point(kind, key, name string, quote *Quote, pairs ...string) Point {
	name = understand.Clip(strings.Join(strings.Fields(name), " "), longestPoint)
	text := b.words.Say("point."+key, append([]string{"name", name}, pairs...)...)
	return Point{Kind: kind, Name: name, Quote: quote, Text: capital(text)}
}

// told lists the facts that were asked for in the order of the definition, each in the words in which it was told last, then the text
// that completes the stage, and what was asked for and did not come up.
func (b *builder) told(s *Stage, st *definition.Stage, said []state.Turn) (told, open []Point) {
	for i := range st.Slots {
		slot := &st.Slots[i]
		switch known := b.u.Slots[slot.ID]; {
		case slices.ContainsFunc(s.Points, func(p Point) bool { return p.Name == b.label(slot.ID, slot.Hint) }):
		case known.Status == state.SlotFilled && known.Turn > 0:
			if p := b.taken(slot, known); p != nil && !b.toldBefore(told, *p.Quote) {
				told = append(told, *p)
			}
		case b.hears(slot.ID, said):
		case known.Status == state.SlotEmpty && known.Asked > 0, known.Status == state.SlotWaived:
			open = append(open, b.point(PointOpen, "open", b.label(slot.ID, slot.Hint), nil))
		}
	}
	if f := st.Done.Field; f != "" && !b.def.Fields[f].Secret && s.Code == nil {
		if p := b.completed(f, said); p != nil && !b.toldBefore(told, *p.Quote) {
			told = append(told, *p)
		}
	}
	return told, open
}

// hears reports whether one of these turns holds a fact, whatever became of it in the talk: nobody may have read its last words.
func (b *builder) hears(fact string, said []state.Turn) bool {
	return b.src.Rules != nil && slices.ContainsFunc(said, func(t state.Turn) bool {
		_, is := b.src.Rules.Fact(fact, t.Text)
		return is
	})
}

// taken is the point of a fact, named as what it was taken for. What rules took for one may be about something else: it is told without a
// name, with the sentence that it stands in.
func (b *builder) taken(slot *definition.Slot, known state.Slot) *Point {
	if known.By == byModel {
		q := b.fact(slot.ID, known)
		if q == nil {
			return nil
		}
		p := b.point(PointTold, "told", b.label(slot.ID, slot.Hint), q)
		return &p
	}
	for _, t := range b.turns([]uint64{known.Turn}) {
		for _, s := range b.sentences(t) {
			if known.By == byRules && strings.Contains(folded(s), folded(known.Value)) {
				return b.tell(t, s)
			}
		}
		return b.piece(t)
	}
	return nil
}

// sentences are those of a turn that answer.
func (b *builder) sentences(t state.Turn) []string {
	text := b.fresh(t)
	if b.src.Rules != nil {
		text = phrase.Answers(b.src.Rules.Acts(text))
	}
	return evaluate.Sentences(text)
}

// piece tells the most particular thing that these turns tell of the candidate's own, in a whole sentence, or else one that says much; nil
// where there is none.
func (b *builder) piece(turns ...state.Turn) (told *Point) {
	most := 0.0
	for _, t := range turns {
		for _, s := range b.sentences(t) {
			rules := phrase.For(b.r.Locale)
			piece, worth := rules.Weigh(s, phrase.Past{Own: true})
			if n := len(rules.Content(s)); piece == "" && n >= fewestContent && b.words.Language != "zh" && rules.Own(s) {
				piece, worth = strings.TrimSpace(s), float64(n)/100 // behind all that is particular
			}
			if piece != "" && worth > most {
				if p := b.tell(t, piece); p != nil {
					told, most = p, worth
				}
			}
		}
	}
	return told
}

// tell quotes the sentence of a turn that holds these words, as something that was told.
func (b *builder) tell(t state.Turn, words string) *Point {
	q := b.quoteSentence(t, words)
	if q == nil || understand.Words(q.Text) < fewestPraised || b.corrected(*q) {
		return nil
	}
	p := b.point(PointTold, "noted", "", q)
	return &p
}

// Who filled a slot: a reading of the talk, or the rules, which found the words for it.
const (
	byModel = "model"
	byRules = "rules"
)

// toldBefore reports whether these words were told already, in this part or one before.
func (b *builder) toldBefore(told []Point, q Quote) bool {
	for i := range b.r.Stages {
		told = append(told, without(b.r.Stages[i].Points, func(p Point) bool { return p.Kind != PointTold })...)
	}
	return slices.ContainsFunc(told, func(p Point) bool { return p.shows(q) })
}

// fact quotes a fact as the notebook has it, and else as it was taken. What is longer than a fact, or answers nothing, is none.
func (b *builder) fact(id string, known state.Slot) *Quote {
	for _, n := range slices.Backward(b.u.Notebook) {
		if n.ID == id {
			if q := b.verified(n.Quote, n.Turn); q != nil && b.brief(*q) {
				return q
			}
		}
	}
	if q := b.verified(known.Value, known.Turn); q != nil && b.brief(*q) {
		return q
	}
	return nil
}

// brief reports whether a quote can be a fact.
func (b *builder) brief(q Quote) bool {
	turns := b.turns([]uint64{q.Turn})
	return len([]rune(q.Text)) <= longestPoint && len(turns) > 0 && strings.Contains(b.fresh(turns[0]), q.Text)
}

// noted lists the most particular notes of a part beyond what its other points show, each as it was told last. What the candidate asked,
// wished or felt is no fact, and answers to numbered questions stand with these.
func (b *builder) noted(s *Stage, room int) []Point {
	if len(b.r.Questions) > 0 || room < 1 {
		return nil
	}
	var out []Point
	for i, n := range b.u.Notebook {
		later := slices.ContainsFunc(b.u.Notebook[i+1:], func(o state.Note) bool {
			return o.ID == n.ID && (o.Corrects || o.Stage == n.Stage && o.Part == n.Part)
		})
		if n.Stage != s.ID || n.Part != s.Item || later || b.isSlot(n.ID) || has(notFacts, spaced(n.ID)) {
			continue
		}
		q := b.verified(n.Quote, n.Turn)
		if q == nil || !b.tells(*q) || !b.particularly(q.Text) {
			continue
		}
		for _, t := range b.turns([]uint64{q.Turn}) { // the end of what was said is often what counts
			q = cmp.Or(b.quoteSentence(t, q.Text), q)
		}
		if !b.toldBefore(out, *q) && !slices.ContainsFunc(append(out, s.Points...), func(p Point) bool { return p.shows(*q) }) {
			out = append(out, b.point(PointTold, "noted", "", q))
		}
	}
	return b.best(out, room)
}

// particularly reports whether words hold something particular.
func (b *builder) particularly(text string) bool {
	return phrase.For(b.r.Locale).Pick(text, phrase.Past{}) != ""
}

// notFacts are words of the ids of notes that are for the talk and not for a report: moods, wishes and confidences.
var notFacts = []string{"mood", "wish", "wishes", "secret", "nerves", "nervous", "fear", "feeling", "worry", "stress", "hint", "hints", "skipped", "feedback"}

func (b *builder) isSlot(id string) bool {
	return slices.ContainsFunc(b.def.Stages, func(st definition.Stage) bool { return st.Slot(id) != nil })
}

// tells reports whether a quote tells something: it stands in an answer, and in no question, request or word about a feeling.
func (b *builder) tells(q Quote) bool {
	if strings.ContainsAny(q.Text, "?？") || understand.Words(q.Text) < fewestWords {
		return false
	}
	for _, t := range b.turns([]uint64{q.Turn}) {
		if t.Aside || !strings.Contains(b.fresh(t), q.Text) {
			return false
		}
		_, after, _ := strings.Cut(t.Text, q.Text)
		if end := strings.IndexAny(after, ".!?。！？"); end >= 0 && strings.HasPrefix(after[end:], "?") {
			return false
		}
		if b.src.Rules == nil {
			continue
		}
		for _, a := range b.src.Rules.Acts(t.Text) {
			if !answering(a) && (strings.Contains(a.Text, q.Text) || strings.Contains(q.Text, a.Text)) {
				return false
			}
		}
	}
	return true
}

func answering(a understand.Act) bool {
	return a.Kind == understand.ActAnswer || a.Kind == understand.ActCorrection
}

// shows reports whether a point quotes these words already.
func (p Point) shows(q Quote) bool {
	return slices.ContainsFunc([]*Quote{p.Quote, p.Mended}, func(o *Quote) bool {
		return o != nil && (o.Turn == q.Turn || p.note()) && (strings.Contains(o.Text, q.Text) || strings.Contains(q.Text, o.Text))
	})
}

// completed tells the text that completes a stage, as far as it was said.
func (b *builder) completed(field string, said []state.Turn) *Point {
	var text string
	if json.Unmarshal(b.u.Fields[field].Value, &text) != nil || text == "" {
		return nil
	}
	at := slices.IndexFunc(said, func(t state.Turn) bool { return strings.Contains(t.Text, text) })
	if at < 0 {
		return nil
	}
	return b.piece(said[at])
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
		case q.Status == state.Answered && answer != nil:
			s.Points = append(s.Points, b.point(PointAsked, "asked", q.Text, answer))
		default:
			s.Points = append(s.Points, b.point(PointOpen, "unanswered", q.Text, nil))
		}
	}
}

// answerTo finds the answer that followed a question, if it was heard at all: before another of the questions was put, and no wish for a hint.
// Where something else was asked in between, nobody knows what the next words answer: then nothing is told of the question.
func (b *builder) answerTo(question string, visits []uint64) (answer *Quote, heard bool) {
	other := false
	for _, t := range b.u.Turns {
		switch agent := t.Speaker == state.SpeakerAgent; {
		case !slices.Contains(visits, t.Visit):
		case agent && strings.Contains(t.Text, question):
			heard, other = true, false
		case agent && heard && b.putsAnother(t.Text, question):
			return nil, true
		case agent:
			other = other || heard && strings.ContainsAny(t.Text, "?？")
		case heard && b.answers(t) && !t.Aside && !b.onlyWishes(t.Text):
			if other {
				return nil, false
			}
			return b.quoteTurn(t), true
		}
	}
	return nil, heard
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
	text = strings.TrimRight(text, "\n ")
	return &Code{Text: text, Lines: strings.Count(text, "\n") + 1}
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
