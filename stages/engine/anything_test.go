package engine_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// anyEvent draws an event that may make no sense at all now: ids that are current, old or made up.
func anyEvent(r *rapid.T, u *state.UserData) engine.Event {
	utterance := rapid.SampledFrom([]uint64{0, 1, u.Floor.Utterance, u.Floor.Utterance, u.NextID, 99}).Draw(r, "utterance")
	visit := rapid.SampledFrom([]uint64{0, 1, u.Visit, u.Visit, u.Visit + 1}).Draw(r, "visit")
	text := rapid.SampledFrom([]string{
		"", " ", "um", "no", "that's all", "let me think", "could you repeat that", "I'd rather not say", "stop the interview",
		"I am a teacher", "I built a school for nine hundred children", "\x00\xff?", "?",
	}).Draw(r, "text")
	switch rapid.IntRange(0, 17).Draw(r, "event") {
	case 0:
		return engine.Started{Session: "again"}
	case 1, 2:
		return engine.SpeechStarted{}
	case 3, 4:
		return engine.SpeechStopped{}
	case 5, 6, 7:
		began := rapid.SampledFrom([]state.Millis{0, u.StageStart, u.Now}).Draw(r, "began")
		turn := engine.UserTurn{Text: text, Began: began, Typed: rapid.Bool().Draw(r, "typed")}
		turn.Mends = turn.Typed && rapid.Bool().Draw(r, "mends")
		return turn
	case 8:
		return engine.NoWords{}
	case 9:
		return engine.LongSpeech{Lasted: 100_000, Words: 300}
	case 10:
		return engine.BargeIn{Utterance: utterance, Onset: rapid.SampledFrom([]state.Millis{0, u.Floor.Began, u.Now}).Draw(r, "onset")}
	case 11:
		return engine.VoiceStarted{Utterance: utterance}
	case 12, 13:
		return engine.VoiceEnded{Utterance: utterance, Visit: visit, Heard: text}
	case 14:
		reading := rapid.SampledFrom([]string{"null", "[]", "{", `{"did":"finish"}`, `{"acts":[{"kind":"answer","quote":"I am a teacher"}],"did":"end"}`, `{"did":"go","to":"DONE"}`}).Draw(r, "reading")
		return engine.Read{Utterance: utterance, Visit: visit, Reading: json.RawMessage(reading)}
	case 15:
		name := rapid.SampledFrom([]string{engine.TimerDeadline, engine.TimerGrace, engine.TimerNoInput, engine.TimerGoodbye, "egg"}).Draw(r, "timer")
		return engine.TimerFired{Name: name, ID: u.Timers[name].ID, Visit: u.Timers[name].Visit}
	case 16:
		return engine.Away{}
	default:
		return engine.Back{}
	}
}

// R001-9, R001-12, R001-16, R001-41, R001-63: any events in any order, sensible or not, before the start and after the end.
// Step never fails; stages come in order; what is counted is never negative; a timer that runs belongs to the visit; nothing
// runs and nothing is said to a candidate who is away or speaking, or after the end; something always goes on.
func TestAnythingAtAll(t *testing.T) {
	pure(t)
	for _, kind := range []string{"two_stage", "conversation"} {
		iv := interview(t, kind)
		rapid.Check(t, func(r *rapid.T) {
			u := &state.UserData{}
			if rapid.IntRange(0, 9).Draw(r, "early") > 0 {
				u, _ = iv.Step(u, 0, engine.Started{Session: "s", Model: rapid.Bool().Draw(r, "model")})
			}
			for range rapid.IntRange(1, 60).Draw(r, "events") {
				ev := anyEvent(r, u)
				at := u.Now + state.Millis(rapid.IntRange(0, 9000).Draw(r, "later"))
				after, effects := iv.Step(u, at, ev)
				sane(r, iv, u, after, effects)
				u = after
			}
		})
	}
}

func sane(r *rapid.T, iv *engine.Interview, before, u *state.UserData, effects []engine.Effect) {
	onward := iv.Def.Provider == nil && len(iv.Def.Experts) == 0 // nothing leads back in such an interview
	for i, v := range u.Visits {
		if v.Turns < 0 || v.FollowUp < 0 || v.Reprompts < 0 || v.BargeIns < 0 {
			r.Fatalf("negative counts: %+v", v)
		}
		if v.Visit != uint64(i+1) || onward && i > 0 && iv.Def.Index(v.Stage) <= iv.Def.Index(u.Visits[i-1].Stage) {
			r.Fatalf("visits out of order: %+v", u.Visits)
		}
	}
	for id, slot := range u.Slots {
		if slot.Asked < 0 {
			r.Fatalf("%s was asked for %d times", id, slot.Asked)
		}
	}
	for id, n := range u.Ledger.Reprompts {
		if n < 0 || n > 1 {
			r.Fatalf("%s was reprompted %d times", id, n)
		}
	}
	for stage, ids := range u.Ledger.Asked {
		sorted := slices.Sorted(slices.Values(ids))
		if len(slices.Compact(sorted)) != len(ids) {
			r.Fatalf("in %s something was asked twice: %v", stage, ids)
		}
	}
	for name, timer := range u.Timers {
		if timer.Visit != u.Visit || u.Floor.Away || u.Ended != "" {
			r.Fatalf("%s runs in visit %d (away %v, ended %q): %+v", name, u.Visit, u.Floor.Away, u.Ended, timer)
		}
	}
	if f := u.Floor; u.Stage != "" && u.Ended == "" && f.Utterance == 0 && !f.Candidate && !f.Away && len(u.Timers) == 0 {
		r.Fatalf("nothing will ever happen again in %s: %+v", u.Stage, u.Current())
	}
	for _, e := range effects {
		say, ok := e.(engine.Say)
		if !ok {
			continue
		}
		if before.Ended != "" || u.Floor.Away || u.Floor.Candidate && !say.Uninterruptible || say.Utterance != u.Floor.Utterance || say.Text == "" && say.Lead == nil {
			r.Fatalf("said out of turn: %+v with floor %+v", say, u.Floor)
		}
	}
}
