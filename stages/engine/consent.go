package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// How a candidate may agree to being recorded.
const (
	ConsentPage     = "page"
	ConsentMetadata = "metadata"
	ConsentSpoken   = "spoken"
)

// byConsent marks a slot that the candidate's own answer to the question for consent has settled.
const byConsent = "consent"

// flagNotice says that the notice of a recording is still to be said.
const flagNotice = "recording.notice"

// consent is whether the talk may be recorded.
type consent struct {
	*change
	withdrew bool // it was taken back with this turn
}

// agree begins to record. Without a definition that allows it nothing ever does.
func (s *consent) agree(by string) {
	switch {
	case s.iv.Def.Recording == nil:
		s.fact("recording.refused", field("consent", by))
	case s.u.Recording != "":
		s.fact("event.noop", field("event", "consent"))
	default:
		s.u.Recording = by
		s.fact("recording.agreed", field("consent", by))
		s.out = append(s.out, Record{On: true, Consent: by})
	}
}

// consented takes what the candidate did on the page. Taking consent back ends the recording, whoever gave it.
func (s *consent) consented(e Consent) {
	by := ConsentPage
	if e.By == ConsentMetadata || e.By == ConsentSpoken {
		by = e.By
	}
	if e.Recording {
		s.agree(by)
		return
	}
	delete(s.u.Flags, flagNotice)
	if s.u.Recording == "" {
		return
	}
	s.u.Recording = ""
	s.fact("recording.withdrawn", field("by", by))
	s.out = append(s.out, Record{Consent: by})
}

// agreedBefore takes consent from before the talk: the notice is said first, and nobody is asked again.
func (s *consent) agreedBefore(by string) {
	rec := s.iv.Def.Recording
	if by == "" || rec == nil {
		return
	}
	if by != ConsentMetadata {
		by = ConsentPage
	}
	s.agree(by)
	if rec.Slot != "" {
		s.u.Slots[rec.Slot] = state.Slot{Status: state.SlotFilled, Value: consentValue(rec), By: byConsent}
	}
	if rec.Notice != "" {
		s.flag(flagNotice)
	}
}

// notice puts the notice before the first words that are said.
func (s *replies) notice() {
	if !s.u.Flags[flagNotice] {
		return
	}
	delete(s.u.Flags, flagNotice)
	s.beforePrompt(s.iv.Def.Recording.Notice)
}

// firm reports whether a prompt must be heard to its end.
func (s *words) firm(issue string) bool {
	id := base(issue)
	return s.iv.Words.Uninterruptible(id) || s.iv.Def.Recording != nil && id == s.iv.Def.Recording.Notice
}

// pastConsent leaves out a stage that only asks for consent, where that is settled.
func (s *change) pastConsent(st *definition.Stage) *definition.Stage {
	rec := s.iv.Def.Recording
	if rec == nil || st.ID != rec.Stage || st.Final {
		return st
	}
	open := func(slot definition.Slot) bool { return !s.u.Slots[slot.ID].Closed() }
	if slices.ContainsFunc(st.Slots, open) {
		return st
	}
	s.fact("stage.left_out", field("of", st.ID))
	return &s.iv.Def.Stages[s.iv.Def.Index(st.ID)+1]
}

// hearConsent reads the answer to the question for consent. Only a plain yes is one: what hesitates, asks back or has
// conditions leaves the question open, and with it the recording off.
func (s slots) hearConsent(st *definition.Stage, text string, intents []understand.Intent) {
	rec := s.iv.Def.Recording
	if rec == nil || st.ID != rec.Stage || s.u.Current().Target != rec.Slot {
		return
	}
	says := func(list string) bool { return s.iv.Rules.Mentions(list, text) }
	switch {
	case says(understand.LexiconNoConsent):
		s.settle(rec.Slot, state.Slot{Status: state.SlotRefused, By: byConsent})
	case says(understand.LexiconDoubt):
	case says(understand.LexiconConsent), slices.Contains(intents, understand.Yes):
		s.settle(rec.Slot, state.Slot{Status: state.SlotFilled, Value: consentValue(rec), By: byConsent})
	case slices.Contains(intents, understand.No):
		s.settle(rec.Slot, state.Slot{Status: state.SlotRefused, By: byConsent})
	}
}

// hearWithdrawal takes consent back when the candidate says so: that has to be as easy as it was to give it.
func (s *consent) hearWithdrawal(text string) {
	if s.u.Recording != "" && s.iv.Rules.Mentions(understand.LexiconStopRecording, text) {
		s.consented(Consent{By: ConsentSpoken})
		s.withdrew = true
	}
}

// mayConsent reports whether a slot may be settled so: no model and no free text fills the one that stands for consent.
func (s *consent) mayConsent(id string, to state.Slot) bool {
	rec := s.iv.Def.Recording
	if rec == nil || id != rec.Slot || to.Status != state.SlotFilled {
		return true
	}
	return to.By == byConsent || to.By == "rules"
}

// slotSettled begins to record when the slot that was settled is consent.
func (s slots) slotSettled(id string, to state.Slot) {
	rec := s.iv.Def.Recording
	if rec != nil && id == rec.Slot && to.Status == state.SlotFilled && strings.EqualFold(to.Value, consentValue(rec)) {
		s.agree(ConsentSpoken)
	}
}

func consentValue(rec *definition.Recording) string { return cmp.Or(rec.Value, "yes") }

// asksConsent reports whether the stage is there to ask for consent: that is done in fixed words.
func (s *situation) asksConsent(st *definition.Stage) bool {
	rec := s.iv.Def.Recording
	return rec != nil && st.ID == rec.Stage
}
