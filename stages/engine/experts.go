package engine

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// lingering is how many turns in a row an expert may keep the floor although its stage could be left.
const lingering = 2

// consult has the stage's expert answer the turn: where there is no model, or it does not lead.
func (s *course) consult(st *definition.Stage, v *state.StageVisit, intents []understand.Intent) {
	s.queue.hear(intents)
	b := s.blackboard.show(v, intents)
	e, err := s.iv.Experts.For(b)
	if err != nil {
		s.expertFailed(st, v, "", err)
		return
	}
	r, err := expert.Safe(e, b, s.iv.known)
	if s.u.Model && s.atMenu(st) && r.NextStage != "" {
		r = choiceOnly(r)
	}
	s.expertAnswered(e.Name(), r, err, intents)
}

// expertAnswered acts on a response that passed the wrapper, or on its failure.
func (s *course) expertAnswered(name string, r expert.Response, err error, intents []understand.Intent) {
	st, v := s.stage(), s.u.Current()
	if err != nil {
		s.expertFailed(st, v, name, err)
		return
	}
	s.learn(name, r)
	if !s.expertLeaves(st, v, name, r, intents) {
		s.speakFor(v, name, r)
	}
}

// learn takes over what an expert has found out: fields, flags, questions.
func (s *replies) learn(name string, r expert.Response) {
	known := len(s.u.Patches)
	s.blackboard.apply(name, r.Updates)
	s.learnt = nil
	for i := known; i < len(s.u.Patches); i++ {
		s.learnt = append(s.learnt, s.u.Patches[i].ID)
	}
	s.judgements.answerTaken(r.Answered)
	s.blackboard.shareChoice()
	for _, f := range r.Flags {
		s.flag(f)
	}
	s.queue.enqueue(name, r.QueueField, r.Queue)
	s.fact("expert.answered", field("expert", name), field("next", r.NextStage), field("hint", r.Hint), field("queued", len(r.Queue)))
}

// expertLeaves hands over if the stage's guard holds now, and its expert proposes to go on or has kept the floor long
// enough. A proposal alone does nothing (R003-48).
func (s *course) expertLeaves(st *definition.Stage, v *state.StageVisit, name string, r expert.Response, intents []understand.Intent) bool {
	proposed := r.NextStage != "" && r.NextStage != v.Stage
	reason, holds := s.guard(st.Done, intents)
	switch {
	case st.Limits.Turns > 0 && v.Turns >= st.Limits.Turns:
		reason = ReasonTurns
	case !holds:
		v.Lingers = 0
		if proposed {
			s.fact("stage.refused", field("proposed", r.NextStage))
		}
		return false
	case !proposed && v.Lingers < lingering:
		v.Lingers++
		return false
	}
	if st.Gate != nil && s.due(st.Gate, v, true) && s.judge("rule") != moved {
		return s.waiting()
	}
	s.beforeLeaving(name, r, proposed)
	return s.handoff(s.u.Visit, reason, "rule")
}

// beforeLeaving puts an expert's last words before the opening of the next stage. Its question takes the place of that
// opening if it was meant to; else it is left out: one question at a time.
func (s *course) beforeLeaving(name string, r expert.Response, proposed bool) {
	text := s.safe(r.Message)
	asks := len(questions(text)) > 0
	next := s.iv.Def.Index(s.u.Stage) + 1
	s.asks = asks && proposed && !s.iv.Def.Stages[next].Final && s.iv.Def.Stages[next].ID == r.NextStage
	if asks && !s.asks {
		text = statements(text)
	}
	s.before(s.fresh("expert."+name), text)
}

// speakFor says an expert's words. Where a question waits in the queue, it is asked after them, and they ask nothing
// themselves (R003-41).
func (s *course) speakFor(v *state.StageVisit, name string, r expert.Response) {
	reply := state.Reply{Move: string(MoveProbe), FollowUp: true, Question: s.lines().Open, Slot: v.Target, Again: true, Hint: r.Hint, Wished: r.Wished, Patches: s.learnt}
	if r.Hint {
		reply.Move = string(MoveHint)
		s.fact("hint.given", field("level", v.HintLevel+1))
	}
	s.takePreface(&reply)
	reply.Before = understand.Words(reply.Text)
	text := r.Message
	q := s.queue.at(state.Waiting)
	if q != nil && !r.Hint {
		if len(questions(text)) > 0 {
			text = statements(text)
		}
		text = strings.TrimSpace(text + " " + q.Text)
		reply.Queued = q.ID
	}
	id := "expert." + name
	add(&reply, s.fresh(id), text)
	if s.repeater() != nil {
		reply.Question = s.expertQuestion(name)
	}
	s.say(reply)
}

// expertFailed deals with a failed call by its kind; the session goes on (R003-88, R003-90, R003-91).
func (s *course) expertFailed(st *definition.Stage, v *state.StageVisit, name string, err error) {
	s.fact("expert.failed", field("expert", name), field("kind", expert.Kind(err)), field("error", understand.Clip(err.Error(), maxFailure)))
	sorry := s.iv.Def.Recovery.Sorry // for what is nobody's fault
	switch {
	case errors.Is(err, expert.ErrState) && s.repair(v, name):
	case errors.Is(err, expert.ErrState), errors.Is(err, expert.ErrMalformed):
		s.sayInstead(cmp.Or(st.Fallback, sorry, st.Prompts.Open))
	default:
		s.sayInstead(cmp.Or(sorry, st.Fallback, st.Prompts.Open))
	}
}

// repair fills in again what can be known, or goes back to the last stage that left the state consistent, once (R003-90).
func (s *course) repair(v *state.StageVisit, name string) bool {
	before := len(s.u.Patches)
	for id, f := range s.iv.Def.Fields {
		if s.u.Fields[id].Empty() && s.blackboard.from(f) != "" {
			s.blackboard.apply("repair", map[string]any{id: s.blackboard.from(f)})
		}
	}
	if e, ok := s.iv.Experts.Find(name); ok && len(s.u.Patches) > before {
		intents := s.latestIntents(v)
		if r, err := expert.Safe(e, s.blackboard.show(v, intents), s.iv.known); err == nil {
			s.fact("state.repaired", field("expert", name))
			s.expertAnswered(name, r, nil, intents)
			return true
		}
	}
	rolledBack := "rolled_back." + v.Stage
	if s.u.Flags[rolledBack] {
		return false
	}
	to := s.inconsistent(v)
	if to < 0 {
		return false
	}
	s.flag(rolledBack)
	s.target = &s.iv.Def.Stages[to]
	s.beforePrompt(s.iv.Def.Recovery.Sorry)
	return s.handoff(s.u.Visit, ReasonRollback, "recovery")
}

// inconsistent returns the first stage that was left although what it was to find out is not there, or -1.
func (s *course) inconsistent(v *state.StageVisit) int {
	for i := range s.iv.Def.Index(v.Stage) {
		st := &s.iv.Def.Stages[i]
		skipped := slices.ContainsFunc(s.u.Visits, func(w state.StageVisit) bool { return w.Stage == st.ID && (w.Skipped || Forced(w.Reason)) })
		if f := st.Done.Field; f != "" && !skipped && s.u.Fields[f].Empty() {
			return i
		}
	}
	return -1
}

// sayInstead says a prompt in place of an expert's words, and the talk goes on.
func (s *replies) sayInstead(id string) {
	v := s.u.Current()
	r := state.Reply{Move: string(MoveSorry), Question: s.lines().Open, Slot: v.Target, Again: true}
	s.takePreface(&r)
	s.addFresh(&r, id)
	s.say(r)
}
