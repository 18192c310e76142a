// Package cassette keeps what models answered in a talk, so that the talk can be held again without them: at no cost, at once,
// and with the same words. One file is one talk.
//
// An answer is found by what was asked: the role that asks, the messages, the tools and the choice among them, the schema and
// its name. How long, how random or by which model the answer was to be is not asked for, and changes nothing. A request that
// is put several times has its answers in the order in which they were recorded.
//
// Only whole answers are kept, and those that their reader gave up: the context was cancelled, or the stream closed, before
// the end. A failure of the model behind, its timeouts among them, is not kept and stays a miss: nobody wants to replay it.
// So a cassette belongs around what retries (llm.Limited), not within.
//
// Files hold everything that was said; they are made for talks of made-up candidates and for being read in reviews.
//
// A Cassette and its models are safe for concurrent use; a stream belongs to one goroutine. No goroutine is started.
package cassette

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/vivavoice/viva/pipeline/llm"
)

// Mode says what is done about a request.
type Mode uint8

// The modes.
const (
	// Replay asks nobody: a request that was not recorded is a *Miss.
	Replay Mode = iota
	// Record asks the model behind about everything and begins the file anew.
	Record
	// Refresh replays what was recorded and asks the model behind about the rest.
	Refresh
)

// Cassette is the recording of one talk.
type Cassette struct {
	path string
	mode Mode

	mu      sync.Mutex
	tape    *tape            // guarded by mu
	left    map[string][]int // by key of the request: the exchanges of the tape that were not asked for yet, in order; guarded by mu
	asked   map[string]int   // by role: how many requests there were; guarded by mu
	failed  bool             // a model behind did not answer, which is not kept; guarded by mu
	dropped int              // guarded by mu
	wrong   error            // the first failure to write; guarded by mu
	closed  bool             // guarded by mu
}

// Open reads the recording at path, or begins one there. Whoever opens it closes it. To replay what is not there is an error
// that wraps fs.ErrNotExist.
func Open(path string, mode Mode) (*Cassette, error) {
	c := &Cassette{path: path, mode: mode, tape: newTape(), left: make(map[string][]int), asked: make(map[string]int)}
	if mode == Record {
		return c, nil
	}
	t, err := load(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && mode == Refresh:
		return c, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no recording to replay; make one with --record: %w", err)
	case err != nil:
		return nil, fmt.Errorf("read the recording %s (to make it anew: --record): %w", path, err)
	}
	c.tape = t
	for i, e := range t.Exchanges {
		c.left[e.key] = append(c.left[e.key], i)
	}
	return c, nil
}

// Note keeps, beside the answers to a role, who gave them: a model's name and its effort. It is for readers and finds nothing.
func (c *Cassette) Note(role, model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mode != Replay && model != "" {
		c.tape.Models[role] = model
	}
}

// Noted returns the name that was kept beside the answers to a role; "" where there is none.
func (c *Cassette) Noted(role string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tape.Models[role]
}

// Model returns a model that answers from the recording in the name of role, such as interviewer, candidate or judge, and
// asks behind as the mode allows. behind may be nil for Replay.
func (c *Cassette) Model(role string, behind llm.Model) llm.Model {
	return &model{c: c, role: role, behind: behind}
}

// Dropped returns how many exchanges Close left out of the file, because nobody asked for them in this run.
func (c *Cassette) Dropped() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped
}

// Close ends the recording; streams that are still open are not kept. After a Refresh in which no model failed it leaves
// out what nobody asked for any more. Its error is the first failure to write since Open.
func (c *Cassette) Close() error { return c.close(true) }

// Abandon is Close for a talk that broke off: it leaves nothing out, since the rest of the talk was not asked for.
func (c *Cassette) Abandon() error { return c.close(false) }

func (c *Cassette) close(over bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.wrong
	}
	c.closed = true
	if c.mode == Replay {
		return nil
	}
	if c.mode == Refresh && over && !c.failed {
		c.dropped = c.tape.drop()
	}
	c.write()
	return c.wrong
}

// write keeps the file up to date. It is small beside the time that one answer takes, so it is written after each: a
// recording that is interrupted goes on with Refresh.
func (c *Cassette) write() {
	if _, err := os.Stat(c.path); len(c.tape.Exchanges) == 0 && errors.Is(err, os.ErrNotExist) {
		return // a talk without models needs no file
	}
	if err := c.tape.save(c.path); err != nil && c.wrong == nil {
		c.wrong = fmt.Errorf("write the recording %s: %w", c.path, err)
	}
}

// model is one role's way to the recording.
type model struct {
	c      *Cassette
	role   string
	behind llm.Model
}

var _ llm.Model = (*model)(nil)

func (m *model) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	e, miss, err := m.c.find(m.role, r)
	switch {
	case err != nil:
		return nil, err
	case miss == nil:
		return newReplayed(ctx, e.reply), nil
	case m.c.mode == Replay:
		return nil, miss
	case m.behind == nil:
		return nil, fmt.Errorf("no model stands behind the recording of the %s: %w", m.role, miss)
	}
	s, err := m.behind.Stream(ctx, r)
	if err != nil {
		m.c.broke(e, givenUp(ctx))
		return nil, err
	}
	return &recording{inner: s, givenUp: func() bool { return givenUp(ctx) }, c: m.c, e: e}, nil
}

// find returns the exchange that answers the request, or a new one to be answered and why no old one does.
func (c *Cassette) find(role string, r llm.Request) (*exchange, *Miss, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, fmt.Errorf("ask the %s's model: the recording %s is closed", role, c.path)
	}
	a, err := c.tape.ask(role, r)
	if err != nil {
		return nil, nil, err
	}
	at := c.asked[role]
	c.asked[role]++
	if left := c.left[a.key]; len(left) > 0 {
		c.left[a.key] = left[1:]
		e := c.tape.Exchanges[left[0]]
		e.at = at
		return e, nil, nil
	}
	return &exchange{ask: a, at: at}, c.miss(a, at), nil
}

// keep puts an exchange that was answered into the file.
func (c *Cassette) keep(e *exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.tape.Exchanges = append(c.tape.Exchanges, e)
		c.write()
	}
}

// broke ends an exchange before the end of its answer: it is kept as far as it came if its reader gave it up.
func (c *Cassette) broke(e *exchange, givenUp bool) {
	if givenUp {
		e.Cut = true
		c.keep(e)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = true
}
