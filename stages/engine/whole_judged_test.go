package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// anyJudged draws what judges and the report may answer: for what was sent or was not, once or twice, sense or nonsense.
func anyJudged(r *rapid.T, u *state.UserData) engine.Event {
	if rapid.Bool().Draw(r, "report") {
		done := engine.TaskDone{Task: u.NextID, Visit: u.Visit, Result: json.RawMessage(`{"spoken":"That was good. The report is on the page."}`)}
		for _, t := range u.Tasks {
			done.Task, done.Visit = t.ID, t.Visit
		}
		done.Failed = rapid.SampledFrom([]string{"", "", "the disk is full"}).Draw(r, "failed")
		return done
	}
	done := engine.Judged{Item: "answers/FIRST/99"}
	if n := len(u.Judgements); n > 0 {
		done.Item = u.Judgements[rapid.IntRange(0, n-1).Draw(r, "item")].Item
	}
	if done.Missing = rapid.SampledFrom([]string{"", "", "late"}).Draw(r, "missing"); done.Missing == "" {
		done.Evaluation = someEvaluation(rapid.Float64Range(-9, 9).Draw(r, "score"))
	}
	return done
}

// R002-30, R002-42, R002-44, R002-46, R002-49, R002-60, RX-7: judgements and a report under any events in any order: what is
// judged is sent once and never after the report was asked for; the report is asked for once; a result changes nothing but
// what is known of it; two futures of one state do not touch each other; and silence alone leads to the end.
func TestAnythingAtAllIsJudged(t *testing.T) {
	pure(t)
	var asks expert.Registry
	if err := asks.Register(asker{}); err != nil {
		t.Fatal(err)
	}
	kinds := []*engine.Interview{
		compile(t, strings.Replace(silentYAML, "REPORT\n", telling, 1), silentWords),
		compile(t, askingYAML, askingWords, engine.WithExperts(&asks)),
	}
	rapid.Check(t, func(r *rapid.T) {
		iv := rapid.SampledFrom(kinds).Draw(r, "kind")
		u := &state.UserData{}
		var entries []state.Entry
		sent, reports := make(map[string]bool), 0
		step := func(at state.Millis, ev engine.Event) {
			e, err := engine.Encode(uint64(len(entries)+1), at, ev)
			if err != nil {
				return
			}
			entries = append(entries, e)
			given := asJSON(t, u)
			after, effects := iv.Step(u, at, ev)
			came := asJSON(t, after)
			for _, other := range []engine.Event{engine.UserTurn{Text: "Something else, and more of it.", Began: at}, engine.Gone{}} {
				future, _ := iv.Step(u, at, other)
				_, _ = iv.Step(future, at, engine.UserTurn{Text: "And on.", Began: at})
			}
			if asJSON(t, after) != came || asJSON(t, u) != given {
				r.Fatalf("another future than %s changed it", engine.Name(ev))
			}
			sane(r, iv, u, after, effects)
			lasting(r, u, after)
			for _, effect := range effects {
				switch effect := effect.(type) {
				case engine.Judge:
					id := effect.Item.ID
					if sent[id] || u.Ended != "" || len(effect.Item.Turns) == 0 || reports > 0 {
						r.Fatalf("%s is sent after %s: sent before %v, reports %d, %+v", id, engine.Name(ev), sent[id], reports, effect)
					}
					sent[id] = true
				case engine.Run:
					if effect.Kind == engine.TaskReport {
						if reports++; reports > 1 || effect.State == nil {
							r.Fatalf("%d reports", reports)
						}
					}
				}
			}
			booked(r, ev, u, after, sent)
			u = after
		}
		step(0, engine.Started{Session: "a", Model: rapid.Bool().Draw(r, "model")})
		for range rapid.IntRange(1, 60).Draw(r, "events") {
			at := u.Now + state.Millis(rapid.IntRange(0, 9000).Draw(r, "later"))
			if rapid.IntRange(0, 4).Draw(r, "judged") == 0 {
				step(at, anyJudged(r, u))
				continue
			}
			step(at, anyEvent(r, u))
		}
		if u.Floor.Away {
			step(u.Now, engine.Back{})
		}
		if u.Floor.Candidate {
			step(u.Now, engine.SpeechStopped{})
			step(u.Now, engine.NoWords{})
		}
		finish(r, u.Now, func() *state.UserData { return u }, step)
		replayed, err := iv.Fold(entries)
		if err != nil {
			r.Fatal(err)
		}
		if a, b := asJSON(t, replayed), asJSON(t, u); a != b {
			r.Fatalf("the replay differs:\n%s\n%s", a, b)
		}
	})
}

// booked: everything that was sent stands in the books, and everything in them was sent, is held, or was refused.
func booked(r *rapid.T, ev engine.Event, before, after *state.UserData, sent map[string]bool) {
	for _, j := range after.Judgements {
		if !j.Held && !sent[j.Item] && j.Missing != "unanswered" {
			r.Fatalf("%+v was never sent", j)
		}
		if after.Ended != "" && j.Held {
			r.Fatalf("%+v is held after the end", j)
		}
	}
	for id := range sent {
		if !slices.ContainsFunc(after.Judgements, func(j state.Judgement) bool { return j.Item == id && !j.Held }) {
			r.Fatalf("%s was sent and is not in the books", id)
		}
	}
	if _, is := ev.(engine.Judged); is {
		a, b := before.Clone(), after.Clone()
		a.Judgements, b.Judgements, a.Now, b.Now = nil, nil, 0, 0
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			r.Fatalf("a judgement changed the talk:\n%s\n%s", x, y)
		}
	}
}
