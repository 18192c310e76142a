package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// told lists the facts that were asked for in the order of the definition, each in the words in which it was told last, then the text
// that completes the stage, and what was asked for and did not come up.
func (b *builder) told(s *Stage, st *definition.Stage, said []state.Turn) (told, open []Point) {
	for i := range st.Slots {
		slot := &st.Slots[i]
		switch known := b.u.Slots[slot.ID]; {
		case slices.ContainsFunc(s.Points, func(p Point) bool { return p.Name == b.label(slot.ID, slot.Hint) }):
		case known.Status == state.SlotFilled && known.Turn > 0:
			if p := b.taken(slot, known, said); p != nil && !b.toldBefore(told, *p.Quote) {
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

// heard quotes the sentence of a turn in which the rules hear a fact.
func (b *builder) heard(fact string, t state.Turn) *Quote {
	for _, s := range b.sentences(t) {
		if _, is := b.src.Rules.Fact(fact, s); is {
			return b.quoteSentence(t, strings.TrimSpace(s))
		}
	}
	return nil
}

// taken is the point of a fact, named as what it was taken for. What rules took for one may be about something else: it is told without a
// name, with the sentence that it stands in.
func (b *builder) taken(slot *definition.Slot, known state.Slot, said []state.Turn) *Point {
	if known.By == byModel {
		q := b.fact(slot.ID, known)
		if q == nil || b.besides(*q) {
			return nil
		}
		if b.src.Rules != nil && b.src.Rules.Knows(slot.ID) {
			turn := b.turns([]uint64{q.Turn})[0]
			heard := b.heard(slot.ID, turn)
			switch in := func(t state.Turn) bool { return t.ID == turn.ID }; {
			case heard != nil:
				q = heard
			case slices.ContainsFunc(said, in):
				return b.tell(turn, q.Text) // a model alone took it for that
			default:
				return nil
			}
		}
		p := b.point(PointTold, "told", b.label(slot.ID, slot.Hint), q)
		return &p
	}
	turns := b.turns([]uint64{known.Turn})
	if len(turns) == 0 {
		return nil
	}
	for _, s := range b.sentences(turns[0]) {
		if known.By == byRules && strings.Contains(folded(s), folded(known.Value)) {
			return b.tell(turns[0], s)
		}
	}
	return b.piece(turns[0])
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
		if t.Aside {
			continue
		}
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
				return b.whole(*q)
			}
		}
	}
	if q := b.verified(known.Value, known.Turn); q != nil && b.brief(*q) {
		return b.whole(*q)
	}
	return nil
}

// whole is the sentence that a quote stands in, where that can be a fact: cut short it may mean another thing.
func (b *builder) whole(q Quote) *Quote {
	for _, t := range b.turns([]uint64{q.Turn}) {
		if s := b.quoteSentence(t, q.Text); s != nil && b.brief(*s) {
			return s
		}
	}
	return &q
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
	}
	return !b.besides(q)
}

// besides reports whether a quote stands in what does not answer: a question, a request, a remark, a word about a feeling.
func (b *builder) besides(q Quote) bool {
	for _, t := range b.turns([]uint64{q.Turn}) {
		if b.src.Rules != nil && slices.ContainsFunc(b.src.Rules.Acts(t.Text), func(a understand.Act) bool {
			return !answering(a) && (strings.Contains(a.Text, q.Text) || strings.Contains(q.Text, a.Text))
		}) {
			return true
		}
	}
	return false
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
