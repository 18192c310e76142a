package session

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
)

// words is the source of one utterance: the words of a model that leads the turn, or the scripted ones. What the model cannot say is left
// unsaid, and the engine's rules go on. It belongs to the goroutine of its utterance.
type words struct {
	s        *Session
	say      engine.Say
	held     *escrow        // nil: nothing is held back
	lead     *lead          // nil: the words are scripted
	clauses  []speak.Clause // of the script, not given yet
	given    []string       // of the script, to the voice
	degraded string         // why no model was asked that should lead
	cost     cost
	counted  int // tokens that the meter knows of
	progress progress
}

func (s *Session) source(e engine.Say, held *escrow) *words {
	w := &words{s: s, say: e, held: held}
	s.noteBudget()
	switch {
	case e.Lead == nil:
	case s.broke:
		w.degraded = errNoTokens.Error()
	case s.o.Model == nil:
		w.degraded = errNoModel.Error()
	default:
		w.lead = newLead(w)
		return w
	}
	w.clauses = speak.Clauses(e.Text)
	return w
}

// Next implements speak.Source.
func (w *words) Next(ctx context.Context) (speak.Clause, error) {
	if w.lead != nil {
		return w.lead.next(ctx)
	}
	if len(w.clauses) == 0 {
		return speak.Clause{}, io.EOF
	}
	c := w.clauses[0]
	w.clauses = w.clauses[1:]
	w.given = append(w.given, c.Text)
	c.Fixed = w.s.o.Interview.Words.Fixed(c.Text)
	w.progress.note(&w.progress.firstClause)
	return c, nil
}

// unvoiced completes the text of an utterance whose voice has failed: it can be read.
func (w *words) unvoiced() {
	if w.lead != nil {
		w.lead.unvoiced()
	}
}

// post tells the session something, once the utterance is decided on.
func (w *words) post(m Message) {
	if w.held != nil {
		w.held.put(m)
		return
	}
	w.s.Post(m)
}

// close ends what the source holds open, and counts what it used.
func (w *words) close() {
	w.quit()
	w.count()
}

// count tells the meter what was used, once that is final.
func (w *words) count() {
	if w.lead != nil && !w.lead.finished() {
		return
	}
	used := w.cost.tokens()
	w.s.o.Meter.Add(used - w.counted)
	w.counted = used
}

// quit ends the request to the model; what was counted is final then.
func (w *words) quit() {
	if w.lead != nil {
		w.lead.close()
	}
}

// await waits for what comes behind the words of a model that leads the turn, within the limit and until ctx ends.
func (w *words) await(ctx context.Context, limit time.Duration) {
	if w.lead != nil {
		w.lead.await(ctx, limit)
	}
}

// outcome says whether the words are a model's, and why they are not all its own.
func (w *words) outcome() (worded bool, degraded string) {
	if w.lead != nil {
		return w.lead.outcome()
	}
	return false, w.degraded
}

// text is everything that was handed to the voice, or still is to be.
func (w *words) text() string {
	if w.lead != nil {
		return w.lead.text()
	}
	return speak.Join(slices.Concat(w.given, texts(w.clauses))...)
}

// waste is what the utterance cost, should nobody hear it. Characters are those that were given to the voice.
func (w *words) waste() waste {
	w.quit()
	characters := utf8.RuneCountInString(strings.Join(w.given, ""))
	if w.lead != nil {
		characters = w.lead.given
	}
	return waste{Utterance: w.say.Utterance, Tokens: w.cost.tokens(), Characters: characters}
}

func texts(clauses []speak.Clause) []string {
	out := make([]string, len(clauses))
	for i, c := range clauses {
		out[i] = c.Text
	}
	return out
}
