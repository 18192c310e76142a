package coach_test

import (
	"fmt"
	"strings"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
)

// greeter is a whole expert: one job, no memory, no access to anything but its board.
type greeter struct{}

func (greeter) Name() string                         { return "Greeter" }
func (greeter) ShouldActivate(b expert.Board) bool   { return b.CurrentStage == "WARM_UP" }
func (greeter) ValidateContext(b expert.Board) error { return nil }
func (greeter) Process(b expert.Board) (expert.Response, error) {
	if strings.Contains(b.Input, "ready") {
		return expert.Success("Wonderful, let's begin.", coach.Clarification, expert.Update{Field: "mood", Value: "ready"}), nil
	}
	return expert.Success("Hello! Are you ready?", ""), nil
}

// R003-99: a minimal expert against a mock board.
func Example() {
	var experts expert.Registry
	if err := experts.Register(greeter{}); err != nil {
		fmt.Println(err)
		return
	}
	board := mockBoard("Reverse a word.")
	board.CurrentStage = "WARM_UP"
	for _, board.Input = range []string{"hello", "I am ready"} {
		e, err := experts.For(board)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := expert.Safe(e, board, []string{"WARM_UP", coach.Clarification})
		fmt.Println(r.Message, r.NextStage, r.Updates, err)
	}
	// Output:
	// Hello! Are you ready?  map[] <nil>
	// Wonderful, let's begin. PROBLEM_CLARIFICATION map[extra:map[mood:ready]] <nil>
}
