package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/state"
)

// loose are the experts of the random interviews: they do what the text of the candidate's turn tells them to, sensible or
// not, so that a sequence of events repeats exactly.
func loose(t testing.TB) *expert.Registry {
	c := newCast()
	for _, f := range c {
		was := f.process
		f.process = func(b expert.Board) (expert.Response, error) {
			switch len(b.Input) % 7 {
			case 0:
				return expert.Response{}, fmt.Errorf("boom")
			case 1:
				panic("boom")
			case 2:
				return expert.Success("It is a hash map, is it not?", coach.Summary), nil
			case 3:
				r := expert.Success("Why?", "")
				r.Queue, r.QueueField, r.Hint = []string{"What if it is empty?", "And if not?"}, "detected_issues", len(b.Input)%2 == 0
				return r, nil
			}
			return was(b)
		}
	}
	return c.registry(t)
}

// randomInterview draws one of the two kinds with keys of its own.
func randomInterview(t testing.TB, r *rapid.T, coach *engine.Interview) *engine.Interview {
	if rapid.Bool().Draw(r, "design") {
		iv := design(t, fmt.Sprintf("auto: %d, every: %d, attempts: %d", rapid.SampledFrom([]int{-1, 1, 2}).Draw(r, "auto"),
			rapid.IntRange(1, 2).Draw(r, "every"), rapid.IntRange(1, 3).Draw(r, "attempts")),
			rapid.SampledFrom([]string{"", "reorder: true", "parallel: [[scope, data]]", "reorder: true, parallel: [[data, shape]]"}).Draw(r, "skip"))
		iv.Def.Stage("part").Gate.By = rapid.SampledFrom([]string{"provider", "llm_rubric", "keyword_coverage", "checklist"}).Draw(r, "by")
		return iv
	}
	return coach
}

var anyWords = []string{
	"", " ", "um", "no", "yes", "ok", "that's all", "let me think", "could you repeat that", "I'd rather not say", "stop the interview",
	"skip this part", "too hard", "a simpler problem", "tell me the answer", "a hint please", "go to Shape", "O(n)", "\x00\xff?", "为什么",
	scopeWords, dataWords, shapeWords, vague, understood, "I would use a hash table", "for each price, compare the sum", "it takes linear time",
}

func anyTask(r *rapid.T, u *state.UserData) engine.Event {
	id := uint64(rapid.IntRange(0, 60).Draw(r, "made up"))
	visit := u.Visit
	kinds := []string{engine.TaskPhases, engine.TaskEvaluate}
	for _, known := range u.Tasks {
		if rapid.IntRange(0, 4).Draw(r, "known") > 0 && known.ID > id%uint64(max(1, len(u.Tasks))) {
			id, visit, kinds = known.ID, known.Visit, []string{known.Kind}
		}
	}
	result := map[string]any{
		engine.TaskPhases:   engine.Phases{Phases: three()[:rapid.IntRange(0, 3).Draw(r, "phases")], Local: rapid.Bool().Draw(r, "local")},
		engine.TaskQuestion: engine.Question{Question: "Design a car park."},
		engine.TaskEvaluate: evaluation(rapid.SampledFrom([]string{evaluate.DecisionNext, evaluate.DecisionContinue, "?"}).Draw(r, "decision"), 50, "cars"),
	}[rapid.SampledFrom(kinds).Draw(r, "kind")]
	raw, err := json.Marshal(result)
	if err != nil {
		r.Fatal(err)
	}
	failed := rapid.SampledFrom([]string{"", "", "", "503"}).Draw(r, "failed")
	return engine.TaskDone{Task: id, Visit: visit, Result: raw, Failed: failed}
}

// anyEventMore draws an event of the whole engine, sensible or not.
func anyEventMore(r *rapid.T, u *state.UserData) engine.Event {
	switch rapid.IntRange(0, 12).Draw(r, "more") {
	case 0, 1, 2:
		began := rapid.SampledFrom([]state.Millis{0, u.StageStart, u.Now}).Draw(r, "began")
		return engine.UserTurn{Text: rapid.SampledFrom(anyWords).Draw(r, "words"), Began: began, Typed: rapid.Bool().Draw(r, "typed")}
	case 3, 4:
		return anyTask(r, u)
	case 5:
		reading := rapid.SampledFrom([]string{`{"did":"finish"}`, `{"did":"go","to":"shape"}`, `{"did":"go","to":"scope"}`, "["}).Draw(r, "reading")
		return engine.Read{Utterance: u.Floor.Utterance, Visit: u.Visit, Reading: json.RawMessage(reading)}
	case 6:
		if name := rapid.SampledFrom([]string{engine.TimerSoft, engine.TimerGroup, engine.TimerHold, engine.TimerTask, engine.TimerNoInput}).Draw(r, "timer"); true {
			return engine.TimerFired{Name: name, ID: u.Timers[name].ID, Visit: u.Timers[name].Visit}
		}
		return nil
	case 7:
		return engine.CodeChanged{Text: rapid.SampledFrom(anyWords).Draw(r, "code")}
	case 8:
		if rapid.IntRange(0, 3).Draw(r, "operator") > 0 {
			return engine.NoWords{}
		}
		argument := rapid.SampledFrom([]string{"shape", "intro", coach.Thought, "7", "nowhere"}).Draw(r, "argument")
		return engine.Operator{Command: rapid.SampledFrom([]string{"skip", "goto", "rollback"}).Draw(r, "command"), Argument: argument}
	case 9, 10: // what is on the floor is heard
		if f := u.Floor; f.Utterance != 0 && f.Audible {
			return engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Heard: f.Text}
		}
		return engine.VoiceStarted{Utterance: u.Floor.Utterance}
	}
	return anyEvent(r, u)
}

// R000-53, R003-19, R003-20, R003-90, RX-20: the invariants of the whole engine under any events in any order: those of
// every interview, and besides them: Step leaves the state it was given alone, no sub-phase ends twice, refused is final,
// what was judged stays, no secret is said or published, and silence alone leads to the end.
func TestAnythingAtAllWithTasks(t *testing.T) {
	pure(t)
	text := strings.ReplaceAll(coachYAML, "KEYS", coachKeys)
	coach := compile(t, text, coachWords, engine.WithExperts(loose(t)), engine.WithProblems(tasks(t)))
	rapid.Check(t, func(r *rapid.T) {
		iv := randomInterview(t, r, coach)
		u := &state.UserData{}
		var entries []state.Entry
		step := func(at state.Millis, ev engine.Event) {
			e, err := engine.Encode(uint64(len(entries)+1), at, ev)
			if err != nil {
				return // a journal takes no such event, so that nobody acts on it
			}
			entries = append(entries, e)
			given := asJSON(t, u)
			after, effects := iv.Step(u, at, ev)
			if asJSON(t, u) != given {
				r.Fatalf("%s changed the state it was given", engine.Name(ev))
			}
			sane(r, iv, u, after, effects)
			lasting(r, u, after)
			discreet(r, iv, after, effects)
			u = after
		}
		step(0, engine.Started{Session: rapid.SampledFrom([]string{"a", "b"}).Draw(r, "session"), Model: rapid.Bool().Draw(r, "model")})
		for range rapid.IntRange(1, 60).Draw(r, "events") {
			at := u.Now + state.Millis(rapid.IntRange(0, 9000).Draw(r, "later"))
			step(at, anyEventMore(r, u))
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

// finish lets silence alone go on: nobody speaks, no task is answered. It has to end (the progress of every interview).
func finish(r *rapid.T, from state.Millis, at func() *state.UserData, step func(state.Millis, engine.Event)) {
	for range 2000 {
		u := at()
		switch f := u.Floor; {
		case u.Ended != "":
			return
		case f.Utterance != 0 && f.Audible:
			step(u.Now+3000, engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Heard: f.Text})
		case f.Utterance != 0:
			step(u.Now+100, engine.VoiceStarted{Utterance: f.Utterance})
		default:
			name, due := "", state.Millis(1<<60)
			for n, timer := range u.Timers {
				if d := timer.Armed + timer.After; d < due || d == due && n < name {
					name, due = n, d
				}
			}
			if name == "" {
				r.Fatalf("nothing goes on in %s: %+v", u.Stage, u.Current())
			}
			step(max(u.Now, due), engine.TimerFired{Name: name, ID: u.Timers[name].ID, Visit: u.Timers[name].Visit})
		}
		if hours := (u.Now - from).Duration().Hours(); hours > 3 {
			r.Fatalf("still going after %.1f hours of silence in %s", hours, u.Stage)
		}
	}
	r.Fatalf("no end in sight: %v", at().Visits)
}

// lasting holds what only ever grows.
func lasting(r *rapid.T, before, after *state.UserData) {
	for id, slot := range before.Slots {
		if slot.Closed() && after.Slots[id].Status != slot.Status {
			r.Fatalf("slot %s was %s, is %s", id, slot.Status, after.Slots[id].Status)
		}
	}
	if len(after.Evaluations) < len(before.Evaluations) || len(after.Patches) < len(before.Patches) || len(after.Turns) < len(before.Turns) {
		r.Fatal("something was forgotten")
	}
	for i, e := range before.Evaluations {
		if string(e.Evaluation) != string(after.Evaluations[i].Evaluation) {
			r.Fatalf("judgement %d was changed", i)
		}
	}
	for i, q := range before.Queue {
		if !q.Open() && after.Queue[i].Status != q.Status {
			r.Fatalf("question %d was %s, is %s", q.ID, q.Status, after.Queue[i].Status)
		}
	}
	b, a := before.SubPhases, after.SubPhases
	if a == nil {
		return
	}
	ids := slices.Concat(a.Completed, a.Skipped, a.Unfinished)
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		r.Fatalf("a sub-phase ended twice: %+v", a)
	}
	if b != nil && b.Company == a.Company {
		for _, pair := range [][2][]string{{b.Completed, a.Completed}, {b.Skipped, a.Skipped}, {b.Unfinished, a.Unfinished}} {
			if len(pair[1]) < len(pair[0]) || !slices.Equal(pair[0], pair[1][:len(pair[0])]) {
				r.Fatalf("%v became %v", pair[0], pair[1])
			}
		}
	}
	for _, e := range after.Evaluations {
		if e.Score < 0 || e.Score > 10 || e.Status == evaluate.StatusNotAssessed && e.Score != 0 {
			r.Fatalf("scored %+v", e)
		}
	}
}

// discreet: nothing that leaves gives a secret away.
func discreet(r *rapid.T, iv *engine.Interview, u *state.UserData, effects []engine.Effect) {
	for _, e := range effects {
		text := ""
		switch e := e.(type) {
		case engine.Say:
			text = e.Text
		case engine.Publish:
			text = e.Title
		}
		if iv.Reveals(u, text) {
			r.Fatalf("%q gives something away in %s", text, u.Stage)
		}
	}
}
