package coach

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/prompts"
)

// R003-94, R001-25, R003-41, RM-16: no wording of the experts asks two things at once, none praises an answer or claims to understand it.
func TestExpertsAskOneThing(t *testing.T) {
	k, err := newKit(shipped)
	if err != nil {
		t.Fatal(err)
	}
	for locale, w := range k.words {
		texts := slices.Concat(slices.Concat(slices.Collect(maps.Values(w.Phrases))...), slices.Collect(maps.Values(w.Issues)),
			slices.Collect(maps.Values(w.FollowUps)))
		for _, text := range texts {
			if phrase, err := prompts.Praises(locale, text); err != nil || phrase != "" {
				t.Errorf("RM-16: %s says %q of any answer: %q (%v)", locale, phrase, text, err)
			}
			if n := prompts.Questions(text); n > 1 {
				t.Errorf("%s asks %d things: %q", locale, n, text)
			}
		}
		if len(texts) < 50 {
			t.Errorf("%s has %d wordings", locale, len(texts))
		}
	}
}

// A missing wording, a broken pattern: all are named before any call.
func TestMissingWordsAreNamed(t *testing.T) {
	fsys := make(fstest.MapFS)
	files, err := fs.Glob(shipped, "words/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(shipped, file)
		if err != nil {
			t.Fatal(err)
		}
		fsys[file] = &fstest.MapFile{Data: text}
	}
	if k, err := newKit(fsys); err != nil || k.check() != nil {
		t.Fatal(err, k.check())
	}
	broken := func(file, old, new string) {
		text := string(fsys[file].Data)
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %q", file, old)
		}
		fsys[file] = &fstest.MapFile{Data: []byte(strings.Replace(text, old, new, 1))}
	}
	broken("words/zh.yaml", "  edge.done:", "  edge.finished:")
	broken("words/en.yaml", "  index_range:", "  index:")
	broken("words/code.yaml", "sort: '", "sort: '(")
	k, err := newKit(fsys)
	err = errors.Join(append(k.check(), err)...)
	for _, want := range []string{
		"words/zh.yaml: edge.done has no words", "words/zh.yaml: index has no words",
		"words/code.yaml:9:1: sort",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// check finds what is missing in a language: every key has its wordings.
func (k *kit) check() []error {
	var problems []error
	first := k.words[locales[0]]
	for _, locale := range locales {
		w := k.words[locale]
		for key := range first.Phrases {
			if len(w.Phrases[key]) == 0 {
				problems = append(problems, fmt.Errorf("words/%s.yaml: %s has no words", locale, key))
			}
		}
		for _, texts := range [][2]map[string]string{{first.Issues, w.Issues}, {first.FollowUps, w.FollowUps}} {
			for id := range texts[0] {
				if texts[1][id] == "" {
					problems = append(problems, fmt.Errorf("words/%s.yaml: %s has no words", locale, id))
				}
			}
		}
	}
	for _, name := range []string{
		"loop", "not_loop", "inside", "inner_while", "result", "branch", "set", "sort", "halve", "guard", "kind", "index", "bounds", "begins", "remark",
	} {
		if k.code[name] == nil {
			problems = append(problems, fmt.Errorf("words/code.yaml: %s is missing", name))
		}
	}
	return problems
}
