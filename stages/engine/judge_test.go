package engine_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// silentYAML asks about two things, and has answers and stages judged beside the talk. REPORT is replaced by a stage or none.
const silentYAML = `kind: silent
title: Silent
locales: [en]
vars:
  role: {default: Data Analyst}
  right: {default: O(n log n)}
recovery: {hold_prompt: hold}
evaluations:
  - {id: answers, by: llm_rubric, rubric: star, stages: [FIRST], budget: 20s, attempts: 2}
  - {id: parts, on: stage, by: checklist, pass: 0.5}
  - {id: right, on: stage, by: two_stage, reference: var.right, stages: [SECOND]}
report: {wait: 20s}
stages:
  - id: FIRST
    title: First
    goal: hear about work
    prompts: {open: first.open, topics: [first.why, first.how], ack: ack, think: think, decline: decline}
    criteria: [{phrase: latency}]
    skip: {rule: allowed, allow: go}
    done: {turns: 9}
    limits: {hard: 300s, followups: 20}
    no_input: [{after: 20s, do: advance}]
  - id: SECOND
    title: Second
    prompts: {open: second.open, more: second.more}
    skip: {rule: allowed, allow: go}
    done: {turns: 1}
    limits: {hard: 300s}
    no_input: [{after: 20s, do: advance}]
REPORT
  - {id: END, title: End, final: true, prompts: {open: bye}}
`

const silentWords = `
first.open: {say: ["Hello. Tell me about your work.", "Once more: tell me about your work."]}
first.why: {say: ["Why that?", "And why was that?", "Once more: why?"]}
first.how: {say: ["How did it go?"]}
second.open: {say: ["What does it cost?"]}
second.more: {say: ["And what else?"]}
ack: {say: ["I see.", "Right.", "Thanks.", "Good.", "Well.", "Fine."]}
decline: {say: ["Never mind."]}
think: {say: ["Take your time."]}
go: {say: ["As you like."]}
hold: {say: ["One moment, please.", "A moment still."]}
report.open: {say: ["I am preparing your report.", "Your report again."]}
report.late: {say: ["Your report will follow.", "It will follow."]}
bye: {say: ["Goodbye."]}
`

func silent(t testing.TB) *chat {
	t.Helper()
	return newChat(t, compile(t, strings.Replace(silentYAML, "REPORT\n", "", 1), silentWords)).start(engine.Started{Locale: "en"})
}

// sent lists the ids of what was sent to be judged.
func (c *chat) sent() []string {
	var out []string
	for _, j := range c.judges {
		out = append(out, j.Item.ID)
	}
	return out
}

func (c *chat) wantSent(want ...string) {
	c.t.Helper()
	if diff := cmp.Diff(want, c.sent()); diff != "" {
		c.t.Errorf("sent to be judged: %s", diff)
	}
}

// replays holds that the journal gives the state to the byte, for talks in which something was withdrawn.
func (c *chat) replays() {
	c.t.Helper()
	folded, err := c.iv.Fold(c.entries)
	if err != nil {
		c.t.Fatal(err)
	}
	if a, b := asJSON(c.t, folded), asJSON(c.t, c.u); a != b {
		c.t.Errorf("replay differs:\n%s\n%s", a, b)
	}
}

// R002-27, R002-28, R002-29, R002-30, R002-35, R002-36: each answer is kept with its question and number, and sent to be judged
// as soon as the reply to it is heard, with all that a judge needs; the reply waits for nobody.
func TestEachAnswerIsSent(t *testing.T) {
	c := silent(t)
	c.hear()
	for i, words := range []string{"I built a queue with low latency.", "Because of the load."} {
		n := len(c.says)
		said := c.tell(words)
		if len(c.says) != n+1 || said.Move != engine.MoveProbe {
			t.Errorf("%q was answered by %+v", words, c.says[n:])
		}
		if len(c.runs) > 0 || len(c.judges) != i+1 {
			t.Errorf("after %q: %d tasks, %v", words, len(c.runs), c.sent())
		}
	}
	c.wantSent("answers/FIRST/1", "answers/FIRST/2")
	first := c.judges[0]
	if first.By != "llm_rubric" || first.Attachment != "answers" || first.Budget.Seconds() != 20 || first.Attempts != 2 || first.Visit != 1 {
		t.Errorf("%+v", first)
	}
	want := evaluate.Item{
		ID: "answers/FIRST/1", PhaseID: "FIRST", PhaseName: "First", Question: "Hello. Tell me about your work.", Locale: "en", Rubric: "star",
		Criteria: []state.Keyword{{Phrase: "latency"}}, Vars: map[string]string{"role": "Data Analyst"},
		Turns: []evaluate.Turn{{ID: 2, Role: evaluate.RoleUser, Content: "I built a queue with low latency."}},
	}
	if diff := cmp.Diff(want, first.Item); diff != "" {
		t.Error(diff)
	}
	if q := c.judges[1].Item.Question; q != "Why that?" {
		t.Errorf("the second question was %q", q)
	}
	kept := state.Judgement{
		Item: "answers/FIRST/1", Attachment: "answers", Stage: "FIRST", Visit: 1, At: c.u.Judgements[0].At, Question: want.Question, Number: 1,
		Turns: []uint64{2}, Vars: want.Vars,
	}
	if diff := cmp.Diff(kept, c.u.Judgements[0]); diff != "" || !c.u.Judgements[0].Out() {
		t.Error(diff)
	}
	c.whole()
}

// R002-34: a request to repeat, time to think, a wish to skip are no answers; silence and noise are none either.
func TestWhatIsNoAnswer(t *testing.T) {
	c := silent(t)
	c.hear()
	for _, words := range []string{"Could you repeat the question?", "Let me think about it for a moment."} {
		c.tell(words)
	}
	c.send(engine.SpeechStarted{})
	c.send(engine.SpeechStopped{})
	c.send(engine.NoWords{Reason: "noise"})
	c.hear()
	c.wantSent()
	if len(c.u.Judgements) > 0 {
		t.Errorf("%+v", c.u.Judgements)
	}
	c.tell("I built a queue.")
	c.wantSent("answers/FIRST/1")
	if got := c.judges[0].Item.Question; got != "Hello. Tell me about your work." {
		t.Errorf("the question was %q", got)
	}
}

// R002-34: who goes on before the reply was heard goes on with the same answer: one item, with all its turns, sent once.
func TestAnAnswerMayGoOn(t *testing.T) {
	c := silent(t)
	c.hear()
	c.now += 1000
	c.send(engine.UserTurn{Text: "I built a queue.", Began: c.now})
	c.wantSent()
	for _, more := range []string{"It was for orders.", "And it was fast."} {
		c.now += 400
		c.send(engine.SpeechStarted{})
		c.now += 1000
		c.send(engine.SpeechStopped{})
		c.send(engine.UserTurn{Text: more, Began: c.now - 1000})
		c.wantSent()
	}
	c.hear()
	c.wantSent("answers/FIRST/1")
	var words []string
	for _, turn := range c.judges[0].Item.Turns {
		words = append(words, turn.Content)
	}
	if diff := cmp.Diff([]string{"I built a queue.", "It was for orders.", "And it was fast."}, words); diff != "" {
		t.Error(diff)
	}
	c.tell("Because of the load.")
	c.wantSent("answers/FIRST/1", "answers/FIRST/2")
	if turns := c.u.Judgements[1].Turns; len(turns) != 1 {
		t.Errorf("the second answer has turns %v", turns)
	}
	c.replays()
}

// A candidate who would not say is asked about that in the report, and nobody judges nothing (RX-14); a reason that the report
// knows stands for it. A long answer is one, whatever else is in it.
func TestRefusalIsNotJudged(t *testing.T) {
	c := silent(t)
	c.hear()
	c.tell("I'd rather not say.")
	c.wantSent()
	if j := c.u.Judgements[0]; j.Missing != report.ReasonUnanswered || j.Out() || j.Held {
		t.Errorf("%+v", j)
	}
	c.tell("I don't know the exact numbers any more, but the queue held ten thousand orders and we lost none of them.")
	c.wantSent("answers/FIRST/2")
	for _, reason := range []string{report.ReasonUnanswered, report.ReasonFailed, report.ReasonUnreadable} {
		if !report.Speak("en").Has("note." + reason) {
			t.Errorf("a report does not know %s", reason)
		}
	}
}

// RX-8, RX-20, R004-65b: a stage that is left is judged with all that was said in it, and with its right answer, which nobody hears;
// one in which nothing was said, or that was skipped, is not.
func TestAStageIsJudgedWhenItIsLeft(t *testing.T) {
	c := silent(t)
	c.hear()
	c.tell("I built a queue.")
	c.send(engine.Operator{Command: "goto", Argument: "SECOND"})
	c.hear()
	c.wantSent("answers/FIRST/1", "parts/FIRST/1")
	c.tell("It takes time in the order of n log n.")
	c.wantSent("answers/FIRST/1", "parts/FIRST/1", "parts/SECOND/2", "right/SECOND/1")
	whole, right := c.judges[1].Item, c.judges[3].Item
	if len(whole.Turns) != 3 || whole.Turns[0].Role != evaluate.RoleAgent || whole.Pass != 0.5 || whole.Reference != "" || whole.Question != "" {
		t.Errorf("%+v", whole)
	}
	if right.Reference != "O(n log n)" || right.PhaseID != "SECOND" {
		t.Errorf("%+v", right)
	}
	if j := c.u.Judgements[3]; j.Question != "" || len(j.Turns) != 1 {
		t.Errorf("%+v", j)
	}
	if !c.iv.Reveals(&state.UserData{Stage: "FIRST", Vars: c.u.Vars}, "It is O(n log n), is it not?") {
		t.Error("the right answer may be said")
	}
	for _, say := range c.says {
		if strings.Contains(say.Text, "log") {
			t.Errorf("said %q", say.Text)
		}
	}
	for name, leave := range map[string]func(*chat){
		"silence": func(c *chat) { c.send(engine.Operator{Command: "goto", Argument: "SECOND"}) },
		"skipped": func(c *chat) { c.tell("I would like to skip this part.") },
	} {
		c := silent(t)
		c.hear()
		leave(c)
		if c.wantSent(); c.u.Stage != "SECOND" {
			t.Errorf("%s: still in %s", name, c.u.Stage)
		}
	}
}

// R002-63: who leaves early is judged by what there is: the answer that was just given, and the stage.
func TestEarlyEndSendsWhatThereIs(t *testing.T) {
	c := silent(t)
	c.hear()
	c.now += 1000
	c.send(engine.UserTurn{Text: "I built a queue.", Began: c.now})
	c.send(engine.Gone{Reason: "hung up"})
	c.wantSent("answers/FIRST/1", "parts/FIRST/1")
	c.judges = nil
	c.send(engine.UserTurn{Text: "And another thing.", Began: c.now})
	c.wantSent()
}

func someEvaluation(score float64) *evaluate.Evaluation {
	return &evaluate.Evaluation{
		Status: evaluate.StatusOK, Decision: evaluate.DecisionContinue, Score: score, Min: 1, Max: 5, By: "llm_rubric", Feedback: "It lacks numbers.",
		Improved: "I built a queue that took ten thousand orders a day.",
	}
}

// R002-42, R002-44: a result is kept once and logged; it changes nothing else, whenever it comes, also after the end; what comes
// twice or for nothing changes nothing at all. R002-43: what is off its scale is clamped and flagged.
func TestAResultIsKeptAndChangesNothingElse(t *testing.T) {
	c := silent(t)
	c.hear()
	c.tell("I built a queue.")
	c.tell("Because of the load.")
	for _, moment := range []string{"while it waits", "while it speaks", "after the end"} {
		switch moment {
		case "while it speaks":
			c.send(engine.UserTurn{Text: "And so on.", Began: c.now})
			c.send(engine.VoiceStarted{Utterance: c.u.Floor.Utterance})
		case "after the end":
			c.send(engine.Gone{})
		}
		before := c.u.Clone()
		n := len(c.says)
		var item string
		for _, j := range c.u.Judgements {
			if j.Out() && !j.Held {
				item = j.Item
			}
		}
		c.now += 700
		for range 2 {
			c.send(engine.Judged{Item: item, Evaluation: someEvaluation(99)})
		}
		c.send(engine.Judged{Item: "answers/FIRST/77", Evaluation: someEvaluation(3)})
		i := slices.IndexFunc(c.u.Judgements, func(j state.Judgement) bool { return j.Item == item })
		var kept evaluate.Evaluation
		if err := json.Unmarshal(c.u.Judgements[i].Evaluation, &kept); err != nil {
			t.Fatalf("%s: %v", moment, err)
		}
		if kept.Score != 5 || !slices.Contains(kept.Flags, evaluate.FlagClamped) {
			t.Errorf("%s: kept %+v", moment, kept)
		}
		if len(c.says) != n {
			t.Errorf("%s: said %q", moment, c.last().Text)
		}
		before.Judgements, before.Now = c.u.Judgements, c.u.Now
		if diff := cmp.Diff(before, c.u); diff != "" {
			t.Errorf("%s: %s", moment, diff)
		}
	}
	if done := c.fact("evaluation.done", "item"); len(done) != 3 {
		t.Errorf("logged %v", done)
	}
	if ignored := c.fact("evaluation.ignored", "item"); len(ignored) != 6 {
		t.Errorf("ignored %v", ignored)
	}
	c.whole()
}

// RX-14: why there is no judgement is kept as such, never as a score; an answer that is no JSON number is unreadable.
func TestAMissingResult(t *testing.T) {
	c := silent(t)
	c.hear()
	for range 3 {
		c.tell("I built a queue.")
	}
	odd := someEvaluation(3)
	odd.Marks = []evaluate.Mark{{Criterion: "x", Norm: math.NaN()}}
	for i, done := range []engine.Judged{{Missing: report.ReasonLate}, {}, {Evaluation: odd}} {
		// As the session gets it from a judge in the same process, not from a journal.
		done.Item = c.u.Judgements[i].Item
		c.u, _ = c.iv.Step(c.u, c.now, done)
		want := []string{report.ReasonLate, report.ReasonFailed, report.ReasonUnreadable}[i]
		if j := c.u.Judgements[i]; j.Missing != want || len(j.Evaluation) > 0 || j.Out() {
			t.Errorf("%+v, want %s", j, want)
		}
	}
}

// At most 64 items are judged in a session; the talk goes on.
func TestJudgementsAreBounded(t *testing.T) {
	text := strings.NewReplacer("REPORT\n", "", "turns: 9", "turns: 200", "followups: 20", "followups: 300", "topics: [first.why, first.how]", "more: first.why").Replace(silentYAML)
	var why strings.Builder
	for i := range 90 {
		fmt.Fprintf(&why, `, "Why number %d?"`, i)
	}
	words := strings.Replace(silentWords, `"Once more: why?"`, `"Once more: why?"`+why.String(), 1)
	c := newChat(t, compile(t, text, words)).start(engine.Started{})
	c.hear()
	for i := range 80 {
		c.tell("Reason number " + fmt.Sprint(i))
	}
	if len(c.judges) != 64 || len(c.u.Judgements) != 64 || len(c.fact("evaluation.refused", "why")) != 16 || c.u.Stage != "FIRST" {
		t.Errorf("%d judged, %d kept, %d refused", len(c.judges), len(c.u.Judgements), len(c.fact("evaluation.refused", "why")))
	}
}

// The ids are the same on every replay, and steps from one state do not touch each other's.
func TestItemsAreTheSameOnReplay(t *testing.T) {
	c := silent(t)
	c.hear()
	c.tell("I built a queue.")
	u := c.u
	a, _ := c.iv.Step(u, c.now, engine.UserTurn{Text: "One way to go on.", Began: c.now})
	was := asJSON(t, a)
	b, _ := c.iv.Step(u, c.now, engine.UserTurn{Text: "I'd rather not say.", Began: c.now})
	b, _ = c.iv.Step(b, c.now, engine.Gone{})
	if asJSON(t, a) != was || len(b.Judgements) <= len(u.Judgements) {
		t.Error("two futures share memory")
	}
	c.whole()
}
