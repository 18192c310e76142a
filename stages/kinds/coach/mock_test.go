package coach_test

import (
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
)

// sevenStages are the stages of the algorithm interview, in order.
var sevenStages = []string{
	coach.Clarification, coach.Thought, coach.Complexity, coach.Pseudocode, coach.EdgeCases, coach.FollowUp, coach.Summary,
}

// mockBoard is a problem that only just began, without a problem file (R003-26).
func mockBoard(problem string) expert.Board {
	return expert.Board{CurrentStage: coach.Clarification, ProblemText: problem, Locale: "en", Turns: 1}
}
