package engine

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// DefaultCompany is the company when nobody names one (R000-3).
const DefaultCompany = "default"

// Flags that the engine sets.
const (
	flagSingle   = "single_phase"     // the provider gave no sub-phases
	flagQuestion = "question_settled" // the interview's question is known, or will not come
)

// phases are the way through the sub-phases of a stage, and what was thought of each.
type phases struct{ *change }

// prefetch asks the provider for what a stage that is held as sub-phases needs: from the start, so that nobody waits and the length that
// is told is right; where the candidate may still name the company, one stage ahead. It does not wait for a model to think of it (R000-37).
func (s runs) prefetch() {
	p := s.iv.Def.Provider
	if p == nil {
		return
	}
	near := s.iv.Def.Stages[s.iv.Def.Index(s.u.Stage):]
	if slices.ContainsFunc(near, func(st definition.Stage) bool { return st.Slot(p.Company) != nil }) {
		near = near[:min(2, len(near))]
	}
	if slices.ContainsFunc(near, func(st definition.Stage) bool { return st.Expand != "" }) {
		s.loadPhases()
		s.loadQuestion()
	}
	if !slices.ContainsFunc(s.iv.Def.Stages, func(st definition.Stage) bool { return st.Expand != "" }) {
		s.loadQuestion()
	}
}

// company is who is asked: what the candidate said, what dispatch said, or the fallback (R000-3, R000-38).
func (s *situation) company() string {
	p := s.iv.Def.Provider
	name := strings.ToLower(cmp.Or(s.u.Slots[p.Company].Value, s.u.Vars[p.Company]))
	return cmp.Or(strings.Join(strings.Fields(name), "_"), p.Fallback, DefaultCompany)
}

func (s runs) loadPhases() {
	company := s.company()
	if e := s.u.SubPhases; e != nil && (e.Company == company || s.expanding()) || e == nil && s.u.Flags[flagSingle] {
		return
	}
	for _, t := range s.tasks(func(t state.Task) bool { return t.Kind == TaskPhases }) {
		if t.Subject == company {
			return
		}
		s.cancel(t, "another company")
	}
	s.u.SubPhases = nil
	delete(s.u.Flags, flagSingle)
	s.inquire(TaskPhases, company)
}

func (s runs) loadQuestion() {
	if s.iv.Def.Provider.Question == "" || s.u.Flags[flagQuestion] {
		return
	}
	if _, asked := s.taskOf(TaskQuestion); !asked {
		s.inquire(TaskQuestion, s.company())
	}
}

// inquire asks the provider for something.
func (s runs) inquire(kind, company string) {
	p := s.iv.Def.Provider
	s.launch(Run{Kind: kind, Company: company, InterviewType: p.Type, Budget: orDefault(p.Wait, defaultWait), Attempt: 1}, state.Task{Subject: company})
}

// expanding reports whether the expanded stage has been on the floor.
func (s *situation) expanding() bool {
	return slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool { return v.Item != "" })
}

// loading reports whether the stage on the floor waits for the provider before it can open.
func (s *situation) loading() bool {
	st, v := s.stage(), s.u.Current()
	return st != nil && v != nil && st.Expand != "" && v.Item == "" && !v.Single
}

func (s *situation) loads() []state.Task {
	return s.tasks(func(t state.Task) bool { return t.Kind == TaskPhases || t.Kind == TaskQuestion })
}

func (s *step) loadOverdue() {
	for _, t := range s.loads() {
		s.runs.cancel(t, "late")
		s.settleTask(t, TaskDone{Failed: "late"})
	}
}

func (s *course) phasesDone(t state.Task, e TaskDone) {
	var p Phases
	if e.Failed == "" {
		if err := json.Unmarshal(e.Result, &p); err != nil {
			e.Failed = "the phases are not as they should be"
		}
	}
	items := usable(p.Phases)
	if e.Failed != "" || len(items) == 0 {
		s.flag(flagSingle)
		s.fact("phases.none", field("company", t.Subject), field("failed", e.Failed))
	} else {
		why := cmp.Or(e.Degraded, p.Degraded)
		s.u.SubPhases = &state.SubPhases{
			Stage: s.expandedStage(), Items: items, Company: t.Subject, Source: p.Source, Local: p.Local, Degraded: why,
		}
		s.fact("phases.loaded", field("company", t.Subject), field("source", p.Source), field("phases", len(items)), field("degraded", why))
	}
	s.settleIn()
}

// usable leaves out phases without an id, and the second one of two with the same.
func usable(phases []state.Phase) []state.Phase {
	var out []state.Phase
	for _, p := range phases {
		if p.ID != "" && !slices.ContainsFunc(out, func(q state.Phase) bool { return q.ID == p.ID }) {
			out = append(out, p.Clone())
		}
	}
	return out
}

func (s *course) expandedStage() string {
	for i := range s.iv.Def.Stages {
		if s.iv.Def.Stages[i].Expand != "" {
			return s.iv.Def.Stages[i].ID
		}
	}
	return ""
}

func (s *course) questionDone(e TaskDone) {
	var q Question
	if e.Failed == "" && json.Unmarshal(e.Result, &q) == nil && strings.TrimSpace(q.Question) != "" {
		s.u.Vars[s.iv.Def.Provider.Question] = strings.TrimSpace(q.Question)
	} else {
		s.fact("question.none", field("failed", e.Failed)) // the definition's own stands
	}
	s.flag(flagQuestion)
	s.settleIn()
}

// arrive begins a visit of an expanded stage: with its sub-phase, or with the wait for the provider.
func (s *course) arrive(st *definition.Stage) {
	s.runs.prefetch()
	if st.Expand == "" || s.phases.settled() {
		return
	}
	s.clock.await(orDefault(s.iv.Def.Recovery.Hold, defaultHold), orDefault(s.iv.Def.Provider.Wait, defaultWait), s.iv.Def.Recovery.HoldPrompt)
}

// settled gives the visit of an expanded stage its sub-phase, or makes it the single one, once that is known.
func (s phases) settled() bool {
	if len(s.loads()) > 0 && s.iv.Def.Provider != nil {
		return false
	}
	v := s.u.Current()
	item := s.u.SubPhases.Current()
	if item == nil {
		v.Single = true
		return true
	}
	if !s.expanding() {
		s.u.SubPhases.Index = max(0, s.firstRelevant())
		item = s.u.SubPhases.Current()
	}
	v.Item = item.ID
	return true
}

// settleIn goes on where the stage on the floor waited for the provider.
func (s *course) settleIn() {
	st := s.stage()
	if !s.loading() || !s.phases.settled() {
		return
	}
	s.clock.disarmAll(TimerTask, TimerHold)
	s.clock.limits(st)
	s.publish(st)
	s.open(st, s.entered())
}

// firstRelevant returns the first sub-phase that the question needs, marking those before it as skipped; -1 if none.
func (s phases) firstRelevant() int {
	e := s.u.SubPhases
	i := slices.IndexFunc(e.Items, func(p state.Phase) bool { return !p.Irrelevant })
	for k := range max(0, i) {
		s.skipItem(e.Items[k].ID, "irrelevant")
	}
	return i
}

// phase returns the sub-phase of the current visit, or nil.
func (s *situation) phase() *state.Phase {
	v := s.u.Current()
	if v == nil || v.Item == "" {
		return nil
	}
	if p := s.u.SubPhases.Item(v.Item); p != nil {
		return p
	}
	return s.u.SubPhases.Current()
}

// closeItem enters in the books how the visit's sub-phase ended. A sub-phase is completed exactly once (R000-46).
func (s phases) closeItem(v *state.StageVisit, reason string) {
	e := s.u.SubPhases
	if v.Item == "" || e == nil || e.Closed(v.Item) {
		return
	}
	held := reason == ReasonPassed
	if g := s.stage().Gate; g != nil && (reason == ReasonTurns || reason == ReasonIntent) {
		held = s.counting(g) // nobody could judge it, and it was talked through
	}
	switch {
	case reason == ReasonReordered, reason == ReasonCandidate, reason == ReasonRollback:
	case held:
		e.Completed = append(e.Completed, v.Item)
	case reason == ReasonSkipped:
		s.skipItem(v.Item, "candidate")
	default:
		e.Unfinished = append(e.Unfinished, v.Item)
	}
	e.Complete = held && s.nextItem() < 0
}

// skipItem records a sub-phase as skipped: it was not assessed, and it is never among the completed ones (R000-85).
func (s phases) skipItem(id, why string) {
	e := s.u.SubPhases
	if e.Closed(id) {
		return
	}
	e.Skipped = append(e.Skipped, id)
	s.fact("phase.skipped", field("phase", id), field("why", why))
	s.record(e.Stage, id, evaluate.Evaluation{Status: evaluate.StatusNotAssessed, Decision: evaluate.DecisionContinue, By: why})
}

// nextItem returns the position of the sub-phase to take next, or -1: those after the current one in the provider's
// order, then those that were put off. Where a model leads, what the candidate left for another one comes first, once. It changes nothing.
func (s *situation) nextItem() int {
	e := s.u.SubPhases
	for i := range e.Items {
		if p := &e.Items[i]; s.u.Model && i != e.Index && !e.Closed(p.ID) && s.visits(e.Stage, p.ID) == 1 && s.leftFor(e.Stage, p.ID) {
			return i
		}
	}
	for k := range max(0, len(e.Items)-1) {
		i := (e.Index + 1 + k) % len(e.Items)
		if p := e.Items[i]; !p.Irrelevant && !e.Closed(p.ID) {
			return i
		}
	}
	return -1
}

// stepItem moves on to the next sub-phase, or to the one that was asked for; it reports whether there is one.
func (s phases) stepItem() bool {
	e := s.u.SubPhases
	next := s.nextItem()
	if s.wanted != "" {
		if i := slices.IndexFunc(e.Items, func(p state.Phase) bool { return p.ID == s.wanted }); i >= 0 && !e.Closed(s.wanted) {
			next = i
		}
	}
	if next < 0 {
		return false
	}
	for i := e.Index + 1; i < next; i++ {
		if e.Items[i].Irrelevant {
			s.skipItem(e.Items[i].ID, "irrelevant")
		}
	}
	e.Index = next
	return true
}

// companion returns the sub-phase that is open together with this one, or nil (R000-80).
func (s phases) companion(id string) *state.Phase {
	for _, pair := range s.stage().Skip.Parallel {
		i := slices.Index(pair, id)
		if i < 0 || len(pair) != 2 {
			continue
		}
		if p := s.u.SubPhases.Item(pair[1-i]); p != nil && !s.u.SubPhases.Closed(p.ID) {
			return p
		}
	}
	return nil
}

// interviewQuestion is the question that the interview is about.
func (s *situation) interviewQuestion() string {
	if p := s.iv.Def.Provider; p != nil && p.Question != "" {
		return s.u.Vars[p.Question]
	}
	return s.u.Vars[VarQuestion]
}
