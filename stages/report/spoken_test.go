package report_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/understand"
)

// languages are those that reports are written in.
var languages = []string{"en", "zh", "vi"}

// spokenLimits are 45 s at the pace of a synthetic voice: 150 words a minute in English, 240 characters (two to a word)
// in Chinese, 150 syllables in Vietnamese.
var spokenLimits = map[string]int{"en": 110, "zh": 90, "vi": 110}

// R002-56, RX-17: the spoken summary is 45 s at most in every language, says the score and quotes nobody.
func TestSpokenSummary(t *testing.T) {
	for language, limit := range spokenLimits {
		for _, name := range []string{"Linh Tran", "", strings.Repeat("Wolfeschlegelstein ", 40)} {
			src := persona(t)
			src.State.Locale, src.State.Candidate.Name = language, name
			src.Asked[1].Missing = report.ReasonLate
			for i := range src.Asked[2].Evaluation.Gaps {
				src.Asked[2].Evaluation.Gaps[i] = strings.Repeat("very long gap ", 30)
			}
			r := build(t, src)
			if n := understand.Words(r.Spoken); n > limit || n < 20 {
				t.Errorf("%s: %d words: %s", language, n, r.Spoken)
			}
			if !strings.Contains(r.Spoken, report.Decimal(r.Overall.Score.Value)) || strings.Contains(r.Spoken, "sixty percent") || strings.Contains(r.Spoken, "spoken.") {
				t.Errorf("%s: %s", language, r.Spoken)
			}
		}
	}
}

// R002-56: the summary counts the parts of an interview without questions, unless there is one.
func TestPartsAreSpokenOf(t *testing.T) {
	src := small(t, csc(3, 3, 3))
	src.Asked, src.Expected = nil, 0
	if got := build(t, src).Spoken; !strings.Contains(got, "of 3 parts") {
		t.Errorf("three parts: %s", got)
	}
	def := *src.Definition
	def.Stages = []definition.Stage{*def.Stage("QUESTIONS"), *def.Stage("DONE")}
	src.Definition = &def
	r := build(t, src)
	if len(r.Stages) != 1 || strings.Contains(r.Spoken, "part") || r.Spoken == "" {
		t.Errorf("%d parts: %s", len(r.Stages), r.Spoken)
	}
}

// RX-17: every language has every text, with the same names in braces.
func TestLanguagesMatch(t *testing.T) {
	braces := regexp.MustCompile(`\{[a-z]+\}`)
	names := func(s string) []string {
		found := braces.FindAllString(s, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	english := report.Speak("en")
	for _, language := range languages[1:] {
		other := report.Speak(language)
		if !slices.Equal(keys(english), keys(other)) {
			t.Errorf("%s has other keys", language)
		}
		if len(other.Fillers) == 0 {
			t.Errorf("%s has no fillers", language)
		}
		for _, key := range keys(english) {
			a, b := english.Say(key), other.Say(key)
			if !slices.Equal(names(a), names(b)) || b == key {
				t.Errorf("%s in %s: %q, %q", key, language, a, b)
			}
		}
	}
	if got := report.Speak("de-DE").Language; got != "en" {
		t.Errorf("German is answered in %s", got)
	}
}

func keys(w *report.Words) []string { return slices.Sorted(maps.Keys(w.Texts)) }

// RX-17: a whole report in each language has no text that was not found.
func TestReportInEveryLanguage(t *testing.T) {
	missing := regexp.MustCompile(`(note|left|finding|shown|coverage|nothing|step|spoken|mark|timer|label|status|stage|criterion)\.[a-z_]+[.a-z]*`)
	for _, language := range languages {
		for _, src := range []report.Source{persona(t), design(t), poor(t), small(t, []evaluate.Mark{mark("unheard_of", 2)})} {
			src.State.Locale = language
			r := build(t, src)
			html, err := report.HTML(r, report.Page{})
			if err != nil {
				t.Fatal(err)
			}
			md, err := report.Markdown(r)
			if err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(string(html), "</style>")
			for _, text := range []string{body, string(md), r.Spoken} {
				if found := missing.FindString(strings.ReplaceAll(text, "talk.mark", "")); found != "" {
					t.Errorf("%s: %q was not found", language, found)
				}
			}
			if !strings.Contains(string(html), `<html lang="`+language+`"`) {
				t.Errorf("%s: the page has another language", language)
			}
		}
	}
}
