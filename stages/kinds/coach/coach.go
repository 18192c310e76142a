// Package coach holds those who lead the algorithm interview: one expert per part of it, each with one job, blind to the others.
// They read the task, the candidate's idea, its cost and the code by rules, and help with questions and hints.
//
// Everything here is pure: no clock, no goroutine, no network. The experts are read-only and may be shared.
package coach

import (
	"slices"
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

// The experts of the stages.
const (
	NameRecogniser = "ProblemTypeRecognizer"  // of the task
	NameCoach      = "GuidedThoughtGenerator" // of the idea and its cost
	NameReviewer   = "CodeEdgeCaseReviewer"   // of the code and its edge cases
	NameFollowUp   = "FollowUpGenerator"      // of what comes after a solution
	NameSummariser = "PatternSummarizer"      // of the last stage
)

// The flags that the experts raise.
const (
	FlagComplexity = "complexity_discussed" // the candidate gave a cost
	FlagDisputed   = "complexity_disputed"  // the talk came to another cost than the candidate
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
	return []expert.Expert{
		lead{NameRecogniser, []string{Clarification}, recogniser{k}.process},
		lead{NameCoach, []string{Thought, Complexity}, guide{k}.process},
		lead{NameReviewer, []string{Pseudocode, EdgeCases}, reviewer{k}.process},
		lead{NameFollowUp, []string{FollowUp}, followUps{k}.process},
		lead{NameSummariser, []string{Summary}, summariser{k}.process},
	}, nil
}

// lead is an expert that leads some of the stages, each of which has one (R003-6 … R003-10).
type lead struct {
	name    string
	stages  []string
	process func(b *expert.Board) expert.Response
}

var _ expert.Expert = lead{}

// Name implements expert.Expert.
func (l lead) Name() string { return l.name }

// ShouldActivate implements expert.Expert.
func (l lead) ShouldActivate(b expert.Board) bool { return slices.Contains(l.stages, b.CurrentStage) }

// ValidateContext implements expert.Expert: all of them need a stage and a task.
func (l lead) ValidateContext(b expert.Board) error { return validate(&b) }

// Process implements expert.Expert.
func (l lead) Process(b expert.Board) (expert.Response, error) { return l.process(&b), nil }
