package judge_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/agent/eval/judge"
	"github.com/vivavoice/viva/agent/eval/talk"
)

// other is the same candidate with a prompt of ten lines: nothing begins, and nothing is said by rules.
func other() *talk.Talk {
	return &talk.Talk{Interview: "algorithm_coach", Side: talk.Plain, Model: "strong", Lines: []talk.Line{
		{N: 1, Speaker: talk.Interviewer, Text: "Hi there. How would you solve it?"},
		{N: 2, Speaker: talk.Candidate, Text: "How big can n get?"},
		{N: 3, Speaker: talk.Interviewer, Text: "Any size you like."},
	}}
}

func TestPrefer(t *testing.T) {
	for _, c := range []struct {
		first, second string
		want          talk.Preference
		wins          float64
	}{
		{"A", "B", talk.Preference{First: talk.PrefersViva, Second: talk.PrefersViva, Why: "Viva's talk answered, the plain talk did not."}, 1},
		{"B", "A", talk.Preference{First: talk.PrefersPlain, Second: talk.PrefersPlain, Why: "Viva's talk answered, the plain talk did not."}, 0},
		{"A", "A", talk.Preference{First: talk.PrefersViva, Second: talk.PrefersPlain,
			Why: "Viva's talk answered, the plain talk did not. The other way round: the plain talk answered, Viva's talk did not."}, 0.5},
		{"same", "same", talk.Preference{First: talk.PrefersNone, Second: talk.PrefersNone, Why: "Viva's talk answered, the plain talk did not."}, 0.5},
	} {
		answer := func(better string) string {
			return `{"why":"Talk A answered, talk B did not.","better":"` + better + `"}`
		}
		model := &fake{answers: []string{answer(c.first), answer(c.second)}}
		got, err := judge.Prefer(t.Context(), model, brief(), coach(), other())
		if err != nil || got != c.want || got.Wins() != c.wins {
			t.Errorf("%s, %s: %+v, %v", c.first, c.second, got, err)
		}
		if len(model.asked) != 2 {
			t.Fatalf("asked %d times", len(model.asked))
		}
		order := func(n int) bool {
			prompt := model.prompt(n)
			return strings.Index(prompt, "Up to a hundred thousand.") < strings.Index(prompt, "Any size you like.")
		}
		if !order(0) || order(1) {
			t.Error("not each talk stands first once")
		}
	}
}

// Nothing but what was said and done tells whose talk it is.
func TestPreferIsBlind(t *testing.T) {
	model := &fake{answers: []string{`{"why":"w","better":"A"}`}}
	b := brief()
	b.Expectations = []string{"the engine notices"}
	if _, err := judge.Prefer(t.Context(), model, b, coach(), other()); err != nil {
		t.Fatal(err)
	}
	for n := range model.asked {
		prompt := model.prompt(n)
		for _, bad := range []string{"viva", "plain", "engine", "coding", "approach", "wrapup", "begins", "late", "strong", "line 4", "report", "script"} {
			if i := strings.Index(strings.ToLower(strings.Replace(prompt, "a coding talk", "", 1)), bad); i >= 0 {
				t.Errorf("request %d says %q", n, bad)
			}
		}
		for _, want := range []string{"I am the interviewer.", "silent for 20 s", "seen[i] = 1", "[1:20]", "the interviewer is a program"} {
			if !strings.Contains(prompt, want) {
				t.Errorf("request %d does not say %q", n, want)
			}
		}
	}
}

// An answer to one order alone is no preference.
func TestHalfAPreferenceIsNone(t *testing.T) {
	model := &fake{answers: []string{`{"why":"w","better":"A"}`, "no idea"}}
	if got, err := judge.Prefer(t.Context(), model, judge.Brief{}, coach(), other()); err == nil || got != (talk.Preference{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if len(model.asked) != 3 {
		t.Errorf("asked %d times", len(model.asked))
	}
}
