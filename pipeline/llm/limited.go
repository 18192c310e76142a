package llm

import (
	"context"

	"github.com/vivavoice/viva/pipeline/fault"
)

// maxBytes bounds the text of a reply.
const maxBytes = 256 << 10

// Limited guards a model with limits and retries. The guarded model must end a wait promptly when its context is cancelled.
type Limited struct {
	name   string
	model  Model
	limits fault.Limits
}

var _ Model = (*Limited)(nil)

// NewLimited guards m; name is the provider's name in errors. The first piece is the first text.
func NewLimited(name string, m Model, l fault.Limits) *Limited {
	return &Limited{name: name, model: m, limits: l}
}

// Stream starts a reply and waits for its first text, trying again as the limits allow. A reply without any is an error of
// kind Empty.
func (m *Limited) Stream(ctx context.Context, r Request) (Stream, error) {
	s := &limitedStream{left: maxBytes}
	open := func(ctx context.Context) (Stream, error) { return m.model.Stream(ctx, r) }
	var err error
	if s.Watch, err = fault.Open(ctx, "chat", m.name, m.limits, open, s.begin); err != nil {
		return nil, err
	}
	return s, nil
}

type limitedStream struct {
	*fault.Watch[Stream]

	left  int    // bytes still allowed
	first *Delta // not yet delivered
	err   error  // repeated once set
}

// begin waits for the first text. Usage that comes before it goes with it; usage alone is no reply.
func (s *limitedStream) begin(inner Stream) error {
	var usage *Usage
	for {
		d, err := inner.Next()
		if err != nil {
			return err
		}
		if d.Usage == nil {
			d.Usage = usage
		}
		if d.Text != "" {
			s.first = &d
			return nil
		}
		usage = d.Usage
	}
}

func (s *limitedStream) Next() (Delta, error) {
	if s.err != nil {
		return Delta{}, s.err
	}
	var d Delta
	if s.first != nil {
		d, s.first = *s.first, nil
	} else {
		s.err = s.Wait(func() (err error) {
			d, err = s.Stream.Next()
			return err
		})
	}
	if s.left -= len(d.Text); s.left < 0 && s.err == nil {
		s.err = s.TooMuch()
	}
	if s.err != nil {
		return Delta{}, s.err
	}
	return d, nil
}
