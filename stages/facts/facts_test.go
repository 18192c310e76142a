package facts_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/facts"
)

// RM-8: what every interview answers, in every language, in every state: no hole, no mark of a template, two sentences at most.
func TestDefaultAnswers(t *testing.T) {
	for _, id := range []string{
		"what_are_you", "recorded", "who_sees", "how_long", "time_left", "how_many_questions", "what_next", "may_pause", "may_note", "may_think",
		"how_to_answer", "company", "role", "score", "language", "tools", "human", "about", "parts", "judged",
	} {
		f, there := facts.Default().Fact(id)
		if !there {
			t.Errorf("%s is not there", id)
			continue
		}
		for _, language := range facts.Languages {
			for _, now := range facts.Samples() {
				said, err := f.Answer(language, now)
				if err != nil || strings.ContainsAny(said, "{}<>%") || strings.Contains(said, "  ") || strings.Contains(said, " .") {
					t.Errorf("%s in %s, %+v: %q, %v", id, language, now, said, err)
				}
			}
		}
	}
	facts.Default().Check("facts", func(path, format string, args ...any) { t.Errorf(path+": "+format, args...) })
	if lacks := facts.Default().Lacks(facts.Languages...); len(lacks) > 0 {
		t.Error(lacks)
	}
}

// RM-7: answers say what holds now, and nothing that is not known.
func TestAnswersFollowTheState(t *testing.T) {
	for _, x := range []struct {
		id, locale string
		now        facts.Now
		want       string
	}{
		{"recorded", "en", facts.Now{Recorded: true}, "Yes, the sound is being recorded"},
		{"recorded", "en", facts.Now{}, "No, the sound is not being recorded"},
		{"recorded", "vi", facts.Now{}, "Không"},
		{"time_left", "en", facts.Now{Left: 1}, "About 1 minute is left."},
		{"time_left", "en", facts.Now{Left: 12}, "About 12 minutes are left."},
		{"time_left", "en", facts.Now{Left: 12, Ahead: true}, "We are quicker than planned: about 12 minutes are left."},
		{"time_left", "en", facts.Now{}, "I can't say"},
		{"time_left", "vi", facts.Now{Over: true}, "đã xong"},
		{"how_long", "zh-CN", facts.Now{Minutes: 5}, "5 分钟"},
		{"how_many_questions", "en", facts.Now{Questions: 5, Asked: 2}, "There are 5 questions planned; I have asked 2 so far."},
		{"how_many_questions", "en", facts.Now{}, "no fixed number"},
		{"what_next", "en", facts.Now{Part: "Idea", Next: "Complexity"}, "This part is Idea; next comes Complexity."},
		{"what_next", "en", facts.Now{Part: "Idea"}, "last part"},
		{"score", "en", facts.Now{Report: true}, "A report follows"},
		{"score", "en", facts.Now{}, "No report follows"},
		{"language", "en", facts.Now{Others: []string{"vi", "zh"}}, "Vietnamese and Chinese"},
		{"what_are_you", "de", facts.Now{}, "computer program"}, // English stands in
	} {
		f, _ := facts.Default().Fact(x.id)
		if got, err := f.Answer(x.locale, x.now); err != nil || !strings.Contains(got, x.want) {
			t.Errorf("%s in %s: %q, %v; want %q", x.id, x.locale, got, err, x.want)
		}
	}
}

func TestWhatCannotBeAnswered(t *testing.T) {
	secret := facts.Fact{ID: "secret", Say: map[string]string{"en": "No."}, Tell: facts.Never}
	if _, err := secret.Answer("en", facts.Now{}); !errors.Is(err, facts.ErrNever) {
		t.Error(err)
	}
	chinese := facts.Fact{ID: "a", Say: map[string]string{"zh": "对。"}}
	if _, err := chinese.Answer("en", facts.Now{}); err == nil || !strings.Contains(err.Error(), "under say") {
		t.Error(err)
	}
}

// All that is wrong with a sheet is said at once, each with its place.
func TestParseSaysAllThatIsWrong(t *testing.T) {
	f := datafile.Open("a.yaml", []byte(`facts:
  - id: Big
    say: {en: "Yes."}
  - id: one
    say: {en: "{{.Nothing}}"}
    asks: {en: ["?!"], xx: [a]}
  - id: one
    say: {en: "One. Two. Three."}
    tell: sometimes
    sya: {en: "Yes."}
  - id: empty
    say: {en: "{{if .Recorded}}Yes.{{end}}", xx: "Yes."}
  - id: none
`))
	var file struct {
		Facts facts.Sheet `yaml:"facts"`
	}
	f.Decode(&file)
	file.Facts.Check("facts", f.Add)
	err := f.Err()
	var all *datafile.Error
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`a.yaml:2:5: facts[0].id: "Big" is no id`, "a.yaml:5:11: facts[1].say.en:", `a.yaml:6:17: facts[1].asks.en[0]: the wording "?!" holds no word`,
		`facts[1].asks.xx: "xx" is none of the languages`, "a.yaml:7:5: facts[2].id: two facts are called one", "longer than 2 sentences",
		`a.yaml:9:5: facts[2].tell: "sometimes"`, `a.yaml:10:5: facts[2].sya: unknown key "sya"; did you mean "say"?`,
		"facts[3].say.en: the answer comes out empty", `facts[3].say.xx: "xx"`, "facts[4]: the fact has no answer",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
}

// A later sheet takes the place of an earlier fact, where it stood, and keeps the wordings that it does not give itself.
func TestJoin(t *testing.T) {
	asks := map[string][]string{"en": {"how big"}}
	first := facts.Sheet{{ID: "a", Asks: asks, Say: map[string]string{"en": "One."}}, {ID: "b"}}
	second := facts.Sheet{{ID: "c"}, {ID: "a", Say: map[string]string{"en": "Two."}}}
	joined := facts.Join(first, nil, second)
	if got := ids(joined); got != "a,b,c" {
		t.Error(got)
	}
	if a, _ := joined.Fact("a"); a.Say["en"] != "Two." || len(a.Asks["en"]) != 1 {
		t.Errorf("%+v", a)
	}
	if first[0].Say["en"] != "One." {
		t.Error("the sheet that was joined has changed")
	}
}
