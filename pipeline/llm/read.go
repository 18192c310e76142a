package llm

import (
	"errors"
	"io"
	"strings"

	"github.com/vivavoice/viva/pipeline/fault"
)

// ReadAll reads a reply to its end and closes it. What there was of it is returned with an error, too; more than limit bytes are
// fault.ErrTooMuch. tokens are those that the provider counted.
func ReadAll(s Stream, limit int) (text string, tokens int, err error) {
	defer func() { _ = s.Close() }() // the reply is read to its end, or of no use
	var b strings.Builder
	for {
		d, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return b.String(), tokens, nil
		case err != nil:
			return b.String(), tokens, err
		}
		if d.Usage != nil {
			tokens += d.Usage.PromptTokens + d.Usage.CompletionTokens
		}
		if b.Len()+len(d.Text) > limit {
			return b.String(), tokens, fault.ErrTooMuch
		}
		b.WriteString(d.Text)
	}
}
