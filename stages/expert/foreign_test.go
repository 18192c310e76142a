package expert_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/expert"
)

// FuzzRead: whatever a model answers in the name of an expert, in any stage, what is said is short enough, the stage that follows
// is one, and all else is a failure that is known.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"assistant_message":"Good. What next?","next_stage":"","context_updates":{"identified_pattern":"hash map","complexity":"O(n)"},"confidence":0.5}`,
		`{"assistant_message":"x","next_stage":"summary","context_updates":{},"confidence":9}`,
		`{"assistant_message":"","next_stage":"","context_updates":{"code_issues":["a",{}]},"confidence":1,"questions":["What if it is empty?"]}`,
		`null`, `[]`, `{}`,
	} {
		for stage := range uint8(7) {
			f.Add([]byte(seed), stage)
		}
	}
	known := []string{expert.Clarification, expert.Thought, expert.Complexity, expert.Pseudocode, expert.EdgeCases, expert.FollowUp, expert.Summary}
	f.Fuzz(func(t *testing.T, raw []byte, at uint8) {
		b := board(t, "gift_pair", known[int(at)%len(known)], "en", "I would use two loops over every pair.")
		e, err := experts.For(b)
		if err != nil {
			t.Fatal(err)
		}
		m, is := e.(expert.Modelled)
		if !is {
			return
		}
		r, err := expert.SafeRead(m, b, json.RawMessage(raw), stages())
		if err != nil {
			if !errors.Is(err, expert.ErrMalformed) {
				t.Errorf("it fails otherwise: %v", err)
			}
			return
		}
		if n := utf8.RuneCountInString(r.Message); n > 4000 || r.NextStage != "" && !slices.Contains(stages(), r.NextStage) {
			t.Errorf("%d characters, then %q", n, r.NextStage)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}
