package candidate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/vivavoice/viva/pipeline/tts"
)

// ErrLongUtterance says that words take longer to speak than anybody would listen.
var ErrLongUtterance = fmt.Errorf("the words take more than %v to speak", maxUtterance)

// Whole gives a candidate whole utterances of an engine, at most two minutes each. like says in which voice, language and at what
// speed; its text is not used.
func Whole(engine tts.Synthesizer, like tts.Request) Voice { return whole{engine, like} }

type whole struct {
	engine tts.Synthesizer
	like   tts.Request
}

// Synthesize implements Voice.
func (w whole) Synthesize(ctx context.Context, text string) (pcm []int16, rate int, err error) {
	request := w.like
	request.Text = text
	a, err := w.engine.Synthesize(ctx, request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	longest := int(maxUtterance.Seconds()) * a.Rate()
	buf := make([]int16, 4096)
	for len(pcm) <= longest {
		n, err := a.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm, a.Rate(), nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, ErrLongUtterance
}
