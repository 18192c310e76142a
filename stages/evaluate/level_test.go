package evaluate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/evaluate"
)

// R002-43: a level outside the scale is clamped, one that is not whole is rounded, and the judgement is flagged; one that
// keeps to the rubric is not.
func TestLevelsAreMadeWhole(t *testing.T) {
	j := rubricJudge(t, evaluate.LLMRubric)
	for answer, want := range map[string]int{"2": 2, "3.6": 4, "11": 5, "-4": 1, "4.0": 4} {
		e := read(t, j, design, strings.Replace(levels(2, 2, 2, "shard by code"), `"level":2`, `"level":`+answer, 1))
		if e.Marks[0].Level != want || slices.Contains(e.Flags, evaluate.FlagClamped) != !slices.Contains([]string{"2", "4.0"}, answer) {
			t.Errorf("%s became %d, flags %v", answer, e.Marks[0].Level, e.Flags)
		}
	}
}
