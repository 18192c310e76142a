package engine

import (
	"cmp"
	"encoding/json"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// The names of variables that every interview with a company uses.
const (
	VarCompany  = "company"
	VarQuestion = "interview_question"
)

// Keys shows the state under the names that prompts, tools and the page of a system-design interview know it by. Keys
// of sub-phases are there only when there are sub-phases (R000-71). The values are the caller's.
func Keys(u *state.UserData) map[string]any {
	phase := "routing"
	if v := u.Current(); v != nil {
		if phase = v.Stage; v.Group != "" {
			phase = v.Group
		}
	}
	company := companyOf(u)
	keys := map[string]any{
		"interview_phase": phase, "company": company, "routing_decision": map[string]any{"company": company},
		"candidate_name": cmp.Or(u.Candidate.Name, u.Slots["name"].Value), "interview_question": u.Vars[VarQuestion],
		"design_complete": false, "design_sub_phase": "problem_clarification", "design_sub_phase_idx": 0, "design_phases_completed": []string{},
	}
	if e := u.SubPhases; e != nil && len(e.Items) > 0 {
		copied := u.Clone().SubPhases
		keys["design_phases"] = copied.Items
		keys["design_sub_phase"] = e.Current().ID
		keys["design_sub_phase_idx"] = max(0, e.Index)
		keys["design_phases_completed"] = append([]string{}, e.Completed...)
		keys["design_phases_skipped"] = append([]string{}, e.Skipped...)
		keys["design_complete"] = e.Complete
	}
	return keys
}

// companyOf is the company as prompts name it: what the candidate said, or else what dispatch did.
func companyOf(u *state.UserData) string {
	return cmp.Or(u.Slots[VarCompany].Value, u.Vars[VarCompany], DefaultCompany)
}

// Inspection is where an interview stands, for operators and logs (R003-97). It holds secrets: it is not for the page.
type Inspection struct {
	Stage, Item string
	Pattern     string          // as identified, or ""
	Messages    int             // turns of both sides
	Active      map[string]bool // by expert
	Keys        map[string]any
}

// Inspect looks at an interview without touching it.
func (iv *Interview) Inspect(u *state.UserData) Inspection {
	in := Inspection{Stage: u.Stage, Messages: len(u.Turns), Active: make(map[string]bool), Keys: Keys(u)}
	if v := u.Current(); v != nil {
		in.Item = v.Item
	}
	_ = json.Unmarshal(u.Fields[expert.FieldPattern].Value, &in.Pattern) // absent or no text: no pattern
	if iv.Experts != nil {
		for _, name := range iv.Experts.Names() {
			e, _ := iv.Experts.Find(name)
			in.Active[name] = e.ShouldActivate(expert.Board{CurrentStage: u.Stage})
		}
	}
	return in
}
