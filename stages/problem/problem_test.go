package problem_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

func shipped(t *testing.T) *problem.Set {
	t.Helper()
	s, err := problem.Load("algorithm", problem.Shipped())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// R003-15 (the problem's metadata), R003-96, RX-17: a dozen problems of as many patterns, in English and Chinese.
func TestShippedProblems(t *testing.T) {
	s := shipped(t)
	patterns := make(map[string]bool)
	for _, id := range s.IDs() {
		p, _ := s.Find(id)
		patterns[p.Pattern] = true
		if len(p.Tags) == 0 || p.Difficulty == "" {
			t.Errorf("%s has no metadata", id)
		}
		for _, lang := range []string{"en", "zh"} {
			if p.Text[lang] == "" || len(p.Hints[lang]) != 3 {
				t.Errorf("%s lacks language %s", id, lang)
			}
		}
	}
	if len(s.IDs()) < 12 || len(patterns) < 12 {
		t.Errorf("%d problems of %d patterns", len(s.IDs()), len(patterns))
	}
}

// R003-30, R003-33: no hint names the pattern, in either language, and each asks one thing.
func TestHintsGiveNothingAway(t *testing.T) {
	s := shipped(t)
	for _, id := range s.IDs() {
		p, _ := s.Find(id)
		for _, list := range p.Hints {
			for _, hint := range list {
				if understand.Reveals(hint, p.Secrets()) || strings.Count(hint, "?")+strings.Count(hint, "？") != 1 {
					t.Errorf("%s: %q", id, hint)
				}
			}
		}
	}
}

// R003-43, R003-44: every bank has the four directions.
func TestFollowUpDirections(t *testing.T) {
	s := shipped(t)
	for _, id := range s.IDs() {
		p, _ := s.Find(id)
		var aims []string
		for _, q := range p.FollowUps {
			aims = append(aims, q.Aim)
		}
		for _, aim := range []string{problem.AimSpace, problem.AimVariant, problem.AimSpecial, problem.AimInput} {
			if !slices.Contains(aims, aim) {
				t.Errorf("%s asks nothing about %s", id, aim)
			}
		}
		if len(p.Related) == 0 {
			t.Errorf("%s leads nowhere", id)
		}
	}
}

// Every approach is recognised by its keywords, and the hidden one is a best one.
func TestApproachesAreRecognised(t *testing.T) {
	s := shipped(t)
	for _, id := range s.IDs() {
		p, _ := s.Find(id)
		best := slices.ContainsFunc(p.Approaches, func(a problem.Approach) bool {
			return a.Quality == problem.Best && a.Cost == p.Complexity
		})
		if !best {
			t.Errorf("%s: no best approach costs %s", id, p.Complexity)
		}
	}
}

func TestEverythingWrongIsToldAtOnce(t *testing.T) {
	text := `id: Gift
difficulty: trivial
colour: red
title: {en: A hash map of gifts}
text: {en: Find two prices.}
pattern: hash_map
names: {en: hashing}
synonyms: {en: [hash map]}
complexity: {time: linear, space: O(n)}
terms: {en: [a, b, c]}
clues: {en: ["Which one? And why?"]}
approaches:
  - {id: x, quality: good, cost: {time: O(n), space: O(1)}, names: {en: x}, keywords: [x]}
hints:
  en:
    - "One?"
    - "Use a HashMap, would you?"
edge_cases:
  - {id: e, question: {en: "What if?"}, keywords: [e]}
follow_ups:
  - {id: f, aim: fun, question: {en: "Why?"}}
summary: {en: Done.}
related: {en: [r]}
`
	_, err := problem.Parse("gift.yaml", []byte(text))
	var list *datafile.Error
	if !errors.As(err, &list) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{
		`3:1: colour: unknown key "colour"`, `1:1: id: "Gift"`, `2:1: difficulty: unknown difficulty "trivial"`, `4:9: title.en: the words "hash map" give`,
		`9:14: complexity.time: "linear"`, `11:14: clues.en[0]: it asks 2`, `approaches[0].quality: unknown quality "good"`, "hints: there are 2",
		`17:7: hints.en[1]: the words "hash map"`, "edge_cases: problem Gift needs at least 3", "facts: problem Gift has no bounds", "examples: problem Gift needs at least 2", "approaches: problem Gift has no reference cost", "wrong: problem Gift has no wrong approach", `follow_ups[0].aim: unknown aim "fun"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

func TestBrokenFilesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "not a YAML document",
		"id: [":                                  "x.yaml:1:",
		"id: {a: b}":                             "1:1: id: one value",
		strings.Repeat("#", datafile.MaxBytes+1): "at most",
	} {
		if _, err := problem.Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// A folder's file replaces the shipped one of the same id.
func TestFolderOverrides(t *testing.T) {
	text, err := fs.ReadFile(problem.Shipped(), "algorithm/gift_pair.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(string(text), "The gift card", "The voucher", 1)
	s, err := problem.Load("algorithm", problem.Shipped(), fstest.MapFS{"algorithm/gift_pair.yaml": {Data: []byte(own)}})
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := s.Find("gift_pair"); problem.In(p.Title, "en-GB") != "The voucher" || problem.In(p.Title, "zh-CN") != "礼品卡" {
		t.Errorf("%v", p.Title)
	}
	if _, err := problem.Load("nothing", problem.Shipped()); err == nil {
		t.Error("an empty set was loaded")
	}
}

// R003-67 (a simpler problem): picking is by id, by difficulty, and by seed; easier is easier.
func TestPick(t *testing.T) {
	s := shipped(t)
	if p, err := s.Pick("gift_pair", nil, 0); err != nil || p.ID != "gift_pair" {
		t.Error(err)
	}
	if _, err := s.Pick("nope", nil, 0); err == nil || !strings.Contains(err.Error(), "gift_pair") {
		t.Errorf("%v", err)
	}
	a, _ := s.Pick("", []string{"medium"}, 7)
	b, _ := s.Pick("", []string{"medium"}, 7)
	if a != b || a.Difficulty != "medium" {
		t.Error("the same seed picks another problem")
	}
	if e := s.Easier(a, 3); e.Difficulty != "easy" || s.Easier(e, 3) != e {
		t.Errorf("%s is not easier", e.ID)
	}
	if _, err := s.Pick("", []string{"hard"}, 1); err == nil {
		t.Error("picked a hard problem where there is none")
	}
}
