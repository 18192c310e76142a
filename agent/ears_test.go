package agent

import (
	"testing"

	"github.com/vivavoice/viva/pipeline/turn"
)

func TestExpectation(t *testing.T) {
	for _, tt := range []struct {
		mode, answer string
		want         turn.Expectation
	}{
		{"", "", turn.Expectation{Kind: turn.Open, Mode: turn.Patient}},
		{"brisk", "", turn.Expectation{Kind: turn.Open, Mode: turn.Brisk}},
		{"", "story", turn.Expectation{Kind: turn.Story, Mode: turn.Patient}},
		{"brisk", "yes_no", turn.Expectation{Kind: turn.YesNo, Mode: turn.Brisk}},
		{"patient", "short", turn.Expectation{Kind: turn.Brief, Mode: turn.Patient}},
		{"manual", "open", turn.Expectation{Kind: turn.Open, Mode: turn.Manual}},
		{"", "essay", turn.Expectation{Kind: turn.Open, Mode: turn.Patient}},
	} {
		if got := expectation(tt.mode, tt.answer); got != tt.want {
			t.Errorf("%q, %q: %+v, want %+v", tt.mode, tt.answer, got, tt.want)
		}
	}
}
