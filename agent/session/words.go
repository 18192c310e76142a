package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
)

// words is the source of one utterance: a model's clauses where it is asked and keeps its promises, the scripted ones
// otherwise. Where the model leads the turn, lead takes its place. A model that repeats a question is asked once more, then the script takes over (R001-53); so it does when
// the model fails, stalls, says nothing, or gives away what is hidden (R003-31, RX-20). It belongs to the goroutine of its utterance.
type words struct {
	s        *Session
	say      engine.Say
	held     *escrow // nil: nothing is held back
	lead     *lead   // nil: the model does not lead the turn
	chunks   speak.Chunker
	clauses  []speak.Clause
	given    []string // to the voice
	model    *reply
	tries    int
	scripted bool
	worded   bool
	tools    int
	degraded string
	cost     cost
	length   int // characters of the model's reply so far
	progress progress
}

const (
	// modelTries is the first reply and one more.
	modelTries = 2
	// maxReply bounds a reply in characters: forty seconds of speech, where two short sentences were asked for. Not every
	// server heeds the limit of the request.
	maxReply = 600
	// maxCalls bounds the tool calls of a reply; the mailbox need not take what no tool is there for.
	maxCalls = 8
)

func (s *Session) source(e engine.Say, held *escrow) *words {
	w := &words{s: s, say: e, held: held}
	s.noteBudget()
	leads := e.Ask != nil && e.Ask.Lead
	switch {
	case s.o.Model != nil && e.Ask != nil && !s.broke:
		if leads {
			w.lead = newLead(w)
		}
		return w
	case leads && s.broke:
		w.degraded = errNoTokens.Error()
	case leads:
		w.degraded = errNoModel.Error()
	}
	w.script()
	return w
}

// Next implements speak.Source.
func (w *words) Next(ctx context.Context) (speak.Clause, error) {
	if w.lead != nil {
		return w.lead.next(ctx)
	}
	for {
		if len(w.clauses) > 0 {
			c := w.clauses[0]
			w.clauses = w.clauses[1:]
			w.given = append(w.given, c.Text)
			c.Fixed = w.s.o.Interview.Words.Fixed(c.Text)
			w.progress.note(&w.progress.firstClause)
			return c, nil
		}
		if w.scripted {
			return speak.Clause{}, io.EOF
		}
		if err := w.pull(ctx); err != nil {
			return speak.Clause{}, err
		}
	}
}

func (w *words) script() {
	w.scripted = true
	w.clauses = append(w.clauses, speak.Clauses(w.say.Text)...)
}

// pull brings the next piece of the model's reply, or decides that the script has to stand in.
func (w *words) pull(ctx context.Context) error {
	if w.model == nil {
		if err := w.request(ctx); err != nil {
			return w.fail(ctx, err)
		}
	}
	d, err := w.model.next()
	switch {
	case errors.Is(err, io.EOF):
		return w.finish(ctx)
	case err != nil:
		return w.fail(ctx, err)
	}
	w.progress.note(&w.progress.firstToken)
	w.cost.received(d)
	w.worded = w.worded || d.Text != ""
	if d.ToolCall != nil {
		w.call(*d.ToolCall)
	}
	return w.accept(ctx, w.chunks.Push(d.Text))
}

func (w *words) request(ctx context.Context) error {
	r, err := w.say.Ask.Request(w.tries > 0)
	if err != nil {
		return err
	}
	w.tries++
	w.cost.asked(r)
	w.progress.note(&w.progress.modelAsked)
	w.chunks, w.length = speak.Chunker{}, 0
	w.s.o.Meter.begin()
	if w.model, err = open(ctx, w.s.o.Model, request(r), w.s.o.ModelWait); err != nil {
		w.s.o.Meter.end()
	}
	return err
}

// accept passes clauses on unless one is a question that was asked before, or gives away what is hidden.
func (w *words) accept(ctx context.Context, clauses []speak.Clause) error {
	for _, c := range clauses {
		if strings.ContainsAny(c.Text, "?？") && w.say.Ask.Repeats(c.Text) {
			return w.repeated(ctx)
		}
		if w.reveals(c.Text) {
			return w.withhold(ctx)
		}
		if w.length += utf8.RuneCountInString(c.Text); w.length > maxReply {
			return w.fail(ctx, errEndless)
		}
		w.clauses = append(w.clauses, c)
	}
	return nil
}

// reveals reports whether the clause, with what stands before it, gives away what is hidden (R003-30, R003-31).
func (w *words) reveals(clause string) bool {
	return w.say.Ask.Reveals(strings.Join(slices.Concat(w.given, texts(w.clauses), []string{clause}), " "))
}

// withhold drops the clause and what would follow: the script stands in.
func (w *words) withhold(ctx context.Context) error {
	w.post(remark{"secret.withheld", []engine.Field{{Key: "utterance", Value: w.say.Utterance}}})
	return w.fail(ctx, errRevealing)
}

func (w *words) repeated(ctx context.Context) error {
	w.hangUp()
	w.clauses = nil
	if w.tries < modelTries && len(w.given) == 0 {
		return nil // the next pull asks again
	}
	return w.fail(ctx, errRepeated)
}

var (
	errRepeated  = errors.New("the model repeated a question")
	errRevealing = errors.New("the model gave away what is hidden")
	errSilent    = errors.New("the model said nothing")
	errEndless   = fmt.Errorf("the model said more than %d characters", maxReply)
	errUnvoiced  = errors.New("the voice failed before the model had finished")
)

func (w *words) finish(ctx context.Context) error {
	if err := w.accept(ctx, w.chunks.Flush()); err != nil || w.scripted || w.model == nil {
		return err
	}
	if w.tools == 0 && len(w.given)+len(w.clauses) == 0 {
		return w.fail(ctx, errSilent)
	}
	w.hangUp()
	w.scripted = true // nothing more comes; what was accepted is still to be said
	return nil
}

// fail lets the script stand in. Where the model has spoken already, only its question is still missing: the last
// sentence of the script.
func (w *words) fail(ctx context.Context, err error) error {
	w.hangUp()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.degraded = err.Error()
	if errors.Is(err, errLate) || errors.Is(err, errHalting) {
		w.post(alarm{Which: watchThinking, Utterance: w.say.Utterance, Lasted: w.s.o.ModelWait})
	}
	if w.tools > 0 {
		w.scripted = true
		return nil
	}
	w.clauses = nil
	script := speak.Clauses(w.say.Text)
	if len(w.given) > 0 {
		script = lastSentence(script)
	}
	w.clauses = append(w.clauses, script...)
	w.scripted = true
	return nil
}

// unvoiced completes the text of an utterance whose voice has failed: it can be read, and the question must be in it.
func (w *words) unvoiced(ctx context.Context) {
	if w.lead != nil {
		w.lead.unvoiced()
		return
	}
	if !w.scripted {
		_ = w.fail(ctx, errUnvoiced) // fails only with ctx, and then nobody reads it
	}
}

func (w *words) call(c llm.ToolCall) {
	if w.tools++; w.tools > maxCalls {
		return
	}
	w.post(Event{engine.ToolCalled{
		Utterance: w.say.Utterance, Visit: w.say.Visit, Call: c.ID, Name: c.Name, Args: c.Arguments,
	}})
}

// post tells the session something, once the utterance is decided on.
func (w *words) post(m Message) {
	if w.held != nil {
		w.held.put(m)
		return
	}
	w.s.Post(m)
}

func (w *words) hangUp() {
	if w.model != nil {
		w.model.close()
		w.model = nil
		w.s.o.Meter.end()
	}
}

// close ends what the source holds open, and counts what it used.
func (w *words) close() {
	w.quit()
	w.s.o.Meter.Add(w.cost.tokens())
}

// quit ends the request to the model; what was counted is final then.
func (w *words) quit() {
	if w.lead != nil {
		w.lead.close()
		return
	}
	w.hangUp()
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
	return w.worded, w.degraded
}

// text is everything that was handed to the voice.
func (w *words) text() string {
	if w.lead != nil {
		return w.lead.text()
	}
	return strings.Join(slices.Concat(w.given, texts(w.clauses)), " ")
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

func lastSentence(clauses []speak.Clause) []speak.Clause {
	for i := range clauses {
		if clauses[i].Sentence == clauses[len(clauses)-1].Sentence {
			return clauses[i:]
		}
	}
	return nil
}
