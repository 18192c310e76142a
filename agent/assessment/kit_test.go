package assessment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/assessment/webhook"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// interview is the persona interview of package report's tests, with one attachment.
func interview(t testing.TB) *engine.Interview {
	t.Helper()
	parsed, err := persona()
	if err != nil {
		t.Fatal(err)
	}
	def := *parsed
	def.Evaluations = []definition.Attachment{{ID: "answer", By: evaluate.LLMRubric, Rubric: "clarity_specificity_confidence"}}
	def.Report = &definition.Report{Questions: 3}
	return &engine.Interview{Def: &def}
}

var persona = sync.OnceValues(func() (*definition.Definition, error) {
	const path = "../../stages/report/testdata/persona.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return definition.Parse(path, text)
})

// archive keeps in memory, and fails when it is told to.
type archive struct {
	mu          sync.Mutex
	evaluations map[string]json.RawMessage // guarded by mu
	report      json.RawMessage            // guarded by mu
	saves       int                        // guarded by mu: calls of SaveReport
	fail        int                        // guarded by mu: so many calls of SaveReport fail
	away        time.Time                  // guarded by mu: until then nothing is kept
}

var errAway = errors.New("the database is away")

func newArchive() *archive { return &archive{evaluations: make(map[string]json.RawMessage)} }

func (a *archive) SaveEvaluation(_ context.Context, _, item string, data json.RawMessage) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Now().Before(a.away) {
		return false, errAway
	}
	if _, there := a.evaluations[item]; there {
		return false, nil
	}
	a.evaluations[item] = data
	return true, nil
}

func (a *archive) Evaluations(context.Context, string) (out []store.Evaluation, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, item := range slices.Sorted(maps.Keys(a.evaluations)) {
		out = append(out, store.Evaluation{Item: item, Data: a.evaluations[item]})
	}
	return out, nil
}

func (a *archive) SaveReport(_ context.Context, _ string, data json.RawMessage) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.saves++
	if a.fail > 0 {
		a.fail--
		return false, errAway
	}
	if time.Now().Before(a.away) {
		return false, errAway
	}
	if a.report != nil {
		return false, nil
	}
	a.report = data
	return true, nil
}

func (a *archive) Report(context.Context, string) (json.RawMessage, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.report == nil {
		return nil, store.ErrNoReport
	}
	return a.report, nil
}

// leave has nothing kept for so long.
func (a *archive) leave(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away = time.Now().Add(d)
}

func (a *archive) absent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.away)
}

func (a *archive) kept() (items []string, report json.RawMessage, saves int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.evaluations)), a.report, a.saves
}

// bench is a service with one interview at it, and all that comes out of it.
type bench struct {
	t        testing.TB
	service  *assessment.Service
	assessor *assessment.Assessor
	archive  *archive
	logs     *observer.ObservedLogs

	mu        sync.Mutex
	answers   map[string][]engine.Judged // guarded by mu
	published []assessment.Envelope      // guarded by mu
	told      []webhook.Notice           // guarded by mu
	counted   []string                   // guarded by mu
	overs     int                        // guarded by mu
}

// open opens an assessor whose judge is given; change may alter options and case.
func open(t testing.TB, judge assessment.Judge, change func(*assessment.Options, *assessment.Case)) *bench {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	b := &bench{t: t, archive: newArchive(), logs: logs, answers: make(map[string][]engine.Judged)}
	o := assessment.Options{Archive: b.archive, Webhook: b, Metrics: b, Software: "viva test", Logger: zap.New(core)}
	c := assessment.Case{
		Session: "s", Room: "room", Interview: interview(t), Model: judge, Models: map[string]string{"evaluators": "judge-1"},
		Publish: b.publish, Link: func(s string) string { return "https://viva.test/r/" + s }, Over: b.over,
	}
	if change != nil {
		change(&o, &c)
	}
	var err error
	if b.service, err = assessment.New(o); err != nil {
		t.Fatal(err)
	}
	b.assessor = b.service.Open(c)
	return b
}

func (b *bench) publish(topic string, text []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var e assessment.Envelope
	if err := json.Unmarshal(text, &e); err != nil || topic != assessment.Topic {
		b.t.Errorf("published on %s: %v", topic, err)
	}
	b.published = append(b.published, e)
	return nil
}

// Tell implements assessment.Webhook.
func (b *bench) Tell(_ context.Context, n webhook.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.archive.absent() {
		return errAway
	}
	b.told = append(b.told, n)
	return nil
}

// Judged and Reported implement assessment.Metrics.
func (b *bench) Judged(status string, _ time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counted = append(b.counted, "judged "+status)
}

func (b *bench) Reported(status string, _ time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counted = append(b.counted, "reported "+status)
}

func (b *bench) over() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overs++
}

// counts are how often the report came out of each door, and how often the interview was over.
func (b *bench) counts() (saves, published, told, overs int) {
	_, _, saves = b.archive.kept()
	b.mu.Lock()
	defer b.mu.Unlock()
	return saves, len(b.published), len(b.told), b.overs
}

// answersTo are the answers that an item got so far.
func (b *bench) answersTo(n int) []engine.Judged {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.answers[item(n)])
}

func (b *bench) receive(j engine.Judged) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[j.Item] = append(b.answers[j.Item], j)
}

func item(n int) string { return fmt.Sprintf("answer/QUESTIONS/%d", n) }

func said(n int) string {
	return fmt.Sprintf("I rebuilt service number %d and cut its latency by half", n)
}

// sent is what the session sends to be judged: the nth answer.
func sent(n int) engine.Judge {
	return engine.Judge{
		Attachment: "answer", By: evaluate.LLMRubric, Visit: 2, Budget: 30 * time.Second, Attempts: 3,
		Item: evaluate.Item{
			ID: item(n), PhaseID: "QUESTIONS", Question: fmt.Sprintf("Question %d?", n), Rubric: "clarity_specificity_confidence", Locale: "en",
			Turns: []evaluate.Turn{{ID: uint64(n), Role: evaluate.RoleUser, Content: said(n)}},
		},
	}
}

// judge sends the nth answer.
func (b *bench) judge(n int) { b.assessor.Judge(sent(n), b.receive) }

// finished is the state of an interview with so many answers; ended is why it is over, empty at the stage of the report.
func finished(answers int, ended string) *state.UserData {
	u := &state.UserData{Session: "s", Kind: "persona_interview", Locale: "en", Now: 90_000, Stage: "WAIT", Visit: 3, Ended: ended, Candidate: state.Candidate{Name: "Ada"}}
	u.Visits = []state.StageVisit{{Stage: "MENU", Visit: 1}, {Stage: "QUESTIONS", Visit: 2, Entered: 5000}}
	for n := 1; n <= answers; n++ {
		at := state.Millis(10_000 * n)
		u.Turns = append(u.Turns, state.Turn{ID: uint64(n), Speaker: state.SpeakerCandidate, Stage: "QUESTIONS", Visit: 2, At: at, Text: said(n), Confidence: 0.9})
		u.Judgements = append(u.Judgements, state.Judgement{
			Item: item(n), Attachment: "answer", Stage: "QUESTIONS", Visit: 2, At: at, Question: fmt.Sprintf("Question %d?", n), Number: n, Turns: []uint64{uint64(n)},
		})
	}
	return u
}

// rated is a judgement with all levels at 4, and the answer's words as evidence.
func rated(it evaluate.Item) evaluate.Evaluation {
	e := evaluate.Evaluation{Status: evaluate.StatusOK, Decision: evaluate.DecisionNext, Score: 7.5, Max: 10, By: evaluate.LLMRubric, Rubric: it.Rubric + "@2", Feedback: "Good.", Improved: "Say more."}
	quote := evaluate.Quote{Turn: it.Turns[0].ID, Text: strings.Join(strings.Fields(it.Turns[0].Content)[:4], " ")}
	for _, c := range []string{"clarity", "specificity", "confidence"} {
		e.Marks = append(e.Marks, evaluate.Mark{Criterion: c, Status: evaluate.StatusOK, Level: 4, Min: 1, Max: 5, Evidence: []evaluate.Quote{quote}})
	}
	return e
}

// after judges well, after a time by the item's number.
func after(times ...time.Duration) assessment.Judge {
	return func(ctx context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
		wait := times[min(int(it.Turns[0].ID), len(times))-1]
		select {
		case <-time.After(wait):
			return rated(it), nil
		case <-ctx.Done():
			return evaluate.Evaluation{}, ctx.Err()
		}
	}
}
