package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// R001-11, R001-15, R001-23, R001-24, R001-55, R001-84, R001-85, R001-87, R001-89: what the two-stage interview is, as data:
// two stages with content, then a goodbye of its own, with the limits agreed.
func TestTwoStageAsData(t *testing.T) {
	def := interview(t, "two_stage").Def
	if len(def.Stages) != 3 || def.Stages[0].Final || def.Stages[1].Final || !def.Stages[2].Final {
		t.Fatalf("stages %+v", def.Stages)
	}
	intro, experience := def.Stages[0], def.Stages[1]
	var required, optional []string
	for _, slot := range intro.Slots {
		if slot.Required {
			required = append(required, slot.ID)
		} else {
			optional = append(optional, slot.ID)
		}
	}
	if diff := cmp.Diff([]string{"role", "highlight"}, required); diff != "" {
		t.Errorf("required: %s", diff)
	}
	if diff := cmp.Diff([]string{"name", "years", "target_role"}, optional); diff != "" {
		t.Errorf("optional: %s", diff)
	}
	if got := intro.Limits.Hard.Std(); got < 60*time.Second || got > 120*time.Second {
		t.Errorf("stage 1 may last %s", got)
	}
	if l := experience.Limits; l.FollowUps != 2 || l.Hard.Std() != 300*time.Second {
		t.Errorf("stage 2 has %+v", l)
	}
	for _, st := range []definition.Stage{intro, experience} {
		var ladder []time.Duration
		for _, r := range st.NoInput {
			ladder = append(ladder, r.After.Std())
		}
		if diff := cmp.Diff([]time.Duration{10 * time.Second, 20 * time.Second, 35 * time.Second}, ladder); diff != "" {
			t.Errorf("%s: %s", st.ID, diff)
		}
	}
}

// R001-10, R001-15, R001-16: DONE says goodbye, once, and asks nothing.
func TestGoodbyeIsAStageOfItsOwn(t *testing.T) {
	s := newSim(t, interview(t, "two_stage")).start().run(10 * time.Minute)
	var goodbyes []engine.Say
	for _, x := range s.says {
		if x.Stage == "DONE" {
			goodbyes = append(goodbyes, x)
		}
	}
	if len(goodbyes) != 1 || !goodbyes[0].Last || goodbyes[0].Move != engine.MoveClose || strings.Contains(goodbyes[0].Text, "?") {
		t.Errorf("%+v", goodbyes)
	}
}

// R001-17, R001-18, R001-19, R001-20, R001-21, R001-22: one shared state has the stage, what was learnt, the times, the
// ledger and the flag of the visit; both stages read and write the same one.
func TestSharedState(t *testing.T) {
	k := newTalk(t, false)
	if k.u.Stage != "SELF_INTRO" || k.u.StageStart != 0 {
		t.Errorf("%q since %d", k.u.Stage, k.u.StageStart)
	}
	k.heard(1).fire(11, engine.TimerNoInput).heard(12)
	k.turn(15, "Hi, my name is Jordan and I am a backend engineer").heard(16)
	k.turn(19, "I am good at finding bugs that nobody else can find")
	u := k.u
	if u.Stage != "PAST_EXPERIENCE" || u.StageStart != 19_000 || u.LastActivity != 19_000 {
		t.Errorf("%q since %d, last activity %d", u.Stage, u.StageStart, u.LastActivity)
	}
	if u.Slots["name"].Value != "Jordan" || u.Slots["role"].Value != "backend engineer" || u.Visits[0].Summary == "" {
		t.Errorf("learnt %+v, summary %q", u.Slots, u.Visits[0].Summary)
	}
	want := map[string][]string{
		"SELF_INTRO":      {"intro.open", "intro.open.reprompt", "intro.highlight"},
		"PAST_EXPERIENCE": {"exp.bridge", "exp.open"},
	}
	if diff := cmp.Diff(want, u.Ledger.Asked); diff != "" {
		t.Error(diff)
	}
	if u.Ledger.Reprompts["intro.open"] != 1 {
		t.Errorf("reprompts %v", u.Ledger.Reprompts)
	}
	if !strings.Contains(asJSON(t, u), `"handoff_done":false`) {
		t.Error("the state has no flag handoff_done")
	}
}

// R001-22, R001-38, R001-43: whoever finds the flag of the visit set does nothing, whatever asks.
func TestTheFlagIsTestedFirst(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").heard(5)
	taken := k.u.Clone()
	taken.HandoffDone = true
	for _, ev := range []engine.Event{
		engine.UserTurn{Text: "that's all", Began: 6000},
		engine.TimerFired{Name: engine.TimerDeadline, ID: taken.Timers[engine.TimerDeadline].ID, Visit: 1},
	} {
		u, effects := k.iv.Step(taken, 7000, ev)
		if u.Visit != 1 || u.Stage != "SELF_INTRO" {
			t.Errorf("%s went on to %s", engine.Name(ev), u.Stage)
		}
		for _, e := range effects {
			if _, said := e.(engine.Say); said {
				t.Errorf("%s said something", engine.Name(ev))
			}
		}
	}
}

// R001-24, R001-26, R001-27, R001-28, R001-29: any one of the conditions ends the introduction, and none needs an optional fact.
func TestWhatEndsTheIntroduction(t *testing.T) {
	for reason, turns := range map[string][]string{
		engine.ReasonComplete: {"I am a teacher and I am really good at calming people down"},
		engine.ReasonIntent:   {"that's all"},
		engine.ReasonTurns:    {"well, fine", "fine, too", "and fine"},
	} {
		k := newTalk(t, false).heard(1)
		for i, text := range turns {
			if k.u.Visit != 1 {
				t.Errorf("%s: left after %d turns", reason, i)
			}
			k.turn(float64(5+4*i), text)
			if k.u.Floor.Utterance != 0 {
				k.heard(float64(7 + 4*i))
			}
		}
		if v := k.u.Visits[0]; k.u.Visit != 2 || v.Reason != reason {
			t.Errorf("%s: visit %d, left because of %q", reason, k.u.Visit, v.Reason)
		}
		for _, id := range []string{"name", "years", "target_role"} {
			k.slot(id, state.SlotEmpty)
		}
	}
}

// R001-34: each follow-up asks for what is still missing, and nothing that was told.
func TestFollowUpsAskForWhatIsMissing(t *testing.T) {
	for told, want := range map[string]string{
		"The project was a new booking system because the old one kept failing":                                   "exp.action",
		"The project was a new booking system for our clinic. I designed the schema and wrote the whole importer": "exp.result_in",
	} {
		k := newTalk(t, false).heard(1).turn(4, "that's all").heard(6).turn(20, told)
		if got := k.last().Prompts; got[len(got)-1] != want {
			t.Errorf("after %q: %v, want %s", told, got, want)
		}
	}
}

// R001-50, R001-51, R001-52, R001-75: a question that stays unanswered is asked again once, made simpler once, and then left.
func TestUnansweredQuestion(t *testing.T) {
	k := newTalk(t, false).heard(1).turn(4, "I am a teacher").heard(5)
	var moves []engine.Move
	for at := 16.0; k.u.Visit == 1; at += 16 {
		n := len(k.says)
		k.fire(at, engine.TimerNoInput)
		if len(k.says) > n {
			moves = append(moves, k.last().Move)
			k.heard(at + 1)
		}
	}
	if diff := cmp.Diff([]engine.Move{engine.MoveReprompt, engine.MoveSimplify, engine.MoveBridge}, moves); diff != "" {
		t.Error(diff)
	}
	if k.u.Ledger.Reprompts["intro.highlight"] != 1 {
		t.Errorf("reprompts %v", k.u.Ledger.Reprompts)
	}
	seen := make(map[string]bool)
	for _, x := range k.says {
		for _, id := range x.Prompts {
			if seen[id] {
				t.Errorf("%s was said twice", id)
			}
			seen[id] = true
		}
	}
}

// R001-59, R001-86: near the deadline is when a quarter of the limit, or 20 s, is left; the ladder then moves on.
func TestNearTheDeadline(t *testing.T) {
	for _, c := range []struct {
		limit, left time.Duration
		near        bool
	}{
		{60 * time.Second, 20 * time.Second, true},
		{60 * time.Second, 21 * time.Second, false},
		{80 * time.Second, 20 * time.Second, true},
		{120 * time.Second, 30 * time.Second, true},
		{120 * time.Second, 31 * time.Second, false},
	} {
		iv := interview(t, "two_stage")
		iv.Def.Stages[0].Limits.Hard = definition.Duration(c.limit)
		iv.Def.Stages[0].NoInput = []definition.Rung{
			{After: definition.Duration(5 * time.Second), Do: definition.DoReprompt, NearDeadline: definition.DoAdvance},
		}
		k := &talk{t: t, iv: iv, u: &state.UserData{}, armed: make(map[uint64]engine.ArmTimer)}
		at := (c.limit - c.left).Seconds()
		k.send(0, engine.Started{}).heard(at-5).fire(at, engine.TimerNoInput)
		if advanced := k.u.Visit == 2; advanced != c.near {
			t.Errorf("%s left of %s: moved on = %v", c.left, c.limit, advanced)
		}
	}
}

// R001-65, R001-66, R001-67, R001-68, R001-69, R001-70, R001-71, R001-72: each fact of the log and what it says.
func TestFactsInDetail(t *testing.T) {
	k := newTalk(t, false).heard(1).fire(11, engine.TimerNoInput).heard(12)
	k.turn(15, "I am a teacher")
	k.begins(16).send(16.5, engine.BargeIn{Utterance: k.last().Utterance}).fire(90, engine.TimerDeadline)
	want := map[string][]string{
		"stage.enter":     {"stage", "visit", "from"},
		"stage.exit":      {"stage", "visit", "reason", "source", "lasted", "turns", "follow_ups", "reprompts", "barge_ins"},
		"prompt.issued":   {"stage", "visit", "prompt", "move", "utterance"},
		"turn.received":   {"stage", "visit", "turn", "words", "typed", "late"},
		"timer.started":   {"stage", "visit", "timer", "after"},
		"timer.fired":     {"stage", "visit", "timer"},
		"timer.cancelled": {"stage", "visit", "timer"},
		"handoff.done":    {"stage", "visit", "reason", "source", "forced"},
		"bargein":         {"stage", "visit", "utterance"},
	}
	got := make(map[string][]string)
	var fallbacks []any
	for _, f := range k.facts {
		var keys []string
		for _, x := range f.Fields {
			keys = append(keys, x.Key)
			if f.Name == "fallback" && x.Key == "kind" {
				fallbacks = append(fallbacks, x.Value)
			}
		}
		if _, asked := want[f.Name]; asked {
			got[f.Name] = keys
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{engine.ReasonIdle, engine.ReasonDeadline}, fallbacks); diff != "" {
		t.Errorf("fallbacks: %s", diff)
	}
	exit := k.facts[slices.IndexFunc(k.facts, func(f engine.Fact) bool { return f.Name == "stage.exit" })]
	values := make(map[string]any)
	for _, x := range exit.Fields {
		values[x.Key] = x.Value
	}
	measured := map[string]any{
		"stage": "SELF_INTRO", "visit": uint64(1), "reason": engine.ReasonDeadline, "source": "timer", "lasted": 90 * time.Second,
		"turns": 1, "follow_ups": 1, "reprompts": 1, "barge_ins": 1,
	}
	if diff := cmp.Diff(measured, values); diff != "" {
		t.Errorf("stage.exit: %s", diff)
	}
}

// promptData has everything that a prompt may use.
var promptData = prompts.Data{Name: "Ada", Picked: "a lens on a bath of mercury", Slot: map[string]string{"role": "engineer", "highlight": "a prize", "years": "two years"}, Summary: "you work as engineer"}

// R001-25, R001-37: every form of every question, as spoken: one question, one breath, no markup, and nothing of many parts.
func TestWordsAreSpeakable(t *testing.T) {
	for _, kind := range []string{"two_stage", "conversation"} {
		iv := interview(t, kind)
		for _, id := range iv.Words.IDs() {
			for _, form := range []prompts.Form{prompts.Say, prompts.Reprompt, prompts.Simple} {
				for n := range iv.Words.Variants(id, form) {
					text, err := iv.Words.Render(id, form, n, promptData)
					if err != nil {
						t.Fatal(err)
					}
					if strings.Count(text, "?") > 1 || len(strings.Fields(text)) > 45 || strings.ContainsAny(text, "*#_`<>{}[]|\n") {
						t.Errorf("%s, %s %d: %q", id, form, n, text)
					}
					for _, many := range []string{"also tell me", "firstly", "secondly", "as well as", "and also", "1.", "2."} {
						if strings.Contains(strings.ToLower(text), many) {
							t.Errorf("%s, %s %d asks for several things: %q", id, form, n, text)
						}
					}
				}
			}
		}
	}
}

// Every word of a catalogue is used: by the definition, or by another form of a prompt that is.
func TestNoDeadWords(t *testing.T) {
	for _, kind := range []string{"two_stage", "conversation"} {
		iv := interview(t, kind)
		ids := slices.DeleteFunc(slices.Clone(iv.Words.IDs()), func(id string) bool { // those are the engine's
			return strings.HasPrefix(id, "every.") || strings.HasPrefix(id, "last_")
		})
		if diff := cmp.Diff(slices.Sorted(slices.Values(iv.Def.PromptIDs())), ids); diff != "" {
			t.Errorf("%s: the definition (-) and its catalogue (+) name different prompts:\n%s", kind, diff)
		}
	}
}

// Whatever is named and not there is reported at once.
func TestNewReportsEveryMissingPrompt(t *testing.T) {
	iv := interview(t, "two_stage")
	iv.Def.Stages[0].Prompts.Open, iv.Def.Stages[1].Slots[0].Ask = "nowhere.open", "nowhere.ask"
	_, err := engine.New(iv.Def, iv.Words, iv.Rules)
	for _, want := range []string{"nowhere.open", "nowhere.ask", "prompts/two_stage/en.yaml"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

// A journal that cannot be understood is refused with the number of the entry.
func TestFoldRefusesWhatItDoesNotKnow(t *testing.T) {
	iv := interview(t, "two_stage")
	for _, e := range []state.Entry{{Seq: 7, Type: "dance"}, {Seq: 7, Type: "turn", Data: json.RawMessage(`{"text":3}`)}} {
		if _, err := iv.Fold([]state.Entry{e}); err == nil || !strings.Contains(err.Error(), "entry 7") {
			t.Errorf("%s: %v", e.Type, err)
		}
	}
}

// RX-9: every kind of event survives the journal.
func TestEveryEventSurvivesTheJournal(t *testing.T) {
	for _, ev := range []engine.Event{
		engine.Started{Version: engine.JournalVersion, Session: "s", Locale: "en", Candidate: state.Candidate{Identity: "i", Name: "N"}, Vars: map[string]string{"a": "b"}, Model: true},
		engine.SpeechStarted{}, engine.SpeechStopped{},
		engine.UserTurn{Text: "<t> & \u2028", Confidence: 0.25, Typed: true, Began: 5, Reason: "r"}, engine.NoWords{Reason: "r"},
		engine.LongSpeech{Lasted: 1, Words: 2}, engine.BargeIn{Utterance: 1}, engine.VoiceStarted{Utterance: 1},
		engine.VoiceEnded{Utterance: 1, Visit: 2, Heard: "h", Cut: true, Worded: true, Degraded: "d", Failed: "f"},
		engine.Read{Utterance: 1, Visit: 2, Reading: json.RawMessage(`{"a":1}`)},
		engine.TimerFired{Name: "n", ID: 1, Visit: 2}, engine.Away{}, engine.Back{}, engine.Gone{Reason: "r"}, engine.Stop{Reason: "r"},
	} {
		e, err := engine.Encode(3, 4, ev)
		if err != nil {
			t.Fatal(err)
		}
		var back state.Entry
		if err := json.Unmarshal([]byte(asJSON(t, e)), &back); err != nil {
			t.Fatal(err)
		}
		got, err := engine.Decode(back)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ev, got); diff != "" || e.Type == "unknown" {
			t.Errorf("%s: %s", e.Type, diff)
		}
	}
}
