package engine

import (
	"fmt"

	"github.com/vivavoice/viva/state"
)

// Fold rebuilds the state of a session from its journal. The same definition and journal give the same bytes.
func (iv *Interview) Fold(entries []state.Entry) (*state.UserData, error) {
	u := &state.UserData{}
	for _, e := range entries {
		ev, err := Decode(e)
		if err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		u, _ = iv.Step(u, e.At, ev)
	}
	return u, nil
}
