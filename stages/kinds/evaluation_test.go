package kinds_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/state"
)

// thinker is an evaluation interview that is held by hand, without a model: every utterance is heard to its end.
type thinker struct {
	t      *testing.T
	iv     *engine.Interview
	u      *state.UserData
	now    state.Millis
	said   []string
	judged []engine.Judge
	runs   []engine.Run
	ended  bool
}

func think(t *testing.T, locale, problem string) *thinker {
	t.Helper()
	return starts(t, "evaluation", locale, "problem", problem)
}

// starts begins an interview; vars are names and values.
func starts(t *testing.T, kind, locale string, vars ...string) *thinker {
	t.Helper()
	th := &thinker{t: t, iv: loaded(t, kind, locale), u: &state.UserData{}}
	given := make(map[string]string)
	for pair := range slices.Chunk(vars, 2) {
		given[pair[0]] = pair[1]
	}
	th.send(engine.Started{Session: "s1", Locale: locale, Vars: given})
	return th
}

func (th *thinker) send(ev engine.Event) {
	th.t.Helper()
	th.now += 1000
	var effects []engine.Effect
	th.u, effects = th.iv.Step(th.u, th.now, ev)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Judge:
			th.judged = append(th.judged, e)
		case engine.Run:
			th.runs = append(th.runs, e)
		case engine.End:
			th.ended = true
		case engine.Say:
			th.said = append(th.said, e.Text)
			th.send(engine.VoiceStarted{Utterance: e.Utterance})
			th.send(engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Heard: e.Text})
		}
	}
}

func (th *thinker) tell(text string) {
	th.t.Helper()
	th.send(engine.SpeechStarted{})
	th.send(engine.SpeechStopped{})
	th.send(engine.UserTurn{Text: text, Began: th.now - 1000, Confidence: 0.9})
}

func (th *thinker) last() string { return th.said[len(th.said)-1] }

// R004-65b, RX-1, RX-8, RX-17: the fifth kind: a problem is framed aloud and reasoned to a conclusion; what is missing is asked
// for; the two-stage evaluator gates the stage and judges it for the report, with the problem's own complexity as the right
// answer, in English and in Vietnamese.
func TestEvaluationInterview(t *testing.T) {
	for locale, c := range map[string]struct {
		framing, gap, conclusion, passed string
		more                             []string // to what is asked once it has passed
	}{
		"en": {
			"We're given a list of badge numbers. I keep a set of the badges that I have seen. For each number I look it up in the set.",
			"limits must hold", "It must stop at the first one that is there already. So the running time is linear, and so is the memory.", "Thank you",
			[]string{"Then nobody is returned.", "Then I return nothing either.", "No, thanks, that was all."},
		},
		"vi": {
			"Đầu vào là một danh sách số thẻ. Tôi lưu các thẻ đã gặp trong một tập. Với mỗi số, tôi kiểm tra xem nó đã có chưa.",
			"giới hạn nào", "Phải dừng ở thẻ đầu tiên đã có. Vì vậy độ phức tạp thời gian là O(n), bộ nhớ cũng là O(n).", "Cảm ơn",
			[]string{"Lúc đó trả về rỗng.", "Thì cũng trả về rỗng.", "Dạ không, hết rồi."},
		},
	} {
		t.Run(locale, func(t *testing.T) {
			th := think(t, locale, "door_log")
			th.tell(c.framing)
			if !strings.Contains(th.last(), c.gap) || th.u.Stage != "PROBLEM" {
				t.Errorf("asked %q in %s; judged %+v", th.last(), th.u.Stage, th.u.Evaluations)
			}
			th.tell(c.conclusion)
			for _, more := range c.more {
				if th.u.Stage != "PROBLEM" || !strings.HasSuffix(th.last(), "?") {
					t.Fatalf("in %s after %q", th.u.Stage, th.last())
				}
				th.tell(more)
			}
			if th.u.Stage != "REPORT" || len(th.u.Evaluations) < 2 {
				t.Fatalf("in %s after %q; judged %+v", th.u.Stage, th.last(), th.u.Evaluations)
			}
			if e := th.u.Evaluations[1]; e.By != "two_stage" || e.Score != 10 || e.Decision != "next_phase" {
				t.Errorf("gated by %+v", e)
			}
			if len(th.judged) != 1 || th.judged[0].Item.Reference != "time O(n), space O(n)" || len(th.judged[0].Item.Turns) < 3 || th.judged[0].By != "two_stage" {
				t.Errorf("attached %+v", th.judged)
			}
			i := slices.IndexFunc(th.runs, func(r engine.Run) bool { return r.Kind == engine.TaskReport })
			if i < 0 {
				t.Fatalf("no report among %+v", th.runs)
			}
			th.send(engine.TaskDone{Task: th.runs[i].Task, Visit: th.u.Visit, Result: []byte(`{"spoken":"Done.","status":"complete"}`)})
			if !th.ended || !slices.ContainsFunc(th.said, func(text string) bool { return strings.HasPrefix(text, "Done. ") }) {
				t.Errorf("in %s, said %q", th.u.Stage, th.said)
			}
			for _, text := range th.said { // RX-20
				for _, secret := range []string{"O(n)", "linear", "tuyến tính", "10 of", "/10"} {
					if strings.Contains(text, secret) {
						t.Errorf("said %q", text)
					}
				}
			}
		})
	}
}

// R004-33, R004-65b: a whole framing with the wrong conclusion does not pass; after six answers it is asked whether anything is open, and the stage is left all the same.
func TestEvaluationWithTheWrongConclusion(t *testing.T) {
	th := think(t, "en", "room_plan")
	for i, text := range []string{
		"We're given a list of meetings. I keep a counter of rooms. I sort all times and walk over them. No room must be used twice.",
		"So the complexity is O(n^3), I believe.", "Each meeting has a begin and an end, so I conclude that it is O(n squared).",
		"Then I would say it is constant.", "All in all the running time is exponential.", "I stay with O(n^3) for this one.", "There is nothing else.",
	} {
		if th.u.Stage != "PROBLEM" {
			t.Fatalf("left after %d answers: %+v", i, th.u.Evaluations)
		}
		th.tell(text)
	}
	if th.u.Stage != "REPORT" {
		t.Errorf("in %s after %d judgements", th.u.Stage, len(th.u.Evaluations))
	}
	for _, e := range th.u.Evaluations {
		if e.Decision == "next_phase" {
			t.Errorf("passed with %+v", e)
		}
	}
}

// RM-2, RM-11, RM-30: a candidate who asked for no hint and is moving gets none; what is said of the cost in plain words counts.
func TestTenTestsThenTwenty(t *testing.T) {
	th := think(t, "en", "first_failure")
	for _, text := range []string{
		"fine. So what I've got is the versions, in order, and a test that says good or bad. And the rule is, once it's bad it stays bad, otherwise, um, otherwise none of this works.",
		"what I keep is two ends, the last one I know is good and the first one I know is bad. And what I do is test the one in the middle and move one of the ends.",
		"I stop when the two are next to each other. The bad one's the answer.",
		"for a thousand versions that's ten tests, because each halves it. One after the other would be a thousand in the worst case.",
	} {
		th.tell(text)
		for _, said := range th.said {
			if strings.Contains(said, "hints are used up") || strings.Contains(said, "number fifty") {
				t.Fatalf("after %q: %q", text, said)
			}
		}
	}
	last := th.u.Evaluations[len(th.u.Evaluations)-1]
	if last.Score < 6 || slices.Contains(last.Gaps, "the conclusion") { // the cost in memory is open
		t.Errorf("%v: %+v", last.Score, last)
	}
}

// Whether anything is left to add is asked once: where the interview has words for the last word, the work at the problem ends without.
func TestTheLastWordIsOfferedOnce(t *testing.T) {
	for _, words := range []string{"", "\nlast_word: {say: [\"Before we close: anything that you would like to add, or to ask?\"]}\n"} {
		text, err := fs.ReadFile(kinds.FS(), "evaluation.yaml")
		if err != nil {
			t.Fatal(err)
		}
		shipped, err := fs.ReadFile(prompts.Shipped(), "evaluation/en.yaml")
		if err != nil {
			t.Fatal(err)
		}
		iv := joined(t, "evaluation.yaml", text, "en", fstest.MapFS{"evaluation/en.yaml": {Data: append(shipped, words...)}})
		th := &thinker{t: t, iv: iv, u: &state.UserData{}}
		th.send(engine.Started{Session: "s1", Locale: "en", Vars: map[string]string{"problem": "door_log"}})
		for _, text := range []string{
			"We're given a list of badge numbers. I keep a set of the badges that I have seen. For each number I look it up in the set.",
			"It must stop at the first one that is there already. So the running time is linear, and so is the memory.",
			"Then nobody is returned.", "Then I return nothing either.", "My set could be a plain array as well here.", "No, thanks.", "No.",
		} {
			if th.u.Stage == "PROBLEM" {
				th.tell(text)
			}
		}
		asked := 0
		for _, said := range th.said {
			if strings.Contains(said, "add") && strings.Contains(said, "to ask") {
				asked++
			}
		}
		if asked != 1 || th.u.Stage == "PROBLEM" {
			t.Errorf("in %s, asked %d times:\n%s", th.u.Stage, asked, strings.Join(th.said, "\n"))
		}
	}
}
