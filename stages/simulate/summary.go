package simulate

import (
	"slices"
	"time"
)

// Summary is statistics over interviews.
type Summary struct {
	Runs       int            `json:"runs"`
	Ended      map[string]int `json:"ended"` // by reason
	Shortest   time.Duration  `json:"shortest"`
	Median     time.Duration  `json:"median"`
	Longest    time.Duration  `json:"longest"`
	Turns      int            `json:"turns"`      // the candidates', in all
	Utterances int            `json:"utterances"` // heard by them
	BargeIns   int            `json:"barge_ins"`
	// Repeated is how many utterances had words that were heard before in the same interview.
	Repeated   int               `json:"repeated"`
	Stages     []StageSummary    `json:"stages"`
	Violations map[Invariant]int `json:"violations"`
}

// StageSummary is statistics over one stage, or sub-phase.
type StageSummary struct {
	Stage    string         `json:"stage"`
	Item     string         `json:"item,omitempty"`
	Reached  int            `json:"reached"` // interviews
	Reasons  map[string]int `json:"reasons"`
	Median   time.Duration  `json:"median"`
	Turns    int            `json:"turns"`
	Hints    int            `json:"hints"`
	Skips    int            `json:"skips"`
	Assessed int            `json:"assessed"` // interviews with a score
	Mean     float64        `json:"mean"`     // of those, between 0 and 1
	spent    []time.Duration
}

// Summarise adds up interviews of one definition.
func Summarise(results []*Result) Summary {
	s := Summary{Runs: len(results), Ended: make(map[string]int), Violations: make(map[Invariant]int)}
	var lasted []time.Duration
	for _, r := range results {
		s.Ended[r.State.Ended]++
		lasted = append(lasted, r.Duration())
		s.Utterances += r.Heard.Utterances
		s.BargeIns += r.Heard.BargeIns
		s.Repeated += r.Heard.Repeated
		for _, v := range r.Violations {
			s.Violations[v.Invariant]++
		}
		for _, score := range r.Scorecard {
			s.Turns += score.Turns
			s.stage(score)
		}
	}
	if len(lasted) > 0 {
		slices.Sort(lasted)
		s.Shortest, s.Median, s.Longest = lasted[0], lasted[len(lasted)/2], lasted[len(lasted)-1]
	}
	for i := range s.Stages {
		s.Stages[i].finish()
	}
	return s
}

func (s *Summary) stage(score StageScore) {
	k := slices.IndexFunc(s.Stages, func(x StageSummary) bool { return x.Stage == score.Stage && x.Item == score.Item })
	if k < 0 {
		s.Stages = append(s.Stages, StageSummary{Stage: score.Stage, Item: score.Item, Reasons: make(map[string]int)})
		k = len(s.Stages) - 1
	}
	x := &s.Stages[k]
	if score.Skipped {
		x.Skips++
	}
	if !score.Reached {
		return
	}
	x.Reached++
	x.Reasons[score.Reason]++
	x.Turns += score.Turns
	x.Hints += score.Hints
	x.spent = append(x.spent, score.Spent)
	if score.Norm != nil {
		x.Assessed++
		x.Mean += *score.Norm
	}
}

func (x *StageSummary) finish() {
	if len(x.spent) > 0 {
		slices.Sort(x.spent)
		x.Median = x.spent[len(x.spent)/2]
	}
	if x.Assessed > 0 {
		x.Mean /= float64(x.Assessed)
	}
}
