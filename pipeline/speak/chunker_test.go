package speak

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func texts(clauses []Clause) (out []string) {
	for _, c := range clauses {
		out = append(out, c.Text)
	}
	return out
}

func TestClauses(t *testing.T) {
	long := "We moved the whole service from one region to another while the old one kept taking traffic from every client that had not been told about the change yet, and then we measured how long each of the requests took in both places before we decided."
	tests := []struct {
		name, text string
		want       []string
	}{
		{"first clause at a comma", "Thanks for that, Anna. Tell me about your last project.", []string{"Thanks for that,", "Anna. Tell me about your last project."}},
		{"too short a first clause", "Well, yes. Now tell me about your role.", []string{"Well, yes. Now tell me about your role."}},
		{"sentences", "That is a good start. What did you build there? And how did it scale in the end?", []string{"That is a good start.", "What did you build there?", "And how did it scale in the end?"}},
		{"decimals", "It grew by 3.5 percent a year. It cost 1,000.50 dollars.", []string{"It grew by 3.5 percent a year.", "It cost 1,000.50 dollars."}},
		{"times and names", "We met at 10:30 on example.com for the review.", []string{"We met at 10:30 on example.com for the review."}},
		{"abbreviations", "I spoke with Dr. Smith and Prof. Jones about e.g. Caching in the U.S. Market.", []string{"I spoke with Dr. Smith and Prof. Jones about e.g. Caching in", "the U.S. Market."}},
		{"initial but not I", "That was not I. Then J. Smith joined the whole team.", []string{"That was not I.", "Then J. Smith joined the whole team."}},
		{"ellipsis", "Let me see... That makes sense to me. Go on.", []string{"Let me see...", "That makes sense to me.", "Go on."}},
		{"quotes close with the sentence", `She said "we are done." Then what happened next?`, []string{`She said "we are done."`, "Then what happened next?"}},
		{"chinese", "你好，欢迎参加今天的面试。请介绍一下你自己，好吗？我们很想了解你的工作经历和你的项目。", []string{"你好，欢迎参加今天的面试。", "请介绍一下你自己，好吗？我们很想了解你的工作经历和你的项目。"}},
		{"markdown", "## Plan\n\n- **First** point is here\n- _Second_ point is there\n1. Third [link](http://x.y/z) point", []string{"Plan", "First point is here", "Second point is there", "Third link point"}},
		{"code is not spoken", "Use this:\n```go\nx := 1.5\n```\nand `run` it.", []string{"Use this:", "and run it."}},
		{"emoji", "Great answer 👍🏽! Now let us go on ❤️.", []string{"Great answer !", "Now let us go on ."}},
		{"names with marks", "Did you write it in C# or in node.js at the time?", []string{"Did you write it in C# or in node.js at the time?"}},
		{"number that begins a line", "2024 was good.\n3.5 was better", []string{"2024 was good.", "3.5 was better"}},
		{"no mark in sight", "so tell me in as much detail as you like what you were responsible for there", []string{"so tell me in as much detail as you like what you were responsible", "for there"}},
		{"long sentence", "That is good to hear. " + long, []string{"That is good to hear.", long[:strings.Index(long, ", and")+1], long[strings.Index(long, ", and")+2:]}},
		{"no place to cut", strings.Repeat("x", 1500), []string{strings.Repeat("x", 1000), strings.Repeat("x", 500)}},
		{"nothing to say", " \n**\n… 👍", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, texts(Clauses(tt.text))); diff != "" {
				t.Errorf("clauses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFirstClauseComesEarly(t *testing.T) {
	var c Chunker
	for _, delta := range []string{"Thanks", " for", " telling", " me"} {
		if got := c.Push(delta); got != nil {
			t.Fatalf("%v came before a mark", got)
		}
	}
	if got := texts(c.Push(", Anna")); !cmp.Equal(got, []string{"Thanks for telling me,"}) {
		t.Errorf("after the comma: %q", got)
	}
}

// letters are what must survive chunking.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
}

func FuzzChunkerKeepsLetters(f *testing.F) {
	f.Add("Hello there, Dr. Smith. It is 3.5 percent!", uint8(3))
	f.Add("1. one\n2) two\n- **three**\n# C# und Übung… 你好。", uint8(1))
	f.Add("\xff\xfebroken\xe4\xbd text", uint8(2))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		if strings.ContainsAny(text, "`]") {
			return // code and link targets are left out on purpose
		}
		step := int(size%7) + 1
		var c Chunker
		var got []Clause
		for rest := text; rest != ""; {
			n := min(step, len(rest))
			got = append(got, c.Push(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, c.Flush()...)
		var spoken strings.Builder
		for _, clause := range got {
			if clause.Text == "" {
				t.Fatalf("an empty clause of %q", text)
			}
			spoken.WriteString(letters(clause.Text))
		}
		if want := letters(strings.ToValidUTF8(text, "")); spoken.String() != want {
			t.Fatalf("%q lost letters: %q", text, texts(got))
		}
	})
}
