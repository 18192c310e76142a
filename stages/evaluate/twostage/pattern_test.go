package twostage

import (
	"testing"

	"github.com/vivavoice/viva/prompts"
)

// A pattern that only matches letters beyond ASCII is known as one; all others are tried on every sentence.
func TestForeignPatterns(t *testing.T) {
	for source, want := range map[string]bool{
		"结论(?:是|为)": true, "第\\s*(\\d+)\\s*步": true, "[一二三]+": true, "(đúng|sai)": false, "(?:因此)?so": false, "abc": false, "x*": false, "结{2,3}": true, "结{0,3}": false, "[a-z结]": false,
	} {
		var p pattern
		if err := p.UnmarshalYAML([]byte(`'` + source + `'`)); err != nil {
			t.Fatal(err)
		}
		if p.foreign != want {
			t.Errorf("%s: foreign %v", source, p.foreign)
		}
	}
	var p pattern
	if err := p.UnmarshalYAML([]byte(`'('`)); err == nil {
		t.Error("a broken pattern is accepted")
	}
}

// The shipped files are sound, in every language the same sentences and sections.
func TestShippedWords(t *testing.T) {
	d := shipped()
	if len(d.words) != 3 {
		t.Errorf("%d languages", len(d.words))
	}
	for name, w := range d.words {
		for id := range d.words[prompts.English].Feedback {
			if w.Feedback[id] == "" {
				t.Errorf("%s: feedback %s is missing", name, id)
			}
		}
		for _, id := range Sections() {
			if s := w.Sections[id]; s.Name == "" || len(s.Cues) == 0 {
				t.Errorf("%s: section %s is incomplete", name, id)
			}
		}
		for level, patterns := range w.Conclusions {
			for _, p := range patterns {
				if p.re.NumSubexp() != 1 {
					t.Errorf("%s: conclusions.%s: %s has %d groups, want 1", name, level, p.re, p.re.NumSubexp())
				}
			}
		}
		for _, p := range w.Step {
			if p.re.NumSubexp() != 1 {
				t.Errorf("%s: step: %s has %d groups, want 1", name, p.re, p.re.NumSubexp())
			}
		}
	}
}
