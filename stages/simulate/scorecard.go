package simulate

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// StageScore is what became of one stage, or of one sub-phase of it (R003-100). It describes; it judges nothing by itself.
type StageScore struct {
	Stage   string `json:"stage"`
	Item    string `json:"item,omitempty"`
	Title   string `json:"title"`
	Reached bool   `json:"reached"`
	// Reason is why it was left; empty = it was not reached, or the interview ended in it.
	Reason    string        `json:"reason,omitempty"`
	Spent     time.Duration `json:"spent"` // without the time in which the candidate was away
	Turns     int           `json:"turns"`
	FollowUps int           `json:"follow_ups"`
	Hints     int           `json:"hints"`
	SkipAsked int           `json:"skip_asked"` // wishes to skip that were refused
	Skipped   bool          `json:"skipped"`
	HelpMode  bool          `json:"help_mode,omitempty"`
	// Status is that of the last judgement: ok, degraded, failed or not_assessed; empty where nothing is judged. Norm is
	// its score between 0 and 1, nil where there is none (RX-14).
	Status string   `json:"status,omitempty"`
	Norm   *float64 `json:"norm,omitempty"`
	// IssuesFound are the edge cases that the candidate named before being asked, IssuesPrompted those that had to be asked about.
	IssuesFound    []string `json:"issues_found,omitempty"`
	IssuesPrompted []string `json:"issues_prompted,omitempty"`
}

// Scorecard sums up an interview stage by stage, the goodbye left out, in the order in which stages were entered; then
// come those that were not reached.
func Scorecard(iv *engine.Interview, u *state.UserData) []StageScore {
	var out []StageScore
	for i := range u.Visits {
		v := &u.Visits[i]
		st := iv.Def.Stage(v.Stage)
		if st == nil || st.Final {
			continue
		}
		k := slices.IndexFunc(out, func(s StageScore) bool { return s.Stage == v.Stage && s.Item == v.Item })
		if k < 0 {
			out = append(out, StageScore{Stage: v.Stage, Item: v.Item, Title: title(u, st, v.Item), Reached: true})
			k = len(out) - 1
		}
		out[k].add(u, v)
	}
	for i := range iv.Def.Stages {
		st := &iv.Def.Stages[i]
		if !st.Final && !slices.ContainsFunc(out, func(s StageScore) bool { return s.Stage == st.ID }) {
			out = append(out, StageScore{Stage: st.ID, Title: st.Title})
		}
	}
	out = append(out, unreached(u, out)...)
	for i := range out {
		out[i].judge(u)
		out[i].issues(iv, u)
	}
	return out
}

func title(u *state.UserData, st *definition.Stage, item string) string {
	if p := u.SubPhases.Item(item); p != nil {
		return p.Name
	}
	return st.Title
}

func (s *StageScore) add(u *state.UserData, v *state.StageVisit) {
	until := v.Left
	if until == 0 {
		until = u.Now
	}
	s.Spent += (until - v.Entered - v.Absent).Duration()
	s.Reason = v.Reason
	s.Turns += v.Turns
	s.FollowUps += v.FollowUp
	s.Hints += v.HintLevel
	s.SkipAsked += v.SkipAsked
	s.Skipped = s.Skipped || v.Skipped
	s.HelpMode = s.HelpMode || v.HelpMode
}

// unreached lists the sub-phases that were skipped or never came.
func unreached(u *state.UserData, known []StageScore) []StageScore {
	e := u.SubPhases
	if e == nil {
		return nil
	}
	var out []StageScore
	for i := range e.Items {
		p := &e.Items[i]
		if !slices.ContainsFunc(known, func(s StageScore) bool { return s.Item == p.ID }) {
			out = append(out, StageScore{Stage: e.Stage, Item: p.ID, Title: p.Name, Skipped: slices.Contains(e.Skipped, p.ID)})
		}
	}
	return out
}

// judge takes over the last judgement.
func (s *StageScore) judge(u *state.UserData) {
	for i := range u.Evaluations {
		r := &u.Evaluations[i]
		var e evaluate.Evaluation
		if r.Stage != s.Stage || r.Item != s.Item || json.Unmarshal(r.Evaluation, &e) != nil {
			continue
		}
		s.Status, s.Norm = e.Status, nil
		if e.Status == evaluate.StatusOK || e.Status == evaluate.StatusDegraded {
			s.Norm = &e.Norm
		}
	}
}

// issues sorts the problem's edge cases for the stage that talks about them: said first, or asked first.
func (s *StageScore) issues(iv *engine.Interview, u *state.UserData) {
	st := iv.Def.Stage(s.Stage)
	p := problemOf(iv, u)
	if st == nil || p == nil || !asksAbout(st.Done) {
		return
	}
	for i := range p.EdgeCases {
		found, prompted := firstSaid(u, &p.EdgeCases[i])
		switch {
		case found:
			s.IssuesFound = append(s.IssuesFound, p.EdgeCases[i].ID)
		case prompted:
			s.IssuesPrompted = append(s.IssuesPrompted, p.EdgeCases[i].ID)
		}
	}
}

// asksAbout reports whether a guard waits for a queue of questions.
func asksAbout(g definition.Guard) bool {
	return g.QueueEmpty != "" || slices.ContainsFunc(g.All, asksAbout) || slices.ContainsFunc(g.Any, asksAbout)
}

func firstSaid(u *state.UserData, e *problem.EdgeCase) (found, prompted bool) {
	for i := range u.Turns {
		t := &u.Turns[i]
		if t.Speaker == state.SpeakerAgent {
			for _, question := range e.Question {
				if strings.Contains(t.Text, question) {
					return false, true
				}
			}
			continue
		}
		if understand.Says(t.Text, e.Keywords) {
			return true, false
		}
	}
	return false, false
}
