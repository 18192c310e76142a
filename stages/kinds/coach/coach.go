// Package coach holds those who lead the algorithm interview: one expert per part of it, each with one job, blind to the others.
// They read the task, the candidate's idea, its cost and the code by rules, and help with questions and hints.
//
// Everything here is pure: no clock, no goroutine, no network. The experts are read-only and may be shared.
package coach

import (
	"sync"

	"github.com/vivavoice/viva/stages/expert"
)

// The stages of the algorithm interview, in order.
const (
	Clarification = "PROBLEM_CLARIFICATION"
	Thought       = "THOUGHT_ARTICULATION"
	Complexity    = "COMPLEXITY_ANALYSIS"
	Pseudocode    = "PSEUDOCODE_DESIGN"
	EdgeCases     = "EDGE_CASE_CHECK"
	FollowUp      = "FOLLOW_UP"
	Summary       = "PATTERN_SUMMARY"
)

// The flags that the experts raise.
const (
	FlagComplexity = "complexity_discussed" // the candidate gave a cost
	FlagCase       = "case_raised"          // an edge case was named by the candidate, or two were asked about
	FlagEdgesDone  = "edges_done"           // the talk about edge cases is over
	FlagFollowUps  = "follow_ups_done"      // no further follow-up question comes
	FlagSummarised = "summarised"           // the pattern has been named and the interview summed up
)

// shippedKit reads the experts' words once: they are read-only.
var shippedKit = sync.OnceValues(func() (*kit, error) { return newKit(shipped) })

// Experts returns the experts of the algorithm interview, in the order of its stages.
func Experts() ([]expert.Expert, error) {
	k, err := shippedKit()
	if err != nil {
		return nil, err
	}
	return []expert.Expert{recogniser{k}, guide{k}, reviewer{k}, followUps{k}, summariser{k}}, nil
}
