package evaluate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/state"
)

// Sides of a conversation.
const (
	RoleUser  = "user"  // the candidate
	RoleAgent = "agent" // the interviewer
)

// Turn is one message of the conversation that is judged.
type Turn struct {
	ID      uint64 `json:"id,omitempty"` // of the turn in the transcript; 0 = unknown
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Slice returns the messages of the given stage visits in order, each with role and content: what both sides said
// since the current sub-phase was entered, and nothing of those before it (R000-43). A transcript holds no tool traffic
// and no system text, and turns that hold no words are left out (R000-44).
func Slice(turns []state.Turn, visits ...uint64) []Turn {
	var out []Turn
	for _, t := range turns {
		role := RoleAgent
		if t.Speaker == state.SpeakerCandidate {
			role = RoleUser
		}
		if t.Aside || t.Private {
			continue // a question, a wish: no answer, whatever words it holds (RM-3, RM-14)
		}
		if slices.Contains(visits, t.Visit) && strings.TrimSpace(t.Text) != "" {
			out = append(out, Turn{ID: t.ID, Role: role, Content: t.Text})
		}
	}
	return out
}

// Conversation returns the item's messages of the two sides, each with an id: their own, or 1, 2, 3 … where any has
// none.
func (it Item) Conversation() []Turn {
	turns := it.Turns
	if len(turns) == 0 && it.Answer != "" {
		turns = []Turn{{Role: RoleUser, Content: it.Answer}}
	}
	out := make([]Turn, 0, len(turns))
	for _, t := range turns {
		if (t.Role == RoleUser || t.Role == RoleAgent) && strings.TrimSpace(t.Content) != "" {
			out = append(out, t)
		}
	}
	if slices.ContainsFunc(out, func(t Turn) bool { return t.ID == 0 }) {
		for i := range out {
			out[i].ID = uint64(i + 1)
		}
	}
	return out
}

// counted returns the messages whose words count.
func (it Item) counted() []Turn {
	turns := it.Conversation()
	if it.Words == WordsBoth {
		return turns
	}
	return slices.DeleteFunc(turns, func(t Turn) bool { return t.Role != RoleUser })
}

// language returns the item's language without its region; English is the default.
func (it Item) language() string {
	return cmp.Or(prompts.Language(it.Locale), prompts.English)
}

// mark returns the share of the full score that passes.
func (it Item) mark() float64 {
	if it.Pass <= 0 {
		return DefaultPass
	}
	return it.Pass
}

// Passes reports whether a share of the full score is enough; the mark is inclusive, and sums of weights are rounded.
func (it Item) Passes(share float64) bool { return share >= it.mark()-1e-9 }
