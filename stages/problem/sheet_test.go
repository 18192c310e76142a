package problem_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/problem"
)

func find(t *testing.T, id string) *problem.Problem {
	t.Helper()
	for _, p := range everySet(t) {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("no problem %s", id)
	return nil
}

// RM-6: every problem says what candidates ask about, in each of its languages, in at most two sentences and without a gap in it.
func TestSheetAnswersWhatIsAsked(t *testing.T) {
	for _, p := range everySet(t) {
		known := make(map[string]bool)
		for _, f := range p.Sheet() {
			known[f.ID] = true
			if f.Tell == facts.Never {
				continue
			}
			for _, lang := range p.Languages() {
				if f.Say[lang] == "" || len(f.Asks[lang]) < 3 {
					t.Errorf("%s, %s: %s is asked for in %d wordings and answered %q", p.ID, lang, f.ID, len(f.Asks[lang]), f.Say[lang])
				}
				if n := strings.Count(strings.TrimRight(f.Say[lang], ".。"), ". ") + strings.Count(strings.TrimRight(f.Say[lang], "。"), "。"); n > 1 {
					t.Errorf("%s, %s: %q has more than two sentences", p.ID, f.ID, f.Say[lang])
				}
				if strings.ContainsAny(f.Say[lang], "{}%") || strings.Contains(f.Say[lang], "..") {
					t.Errorf("%s, %s: %q has a gap", p.ID, f.ID, f.Say[lang])
				}
			}
		}
		for _, id := range []string{
			problem.FactSize, "empty", "order", "none_found", "memory", "types", problem.FactExample,
		} {
			if !known[id] {
				t.Errorf("%s says nothing about %s", p.ID, id)
			}
		}
		if len(p.Facts) < 8 {
			t.Errorf("%s has only %d facts", p.ID, len(p.Facts))
		}
	}
}

// RM-28: the pattern, the reference approach and its cost are on the sheet to be kept, each with the wordings that betray it.
func TestHiddenFactsAreNeverTold(t *testing.T) {
	for _, p := range everySet(t) {
		hidden := p.Hidden()
		if len(hidden) < 3 {
			t.Errorf("%s hides %d facts", p.ID, len(hidden))
		}
		for _, f := range hidden {
			if f.Tell != facts.Never {
				t.Errorf("%s: %s may be told", p.ID, f.ID)
			}
			for _, lang := range p.Languages() {
				if least := 12; strings.HasPrefix(f.ID, "approach.") && len(f.Asks[lang]) < least {
					t.Errorf("%s, %s: %s has %d paraphrases, want %d", p.ID, lang, f.ID, len(f.Asks[lang]), least)
				}
			}
		}
		for _, a := range p.Approaches {
			if a.Quality != problem.Best {
				continue
			}
			for _, name := range a.Names {
				if p.Tells("You could try "+name+".") != a.ID {
					t.Errorf("%s: the name %q of %s passes", p.ID, name, a.ID)
				}
			}
		}
	}
}

// RM-4: the files themselves hold at least a dozen wordings of each approach in each language.
func TestApproachesHavePlainWordings(t *testing.T) {
	for _, p := range everySet(t) {
		for _, a := range p.Approaches {
			for _, lang := range p.Languages() {
				if n := len(p.Wordings(a.ID, lang)); n < 12 {
					t.Errorf("%s, %s: %s has %d wordings", p.ID, lang, a.ID, n)
				}
			}
		}
	}
}

// RM-11: hints begin with what somebody is stuck on, rise from there, and end with the first step worked out.
func TestHintsBelongToWhatOneIsStuckOn(t *testing.T) {
	p := find(t, "step_counter")
	own, general := p.HintsFor("grow_shrink", "en-GB"), p.HintsFor("", "en")
	if len(own) != len(general)+1 || !strings.Contains(own[0], "below zero") || !slices.Equal(own[1:], general) {
		t.Errorf("%q", own)
	}
	if len(general) != 4 || general[3] != p.FirstStep["en"] {
		t.Errorf("%q", general)
	}
	for _, p := range everySet(t) {
		if len(p.Nudges) == 0 || len(p.FirstStep) != len(p.Text) {
			t.Errorf("%s has %d hints for the stuck, and first steps in %d languages", p.ID, len(p.Nudges), len(p.FirstStep))
		}
	}
}

// RM-11: what was told makes hints idle: none asks for what is known.
func TestHintsThatWhatWasToldMakesIdle(t *testing.T) {
	p := find(t, "step_counter")
	all := p.HintsFor("", "en")
	for name, c := range map[string]struct {
		told problem.Told
		want []string
	}{
		"nothing":           {problem.Told{}, all},
		"the slowest way":   {problem.Told{Named: []string{"all_stretches"}}, all},
		"a cost":            {problem.Told{Cost: true}, all[1:]},
		"the best way":      {problem.Told{Named: []string{"grow_shrink", "totals"}}, all[2:]},
		"its code":          {problem.Told{Named: []string{"totals"}, Code: true}, nil},
		"code, another way": {problem.Told{Named: []string{"grow_shrink"}, Code: true}, all},
	} {
		if got := p.HintsLeft("", "en", c.told); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := p.HintsLeft("grow_shrink", "en", problem.Told{Named: []string{"totals"}, Code: true}); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// RM-19: a wrong approach that was named is found with its counter-example.
func TestWrongApproachesAreFound(t *testing.T) {
	p := find(t, "step_counter")
	for _, id := range p.Named("I'd use a sliding window and shrink it when the sum is too big.", "en") {
		m, there := p.Wrong(id)
		if !there || !strings.HasSuffix(m.Counter.Say["en"], "?") || !strings.Contains(m.Counter.Out["en"], "two") {
			t.Errorf("%s: %+v", id, m)
		}
	}
	if _, there := p.Wrong("totals"); there {
		t.Error("the right approach is wrong")
	}
	if a, there := p.Approach("totals"); !there || a.Quality != problem.Best {
		t.Error("the reference approach is not there")
	}
}
