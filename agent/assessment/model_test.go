package assessment_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/refusals"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
)

// model answers with the texts in turn, the last one again and again; it notes what it was asked.
type model struct {
	texts []string

	mu    sync.Mutex
	asked []llm.Request // guarded by mu
}

// Stream implements llm.Model.
func (m *model) Stream(_ context.Context, r llm.Request) (llm.Stream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := m.texts[min(len(m.asked), len(m.texts)-1)]
	m.asked = append(m.asked, r)
	if text == "" {
		return nil, &fault.Error{Op: "chat", Kind: fault.Server}
	}
	return &once{text: text}, nil
}

type once struct{ text string }

func (s *once) Next() (llm.Delta, error) {
	if s.text == "" {
		return llm.Delta{}, io.EOF
	}
	d := llm.Delta{Text: s.text, Usage: &llm.Usage{PromptTokens: 400, CompletionTokens: 100}}
	s.text = ""
	return d, nil
}

func (s *once) Close() error { return nil }

const (
	prose = "I would give this candidate a four."
	good  = `{"levels":[{"criterion":"clarity","evidence":[{"turn":1,"text":"I rebuilt service number 1"}],"level":4},` +
		`{"criterion":"specificity","evidence":[{"turn":1,"text":"cut its latency by half"}],"level":9},` +
		`{"criterion":"confidence","evidence":[{"turn":1,"text":"I am a genius"}],"level":5}],"feedback":"Clear.","improved":"Name the service.","confidence":0.8}`
)

// R002-35, R002-40: a judge is told question, answer, role, persona and the criteria with their levels, asked for JSON, and told
// the candidate's words as data (RX-15). R002-39, R002-43, RX-16: feedback and an improved answer come back; a level beyond the
// scale is clamped and flagged, one whose quote nobody said counts for nothing. R002-38: the score is the mean of the rest.
func TestModelJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{texts: []string{good}}
		meter := session.NewMeter(10_000)
		b := open(t, assessment.ByModel(m, nil)(meter.Beside()), nil)
		e := sent(1)
		e.Item.Vars = map[string]string{"role": "Data Engineer", "persona": "senior_developer", "interviewer": "a senior developer"}
		b.assessor.Judge(e, b.receive)
		synctest.Wait()
		q := m.asked[0]
		for _, part := range []string{"Question 1?", "<candidate>" + said(1), "Data Engineer", "a senior developer", "Criterion clarity", "Criterion confidence", "levels 1 to 5"} {
			if !strings.Contains(q.Messages[1].Content, part) {
				t.Errorf("the judge is not told %q:\n%s", part, q.Messages[1].Content)
			}
		}
		if len(q.Schema) == 0 || !strings.Contains(q.Messages[0].Content, "one JSON object") || q.MaxTokens < 700 {
			t.Errorf("asked with %d tokens, %s", q.MaxTokens, q.Messages[0].Content)
		}
		got := b.answersTo(1)[0].Evaluation
		if got == nil {
			t.Fatalf("%+v", b.answersTo(1))
		}
		if got.Feedback != "Clear." || got.Improved != "Name the service." || got.Rubric != "clarity_specificity_confidence@3" {
			t.Errorf("%+v", got)
		}
		if got.Marks[0].Level != 4 || got.Marks[1].Level != 5 || got.Marks[2].Status != evaluate.StatusNotAssessed || got.Norm != (0.75+1)/2 {
			t.Errorf("%+v", got.Marks)
		}
		for _, f := range []string{evaluate.FlagClamped, evaluate.FlagUnverified} {
			if !slices.Contains(got.Flags, f) {
				t.Errorf("%s is missing among %v", f, got.Flags)
			}
		}
		if meter.Used() != 0 || meter.Beside().Used() != 500 {
			t.Errorf("the talk has used %d tokens, the judge %d", meter.Used(), meter.Beside().Used())
		}
		b.assessor.Drop()
		b.service.Close()
	})
}

// picky refuses to be held to a schema, as a service does that does not take it, and answers in plain words.
type picky struct{ model }

func (p *picky) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	if r.Schema != nil {
		return nil, &fault.Error{Op: "chat", Provider: "x", Kind: fault.BadRequest, Form: true, Err: errors.New("'maxLength' is not permitted")}
	}
	return p.model.Stream(ctx, r)
}

// What a judge's model is refused is in the report, where the answer was judged all the same; the candidate does not see it.
func TestReportTellsWhatWasRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.ErrorLevel)
		book := refusals.NewBook(zap.New(core), nil)
		m := book.Watch(refusals.Evaluators, &picky{model{texts: []string{good}}})
		b := open(t, assessment.ByModel(m, nil)(session.NewMeter(0).Beside()), func(o *assessment.Options, _ *assessment.Case) { o.Refused = book.Found })
		b.judge(1)
		<-b.ask(finished(1, ""))
		r := b.full()
		if why := r.Provenance.Refused[refusals.Evaluators]; !strings.Contains(why, "'maxLength' is not permitted") || len(r.Provenance.Refused) != 1 {
			t.Errorf("refused %v", r.Provenance.Refused)
		}
		if !r.Questions[0].Assessed || logs.FilterMessage("model.refused").Len() != 1 {
			t.Errorf("%+v, %d lines in the log", r.Questions[0], logs.Len())
		}
		if shown := b.published[0].Report.Provenance; shown.Refused != nil || shown.Software == "" {
			t.Errorf("the candidate sees %+v", shown)
		}
		text, err := report.Markdown(r)
		if err != nil || !strings.Contains(string(text), "evaluators: x: chat: the request was refused") {
			t.Errorf("%v\n%s", err, text)
		}
		b.assessor.Close(finished(1, "done"))
		b.service.Close()
	})
}

// R002-43: what is no JSON is asked for once more; then it is not assessed, and not tried again. What the provider's failure is,
// decides whether it is.
func TestOneRepair(t *testing.T) {
	for name, c := range map[string]struct {
		texts   []string
		asked   int
		missing string
	}{
		"prose, then good":   {[]string{prose, good}, 2, ""},
		"never good":         {[]string{prose}, 2, report.ReasonUnreadable},
		"down, then good":    {[]string{"", good}, 2, ""},
		"down, prose, good":  {[]string{"", prose, good}, 3, ""},
		"down for all tries": {[]string{""}, 3, report.ReasonFailed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{texts: c.texts}
				b := open(t, assessment.ByModel(m, nil)(session.NewMeter(0).Beside()), nil)
				b.judge(1)
				time.Sleep(time.Minute)
				if got := b.answersTo(1); len(got) != 1 || got[0].Missing != c.missing || len(m.asked) != c.asked {
					t.Errorf("%+v after %d questions", got, len(m.asked))
				}
				b.assessor.Drop()
				b.service.Close()
			})
		})
	}
}

// A judge stops where the interview's tokens are used up, and never uses up those of the talk (R002-31).
func TestJudgesDoNotStarveTheTalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{texts: []string{good}}
		meter := session.NewMeter(1200)
		meter.Add(300)
		b := open(t, assessment.ByModel(m, nil)(meter.Beside()), nil)
		for n := 1; n <= 4; n++ {
			b.judge(n)
			synctest.Wait()
		}
		if len(m.asked) != 2 || meter.Spent() || !meter.Beside().Spent() {
			t.Errorf("asked %d times; spent: %t, %t", len(m.asked), meter.Spent(), meter.Beside().Spent())
		}
		if got := b.answersTo(4); len(got) != 1 || got[0].Missing != report.ReasonFailed {
			t.Errorf("%+v", got)
		}
		b.assessor.Drop()
		b.service.Close()
	})
}
