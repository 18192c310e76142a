package eval_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/llm"
)

const scripted = `
name: talks
interview: two_stage
scenarios:
  - label: A plain talk
    metadata: {candidate: {name: Ada}}
    lines:
      - "Hi, I'm Ada, I build ticket machines for trams and I am good at finding odd bugs."
      - {silent: 15s}
      - {say: "We rebuilt the fare table, I wrote the part that splits the zones.", wait: 4s}
      - {when: "change|numbers|result|work on|share|part", say: "Complaints fell from forty a day to three."}
      - {typed: "That is all."}
`

// A scripted candidate is interviewed by rules: the talk ends, its lines are in order on the talk's own clock, words take the time
// that they take, and the same scenario gives the same talk.
func TestScriptedTalk(t *testing.T) {
	file := scenarios(t, scripted)
	what := eval.Holding{Interview: interview(t, "two_stage"), Scenario: file[0]}
	held := hold(t, what)
	if held.Model != eval.Scripted || held.Requests != 0 || held.Took < time.Minute || held.Took > 5*time.Minute {
		t.Errorf("model %q, %d requests, took %v, ended %q", held.Model, held.Requests, held.Took, held.Ended)
	}
	if !strings.Contains(said(held, talk.Candidate), "ticket machines") || !strings.Contains(said(held, talk.Interviewer), "Ada") {
		t.Errorf("%+v", held.Lines)
	}
	var at time.Duration
	silence := false
	for i, l := range held.Lines {
		if l.N != i+1 || l.At < at || l.Until < l.At {
			t.Errorf("line %d: %+v", i+1, l)
		}
		at = l.At
		silence = silence || l.What == talk.Silence
		if words := len(strings.Fields(l.Text)); l.Speaker == talk.Interviewer && l.Until-l.At < time.Duration(words)*300*time.Millisecond {
			t.Errorf("%d words in %v: %q", words, l.Until-l.At, l.Text)
		}
	}
	if !silence {
		t.Error("nothing shows that the candidate was silent")
	}
	if diff := cmp.Diff(held, hold(t, what)); diff != "" {
		t.Errorf("held twice: %s", diff)
	}
	for _, c := range held.Checks {
		if !c.Passed {
			t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
}

const instructed = `
scenarios:
  - label: By a model
    instructions: You are Ada. You are nervous. FACTS you have moved servers.
    turns: 12
    metadata: {candidate: {name: Ada}}
`

// The clock of a talk does not know how long a model takes: a minute for every answer fires no ladder, and gives the same talk as
// a model that answers at once.
func TestSlowModelsCostNothing(t *testing.T) {
	file := scenarios(t, instructed)
	iv := interview(t, "two_stage")
	synctest.Test(t, func(t *testing.T) {
		var talks []*talk.Talk
		for _, takes := range []time.Duration{0, time.Minute} {
			words, person := asks(), speaks()
			words.takes, person.takes = takes, takes
			began := time.Now()
			held := hold(t, eval.Holding{Interview: iv, Scenario: file[0], Models: eval.Models{Interviewer: words, Candidate: person}})
			if real := time.Since(began); takes > 0 && real < 5*time.Minute {
				t.Errorf("it really took %v", real)
			}
			if held.Requests < 4 {
				t.Errorf("%d requests", held.Requests)
			}
			for _, l := range held.Lines {
				if l.What == talk.Silence {
					t.Errorf("silence at %v: %s", l.At, l.Text)
				}
			}
			talks = append(talks, held)
		}
		if diff := cmp.Diff(talks[0], talks[1]); diff != "" {
			t.Errorf("a slow model holds another talk: %s", diff)
		}
	})
}

// The candidate's model sees its part and what can be heard, and nothing of what is expected of the interviewer.
func TestCandidateKnowsOnlyItsPart(t *testing.T) {
	file := scenarios(t, instructed+"    agent_expectations: Never mentions zebras.\n")
	person := speaks()
	held := hold(t, eval.Holding{
		Interview: interview(t, "two_stage"), Scenario: file[0], Models: eval.Models{Interviewer: asks(), Candidate: person},
	})
	for _, r := range person.asked {
		system := r.Messages[0].Content
		last := r.Messages[len(r.Messages)-1]
		if !strings.Contains(system, "You are nervous") || last.Role != llm.RoleUser || strings.Contains(system, "zebras") || strings.Contains(last.Content, "slot") {
			t.Errorf("asked with %+v", r.Messages)
		}
	}
	if !strings.Contains(person.asked[1].Messages[1].Content, "Interviewer: ") || !strings.Contains(said(held, talk.Candidate), "moved 1 servers") {
		t.Errorf("%+v", person.asked[1].Messages)
	}
}

// A plain talk has no engine: the prompt, the words, and silence told in words. It is over when the model says so.
func TestPlainTalk(t *testing.T) {
	file := scenarios(t, scripted)
	words := &fake{answer: func(n int, r llm.Request) string {
		if n == 5 {
			return "Thank you, Ada, that was all. Goodbye! [END]"
		}
		return "And what came next? Part " + strings.Repeat("I", n+1) + "."
	}}
	held, err := eval.HoldPlain(t.Context(), eval.Holding{
		Interview: interview(t, "two_stage"), Scenario: file[0], Model: "m", Models: eval.Models{Plain: words},
	}, eval.Subject{Minutes: 7})
	if err != nil {
		t.Fatal(err)
	}
	system := words.asked[0].Messages[0].Content
	if held.Side != talk.Plain || !strings.Contains(system, "Ada") || !strings.Contains(system, "7 minutes") {
		t.Errorf("%s talk with %q", held.Side, system)
	}
	if last := held.Lines[len(held.Lines)-1]; !strings.HasSuffix(last.Text, "Goodbye!") {
		t.Errorf("it ends with %+v", last)
	}
	var told strings.Builder
	for _, m := range words.asked[len(words.asked)-1].Messages {
		if m.Role == llm.RoleUser {
			told.WriteString(m.Content + "\n")
		}
	}
	if !strings.Contains(told.String(), "said nothing for 10 seconds") || !strings.Contains(told.String(), "ticket machines") {
		t.Errorf("it was told %s", told.String())
	}
}

// What a model gets wrong is seen: scripted words stand in, and a check says so; a sentence that was said before is found.
func TestChecksFindWhatIsWrong(t *testing.T) {
	file := scenarios(t, scripted)
	words := &fake{answer: func(int, llm.Request) string { return "" }}
	held := hold(t, eval.Holding{Interview: interview(t, "two_stage"), Scenario: file[0], Models: eval.Models{Interviewer: words}})
	failed := make(map[string]bool)
	for _, c := range held.Checks {
		failed[c.Name] = !c.Passed
	}
	if !failed["the model kept up"] {
		t.Errorf("%+v", held.Checks)
	}
	same := &fake{answer: func(n int, _ llm.Request) string {
		if n > 4 {
			return "Goodbye [END]"
		}
		return "What was your very own part in that story?"
	}}
	plain, err := eval.HoldPlain(t.Context(), eval.Holding{
		Interview: interview(t, "two_stage"), Scenario: file[0], Models: eval.Models{Plain: same},
	}, eval.Subject{})
	if err != nil || plain.Checks[0].Passed || plain.Checks[0].Line == 0 {
		t.Errorf("%v, %+v", err, plain.Checks)
	}
}

// Interruptions, lost connections, code and leaving are played as a script says them.
func TestWhatCandidatesDo(t *testing.T) {
	file := scenarios(t, `
interview: algorithm_coach
scenarios:
  - label: Everything
    metadata: {vars: {problem: gift_pair}}
    lines:
      - {interrupt: "sorry, can I ask something", after: 1s}
      - {away: 12s}
      - {code: "def pairs(xs): return 0", say: "so, this is what I have"}
      - {say: "it counts the pairs", leave: true}
`)
	held := hold(t, eval.Holding{Interview: interview(t, "algorithm_coach"), Scenario: file[0]})
	cut, code := false, ""
	for _, l := range held.Lines {
		cut = cut || l.Cut
		if l.What == talk.Typed {
			code = l.Code
		}
	}
	happened := said(held, talk.Happening)
	if !cut || code != "def pairs(xs): return 0" {
		t.Errorf("cut %v, code %q: %+v", cut, code, held.Lines)
	}
	for _, want := range []string{"connection is lost", "is back", "leaves"} {
		if !strings.Contains(happened, want) {
			t.Errorf("%q did not happen: %s", want, happened)
		}
	}
}
