package twostage

import (
	"testing"

	"github.com/vivavoice/viva/prompts"
)

func TestBrokenPattern(t *testing.T) {
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
				if p.NumSubexp() != 1 {
					t.Errorf("%s: conclusions.%s: %s has %d groups, want 1", name, level, p, p.NumSubexp())
				}
			}
		}
		for _, p := range w.Step {
			if p.NumSubexp() != 1 {
				t.Errorf("%s: step: %s has %d groups, want 1", name, p, p.NumSubexp())
			}
		}
	}
}
