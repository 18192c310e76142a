package misconception

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/datafile"
)

func TestHear(t *testing.T) {
	s, err := Of("figures")
	if err != nil {
		t.Fatal(err)
	}
	got := s.Hear("End to end. Response time went down by three hundred percent, and everybody was amazed.", "en-GB")
	if len(got) != 1 || got[0].ID != "falls_beyond_all" || !strings.HasPrefix(got[0].Quote, "Response time went down") || !strings.Contains(got[0].Ask, "?") || got[0].Why == "" {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{ // RM-3: what is denied or asked is not held to be so
		"It did not go down by three hundred percent.", "Can a time go down by three hundred percent?", "It went down by thirty percent.", "",
	} {
		if got := s.Hear(text, "en"); len(got) > 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := s.Hear("It went down by three hundred percent.", "fr"); len(got) > 0 {
		t.Errorf("in a language without words for it: %+v", got)
	}
}

func TestEverySubjectIsWhole(t *testing.T) {
	if _, err := Of(Subjects()...); err != nil {
		t.Fatal(err)
	}
	if _, err := Of("astrology"); err == nil || !strings.Contains(err.Error(), "figures") {
		t.Errorf("%v does not say which subjects there are", err)
	}
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]string)
	for subject, c := range all {
		for i := range c.Misconceptions {
			m := &c.Misconceptions[i]
			if at, twice := ids[m.ID]; twice {
				t.Errorf("%s is in %s and in %s", m.ID, at, subject)
			}
			ids[m.ID] = subject
			for language := range m.Plain {
				if n := strings.Count(m.Ask[language], "?") + strings.Count(m.Ask[language], "？"); n != 1 {
					t.Errorf("%s asks %d questions in %s", m.ID, n, language)
				}
			}
			for _, language := range []string{"en", "zh", "vi"} {
				if len(m.Plain[language]) == 0 {
					t.Errorf("%s is not recognised in %s", m.ID, language)
				}
			}
		}
	}
}

func TestAllThatIsWrongAtOnce(t *testing.T) {
	_, err := parse("x.yaml", []byte("misconceptions:\n  - plain: {en: [a]}\n    ask: {en: b}\n  - {id: two}\n  - {id: two, plain: {vi: [c]}}\n"))
	var wrong *datafile.Error
	if !errors.As(err, &wrong) || len(wrong.Findings) < 4 || !slices.ContainsFunc(wrong.Findings, func(f datafile.Finding) bool { return f.Line == 2 }) {
		t.Errorf("%v", err)
	}
}
