package coach_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
)

// heard puts turns before the board's own: the candidate's at even places, ours at odd ones.
func heard(b expert.Board, turns ...string) expert.Board {
	for i, text := range turns {
		role := evaluate.RoleUser
		if i%2 == 1 {
			role = evaluate.RoleAgent
		}
		b.History = append(b.History, evaluate.Turn{Role: role, Content: text})
	}
	return b
}

// RM-18: what was told of the idea, its cost and the code is not asked for again in the part that it belongs to.
func TestWhatWasToldIsNotAskedFor(t *testing.T) {
	const idea = "I would remember the prices in a hash table and look each partner up"
	for name, c := range map[string]struct {
		stage, last string
		before      []string
		to          string
		asks, not   string
	}{
		"time":            {coach.Thought, idea, []string{"it takes time linear in the list", "How?"}, coach.Complexity, "memory", "time, as the input grows"},
		"time and memory": {coach.Thought, idea, []string{"time is O(n), and space is O(n) as well", "How?"}, coach.Complexity, "decides how long", "memory does"},
		"an idea before the part for it": {
			coach.Clarification, "so I return the positions of two prices that sum to the card, with a hash table", nil, coach.Thought, "small example", "price",
		},
		"code": {
			coach.Complexity, "O(n) time and O(n) space",
			[]string{"set seen to an empty table, for each price if the rest is in seen return both, otherwise set seen of price", "And the cost?"},
			coach.Pseudocode, "code", "How many",
		},
	} {
		b := heard(board(t, "gift_pair", c.stage, "en", c.last), c.before...)
		b.Turns = 2
		r := turn(t, b)
		if r.NextStage != c.to || !strings.Contains(strings.ToLower(r.Message), c.asks) || strings.Contains(r.Message, c.not) {
			t.Errorf("%s: → %s %q", name, r.NextStage, r.Message)
		}
	}
}

// RM-11: who describes an idea that the sheet does not know gets no hint that nobody asked for: it is tried on an example, and followed.
func TestAnUnknownIdeaIsFollowed(t *testing.T) {
	b := board(t, "gift_pair", coach.Thought, "en", "I would go along the shelf and put a finger on each label as I come by it")
	r := turn(t, b)
	if r.Hint || r.NextStage != "" || !strings.Contains(r.Message, "example") {
		t.Errorf("%+v", r)
	}
	b = heard(b, b.Input, r.Message)
	b.Input, b.Turns = "with labels four, six and nine I touch four, then six, then nine, and stop when two fit", 2
	if r := turn(t, b); r.Hint || r.NextStage != coach.Complexity {
		t.Errorf("%+v", r)
	}
}

// Who says what the task gives and wants back has told no code, although a loop and a result are in it.
func TestTheTaskInOwnWordsIsNoCode(t *testing.T) {
	b := heard(board(t, "gift_pair", coach.Complexity, "zh", "时间上是O(n)，额外空间是O(n)。"), "题目给我循环，我需要返回和记号有关的结果。", "它要走多少步？")
	if r := turn(t, b); strings.Contains(r.Message, "代码") && strings.Contains(r.Message, "已经") {
		t.Errorf("%+v", r)
	}
}

// RM-18: code that was dictated before its part is read there.
func TestCodeToldEarlyIsRead(t *testing.T) {
	b := heard(board(t, "gift_pair", coach.Pseudocode, "en", "no, I would leave it like that"),
		"set seen to an empty table, for each price if the rest is in seen return both, otherwise set seen of price", "Would you change anything?")
	r := turn(t, b)
	if code, _ := r.Updates[expert.FieldCode].(string); r.NextStage != coach.EdgeCases || !strings.Contains(code, "for each price") {
		t.Errorf("%+v", r)
	}
}
