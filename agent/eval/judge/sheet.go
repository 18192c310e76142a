package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// sheet is what a judge has to fill in for one talk.
type sheet struct {
	brief     Brief
	reactions []int
	said      record
}

// answer is what a judge says.
type answer struct {
	Expectations []verdict      `json:"expectations"`
	Reactions    []talk.Rating  `json:"reactions"`
	Untrue       []talk.Finding `json:"untrue"`
	Slips        []talk.Finding `json:"slips"`
	Summary      string         `json:"summary"`
}

type verdict struct {
	Number  int          `json:"number"`
	Line    int          `json:"line"`
	Quote   string       `json:"quote"`
	Why     string       `json:"why"`
	Verdict talk.Verdict `json:"verdict"`
}

// read makes a grade of an answer that follows the schema. Its error tells the judge what is missing. What is there but rests on
// words that nobody said is left out and counted, for to ask again would only bring other inventions.
func (s *sheet) read(raw json.RawMessage) (*talk.Grade, error) {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("the answer is not JSON: %w", err)
	}
	g := &talk.Grade{Summary: tidy(a.Summary)}
	if missing := slices.Concat(s.verdicts(g, a), s.ratings(g, a)); len(missing) > 0 {
		return nil, errors.New(strings.Join(missing, "; "))
	}
	g.Untrue = s.findings(g, a.Untrue, talk.Interviewer)
	g.Slips = s.findings(g, a.Slips, talk.Candidate)
	for i := range g.Untrue {
		g.Untrue[i].TakenUp = false // is for slips
	}
	return g, nil
}

// verdicts gives each expectation the first verdict that names it, in the order of the brief. What has none is told.
func (s *sheet) verdicts(g *talk.Grade, a answer) (missing []string) {
	for n, text := range s.brief.Expectations {
		i := slices.IndexFunc(a.Expectations, func(v verdict) bool { return v.Number == n+1 })
		if i < 0 {
			missing = append(missing, fmt.Sprintf("expectation %d has no verdict", n+1))
			continue
		}
		v := a.Expectations[i]
		e := talk.Expectation{Text: text, Verdict: v.Verdict, Why: tidy(v.Why)}
		var ok bool
		if e.Line, e.Quote, ok = s.said.find(v.Line, v.Quote, ""); !ok {
			g.Invalid++
			e.Verdict, e.Line, e.Quote = talk.NotShown, 0, ""
			e.Why = strings.TrimSpace("The judge's verdict (" + string(v.Verdict) + ") rests on words that are not in the talk. " + e.Why)
		}
		g.Expectations = append(g.Expectations, e)
	}
	return missing
}

// ratings takes the first rating of each reaction; what rates anything else is left out. What has none is told.
func (s *sheet) ratings(g *talk.Grade, a answer) (missing []string) {
	rated := make(map[int]talk.Rating, len(a.Reactions))
	for _, r := range a.Reactions {
		if _, again := rated[r.Line]; !again {
			rated[r.Line] = r
		}
		if !s.said.has(r.Line) {
			g.Invalid++
		}
	}
	for _, n := range s.reactions {
		r, is := rated[n]
		if !is {
			missing = append(missing, fmt.Sprintf("line %d has no rating", n))
			continue
		}
		r.Why = tidy(r.Why)
		g.Reactions = append(g.Reactions, r)
	}
	return missing
}

// findings are those whose words the speaker said, as they stand in the talk.
func (s *sheet) findings(g *talk.Grade, list []talk.Finding, by talk.Speaker) (out []talk.Finding) {
	for _, f := range list {
		var ok bool
		if f.Line, f.Quote, ok = s.said.find(f.Line, f.Quote, by); !ok || f.Quote == "" {
			g.Invalid++
			continue
		}
		f.Why = tidy(f.Why)
		out = append(out, f)
	}
	return out
}
