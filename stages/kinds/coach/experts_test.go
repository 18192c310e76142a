package coach_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// What all tests read and none changes.
var (
	experts  = registry()
	loadOnce = sync.OnceValues(func() (*problem.Set, error) { return problem.Load("algorithm", problem.Shipped()) })
	english  = sync.OnceValues(func() (*understand.Rules, error) { return understand.Load(understand.Shipped(), "en") })
	chinese  = sync.OnceValues(func() (*understand.Rules, error) { return understand.Load(understand.Shipped(), "zh") })
)

// registry are the experts with the given ones besides.
func registry(more ...expert.Expert) *expert.Registry {
	list, err := coach.Experts()
	if err != nil {
		panic(err)
	}
	r, err := expert.NewRegistry(append(list, more...)...)
	if err != nil {
		panic(err)
	}
	return r
}

func problems(t *testing.T) []*problem.Problem {
	t.Helper()
	set, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return set.All()
}

// board is a turn in a stage about one of the shipped problems.
func board(t *testing.T, id, stage, locale, input string) expert.Board {
	t.Helper()
	for _, p := range problems(t) {
		if p.ID != id {
			continue
		}
		load := english
		if locale == "zh" {
			load = chinese
		}
		rules, err := load()
		if err != nil {
			t.Fatal(err)
		}
		b := expert.Board{CurrentStage: stage, Locale: locale, Input: input, Turns: 1, Intents: rules.Intents(input)}
		b.SetProblem(p)
		return b
	}
	t.Fatalf("no problem %s", id)
	return expert.Board{}
}

// stages are the stages of a whole interview.
func stages() []string { return append(slices.Clone(sevenStages), "DONE") }

// turn lets the one active expert answer.
func turn(t *testing.T, b expert.Board) expert.Response {
	t.Helper()
	e, err := experts.For(b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := expert.Safe(e, b, stages())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(r.Message, "?") + strings.Count(r.Message, "？"); n > 1 || n == 1 && len(r.Queue) > 0 {
		t.Errorf("too many questions at once: %q and %q", r.Message, r.Queue)
	}
	return r
}

func agent(text string) evaluate.Turn { return evaluate.Turn{Role: evaluate.RoleAgent, Content: text} }
func user(text string) evaluate.Turn  { return evaluate.Turn{Role: evaluate.RoleUser, Content: text} }

// R003-6, R003-7, R003-8, R003-9, R003-10: each stage has exactly one expert, the summary too.
func TestOneExpertPerStage(t *testing.T) {
	r := registry()
	want := map[string]string{
		coach.Clarification: "ProblemTypeRecognizer", coach.Thought: "GuidedThoughtGenerator", coach.Complexity: "GuidedThoughtGenerator",
		coach.Pseudocode: "CodeEdgeCaseReviewer", coach.EdgeCases: "CodeEdgeCaseReviewer", coach.FollowUp: "FollowUpGenerator",
		coach.Summary: "PatternSummarizer",
	}
	for _, stage := range sevenStages {
		e, err := r.For(expert.Board{CurrentStage: stage})
		if err != nil || e.Name() != want[stage] {
			t.Errorf("%s: %v, %v", stage, e, err)
		}
	}
	if err := r.Check(sevenStages); err != nil {
		t.Error(err)
	}
}

// R003-1, R003-35, R003-94 (the experts' side), R003-95: whatever is said to the experts, in whatever stage, they ask and do
// not tell: one question at most, no pattern named before the summary, no code, no verdict.
func TestExpertsNeverTell(t *testing.T) {
	inputs := map[string][]string{
		"en": {
			"", "tell me the answer", "I have no idea", "two nested loops over every pair", "I would sort it first", "hint please", "O(n)",
			"set best to 0, for each number if it is larger then set best, return best", "what about an empty input", "yes", "no",
			"I would walk through the whole list once and remember what I need at each step",
		},
		"zh": {"", "告诉我答案", "太难了", "两层循环", "先排序", "给个提示", "线性", "设最大为零，对每个数，如果更大就更新，返回最大", "输入为空怎么办", "好的", "不用了"},
	}
	criticism := []string{"wrong", "bad", "incorrect", "mistake", "stupid", "failed", "错误", "不对", "不行", "很差", "糟"}
	for _, p := range problems(t) {
		for locale, list := range inputs {
			for _, stage := range sevenStages {
				for _, input := range list {
					for level := range 4 {
						b := board(t, p.ID, stage, locale, input)
						b.HintLevel, b.Turns, b.Seed = level, level+1, uint64(level)
						r := turn(t, b)
						text := r.Message + " " + strings.Join(r.Queue, " ")
						if stage != coach.Summary && understand.Reveals(text, p.Secrets()) {
							t.Errorf("%s %s %q: %q gives it away", p.ID, stage, input, text)
						}
						if strings.ContainsAny(text, "`{}") || strings.Contains(text, "==") {
							t.Errorf("%s %s %q: code in %q", p.ID, stage, input, text)
						}
						if word := understand.Which(text, criticism); word != "" {
							t.Errorf("%s %s %q: %q criticises: %s", p.ID, stage, input, text, word)
						}
					}
				}
			}
		}
	}
}

// R003-43, R003-44, R003-45: two follow-ups, one at a time, the second further down the bank; then related tasks.
func TestFollowUps(t *testing.T) {
	for _, p := range problems(t) {
		order := func(text string) int {
			return slices.IndexFunc(p.FollowUps, func(q problem.FollowUp) bool { return strings.HasSuffix(text, q.Question["en"]) })
		}
		b := board(t, p.ID, coach.FollowUp, "en", "I think that it could be made to use a bit less memory")
		first := turn(t, b)
		b.History = append(b.History, agent(first.Message), user("I would keep less of it"))
		b.Turns, b.Fields = 2, map[string]any{expert.FieldExtra: map[string]any{"follow_ups_asked": 1.0}}
		second := turn(t, b)
		if at, then := order(first.Message), order(second.Message); at < 0 || then <= at {
			t.Errorf("%s: %d then %d: %q, %q", p.ID, at, then, first.Message, second.Message)
		}
		b.History, b.Turns = append(b.History, agent(second.Message)), 3
		b.Fields = map[string]any{expert.FieldExtra: map[string]any{"follow_ups_asked": 2.0}}
		last := turn(t, b)
		if last.NextStage != coach.Summary || !slices.Contains(last.Flags, coach.FlagFollowUps) || coach.Asks(last.Message) {
			t.Errorf("%s: %+v", p.ID, last)
		}
	}
	for _, no := range []string{"no thanks", "skip", "I'd rather not"} {
		if r := turn(t, board(t, "gift_pair", coach.FollowUp, "en", no)); r.NextStage != coach.Summary {
			t.Errorf("%q: %+v", no, r)
		}
	}
	b := mockBoard("Find two numbers that add up to a target.")
	b.CurrentStage, b.Input = coach.FollowUp, "I could save memory by sorting first"
	if r := turn(t, b); !coach.Asks(r.Message) || r.NextStage != "" {
		t.Errorf("without a bank: %+v", r)
	}
}

// R003-10: the summary names the pattern, whether the candidate did or not.
func TestSummary(t *testing.T) {
	for input, named := range map[string]bool{"it was a hash map, wasn't it": true, "I would say it was about shopping": false} {
		r := turn(t, board(t, "gift_pair", coach.Summary, "en", input))
		if !understand.Says(r.Message, []string{"hash map"}) || r.Metadata["named"] != named || !slices.Contains(r.Flags, coach.FlagSummarised) || r.NextStage != "DONE" {
			t.Errorf("%q: %+v", input, r)
		}
	}
	b := mockBoard("Find two numbers that add up to a target.")
	b.CurrentStage, b.Input = coach.Summary, "a table of what was seen"
	b.Secret.Fields = map[string]any{expert.FieldPattern: "hash_map"}
	if r := turn(t, b); !strings.Contains(r.Message, "hash map") {
		t.Errorf("%q", r.Message)
	}
}

// R003-96: who answers in Chinese is answered in Chinese, in an English interview too, and the other way round.
func TestReplyFollowsTheLanguage(t *testing.T) {
	for _, stage := range sevenStages {
		r := turn(t, board(t, "gift_pair", stage, "en", "我觉得可以用 sorting，因为这样比较简单"))
		if understand.Language(r.Message, "en") != "zh" {
			t.Errorf("%s: %q", stage, r.Message)
		}
		r = turn(t, board(t, "gift_pair", stage, "zh", "I think that it is easier to look at all of them"))
		if understand.Language(r.Message, "zh") != "en" {
			t.Errorf("%s: %q", stage, r.Message)
		}
	}
}

// No wording comes twice while there is another.
func TestWordingsVary(t *testing.T) {
	b := board(t, "gift_pair", coach.Pseudocode, "en", "well, let me see")
	b.Intents = nil
	first := turn(t, b)
	b.History, b.Turns = []evaluate.Turn{agent(first.Message)}, 2
	if second := turn(t, b); second.Message == first.Message {
		t.Errorf("%q again", second.Message)
	}
}

// R003-16, R003-18: an expert reads the whole board, whichever way JSON has left it.
func TestBoardSurvivesJSON(t *testing.T) {
	b := board(t, "gift_pair", coach.EdgeCases, "en", "what about an empty list")
	b.History = []evaluate.Turn{agent("Which inputs could break it?"), user(b.Input)}
	b.StageHistory = []string{coach.Clarification, coach.Thought}
	b.Fields = map[string]any{expert.FieldCode: "for each price\n  return it", expert.FieldIssues: []string{"a"}, expert.FieldApproach: "hash"}
	b.Secret.Fields = map[string]any{expert.FieldPattern: "hash_map", expert.FieldComplexity: "time O(n)", expert.FieldExtra: map[string]any{"n": 1}}
	raw, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var back expert.Board
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if back.IdentifiedPattern() != "hash_map" || back.ComplexityExpectation() != "time O(n)" || back.UserApproach() != "hash" ||
		back.Pseudocode() == "" || !cmp.Equal(back.Value(expert.FieldIssues), any([]any{"a"})) || back.Value("n") != 1.0 {
		t.Errorf("%+v", back)
	}
	if diff := cmp.Diff(turn(t, b), turn(t, back)); diff != "" {
		t.Error(diff)
	}
}
