package engine

import (
	"strconv"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// replies are what can be said without leaving the stage on the floor.
type replies struct {
	floor
	learnt []uint64 // changes of fields by the expert that is about to speak
}

// repeated has the stage's expert put the question that waits once more, where it knows how. The words of the stage's
// opening would ask for something else by then.
func (s *replies) repeated(v *state.StageVisit, m Move, why expert.Occasion, before ...string) bool {
	e := s.repeater()
	if e == nil || v.Prompt == choiceLastWord || m == MoveReprompt && s.u.Ledger.Reprompts[s.reprompts(s.expertQuestion(e.Name()))] > 0 {
		return false
	}
	text, err := expert.SafeRepeat(e, s.blackboard.show(v, nil), why)
	if err != nil {
		s.fact("expert.failed", field("expert", e.Name()), field("kind", expert.Kind(err)), field("error", understand.Clip(err.Error(), maxFailure)))
	}
	if text == "" {
		return false
	}
	r := state.Reply{Move: string(m), Question: s.expertQuestion(e.Name()), Slot: v.Target, Again: true}
	r.Wished = why != expert.OnSilence && why != expert.OnSimpler
	s.takePreface(&r)
	for _, id := range before {
		s.addFresh(&r, id)
	}
	add(&r, s.fresh("expert."+e.Name()+".again"), text)
	s.say(r)
	return true
}

// repeater is the expert of the stage on the floor if it can put its question again, or nil.
func (s *replies) repeater() expert.Repeater {
	st := s.stage()
	if st == nil || st.Responder != definition.ByExperts {
		return nil
	}
	e, err := s.iv.Experts.For(expert.Board{CurrentStage: st.ID})
	if err != nil {
		return nil
	}
	r, can := e.(expert.Repeater)
	if !can {
		return nil
	}
	return r
}

// expertQuestion names the latest words of an expert as the question that waits: no prompt of the catalogue has that name, so
// that it is not put in the words of another.
func (s *replies) expertQuestion(name string) string {
	return "expert." + name + "." + strconv.Itoa(s.times("expert."+name))
}
