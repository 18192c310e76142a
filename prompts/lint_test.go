package prompts_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/prompts"
)

// R003-94, R000-35, R001-25: no shipped wording asks two things at once, finds fault, or makes a speech.
func TestShippedWordsHaveNoFlaws(t *testing.T) {
	for file, c := range shipped(t) {
		flaws, err := prompts.Lint(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range flaws {
			t.Errorf("%s: %s", file, f)
		}
	}
}

func TestLintFindsEveryFlaw(t *testing.T) {
	reveals := func(text string) string {
		if strings.Contains(text, "two pointers") {
			return "two pointers"
		}
		return ""
	}
	for text, want := range map[string]string{
		`say: ["What is it? And why?"]`:                                "asks 2 questions at once",
		`say: ["Fine.", "{{if .Phase.First}}A? {{else}}B? {{end}}C?"]`: "say 2: it asks 2 questions",
		`say: ["{{with .Gap}}What of {{.}}? {{end}}Why?"]`:             "asks 2 questions at once",
		`say: ["What did you build, and why did you build it?"]`:       "asks 2 questions at once",
		`say: ["你做了什么，为什么这样做？"]`:                                       "asks 2 questions at once",
		`say: ["Bạn đã làm gì và tại sao bạn chọn cách nào?"]`:         "asks 2 questions at once",
		`say: ["I am afraid that's wrong."]`:                           "\"that's wrong\" finds fault",
		`say: ["Well."]
  reprompt: ["You should have known."]`: "reprompt 1: \"you should have\" finds fault",
		`say: ["Well."]
  simple: ["*Really*, just guess."]`: "would read '*' aloud",
		`say: ["` + strings.Repeat("so ", 61) + `"]`: "it has 61 words",
		`say: ["Have you tried two pointers?"]`:      "\"two pointers\" gives a secret away",
	} {
		flaws, err := prompts.Lint(loaded(t, "a:\n  "+text+"\n"), reveals)
		if err != nil || len(flaws) != 1 || !strings.Contains(flaws[0].String(), want) {
			t.Errorf("%s\ngives %v (%v), want one with %q", text, flaws, err, want)
		}
	}
	for _, text := range []string{
		`say: ["Which structure, or which way of walking, did the work?"]`, `say: ["什么也没找到，会发生什么？"]`,
		`say: ["哪种结构，或者哪种方式，起了作用？"]`, `say: ["What happens at the end, when the code looks further?"]`,
		`say: ["What would go wrong there?"]`, `say: ["Incorrectly? No."]`, `say: ["The question: {{.Question}} What first?"]`,
	} {
		if flaws, err := prompts.Lint(loaded(t, "a:\n  "+text+"\n"), reveals); err != nil || len(flaws) > 0 {
			t.Errorf("%s: %v, %v", text, flaws, err)
		}
	}
}
