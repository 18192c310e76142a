package cassette

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
)

// ErrCut is wrapped by the error of a replayed stream that is read on after its recorded reader gave the answer up.
var ErrCut = errors.New("the recorded answer was given up here by its reader; record it again with --record")

// cutWait is how long a stream that was given up waits for its reader to do so again, as the model would.
const cutWait = 30 * time.Second

// givenUp reports whether a reader cancelled. A limit that ended is no such thing: then the model failed to answer in time.
func givenUp(ctx context.Context) bool { return errors.Is(context.Cause(ctx), context.Canceled) }

// recording passes a reply on and remembers it.
type recording struct {
	inner   llm.Stream
	givenUp func() bool
	c       *Cassette
	e       *exchange
	text    strings.Builder
	over    bool // the exchange was kept, or failed
}

func (r *recording) Next() (llm.Delta, error) {
	d, err := r.inner.Next()
	switch {
	case err == nil:
		r.take(d)
	case r.over:
	case errors.Is(err, io.EOF):
		r.end()
	default:
		r.breakOff(r.givenUp())
	}
	return d, err
}

func (r *recording) take(d llm.Delta) {
	r.text.WriteString(d.Text)
	if d.Usage != nil {
		u := usage(*d.Usage)
		r.e.Usage = &u
	}
}

// end keeps a whole answer.
func (r *recording) end() {
	r.over = true
	r.e.Text = text(clean(r.text.String()))
	r.c.keep(r.e)
}

func (r *recording) breakOff(givenUp bool) {
	r.e.Cut = true
	if givenUp {
		r.end()
		return
	}
	r.over = true
	r.c.broke(r.e, false)
}

// Close closes the stream behind. To close before the end is to give up.
func (r *recording) Close() error {
	if !r.over {
		r.breakOff(true)
	}
	return r.inner.Close()
}

// replayed is a recorded reply: its text word by word, then its usage.
type replayed struct {
	ctx    context.Context //nolint:containedctx // llm.Stream: cancelling the context given to Model.Stream ends a Next
	reply                  // that was not read yet
	err    error           // repeated once set
	waited time.Duration
}

func newReplayed(ctx context.Context, r reply) *replayed {
	return &replayed{ctx: ctx, reply: r, waited: cutWait}
}

func (r *replayed) Next() (llm.Delta, error) {
	if r.err != nil {
		return llm.Delta{}, r.err
	}
	if err := r.ctx.Err(); err != nil {
		return r.fail(err)
	}
	switch {
	case r.Text != "":
		n := word(string(r.Text))
		d := llm.Delta{Text: string(r.Text[:n])}
		r.Text = r.Text[n:]
		return d, nil
	case r.Usage != nil:
		u := llm.Usage(*r.Usage)
		r.Usage = nil
		return llm.Delta{Usage: &u}, nil
	case r.Cut:
		return r.fail(r.wait())
	}
	r.err = io.EOF
	return llm.Delta{}, io.EOF
}

func (r *replayed) fail(err error) (llm.Delta, error) {
	r.err = fault.From("chat", "recording", err)
	return llm.Delta{}, r.err
}

// wait lets the reader give up, as it did before.
func (r *replayed) wait() error {
	limit := time.NewTimer(r.waited)
	defer limit.Stop()
	select {
	case <-r.ctx.Done():
		return r.ctx.Err()
	case <-limit.C:
		return ErrCut
	}
}

func (r *replayed) Close() error {
	r.reply = reply{}
	if r.err == nil {
		r.err = io.EOF
	}
	return nil
}

// word returns the length of the first word and the space after it. Scripts that put no space between words come letter by
// letter.
func word(s string) int {
	spaced := false
	for i, c := range s {
		switch space := unicode.IsSpace(c); {
		case spaced && !space:
			return i
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			return i + utf8.RuneLen(c)
		default:
			spaced = space
		}
	}
	return len(s)
}
