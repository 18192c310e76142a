package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/tasks"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// quiet is an interview with a real session, voice, gate, assessment and tasks, in virtual time: only the engines are made up, and
// a candidate who answers whenever it is their turn. It notes when each utterance was heard first.
type quiet struct {
	iv       *engine.Interview
	answers  []string
	store    *state.Memory
	logs     *observer.ObservedLogs
	assessor *assessment.Assessor
	s        *session.Session

	mu        sync.Mutex
	began     time.Time
	heard     []time.Duration          // guarded by mu: the first frame of each utterance, since the beginning
	last      uint64                   // guarded by mu: generation heard last
	said      []string                 // guarded by mu
	turns     int                      // guarded by mu: answers given
	due       *time.Timer              // guarded by mu: the candidate's next answer
	judged    map[string]time.Duration // guarded by mu: when a judgement came, by item
	begun     map[string]time.Duration // guarded by mu: when it was asked for
	published map[string][]byte        // guarded by mu, by topic
	states    map[string]bool          // guarded by mu: that the page was shown
}

// hold holds the interview with a judge that takes so long.
func (q *quiet) hold(t *testing.T, slow time.Duration) *state.UserData {
	t.Helper()
	core, logs := observer.New(zapcore.DebugLevel)
	log := zap.New(core)
	q.logs, q.store, q.began = logs, state.NewMemory(), time.Now()
	q.judged, q.begun, q.published, q.states = map[string]time.Duration{}, map[string]time.Duration{}, map[string][]byte{}, map[string]bool{}
	service, err := assessment.New(assessment.Options{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	q.assessor = service.Open(assessment.Case{
		Session: "s", Interview: q.iv, Model: q.judge(slow), Publish: q.publish,
		Journal: func(ctx context.Context) ([]state.Entry, error) { return q.store.Read(ctx, "s") },
	})
	pool, err := tasks.New(tasks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVoice(q, q, q, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := q.store.Create(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	meter := session.NewMeter(0)
	q.s, err = session.New(session.Options{
		Interview: q.iv, Start: engine.Started{Session: "s", Locale: "en", Vars: map[string]string{"persona": "senior_developer"}}, Voice: v, Ears: q, Presence: q,
		Journal: journal, Logger: log, Speculate: true, Silent: q.assessor, Meter: meter,
		Tasks: pool.For(design.Candidate{Session: "s"}, meter).Reporting(q.assessor),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	reason, err := q.s.Run(ctx)
	if err != nil || reason != "done" {
		t.Errorf("it ended by %q, %v", reason, err)
	}
	v.close()
	q.assessor.Close(q.s.UserData())
	if err := service.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	service.Close()
	return q.s.UserData()
}

// judge rates every answer well, after a time.
func (q *quiet) judge(slow time.Duration) assessment.Judge {
	return func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
		q.mu.Lock()
		q.begun[it.ID] = time.Since(q.began)
		q.mu.Unlock()
		if err := pass(ctx, slow); err != nil {
			return evaluate.Evaluation{}, err
		}
		q.mu.Lock()
		q.judged[it.ID] = time.Since(q.began)
		q.mu.Unlock()
		e := evaluate.Evaluation{Status: evaluate.StatusOK, Decision: evaluate.DecisionContinue, Score: 7.5, Max: 10, By: by, Feedback: "Hush: 7.5 points."}
		for _, turn := range it.Turns {
			if turn.Role == evaluate.RoleUser {
				e.Evidence = []evaluate.Quote{{Turn: turn.ID, Text: strings.Join(strings.Fields(turn.Content)[:3], " ")}}
			}
		}
		return e, nil
	}
}

func (q *quiet) publish(topic string, text []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.published[topic] = slices.Clone(text)
	return nil
}

// Synthesize implements tts.Synthesizer: first sound after 100 ms, 40 ms a word.
func (q *quiet) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	words := len(strings.Fields(r.Text))
	return &sound{ctx: ctx, wait: 100 * time.Millisecond, left: words * int(wordTime*audio.VoiceRate/time.Second)}, nil
}

// Encode implements playout.Encoder.
func (q *quiet) Encode(dst []byte, _ []int16) ([]byte, error) { return append(dst, 1), nil }

// WriteFrame implements playout.FrameWriter.
func (q *quiet) WriteFrame(_ []byte, f playout.FrameInfo) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f.Generation != 0 && !f.Silence && f.Generation != q.last {
		q.last = f.Generation
		q.heard = append(q.heard, time.Since(q.began))
	}
	return nil
}

// State implements session.Presence: listening is the candidate's turn, unless the interviewer goes on.
func (q *quiet) State(state string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.due != nil {
		q.due.Stop()
	}
	if state == "listening" {
		q.due = time.AfterFunc(700*time.Millisecond, q.answer)
	}
}

// answer is the candidate's next answer, of two seconds.
func (q *quiet) answer() {
	q.s.Post(session.Event{Event: engine.SpeechStarted{}})
	time.AfterFunc(2*time.Second, func() {
		q.mu.Lock()
		text := q.answers[q.turns%len(q.answers)]
		q.turns++
		q.mu.Unlock()
		q.s.Post(session.Event{Event: engine.SpeechStopped{}})
		q.s.Post(session.Turn{Text: text})
	})
}

// Take implements session.Ears.
func (q *quiet) Take() { q.s.Post(session.Event{Event: engine.NoWords{}}) }

// Said implements session.Presence.
func (q *quiet) Said(_ uint64, text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.said = append(q.said, text)
}

// Stage implements session.Presence.
func (q *quiet) Stage(p engine.Publish) {
	raw, err := json.Marshal(p)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.states[string(raw)] = err == nil
}

func (q *quiet) Audible(uint64, bool, bool)                  {}
func (q *quiet) Expect(string, string)                       {}
func (q *quiet) Words(uint64, string)                        {}
func (q *quiet) Candidate(uint64, string, session.Certainty) {}
func (q *quiet) Done(string)                                 {}

// stories are answers that an interviewer can go on from.
var stories = []string{
	"My name is Ada and I worked three years as a data engineer on a billing system for a bank",
	"I decided to move the nightly batch to a stream, because invoices were late by a day, and in the end the delay fell to two minutes",
	"I wrote the tests first and then I rewrote the parser, which cut the errors by half within a month",
	"I disagreed with my manager about the schedule, so I showed her the numbers and we agreed on a smaller first release",
	"I led four people, planned the migration of twelve services and finished it two weeks early",
	"I asked the support team what hurt them most and built a tool that saved them ten hours a week",
	"I lost a customer once because I promised a date without asking the team, and since then I ask first and write the answer down",
	"I taught two apprentices for a year, and both of them now look after a system of their own",
	"I measured the queries of a whole week, found that three of them took half of the time, and gave each an index",
}

// shipped is an interview that comes with Viva.
func shipped(t *testing.T, kind string) *engine.Interview {
	t.Helper()
	library, err := LoadLibrary("", kind)
	if err != nil {
		t.Fatal(err)
	}
	iv, err := library.Find(Metadata{})
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// attached is the two-stage interview with an evaluation of each answer.
func attached(t *testing.T) *engine.Interview {
	t.Helper()
	iv := shipped(t, "two_stage")
	def := *iv.Def
	def.Evaluations = []definition.Attachment{{ID: "answer", By: evaluate.LLMRubric, Rubric: "clarity_specificity_confidence"}}
	again, err := engine.New(&def, iv.Words, iv.Rules)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// R002-30, R002-31, R002-42: with an evaluator that takes 30 s every question is heard at the very moment at which it is heard
// with one that takes no time, by the clock of the test. The same is said and shown, and none of it tells of a judgement.
func TestJudgingDelaysNothing(t *testing.T) {
	t.Run("two_stage", func(t *testing.T) { undelayed(t, attached(t), 4, 4) })
	t.Run("persona_interview", func(t *testing.T) { undelayed(t, shipped(t, "persona_interview"), 6, 6) })
}

// undelayed holds the interview with both judges, and compares its utterances: so many at least, and at most; what comes after
// waits for judgements on purpose.
func undelayed(t *testing.T, iv *engine.Interview, least, most int) {
	runs := make(map[time.Duration]*quiet)
	for _, slow := range []time.Duration{0, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			q := &quiet{iv: iv, answers: stories}
			u := q.hold(t, slow)
			if len(u.Judgements) < 3 {
				t.Fatalf("%d answers were judged", len(u.Judgements))
			}
			runs[slow] = q
		})
	}
	at, slow := runs[0], runs[30*time.Second]
	if len(at.heard) < least || len(slow.heard) < least {
		t.Fatalf("%d and %d utterances were heard", len(at.heard), len(slow.heard))
	}
	if diff := cmp.Diff(at.heard[:min(most, len(at.heard))], slow.heard[:min(most, len(slow.heard))]); diff != "" {
		t.Errorf("the first frames of utterances moved:\n%s", diff)
	}
	if diff := cmp.Diff(at.said[:min(most, len(at.said))], slow.said[:min(most, len(slow.said))]); diff != "" {
		t.Errorf("other words were said:\n%s", diff)
	}
	for item, begun := range slow.begun { // the next words come long before
		next := slices.IndexFunc(slow.heard, func(h time.Duration) bool { return h > begun })
		if judged, is := slow.judged[item]; is && next >= 0 && slow.heard[next] >= judged {
			t.Errorf("%s: asked for at %v and there at %v, the next words came at %v", item, begun, judged, slow.heard[next])
		}
	}
	for _, q := range runs {
		shown := strings.Join(q.said[:min(most, len(q.said))], " ")
		for packet := range q.states {
			shown += packet
		}
		if strings.Contains(shown, "Hush") || strings.Contains(shown, "7.5") {
			t.Errorf("the candidate learns of it: %s", shown)
		}
		for _, line := range q.logs.FilterLevelExact(zapcore.InfoLevel).All() {
			if raw, err := json.Marshal(line.ContextMap()); err != nil || strings.Contains(string(raw), "Hush") {
				t.Errorf("%v: it is in the log: %s", err, raw)
			}
		}
	}
}

// R002-33, R002-46, R002-47, R002-55, R002-56: a whole persona interview: five answers are judged beside the talk, the last of
// them slowly; the candidate hears that the report is being made, then its summary, and gets all of it on the page (RX-12).
func TestPersonaInterviewIsReported(t *testing.T) {
	iv := shipped(t, "persona_interview")
	synctest.Test(t, func(t *testing.T) {
		q := &quiet{iv: iv, answers: stories[1:]}
		u := q.hold(t, 12*time.Second)
		var e assessment.Envelope
		if err := json.Unmarshal(q.published[assessment.Topic], &e); err != nil {
			t.Fatalf("%v: said %q", err, q.said)
		}
		if e.Status != report.Complete || len(e.Report.Questions) != 5 || e.Report.Overall == nil || e.Report.Coverage.Assessed != 5 {
			t.Errorf("%s, %+v", e.Status, e.Report.Coverage)
		}
		said := strings.Join(q.said, "\n")
		if !strings.Contains(said, e.Spoken) {
			t.Errorf("the summary %q is not among\n%s", e.Spoken, said)
		}
		for _, j := range u.Judgements {
			if j.Out() {
				t.Errorf("%s is still out", j.Item)
			}
		}
		if e.Report.Timeline == nil || len(e.Report.Timeline.Spans) == 0 {
			t.Error("there is no timeline")
		}
	})
}
