package sessions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate/batch"
	"github.com/vivavoice/viva/stages/evaluate/sessions"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

func interview(t testing.TB, kind string) *engine.Interview {
	t.Helper()
	text, err := kinds.FS().ReadFile(kind + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	def, err := definition.Parse(kind+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	words, err := prompts.Load(prompts.Shipped(), def.Catalogue(), "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	var options []engine.Option
	if def.Problems != nil {
		set, err := problem.Load(def.Problems.Set, problem.Shipped())
		if err != nil {
			t.Fatal(err)
		}
		options = append(options, engine.WithProblems(set))
	}
	iv, err := kinds.New(def, words, rules, options...)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// held is the journal of an interview in which the candidate says this; every utterance is heard to its end.
func held(t testing.TB, iv *engine.Interview, vars map[string]string, said ...string) []state.Entry {
	t.Helper()
	u := &state.UserData{}
	var journal []state.Entry
	var send func(ev engine.Event)
	send = func(ev engine.Event) {
		at := state.Millis(1000 * (len(journal) + 1))
		e, err := engine.Encode(uint64(len(journal)+1), at, ev)
		if err != nil {
			t.Fatal(err)
		}
		journal = append(journal, e)
		var effects []engine.Effect
		u, effects = iv.Step(u, at, ev)
		for _, e := range effects {
			if say, is := e.(engine.Say); is {
				send(engine.VoiceStarted{Utterance: say.Utterance})
				send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: say.Text})
			}
		}
	}
	send(engine.Started{Session: "s", Kind: iv.Def.Kind, Vars: vars})
	for _, text := range said {
		send(engine.UserTurn{Text: text, Confidence: 0.9})
	}
	return journal
}

func evaluator(t testing.TB) *twostage.Evaluator {
	t.Helper()
	e, err := twostage.Default()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const framed = "We're given a list of badge numbers. I keep a set of those < 100 that I have seen. For each number I look it up."

// R004-65a: a stored interview becomes a row: the problem, the stated conclusion, the right answer, the framing as XML, the
// words, and whose they are. Judged as a table it scores what it scored live.
func TestRowsOfAnInterview(t *testing.T) {
	iv, e := interview(t, "evaluation"), evaluator(t)
	journal := held(t, iv, map[string]string{"problem": "door_log"}, framed, "I must stop at the first one. So the running time is linear, and so is the memory.")
	rows, err := sessions.Rows(e, iv, "s1", journal, nil)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %+v", err, rows)
	}
	r := rows[0]
	if r.Session != "s1" || r.Item != "PROBLEM" || len(strings.Fields(r.Turns)) != 2 || r.Locale != "en" || !strings.HasPrefix(r.InputText, "A door notes") {
		t.Errorf("%+v", r)
	}
	if r.Prediction != "n" || r.Groundtruth != "time O(n), space O(n)" || !strings.Contains(r.Reasoning, framed) || r.Answer != "" {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Construction, "<entities><item>We&#39;re given a list") || !strings.Contains(r.Construction, "&lt; 100") {
		t.Errorf("construction %s", r.Construction)
	}
	got, err := e.Score(r.Sample)
	if err != nil || got.OverallScore != 1 || !got.OverallCorrect {
		t.Errorf("%+v, %v", got, err)
	}
	live, err := e.Evaluate(iv.Answers(fold(t, iv, journal), nil)[0])
	if err != nil || math.Abs(live.Norm-got.OverallScore) > 1e-9 {
		t.Errorf("live %v, as a table %v, %v", live.Norm, got.OverallScore, err)
	}
}

func fold(t *testing.T, iv *engine.Interview, journal []state.Entry) *state.UserData {
	t.Helper()
	u, err := iv.Fold(journal)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// R004-65a, R004-58: of all labelled answers, said in an interview, the table scores what the words themselves score.
func TestTableScoresAsTheWordsDo(t *testing.T) {
	text, err := os.ReadFile("../twostage/testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	iv, e := interview(t, "conversation"), evaluator(t)
	stage := iv.Def.Stages[0].ID
	n := 0
	for line := range strings.Lines(string(text)) {
		var s twostage.Sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		rows, err := sessions.Rows(e, iv, "s", held(t, iv, nil, s.Answer), map[string]string{stage: s.Groundtruth})
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 && strings.HasSuffix(strings.TrimSpace(s.Answer), "?") {
			continue // a question is no answer (RM-2)
		}
		want, err := e.Score(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 && want.OverallScore == 0 {
			continue // who says only that they cannot do it gives no answer, either
		}
		if len(rows) == 0 && len(strings.Fields(s.Answer)) <= 3 {
			continue // a bare "No, it isn't." where nothing was asked that it could answer may be an objection
		}
		if len(rows) != 1 {
			t.Fatalf("%d rows of %q", len(rows), s.Answer)
		}
		got, err := e.Score(rows[0].Sample)
		if err != nil || got.OverallScore != want.OverallScore || got.OverallCorrect != want.OverallCorrect {
			t.Errorf("%v, %v as a table, %v as words: %+v", err, got.OverallScore, want.OverallScore, rows[0])
		}
		n++
	}
	if n < 60 {
		t.Errorf("only %d answers", n)
	}
}

// What has no right answer, or no answer, is no row; a right answer can be given afterwards, also by a variable or the problem.
func TestWhatIsARow(t *testing.T) {
	talk, e := interview(t, "conversation"), evaluator(t)
	stage := talk.Def.Stages[0].ID
	for _, c := range []struct {
		name    string
		journal []state.Entry
		further map[string]string
		want    int
	}{
		{"no right answer", held(t, talk, nil, "It is linear."), nil, 0},
		{"given afterwards", held(t, talk, nil, "It is linear."), map[string]string{stage: "O(n)"}, 1},
		{"of another stage", held(t, talk, nil, "It is linear."), map[string]string{"ELSEWHERE": "O(n)"}, 0},
		{"by a variable that is not there", held(t, talk, nil, "It is linear."), map[string]string{stage: "var.truth"}, 0},
		{"nothing said", held(t, talk, nil), map[string]string{stage: "O(n)"}, 0},
	} {
		if rows, err := sessions.Rows(e, talk, "s", c.journal, c.further); err != nil || len(rows) != c.want {
			t.Errorf("%s: %d rows, %v", c.name, len(rows), err)
		}
	}
	think := interview(t, "evaluation")
	rows, err := sessions.Rows(e, think, "s", held(t, think, map[string]string{"problem": "door_log"}, framed), map[string]string{"PROBLEM": "var.problem"})
	if err != nil || len(rows) != 1 || rows[0].Groundtruth != "door_log" {
		t.Errorf("by a variable: %+v, %v", rows, err)
	}
	if _, err := sessions.Rows(e, talk, "s", []state.Entry{{Seq: 1, Type: "astrology"}}, nil); err == nil {
		t.Error("a journal that cannot be read is accepted")
	}
}

func row(session string, n int) sessions.Row {
	return sessions.Row{Session: session, Item: fmt.Sprint(n), Turns: "3 5", Locale: "en", Sample: twostage.Sample{
		InputText: "a \"quoted\",\nproblem", Prediction: "n", Groundtruth: "O(n)", Reasoning: "=HYPERLINK(\"http://evil.example\") is linear.",
	}}
}

// R004-65a, R004-11: a table is there when it is whole, whatever is left of one that was not finished, and can be judged; no
// candidate's words are a formula in it.
func TestTable(t *testing.T) {
	for _, format := range []batch.Format{batch.CSV, batch.JSONL} {
		t.Run(string(format), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows."+string(format))
			for _, finish := range []bool{false, true} {
				table, err := sessions.Begin(path, format)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []string{"a", "b", "c"} {
					if err := table.Add([]sessions.Row{row(s, 1), row(s, 2)}); err != nil {
						t.Fatal(err)
					}
				}
				if !finish {
					if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) || table.Close() != nil {
						t.Errorf("there before it is whole: %v", err)
					}
					continue
				}
				if err := table.Finish(); err != nil || table.Rows() != 6 {
					t.Fatalf("%d rows, %v", table.Rows(), err)
				}
			}
			whole, err := os.ReadFile(path)
			if err != nil || format == batch.CSV && !bytes.Contains(whole, []byte(`"'=HYPERLINK`)) {
				t.Errorf("%v: a candidate's words are a formula:\n%s", err, whole)
			}
			out := filepath.Join(t.TempDir(), "out."+string(format))
			s, err := batch.File(context.Background(), path, out, false, batch.Options{Evaluator: evaluator(t), Format: format})
			if err != nil || s.Rows != 6 || s.Failed != 0 || s.Accuracy != 1 {
				t.Errorf("judged %+v, %v", s, err)
			}
		})
	}
}

// BenchmarkRows is what one stored interview of two answers costs.
func BenchmarkRows(b *testing.B) {
	t := b
	iv, e := interview(t, "evaluation"), evaluator(t)
	journal := held(t, iv, map[string]string{"problem": "door_log"}, framed, "I must stop at the first one. So the running time is linear.")
	for b.Loop() {
		if _, err := sessions.Rows(e, iv, "s", journal, nil); err != nil {
			b.Fatal(err)
		}
	}
}
