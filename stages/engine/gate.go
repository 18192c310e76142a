package engine

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/registry"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Defaults of a gate (acceptance R000-87).
const (
	defaultAttempts = 3
	defaultEvery    = 2
	defaultAuto     = 2
)

// sourceAuto is the source of a judgement that comes on its own, every so many turns.
const sourceAuto = "auto"

// hurry is how many turns a candidate has in a stage before judgements that nobody asked for use up attempts.
const hurry = 4

// verdict is what came of an attempt to judge.
type verdict int

const (
	stays verdict = iota // not passed, or not judged: the stage goes on and the next move is to be made
	moved                // the stage was left
	later                // the judgement is on its way
)

// rested reports whether enough turns lie between two judgements (R000-87).
func (s *course) rested(g *definition.Gate, v *state.StageVisit) bool {
	return v.Turns > 0 && (v.Judged == 0 || v.Turns-v.JudgedAt >= cmp.Or(g.Every, defaultEvery))
}

// due reports whether the gate judges after this turn: on its own every so many turns, or because the stage's guard holds.
func (s *course) due(g *definition.Gate, v *state.StageVisit, done bool) bool {
	auto := cmp.Or(g.Auto, defaultAuto)
	return s.rested(g, v) && (done || auto > 0 && v.Turns-v.JudgedAt >= auto)
}

// counting reports whether nobody but a count of keywords could judge the stage, where the definition wants that to decide
// nothing: whether somebody said a word tells little of what they said. The count is kept for the report.
func (s *situation) counting(g *definition.Gate) bool {
	return g.Turns > 0 && s.judgeOf(g) == evaluate.KeywordCoverage
}

// patient is how many times as many answers a model may hear before a stage is left that only keywords could judge: it is there to
// say itself when a part is over.
const patient = 2

// talkedOut returns why a stage that nobody can judge is over: the candidate has said all, or there were answers enough; "" = it is
// not.
func (s *course) talkedOut(g *definition.Gate, v *state.StageVisit, intents []understand.Intent) string {
	enough := g.Turns
	if s.u.Model {
		enough *= patient
	}
	switch {
	case slices.Contains(intents, understand.Done), slices.Contains(s.iv.Rules.Intents(s.sayable(v.Input)), understand.Done):
		return ReasonIntent // whatever else is asked beside it
	case v.Turns < enough:
		if v.Turns >= few && s.aheadOf(v) {
			return ReasonTurns
		}
	case v.Turns >= enough+further || s.u.Model:
		return ReasonTurns
	default:
		if _, left := s.pursued(v); !left {
			return ReasonTurns
		}
	}
	return ""
}

// few is how many answers a sub-phase has at least before the candidate, who speaks of the next one, is followed there; further is for how
// many more answers it stays open where the latest has a choice to ask about.
const (
	few     = 2
	further = 2
)

// judge has the gate decide about the stage on the floor: at once by rules, or by somebody who has to be asked. source is
// what wants the judgement: rule or auto.
func (s *course) judge(source string) verdict {
	st, v := s.stage(), s.u.Current()
	if _, under := s.pending(); under {
		return later
	}
	it := s.item(st, v)
	by := s.judgeOf(st.Gate)
	if !s.hasToAsk(by) {
		why := "there is no model to ask"
		if by == st.Gate.By || st.Gate.By == definition.ByProvider {
			why = "" // the rules are the judge, or the company's own
		}
		return s.judged(s.byRules(by, it, why), source)
	}
	r := Run{Kind: TaskEvaluate, Evaluator: by, Item: &it, Budget: orDefault(st.Gate.Budget, orDefault(s.iv.Def.Recovery.Budget, defaultWait)), Attempt: 1}
	if by == definition.ByProvider {
		r.Company, r.InterviewType = s.u.SubPhases.Company, s.iv.Def.Provider.Type
	}
	s.runs.launch(r, state.Task{Subject: by, Source: source})
	s.clock.await(orDefault(st.Gate.Hold, defaultGateHold), r.Budget, st.Gate.HoldPrompt)
	return later
}

// judgeOf names who judges: the gate's own, or its substitute where that one cannot be asked.
func (s *situation) judgeOf(g *definition.Gate) string {
	by := g.By
	if e := s.u.SubPhases; by == definition.ByProvider && (e == nil || e.Local) { // the provider judges by the rules of the engine
		return evaluate.KeywordCoverage
	}
	if by == definition.ByProvider || s.u.Model || registry.Rules(by) != nil {
		return by
	}
	return substitute(g)
}

// substitute is who judges by rules where the gate's own judge cannot: the definition's choice, or the judge's own rules.
func substitute(g *definition.Gate) string {
	for _, by := range []string{g.Else, g.By} {
		if by != "" && registry.Rules(by) != nil {
			return by
		}
	}
	return evaluate.KeywordCoverage
}

// hasToAsk reports whether the judge has to be asked, because it is a company or a model.
func (s *course) hasToAsk(by string) bool {
	if by == definition.ByProvider {
		return true
	}
	return registry.Judge(by) != nil && s.u.Model
}

// byRules judges inside Step. why says for whom the rules stand in; empty = for nobody.
func (s *situation) byRules(by string, it evaluate.Item, why string) evaluate.Evaluation {
	e := registry.Rules(by)
	if e == nil {
		e = registry.Rules(evaluate.KeywordCoverage)
	}
	out, err := e.Evaluate(it)
	if err != nil {
		out = evaluate.Evaluation{Status: evaluate.StatusFailed, By: by, Degraded: err.Error()}
	}
	if why != "" {
		out = evaluate.Degrade(out, why)
	}
	return evaluate.Sanitize(out)
}

// item is what is judged: the stage's or sub-phase's criteria, and what was said since it was entered (R000-42, R000-43).
func (s *situation) item(st *definition.Stage, v *state.StageVisit) evaluate.Item {
	it := evaluate.Item{
		ID: s.scope() + "#" + strconv.FormatUint(v.Visit, 10) + "." + strconv.Itoa(v.Judged+1), PhaseID: st.ID, PhaseName: st.Title,
		Criteria: keywords(st.Criteria), Turns: evaluate.Slice(s.u.Turns, s.visitsOf(v)...), Locale: s.iv.Words.Locale(), Question: s.interviewQuestion(),
		Reference: s.reference(st.Reference),
	}
	if g := st.Gate; g != nil {
		it.Words, it.Match, it.Pass, it.Rubric = g.Words, g.Match, g.Pass, g.Rubric
	}
	if p := s.phase(); p != nil {
		s.about(&it, p)
	}
	return it
}

// about makes a sub-phase what is judged.
func (s *situation) about(it *evaluate.Item, p *state.Phase) {
	it.PhaseID, it.PhaseName, it.Criteria = p.ID, p.Name, state.CloneKeywords(p.Keywords)
	if p.Pass > 0 {
		it.Pass = p.Pass
	}
}

// visitsOf returns the visits whose words count for the current one: its own, earlier ones of the same sub-phase, and
// those of a sub-phase that was open together with it. Others do not leak in (R000-43).
func (s *situation) visitsOf(v *state.StageVisit) []uint64 {
	out := []uint64{v.Visit}
	for i := range s.u.Visits {
		w := &s.u.Visits[i]
		if v.Item != "" && w.Visit != v.Visit && w.Item != "" && (w.Item == v.Item || s.paired(w.Item, v.Item)) {
			out = append(out, w.Visit)
		}
	}
	return out
}

func (s *situation) paired(a, b string) bool {
	for _, pair := range s.stage().Skip.Parallel {
		if slices.Contains(pair, a) && slices.Contains(pair, b) {
			return true
		}
	}
	return false
}

func keywords(criteria []definition.Criterion) []state.Keyword {
	out := make([]state.Keyword, 0, len(criteria))
	for _, c := range criteria {
		out = append(out, state.CloneKeywords([]state.Keyword{{Phrase: c.Phrase, Aliases: c.Aliases, Weight: c.Weight}})...)
	}
	return out
}

// judged acts on a judgement, exactly once: the visit was checked before, and a pass ends it.
func (s *course) judged(e evaluate.Evaluation, source string) verdict {
	st, v := s.stage(), s.u.Current()
	v.Judged++
	v.JudgedAt = v.Turns
	s.phases.record(v.Stage, v.Item, e)
	if e.Status == evaluate.StatusNotAssessed {
		return stays
	}
	if e.Decision == evaluate.DecisionNext {
		if _, left := s.untried(st, v); left {
			return stays
		}
		s.beforePrompt(st.Gate.Passed)
		s.phases.companionPassed(st, v)
		return s.pass(ReasonPassed, source)
	}
	if s.phases.attempted(st.Gate, v, source) {
		if _, left := s.untried(st, v); left {
			return stays
		}
		return s.pass(ReasonAttempts, source)
	}
	return stays
}

// attempted counts a failed judgement; it reports whether it was the last. One that came on its own does not count at once, so
// that a weak candidate is not rushed through; but it counts in the end, or such a candidate would be kept until the time is up (R000-87).
func (s phases) attempted(g *definition.Gate, v *state.StageVisit, source string) (last bool) {
	if source == sourceAuto && v.Turns < hurry {
		return false
	}
	v.Attempts++
	return v.Attempts >= cmp.Or(g.Attempts, defaultAttempts)
}

// pass leaves the stage.
func (s *course) pass(reason, source string) verdict {
	if !s.handoff(s.u.Visit, reason, source) {
		return stays
	}
	return moved
}

// companionPassed closes the sub-phase that is open together with the current one, if it passes by the gate's own rules
// (R000-80). Nobody is asked about it: rules stand in for a judge that would have to be.
func (s phases) companionPassed(st *definition.Stage, v *state.StageVisit) {
	if v.Item == "" {
		return
	}
	p := s.companion(v.Item)
	if p == nil {
		return
	}
	it := s.item(st, v)
	s.about(&it, p)
	by, why := s.judgeOf(st.Gate), ""
	if registry.Rules(by) == nil {
		by, why = substitute(st.Gate), by+" was asked about "+v.Item+" only"
	}
	if e := s.byRules(by, it, why); e.Decision == evaluate.DecisionNext {
		s.record(v.Stage, p.ID, e)
		s.u.SubPhases.Completed = append(s.u.SubPhases.Completed, p.ID)
	}
}

// evaluated takes the answer of a judge that was asked; another stands in for one that failed (R000-55, R000-69).
func (s *course) evaluated(t state.Task, e TaskDone) {
	st, v := s.stage(), s.u.Current()
	var out evaluate.Evaluation
	switch err := json.Unmarshal(e.Result, &out); {
	case e.Failed != "" || err != nil || out.Status == evaluate.StatusFailed:
		why := e.Failed
		if why == "" {
			why = "its answer could not be used"
		}
		out = s.byRules(substitute(st.Gate), s.item(st, v), why)
	case e.Degraded != "":
		out = evaluate.Degrade(out, e.Degraded)
	}
	if s.judged(evaluate.Sanitize(out), t.Source) == stays {
		s.goOn()
	}
}

// goOn makes the move that waited for a task, unless somebody speaks: then their words ask for the next one.
func (s *course) goOn() {
	f, v := &s.u.Floor, s.u.Current()
	if v.Owed = f.Candidate || s.owed(); v.Owed || f.Utterance != 0 && Move(f.Move) != MoveHold {
		return
	}
	if v.Overtime {
		s.handoff(s.u.Visit, ReasonDeadline, "turn_end")
		return
	}
	s.ask(s.stage(), v, s.latestIntents(v))
}

// closing judges a gated stage that is left without having been judged on the newest words, by rules, so that its
// feedback is whole. It decides nothing.
func (s phases) closing(reason string) {
	st, v := s.stage(), s.u.Current()
	if st.Gate == nil || v.Turns == 0 || v.Judged > 0 && v.JudgedAt == v.Turns || reason == ReasonReordered {
		return
	}
	if reason == ReasonSkipped {
		return // what was left out is not assessed
	}
	by := evaluate.KeywordCoverage
	if slices.Contains(definition.Comparing, st.Gate.By) {
		by = st.Gate.By
	}
	if e, is := s.byReadings(st, v); is && by == evaluate.KeywordCoverage {
		s.record(v.Stage, v.Item, e)
		return
	}
	s.record(v.Stage, v.Item, s.byRules(by, s.item(st, v), ""))
}

// record keeps a judgement for the final feedback (R000-24).
func (s phases) record(stage, item string, e evaluate.Evaluation) {
	e = evaluate.Sanitize(e)
	raw, err := json.Marshal(e)
	if err != nil {
		raw = nil // plain numbers and texts always marshal
	}
	s.u.NextID++
	r := state.EvaluationRecord{
		ID: s.u.NextID, Stage: stage, Item: item, Visit: s.u.Visit, Attempt: 1, At: s.u.Now, Evaluation: raw,
		Decision: e.Decision, Score: e.Score, Gaps: slices.Clone(e.Gaps), Status: e.Status, By: e.By,
	}
	for _, before := range s.u.Evaluations {
		if before.Visit == r.Visit && before.Item == item {
			r.Attempt++
		}
	}
	s.u.Evaluations = append(s.u.Evaluations, r)
	s.fact("evaluation.done", field("item", item), field("attempt", r.Attempt), field("decision", r.Decision), field("score", r.Score),
		field("status", r.Status), field("by", r.By), field("degraded", e.Degraded))
}
