package coach_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

const nested = `for i in 0 to n-1:
    for j in i+1 to n-1:
        if prices[i] + prices[j+1] == card:
            return i, j`

const single = `seen = empty map
if prices is empty: return nothing
for each price in prices:
    if price is None: continue
    if card - price in seen: return both positions
    seen[price] = position
return nothing`

// reading returns what the reviewer read in the code.
func reading(t *testing.T, code string) coach.Reading {
	t.Helper()
	b := board(t, "gift_pair", coach.Pseudocode, "en", "that is it, I have typed it")
	b.Fields = map[string]any{expert.FieldCode: code}
	r, _ := turn(t, b).Metadata["reading"].(coach.Reading)
	return r
}

// R003-37: loops, their depth and what they amount to; and what reading cannot tell is said, not guessed.
func TestReadingOfLoops(t *testing.T) {
	for name, c := range map[string]struct {
		code  string
		depth int
		cost  string
		blind string
	}{
		"nested":    {nested, 2, "O(n^2)", ""},
		"single":    {single, 1, "O(n)", ""},
		"two apart": {"for each a\n  add it\nfor each b\n  add it\nreturn sum", 1, "O(n)", ""},
		"braces":    {"for (a of list) {\nfor (b of list) {\ncheck(a, b)\n}\n}\nreturn null", 2, "O(n^2)", ""},
		"braces 2":  {"for (a of list) {\ncheck(a)\n}\nfor (b of list) {\ncheck(b)\n}\nreturn null", 1, "O(n)", ""},
		"halving":   {"while low < high:\n  mid = (low + high) / 2\n  if bad[mid]: high = mid\n  else: low = mid + 1\nreturn low", 1, "O(log n)", ""},
		"sorting":   {"sort the notes by start\nfor each note\n  merge it\nreturn merged", 1, "O(n log n)", ""},
		"window":    {"for right in list\n  while repeated\n    left = left + 1\nreturn best", 2, "", "inner_while"},
		"recursion": {"def best(i):\n  if i < 0: return 0\n  return max(best(i-1), best(i-2) + a[i])", 0, "", "recursion"},
		"dictated":  {"for each price, for every other price, if they add up return them", 2, "O(n^2)", ""},
		"unsure":    {"loop over the prices, then loop over the rest, return the pair", 1, "", "nesting"},
		"chinese":   {"对每个价格循环\n  如果差值见过\n    返回位置\n  记录价格", 1, "O(n)", ""},
		"straight":  {"set a to 1\nset b to 2\nreturn a + b", 0, "O(1)", ""},
	} {
		r := reading(t, c.code)
		if r.Depth != c.depth || r.Cost != c.cost || strings.Join(r.Blind, ",") != c.blind {
			t.Errorf("%s: depth %d, cost %q, blind %v", name, r.Depth, r.Cost, r.Blind)
		}
	}
}

// R003-38: the four common faults are found where they are, and not where they are not.
func TestReadingFindsFaults(t *testing.T) {
	if got := reading(t, nested).Issues; !slices.Contains(got, coach.IssueEmpty) || !slices.Contains(got, coach.IssueIndex) || !slices.Contains(got, coach.IssueNull) {
		t.Errorf("nested: %v", got)
	}
	if got := reading(t, single).Issues; len(got) != 0 {
		t.Errorf("single: %v", got)
	}
	if got := reading(t, "for each a\n  count it").Issues; !slices.Contains(got, coach.IssueResult) {
		t.Errorf("no result: %v", got)
	}
}

// R003-39: what was found stands in detected_issues. R003-40: what works is said first, and nothing is judged.
func TestReviewGoesOn(t *testing.T) {
	b := board(t, "gift_pair", coach.Pseudocode, "en", "that is it, I have typed it")
	b.Fields = map[string]any{expert.FieldCode: nested}
	r := turn(t, b)
	issues, _ := r.Updates[expert.FieldIssues].([]string)
	if r.NextStage != coach.EdgeCases || !slices.Contains(issues, coach.IssueEmpty) || !slices.Contains(issues, coach.IssueIndex) {
		t.Errorf("%+v", r)
	}
	if coach.Asks(r.Message) || !understand.Says(r.Message, []string{"loop inside a loop"}) || !strings.Contains(r.Message, "read") {
		t.Errorf("%q", r.Message)
	}
}

// R003-42 (the experts' side): dictated pseudo code is taken down, line by line; talk about it is not.
func TestDictatedCode(t *testing.T) {
	b := board(t, "gift_pair", coach.Pseudocode, "en", "set seen to an empty map, then for each price check the rest")
	r := turn(t, b)
	if r.Updates[expert.FieldCode] != b.Input || r.NextStage != "" {
		t.Errorf("%+v", r)
	}
	b.Fields = map[string]any{expert.FieldCode: b.Input}
	b.Input, b.Turns = "if the rest is in seen return both, else set seen of price", 2
	r = turn(t, b)
	code, _ := r.Updates[expert.FieldCode].(string)
	if !strings.HasPrefix(code, "set seen") || !strings.HasSuffix(code, b.Input) || r.NextStage != coach.EdgeCases {
		t.Errorf("%+v", r)
	}
	b = board(t, "gift_pair", coach.Pseudocode, "en", "I am not sure where to begin")
	if r := turn(t, b); r.Updates[expert.FieldCode] != nil || !coach.Asks(r.Message) {
		t.Errorf("%+v", r)
	}
	b = board(t, "gift_pair", coach.Pseudocode, "zh", "对每个价格，如果差值见过就返回位置，否则记录下来")
	if r := turn(t, b); r.Updates[expert.FieldCode] != b.Input || r.NextStage != coach.EdgeCases {
		t.Errorf("%+v", r)
	}
}

// RM-30: dictated code is taken down once, though the talk holds the turn that is answered, and without what else was said around it.
func TestDictatedCodeIsTakenOnce(t *testing.T) {
	const code = "Set seen to an empty map, then for each price return both if the rest is in seen."
	b := board(t, "gift_pair", coach.Pseudocode, "en", "It was a rainy day, and the coffee was cold again. "+code+" And people had different opinions about it.")
	b.History = append(b.History, evaluate.Turn{Role: evaluate.RoleUser, Content: b.Input})
	if got := turn(t, b).Updates[expert.FieldCode]; got != code {
		t.Errorf("%q", got)
	}
	b = board(t, "gift_pair", coach.Pseudocode, "zh", "当时我的经理说要从两面看。题目给我价格，我需要返回和位置有关的结果。")
	if got := turn(t, b).Updates[expert.FieldCode]; got != nil && !strings.Contains(turn(t, b).Message, "？") {
		t.Errorf("%q is code", got)
	}
}

// R003-42: what is typed in the editor stays as it was typed. Remarks about it are not added to it, however much they sound like code;
// a further line that is dictated is.
func TestRemarksAreNoCode(t *testing.T) {
	remarks := map[string][]string{
		"en": {
			"I loop over the prices and return the pair if the rest was seen.", "There is a loop, and it returns both positions.", "So the loop sets seen, then it returns.",
			"Return is in the loop, as you see, if the rest was seen.", "What if the loop never returns?", "The if inside the loop returns the pair.",
			"It is in the editor now, the loop and the return, please have a look.", "For each price I check if the rest was seen and return.",
		},
		"zh": {"我已经在编辑器里写好了循环和返回值，请看一下。", "循环里面如果见过就返回，这样应该可以了。", "如果循环结束，会返回空，对吗？"},
	}
	code := map[string][]string{
		"en": {"if prices is empty return nothing", "then at the end, return nothing, else set seen of price", "seen[price] = i, then return seen"},
		"zh": {"如果价格表为空，返回空", "最后返回空，否则设差值为零"},
	}
	for locale := range remarks {
		check := func(text string, is bool) {
			b := board(t, "gift_pair", coach.Pseudocode, locale, text)
			b.Fields = map[string]any{expert.FieldCode: single}
			r := turn(t, b)
			if got, want := r.Updates[expert.FieldCode], any(single+"\n"+text); is && got != want || !is && got != nil {
				t.Errorf("%q: the code became %q", text, got)
			}
		}
		for _, text := range remarks[locale] {
			check(text, false)
		}
		for _, text := range code[locale] {
			check(text, true)
		}
	}
}

// R003-40, R003-41 (the experts' side), R003-56 (its flags): praise, then "what happens if" questions, queued for one turn each;
// what the candidate has thought of is not asked.
func TestEdgeCaseQuestions(t *testing.T) {
	b := board(t, "gift_pair", coach.EdgeCases, "en", "it should work for all lists of numbers")
	b.Fields = map[string]any{expert.FieldCode: nested}
	r := turn(t, b)
	if len(r.Queue) != 3 || r.QueueField != expert.FieldIssues || r.NextStage != "" || coach.Asks(r.Message) {
		t.Fatalf("%+v", r)
	}
	for _, q := range r.Queue {
		if !strings.HasPrefix(q, "What happens") || strings.Count(q, "?") != 1 {
			t.Errorf("%q", q)
		}
	}
	b.Input = "an empty list, and the same item twice"
	r = turn(t, b)
	named, _ := r.Metadata["named"].([]string)
	if !slices.Contains(named, coach.IssueEmpty) || !slices.Contains(named, "same_item") || len(r.Queue) != 2 || !slices.Contains(r.Flags, coach.FlagCase) {
		t.Errorf("%v %v %v", named, r.Queue, r.Flags)
	}
	for _, q := range r.Queue {
		if strings.Contains(q, "empty") || strings.Contains(q, "half") {
			t.Errorf("asked all the same: %q", q)
		}
	}
}

// The queue is worked off with a word of thanks each, and when it is empty the talk is over.
func TestEdgeCasesEnd(t *testing.T) {
	b := board(t, "gift_pair", coach.EdgeCases, "en", "then it would return nothing")
	b.Queue = []state.Queued{
		{Source: coach.NameReviewer, Field: expert.FieldIssues, Status: state.Answered},
		{Source: coach.NameReviewer, Field: expert.FieldIssues, Status: state.Waiting},
	}
	if r := turn(t, b); r.NextStage != "" || len(r.Queue) > 0 || coach.Asks(r.Message) {
		t.Errorf("%+v", r)
	}
	b.Input, b.Intents = "could you give me a hint", []understand.Intent{understand.Hint}
	if r := turn(t, b); !r.Hint || !coach.Asks(r.Message) {
		t.Errorf("no hint: %+v", r)
	}
	b.Input, b.Intents = "I'd rather not say", []understand.Intent{understand.Refuse}
	if r := turn(t, b); r.Hint || coach.Asks(r.Message) {
		t.Errorf("not let go: %+v", r)
	}
	b.Queue[1].Status = state.Waived
	r := turn(t, b)
	if r.NextStage != coach.FollowUp || !slices.Contains(r.Flags, coach.FlagEdgesDone) || !slices.Contains(r.Flags, coach.FlagCase) {
		t.Errorf("%+v", r)
	}
}
