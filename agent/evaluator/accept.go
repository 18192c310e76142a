package evaluator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/understand"
)

// Bounds of an answer: it has to fit into one entry of a journal.
const (
	maxQuotes     = 100      // in one list
	maxAllQuotes  = 400      // that are looked up
	maxQuoteBytes = 64 << 10 // of all that are kept
	maxMarks      = 100
	maxParts      = 24
	maxID         = 400 // characters of a criterion's or a flag's name
)

// accept reads a service's answer: what is no evaluation is an error; scores off their scale are brought back to it and
// flagged, and quotes that the candidate did not say are dropped (RX-13, RX-16).
func accept(text []byte, it evaluate.Item) (evaluate.Evaluation, error) {
	var e evaluate.Evaluation
	if err := json.Unmarshal(text, &e); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not an evaluation in JSON: %w", err)
	}
	if err := complete(e); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not an evaluation: %w", err)
	}
	v := verifier{turns: it.Conversation(), looks: maxAllQuotes, room: maxQuoteBytes}
	if it.Words == evaluate.WordsBoth { // the interviewer's words count too, so they are quoted too
		for i := range v.turns {
			v.turns[i].Role = evaluate.RoleUser
		}
	}
	e.Flags = slices.Clone(e.Flags[:min(len(e.Flags), maxMarks)])
	for i := range e.Flags {
		e.Flags[i] = understand.Clip(e.Flags[i], maxID)
	}
	e.Evidence, _ = v.quotes(e.Evidence)
	e.Marks, e.Parts = v.marks(e.Marks), e.Parts[:min(len(e.Parts), maxParts)]
	for i := range e.Parts {
		e.Parts[i].Marks = v.marks(e.Parts[i].Marks)
	}
	if v.unsaid {
		e.Flags = append(e.Flags, evaluate.FlagUnverified)
	}
	if v.clamped {
		e.Flags = append(e.Flags, evaluate.FlagClamped)
	}
	slices.Sort(e.Flags)
	e.Flags = slices.Compact(e.Flags)
	return evaluate.Sanitize(e), nil
}

// complete reports what an evaluation needs at least: JSON of any other shape decodes too.
func complete(e evaluate.Evaluation) error {
	known := []string{evaluate.StatusOK, evaluate.StatusDegraded, evaluate.StatusFailed, evaluate.StatusNotAssessed}
	switch {
	case !slices.Contains(known, e.Status):
		return fmt.Errorf("status %.40q is unknown", e.Status)
	case e.By == "":
		return errors.New("by is missing")
	case e.Max <= e.Min:
		return fmt.Errorf("the scale from %v to %v is none", e.Min, e.Max)
	}
	return nil
}

// verifier checks what quotes and marks claim.
type verifier struct {
	turns           []evaluate.Turn
	looks           int // how many more quotes are looked up
	room            int // bytes of quotes that still fit
	unsaid, clamped bool
}

// quotes keeps what was said, as far as there is room: as it is quoted where that is letter by letter, else as it stands in the
// transcript. said reports whether any of it was.
func (v *verifier) quotes(claimed []evaluate.Quote) (kept []evaluate.Quote, said bool) {
	looked := claimed[:min(len(claimed), maxQuotes, v.looks)]
	v.looks -= len(looked)
	v.unsaid = v.unsaid || len(looked) < len(claimed)
	for _, q := range looked {
		verified := evaluate.Verify([]evaluate.Quote{q}, v.turns)
		if len(verified) == 0 {
			v.unsaid = true
			continue
		}
		if v.verbatim(q) {
			verified[0] = q
		}
		if said = true; len(verified[0].Text) <= v.room {
			v.room -= len(verified[0].Text)
			kept = append(kept, verified[0])
		}
	}
	return kept, said
}

func (v *verifier) verbatim(q evaluate.Quote) bool {
	return slices.ContainsFunc(v.turns, func(t evaluate.Turn) bool { return t.ID == q.Turn && strings.Contains(t.Content, q.Text) })
}

// marks keeps levels on their scales. A level whose quotes were all invented is not assessed.
func (v *verifier) marks(claimed []evaluate.Mark) []evaluate.Mark {
	var out []evaluate.Mark
	for _, m := range claimed[:min(len(claimed), maxMarks)] {
		var said bool
		quoted := len(m.Evidence) > 0
		m.Criterion = understand.Clip(m.Criterion, maxID)
		m.Evidence, said = v.quotes(m.Evidence)
		if m.Status != evaluate.StatusOK || m.Max <= m.Min || quoted && !said {
			out = append(out, evaluate.Mark{Criterion: m.Criterion, Status: evaluate.StatusNotAssessed, Min: m.Min, Max: m.Max})
			continue
		}
		level, norm := min(max(m.Level, m.Min), m.Max), min(max(m.Norm, 0), 1)
		v.clamped = v.clamped || level != m.Level || norm != m.Norm
		m.Level, m.Norm = level, norm
		out = append(out, m)
	}
	return out
}
