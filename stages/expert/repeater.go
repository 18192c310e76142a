package expert

import "fmt"

// Occasion is why a question that waits is put once more.
type Occasion string

// The occasions.
const (
	OnRequest Occasion = "request" // the candidate asked for it
	OnSilence Occasion = "silence" // nothing was said
	OnSimpler Occasion = "simpler" // still nothing, or help was asked for
	OnReturn  Occasion = "return"  // the candidate was away
)

// Repeater is an expert whose question waits for an answer, and that can put it once more. Without it, a stage has only the
// words of its opening for that.
type Repeater interface {
	Expert
	// Repeat returns the words, one question in them; "" when no question of the expert waits.
	Repeat(b Board, why Occasion) string
}

// SafeRepeat calls a Repeater with a panic contained.
func SafeRepeat(e Repeater, b Board, why Occasion) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			cause := fmt.Errorf("%w: panic: %v", ErrOther, p)
			text, err = "", &Error{Stage: b.CurrentStage, Expert: e.Name(), Kind: ErrOther, Err: cause}
		}
	}()
	return e.Repeat(b, why), nil
}
