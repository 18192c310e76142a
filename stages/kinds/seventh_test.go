package kinds_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// A seventh kind, which only this test knows: somebody sells to a buyer whom they choose. It has experts, people and facts of its own.
const (
	pitchYAML = `
kind: pitch
title: Pitch
locales: [en]
vars: {role: {default: seller}}
personas: {menu: DOOR, questions: PITCH, count: 1}
experts: [doorman, buyer]
fields: {persona: {}, role: {from: var.role}, offer: {}}
stages:
  - {id: DOOR, title: Door, responder: experts, fallback: sorry, prompts: {open: door}, done: {field: persona}, limits: {hard: 5m}, no_input: [{after: 20s, do: reprompt}, {after: 60s, do: advance}]}
  - {id: PITCH, title: Pitch, responder: experts, fallback: sorry, prompts: {open: pitch}, done: {field: offer}, limits: {hard: 5m}, no_input: [{after: 20s, do: reprompt}, {after: 60s, do: advance}]}
  - {id: BYE, title: Goodbye, final: true, prompts: {open: bye}}
`
	pitchWords = `
door: {say: ["Whom do you want to see?"], reprompt: ["Who is it to be?"]}
pitch: {say: ["What do you sell?"], reprompt: ["What is it?"]}
sorry: {say: ["Go on."]}
bye: {say: ["Goodbye."]}
`
)

// led is an expert of one stage.
type led struct {
	name, stage string
	process     func(expert.Board) expert.Response
}

func (e led) Name() string                                    { return e.name }
func (e led) ShouldActivate(b expert.Board) bool              { return b.CurrentStage == e.stage }
func (e led) ValidateContext(expert.Board) error              { return nil }
func (e led) Process(b expert.Board) (expert.Response, error) { return e.process(b), nil }

// pitchOptions are what the seventh kind hands to the engine.
func pitchOptions(t *testing.T) []engine.Option {
	t.Helper()
	buyers := cast.New(
		&cast.Persona{ID: "thrifty", Name: map[string]string{"en": "Ms Thrift"}, Sound: cast.Voice{Speed: 1.2}},
		&cast.Persona{ID: "lavish", Name: map[string]string{"en": "Mr Lavish"}, Facts: facts.Sheet{{ID: "budget", Say: map[string]string{"en": "I have a million."}}}},
	)
	experts, err := expert.NewRegistry(
		led{"doorman", "DOOR", func(b expert.Board) expert.Response {
			p, there := buyers.Find(strings.TrimSuffix(b.Input, "."))
			if !there {
				return expert.Success("Nobody of that name is here. Whom else?", "")
			}
			return expert.Success("This way. What do you sell?", expert.Onward, expert.Update{Field: cast.FieldPersona, Value: p.ID})
		}},
		led{"buyer", "PITCH", func(b expert.Board) expert.Response {
			return expert.Success("I take ten.", expert.Onward, expert.Update{Field: "offer", Value: b.Input})
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return []engine.Option{
		engine.WithExperts(experts), engine.WithPersonas(buyers),
		engine.WithRoles(func(role string) facts.Sheet {
			return facts.Sheet{{ID: "role", Say: map[string]string{"en": "You are the " + role + "."}}}
		}),
	}
}

// RM-29: an interview that only a test knows is held through the seam by which the engine is handed the shipped kinds, and is led by its own
// experts, people and facts.
func TestASeventhKindUsesTheSameSeam(t *testing.T) {
	def, err := definition.Parse("pitch.yaml", []byte(pitchYAML))
	if err != nil {
		t.Fatal(err)
	}
	words, err := prompts.Load(fstest.MapFS{"pitch/en.yaml": {Data: []byte(pitchWords)}}, "pitch", "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := engine.New(def, words, rules, pitchOptions(t)...)
	if err != nil {
		t.Fatal(err)
	}
	u, effects := iv.Step(&state.UserData{}, 0, engine.Started{Session: "s", Locale: "en"})
	var said []string
	at := state.Millis(0)
	hear := func() { // plays all that is said to its end
		for {
			i := slices.IndexFunc(effects, func(e engine.Effect) bool { _, says := e.(engine.Say); return says })
			if i < 0 {
				return
			}
			say, _ := effects[i].(engine.Say)
			said = append(said, say.Persona+": "+say.Text)
			at += 1000
			u, _ = iv.Step(u, at, engine.VoiceStarted{Utterance: say.Utterance})
			u, effects = iv.Step(u, at+500, engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: say.Text})
		}
	}
	hear()
	for _, words := range []string{"The Sultan of Zanzibar please.", "Mr Lavish.", "I sell lamps that never go out."} {
		at += 2000
		u, effects = iv.Step(u, at, engine.UserTurn{Text: words, Began: at - 500})
		hear()
		if words == "Mr Lavish." {
			sheet := iv.Sheet(u)
			budget, rich := sheet.Fact("budget")
			role, known := sheet.Fact("role")
			if !rich || budget.Say["en"] != "I have a million." || !known || role.Say["en"] != "You are the seller." {
				t.Errorf("the sheet is not the kind's own: %+v %+v", budget, role)
			}
		}
	}
	want := []string{
		": Whom do you want to see?", ": Nobody of that name is here. Whom else?", "lavish: This way. What do you sell?", "lavish: I take ten. Goodbye.",
	}
	if u.Ended != "done" || !slices.Equal(said, want) || string(u.Fields["offer"].Value) != `"I sell lamps that never go out."` {
		t.Errorf("ended %q, offer %s, said %q", u.Ended, u.Fields["offer"].Value, said)
	}
}

// RM-29: nor does the engine have anything of the shipped kinds that it was not handed by the same options.
func TestTheShippedKindsAreHandedOver(t *testing.T) {
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	for kind, option := range map[string]string{
		"algorithm_coach": "WithExperts", "persona_interview": "WithPersonas", "two_stage": "", "system_design": "", "conversation": "", "evaluation": "",
	} {
		words, err := prompts.Load(prompts.Shipped(), defs[kind].Catalogue(), "en")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.New(defs[kind], words, rules); (err == nil) != (option == "") || err != nil && !strings.Contains(err.Error(), option) {
			t.Errorf("%s with nothing: %v", kind, err)
		}
		own, err := kinds.Options(defs[kind])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.New(defs[kind], words, rules, own...); err != nil {
			t.Errorf("%s with what is its own: %v", kind, err)
		}
	}
}
