package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

const consentStages = `
kind: consent_test
version: "1"
title: Consent
locales: [en]
RECORDING
stages:
  - id: ASK
    title: Consent
    goal: ask whether the talk may be recorded.
    model: false
    prompts: {open: ask}
    slots: [{id: recorded, required: true, opening: true, ask: ask.again, hint: may it be recorded}]
    done: {any: [{slots: required}, {turns: 3}]}
    limits: {hard: 60s, followups: 2}
  - id: TALK
    title: Talk
    goal: learn the role.
    prompts: {open: talk, bridge: bridge}
    slots: [{id: role, required: true, opening: true, ask: talk.again, min_words: 2, hint: the role}]
    done: {turns: 4}
    limits: {hard: 60s, followups: 3}
  - id: BYE
    title: Goodbye
    final: true
    prompts: {open: bye}
`

const consentWords = `
ask: {say: ["May I record our talk?"]}
ask.again: {say: ["Is it all right to record this? A yes or a no is enough.", "Shall I record it, yes or no?"]}
talk: {say: ["What is your role?"]}
talk.again: {say: ["And your job?", "And your title?", "And your work?"]}
bridge: {say: ["Thank you."]}
bye: {say: ["Goodbye."]}
notice: {say: ["As you agreed, this talk is recorded."]}
`

// recorded is a talk of which the effects on the recording are kept.
type recorded struct {
	*chat
	records []engine.Record
}

func consentTalk(t *testing.T, block string, start engine.Started) *recorded {
	t.Helper()
	def := strings.Replace(consentStages, "RECORDING", block, 1)
	r := &recorded{chat: newChat(t, compile(t, def, consentWords))}
	r.do(start)
	return r
}

// do sends an event and keeps what it does to the recording.
func (r *recorded) do(ev engine.Event) {
	r.t.Helper()
	if s, ok := ev.(engine.Started); ok && s.Session == "" {
		s.Session = "test"
		ev = s
	}
	_, effects := r.iv.Step(r.u, r.now, ev)
	for _, e := range effects {
		if rec, ok := e.(engine.Record); ok {
			r.records = append(r.records, rec)
		}
	}
	r.send(ev)
}

// answer has everything heard, and then the candidate say something.
func (r *recorded) answer(text string) {
	r.t.Helper()
	r.hear()
	r.now += 3000
	r.do(engine.UserTurn{Text: text, Began: r.now - 1000})
}

func (r *recorded) expect(what string, want ...engine.Record) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.records); diff != "" {
		r.t.Errorf("%s:\n%s", what, diff)
	}
	consent := ""
	if len(want) > 0 && want[len(want)-1].On {
		consent = want[len(want)-1].Consent
	}
	if r.u.Recording != consent {
		r.t.Errorf("%s: the state says %q, want %q", what, r.u.Recording, consent)
	}
	folded, err := r.iv.Fold(r.entries)
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(r.u, folded); diff != "" {
		r.t.Errorf("%s: the journal tells another story:\n%s", what, diff)
	}
}

const (
	bySlot   = "recording: {stage: ASK, slot: recorded, notice: notice}"
	byPage   = "recording: {notice: notice}"
	byNobody = ""
)

// Issue 5: recorded only with the consent that the definition asks for. Spoken: a plain yes to the question, and nothing
// else: no refusal, hesitation or condition, no yes to another question, and no word of a model.
func TestSpokenConsent(t *testing.T) {
	on := engine.Record{On: true, Consent: engine.ConsentSpoken}
	for _, x := range []struct {
		what   string
		says   []string
		want   []engine.Record
		status state.SlotStatus
	}{
		{"a yes", []string{"Yes, of course."}, []engine.Record{on}, state.SlotFilled},
		{"a yes on being asked again", []string{"Hm, let me see, what do I say to that", "Fine with me."}, []engine.Record{on}, state.SlotFilled},
		{"a no", []string{"No, thank you."}, nil, state.SlotRefused},
		{"a polite no", []string{"I'd rather not, sorry."}, nil, state.SlotRefused},
		{"a no with a yes in it", []string{"Yes to talking, but please don't record me."}, nil, state.SlotRefused},
		{"no answer", []string{"I like trains a lot.", "Trains are great you know.", "They are blue."}, nil, ""},
		{"a condition, then a no", []string{"Okay, if nobody else hears it.", "No."}, nil, state.SlotRefused},
	} {
		r := consentTalk(t, bySlot, engine.Started{})
		for _, text := range x.says {
			r.expect(x.what + ", before " + text)
			r.answer(text)
		}
		r.expect(x.what, x.want...)
		if got := r.u.Slots["recorded"].Status; got != x.status {
			t.Errorf("%s: the slot is %q", x.what, got)
		}
		r.answer("Yes, I am a nurse, yes.")
		r.expect(x.what+", and a yes to another question", x.want...)
	}
}

// A model may propose whatever it likes: consent is not its to give, even where the candidate has said yes to something.
func TestNoModelConsents(t *testing.T) {
	r := consentTalk(t, bySlot, engine.Started{Model: true})
	r.answer("Well, I wonder, yes and what happens with it?")
	r.do(engine.Read{Utterance: r.u.Floor.Utterance, Visit: r.u.Visit, Reading: []byte(`{"notes":[{"id":"recorded","value":"yes","quote":"yes"}],"did":"ask"}`)})
	r.expect("a model's word")
	if s := r.u.Slots["recorded"]; s.Status == state.SlotFilled {
		t.Errorf("the slot is %+v", s)
	}
	r.answer("Yes.")
	r.expect("the candidate's word", engine.Record{On: true, Consent: engine.ConsentSpoken})
}

// Consent from before the talk: it is recorded from the start, the notice is said before anything else and cannot be
// interrupted, and nobody is asked again.
func TestConsentBeforeTheTalk(t *testing.T) {
	for _, block := range []string{bySlot, byPage} {
		for _, by := range []string{engine.ConsentPage, engine.ConsentMetadata} {
			r := consentTalk(t, block, engine.Started{Recording: by})
			r.expect(by, engine.Record{On: true, Consent: by})
			first := r.says[0]
			want, stage := "As you agreed, this talk is recorded. What is your role?", "TALK"
			if block == byPage {
				want, stage = "As you agreed, this talk is recorded. May I record our talk?", "ASK" // a stage that is not about consent stays
			}
			if first.Text != want || !first.Uninterruptible || r.u.Stage != stage {
				t.Errorf("%s, %s: %q in %s, uninterruptible %v", block, by, first.Text, r.u.Stage, first.Uninterruptible)
			}
			r.answer("I am a nurse.")
			if second := r.says[len(r.says)-1]; strings.Contains(second.Text, "recorded") || second.Uninterruptible && !second.Last {
				t.Errorf("the notice comes again: %+v", second)
			}
			r.expect(by+", later", engine.Record{On: true, Consent: by})
		}
	}
}

// The page may give consent at any time, and take it back: then the recording ends at once, whoever gave it.
func TestConsentOnThePage(t *testing.T) {
	on, off := engine.Record{On: true, Consent: engine.ConsentPage}, engine.Record{Consent: engine.ConsentPage}
	r := consentTalk(t, byPage, engine.Started{})
	r.do(engine.Consent{Recording: false, By: "page"})
	r.expect("nothing to take back")
	r.do(engine.Consent{Recording: true, By: "page"})
	r.do(engine.Consent{Recording: true, By: "page"})
	r.expect("given, twice", on)
	r.do(engine.Consent{Recording: false, By: "page"})
	r.do(engine.Consent{Recording: false, By: "page"})
	r.expect("taken back", on, off)
	r.do(engine.Consent{Recording: true, By: "page"})
	r.expect("given again", on, off, on)

	spoken := consentTalk(t, bySlot, engine.Started{})
	spoken.answer("Sure.")
	spoken.do(engine.Consent{By: "page"})
	spoken.expect("spoken, taken back on the page", engine.Record{On: true, Consent: engine.ConsentSpoken}, off)

	before := consentTalk(t, byPage, engine.Started{Recording: engine.ConsentMetadata})
	before.do(engine.Consent{By: "page"})
	before.hear()
	before.expect("taken back before a word was said", engine.Record{On: true, Consent: engine.ConsentMetadata}, off)
}

// Consent changes nothing else: not the floor, not a timer, not what is said next.
func TestConsentChangesNothingElse(t *testing.T) {
	r := consentTalk(t, byPage, engine.Started{})
	r.hear()
	was := r.u.Clone()
	r.do(engine.Consent{Recording: true, By: "page"})
	was.Recording = r.u.Recording
	if diff := cmp.Diff(was, r.u); diff != "" {
		t.Error(diff)
	}
}

// A definition without recording never records, whatever anybody says.
func TestNothingIsRecordedWithoutTheDefinition(t *testing.T) {
	r := consentTalk(t, byNobody, engine.Started{Recording: engine.ConsentMetadata})
	r.do(engine.Consent{Recording: true, By: "page"})
	r.answer("Yes, you may record all of it.")
	r.do(engine.Consent{Recording: true, By: "spoken"})
	r.answer("Please record me, I consent.")
	r.expect("no definition of it")
}

// A definition may ask for a word of its own.
func TestConsentByAnotherWord(t *testing.T) {
	r := consentTalk(t, "recording: {stage: ASK, slot: recorded, value: agreed, notice: notice}", engine.Started{})
	r.answer("Yes, fine.")
	r.expect("agreed", engine.Record{On: true, Consent: engine.ConsentSpoken})
	if got := r.u.Slots["recorded"].Value; got != "agreed" {
		t.Errorf("the slot is %q", got)
	}
}

// What was agreed to by voice can be taken back by voice.
func TestConsentIsTakenBackByVoice(t *testing.T) {
	r := consentTalk(t, bySlot, engine.Started{})
	r.answer("Sure.")
	r.answer("I am a nurse, and we stop recording vitals at night.")
	r.expect("a talk about recordings", engine.Record{On: true, Consent: engine.ConsentSpoken})
	r = consentTalk(t, bySlot, engine.Started{})
	r.answer("Sure.")
	r.answer("Actually, please stop recording me.")
	r.expect("taken back", engine.Record{On: true, Consent: engine.ConsentSpoken}, engine.Record{Consent: engine.ConsentSpoken})
}
