package assessment_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// ask asks for the report in a goroutine, as a task of the session does, and returns where its answer comes.
func (b *bench) ask(u *state.UserData) <-chan engine.ReportDone {
	out := make(chan engine.ReportDone, 1)
	go func() {
		done, err := b.assessor.Report(b.t.Context(), u)
		if err != nil {
			b.t.Errorf("report: %v", err)
		}
		out <- done
	}()
	return out
}

// full is the report that was kept.
func (b *bench) full() *report.Report {
	b.t.Helper()
	_, raw, _ := b.archive.kept()
	var r report.Report
	if err := json.Unmarshal(raw, &r); err != nil {
		b.t.Fatalf("the report that was kept: %v", err)
	}
	return &r
}

// R002-46, R002-47: the report is made when the interview is finished and the last judgement is in, whichever is last; R002-55:
// it is kept, published and told, with a summary to be said; RX-19: it names what made it.
func TestReportWaitsForTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(time.Second, 5*time.Second, 20*time.Second), nil)
		for n := 1; n <= 3; n++ {
			b.judge(n)
		}
		began := time.Now()
		done := <-b.ask(finished(3, ""))
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("made after %v", took)
		}
		r := b.full()
		if r.Status != report.Complete || len(r.Questions) != 3 || r.Overall == nil || r.Overall.Score.Value != 4 || r.Overall.Score.Max != 5 || r.Overall.Score.Norm != 0.75 {
			t.Errorf("%s, %+v", r.Status, r.Overall)
		}
		if q := r.Questions[1]; q.Text != "Question 2?" || q.Answer != said(2) || len(q.Marks) != 3 || q.Improved == "" || q.Marks[0].Evidence[0].Turn != 2 {
			t.Errorf("%+v", q)
		}
		p := r.Provenance
		if p.Software != "viva test" || p.DefinitionHash == "" || p.DefinitionVersion != "3" || p.Prompts == "" || p.Models["evaluators"] != "judge-1" ||
			!slices.Equal(p.Rubrics, []string{"clarity_specificity_confidence@2"}) || !slices.Equal(p.Judges, []string{evaluate.LLMRubric}) {
			t.Errorf("%+v", p)
		}
		if done.Status != report.Complete || done.Spoken != r.Spoken || done.Link != "https://viva.test/r/s" {
			t.Errorf("%+v", done)
		}
		e := b.published[0]
		if e.Status != done.Status || e.Spoken != done.Spoken || e.Link != done.Link || len(e.Report.Questions) != 3 {
			t.Errorf("published %+v", e)
		}
		_, raw, _ := b.archive.kept()
		if n := b.told[0]; n.ID != "report/s" || n.Session != "s" || n.Room != "room" || n.Status != report.Complete || string(n.Report) != string(raw) {
			t.Errorf("told %+v", n)
		}
		if !slices.Contains(b.counted, "reported complete") {
			t.Errorf("counted %v", b.counted)
		}
		b.assessor.Close(finished(3, "done"))
		b.service.Close()
		if saves, published, told, overs := b.counts(); saves != 1 || published != 1 || told != 1 || overs != 1 {
			t.Errorf("kept %d, published %d, told %d, over %d times", saves, published, told, overs)
		}
	})
}

// R002-49: in whatever order results, the finish and the end come, and however close together, the report is made exactly once.
func TestEveryOrder(t *testing.T) {
	moments := []int{1, 2, 3, 4}
	permute(moments, func(order []int) {
		for _, step := range []time.Duration{0, time.Second} { // all at the same instant, or one after the other
			synctest.Test(t, func(t *testing.T) {
				b := open(t, after(times(order[0], step), times(order[1], step), times(order[2], step)), nil)
				for n := 1; n <= 3; n++ {
					b.judge(n)
				}
				time.Sleep(times(order[3], step))
				made := b.ask(finished(3, ""))
				closed := make(chan struct{})
				go func() {
					defer close(closed)
					b.assessor.Close(finished(3, "done"))
				}()
				if done := <-made; done.Status != report.Complete {
					t.Errorf("%v, %v: %+v", order, step, done)
				}
				<-closed
				if err := b.service.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				b.service.Close()
				if saves, published, told, overs := b.counts(); saves != 1 || published != 1 || told != 1 || overs != 1 {
					t.Errorf("%v, %v: kept %d, published %d, told %d, over %d times", order, step, saves, published, told, overs)
				}
			})
		}
	})
}

func times(n int, step time.Duration) time.Duration { return time.Duration(n) * step }

func permute(list []int, with func([]int)) {
	var walk func(int)
	walk = func(k int) {
		if k == len(list) {
			with(slices.Clone(list))
			return
		}
		for i := k; i < len(list); i++ {
			list[k], list[i] = list[i], list[k]
			walk(k + 1)
			list[k], list[i] = list[i], list[k]
		}
	}
	walk(0)
}

// R002-49: on real threads the last two results, the finish and the end collide, and the report is made exactly once.
func TestCollision(t *testing.T) {
	for range 200 {
		gate := make(chan struct{})
		b := open(t, func(_ context.Context, _ string, it evaluate.Item) (evaluate.Evaluation, error) {
			<-gate
			return rated(it), nil
		}, nil)
		for n := 1; n <= 2; n++ {
			b.judge(n)
		}
		var all sync.WaitGroup
		steps := []func(){
			func() { close(gate) },
			func() {
				if done, err := b.assessor.Report(t.Context(), finished(2, "")); err != nil || done.Status == "" {
					t.Errorf("%+v, %v", done, err)
				}
			},
			func() { b.assessor.Close(finished(2, "done")) },
			func() { b.judge(1) },
		}
		rand.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		for _, step := range steps {
			all.Go(step)
		}
		all.Wait()
		b.service.Close()
		if saves, published, told, overs := b.counts(); saves != 1 || published != 1 || told != 1 || overs != 1 {
			t.Fatalf("kept %d, published %d, told %d, over %d times", saves, published, told, overs)
		}
		if r := b.full(); r.Status != report.Partial || r.Coverage.Assessed != 2 { // two of three questions
			t.Fatalf("%s, %+v", r.Status, r.Coverage)
		}
	}
}

// R002-48: the wait is bounded; what is missing then has its reason and is in no mean. R002-60: what comes later is not taken,
// and nothing more is judged.
func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(time.Second, 50*time.Second), func(_ *assessment.Options, c *assessment.Case) {
			c.Interview.Def.Report.Wait = definition.Duration(12 * time.Second)
			c.Interview.Def.Report.Questions = 2
		})
		b.judge(1)
		late := sent(2)
		late.Budget = time.Minute
		b.assessor.Judge(late, b.receive)
		began := time.Now()
		done := <-b.ask(finished(2, ""))
		if took := time.Since(began); took != 12*time.Second || done.Status != report.Partial {
			t.Errorf("after %v: %+v", took, done)
		}
		r := b.full()
		if q := r.Questions[1]; q.Assessed || q.Reason == nil || q.Reason.Code != report.ReasonLate || q.Score != nil {
			t.Errorf("%+v", q.Assessment)
		}
		if a := r.Averages; r.Overall != nil || len(a) == 0 || a[0].Score.Value != 4 || a[0].Count != 1 || a[0].Of != 2 {
			t.Errorf("%+v, %+v", r.Overall, a)
		}
		time.Sleep(time.Minute)
		if got := b.answersTo(2); len(got) != 1 || got[0].Missing != report.ReasonLate {
			t.Errorf("the late one: %+v", got)
		}
		b.judge(3)
		if got := b.answersTo(3); len(got) != 1 || got[0].Missing != report.ReasonLate {
			t.Errorf("one after the report: %+v", got)
		}
		b.assessor.Close(finished(2, "done"))
		b.service.Close()
		if kept, _, saves := b.archive.kept(); len(kept) != 1 || saves != 1 {
			t.Errorf("kept %v, %d reports", kept, saves)
		}
	})
}

// R002-63: an interview that ends early is reported in the background, under the same wait, with its coverage; without an
// assessed answer there are no scores.
func TestEarlyLeave(t *testing.T) {
	for name, c := range map[string]struct {
		judge   assessment.Judge
		answers int
		status  string
	}{
		"two of three answers": {after(8 * time.Second), 2, report.Partial},
		"nobody to judge":      {nil, 2, report.Unscored},
		"no answer":            {after(time.Second), 0, report.Unscored},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := open(t, c.judge, nil)
				for n := 1; n <= c.answers; n++ {
					b.judge(n)
				}
				began := time.Now()
				b.assessor.Close(finished(c.answers, "candidate_left"))
				if time.Since(began) != 0 {
					t.Error("the room waited for the report")
				}
				if err := b.service.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := b.full()
				if r.Status != c.status || r.Coverage == nil || !r.Coverage.Early || r.Coverage.Asked != c.answers || r.Coverage.Expected != 3 {
					t.Errorf("%s, %+v", r.Status, r.Coverage)
				}
				if (r.Overall == nil) != (c.status == report.Unscored) {
					t.Errorf("%+v", r.Overall)
				}
				if _, _, told, overs := b.counts(); told != 1 || overs != 1 {
					t.Errorf("told %d, over %d times", told, overs)
				}
				b.service.Close()
			})
		})
	}
}

// R002-59, R002-44: what an earlier worker has kept is not judged again, and its report is the one that counts.
func TestTakenUpFromAnotherWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		judge, times := failing()
		b := open(t, judge, nil)
		earlier := rated(sent(1).Item)
		earlier.Feedback = "Judged before the crash."
		raw, err := json.Marshal(earlier)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.archive.SaveEvaluation(t.Context(), "s", item(1), raw); err != nil {
			t.Fatal(err)
		}
		u := finished(3, "")
		third := rated(sent(3).Item)
		third.Feedback = earlier.Feedback
		if u.Judgements[2].Evaluation, err = json.Marshal(third); err != nil { // it was in the journal already: nobody sends it again
			t.Fatal(err)
		}
		b.judge(1)
		b.judge(2)
		<-b.ask(u)
		r := b.full()
		if len(*times) != 1 || r.Questions[0].Feedback != earlier.Feedback || r.Questions[1].Feedback != "Good." || r.Questions[2].Feedback != earlier.Feedback {
			t.Errorf("judged %d times: %+v", len(*times), r.Questions)
		}
		again := open(t, judge, func(o *assessment.Options, _ *assessment.Case) { o.Archive = b.archive })
		done := <-again.ask(finished(1, "candidate_left")) // a worker that died after it had kept the report
		if done.Status != report.Complete || len(again.published[0].Report.Questions) != 3 || again.told[0].ID != b.told[0].ID {
			t.Errorf("%+v", done)
		}
		for _, x := range []*bench{b, again} {
			x.assessor.Close(u)
			x.service.Close()
		}
	})
}

// R002-59: a judgement that two workers made is the first one's.
func TestFirstJudgementCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(5*time.Second), nil)
		b.judge(1)
		synctest.Wait() // it looked into the archive, and found nothing
		other := rated(sent(1).Item)
		other.Feedback = "I was first."
		raw, err := json.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.archive.SaveEvaluation(t.Context(), "s", item(1), raw); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if got := b.answersTo(1); len(got) != 1 || got[0].Evaluation.Feedback != other.Feedback {
			t.Errorf("%+v", got)
		}
		b.assessor.Drop()
		b.service.Close()
	})
}

// R002-55: a store that is away keeps no report from the candidate; it is kept as soon as the store is back.
func TestStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(0), nil)
		b.archive.fail = 2
		b.judge(1)
		began := time.Now()
		done := <-b.ask(finished(1, ""))
		if _, published, told, _ := b.counts(); done.Status == "" || published != 1 || told != 1 || time.Since(began) > time.Second {
			t.Errorf("%+v after %v, published %d, told %d", done, time.Since(began), published, told)
		}
		time.Sleep(time.Minute)
		if _, raw, saves := b.archive.kept(); raw == nil || saves != 3 {
			t.Errorf("%d tries", saves)
		}
		b.assessor.Close(finished(1, "done"))
		b.service.Close()
	})
	synctest.Test(t, func(t *testing.T) { // and without any store the report is delivered, and logged as unsaved
		b := open(t, after(0), func(o *assessment.Options, _ *assessment.Case) { o.Archive = nil })
		b.judge(1)
		<-b.ask(finished(1, ""))
		if _, published, told, _ := b.counts(); published != 1 || told != 1 || b.logs.FilterMessage("report.unsaved").Len() != 1 {
			t.Errorf("published %d, told %d", published, told)
		}
		b.assessor.Close(finished(1, "done"))
		b.service.Close()
	})
}

// R002-48: a worker that must end waits for no judgement; the report is made of what is there, and kept.
func TestCloseHurries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(time.Second, time.Hour), nil)
		b.judge(1)
		b.judge(2)
		time.Sleep(2 * time.Second)
		b.assessor.Close(finished(2, "shutdown"))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := b.service.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waited to %v", err)
		}
		began := time.Now()
		b.service.Close()
		if r := b.full(); time.Since(began) > 0 || r.Coverage.Assessed != 1 || r.Questions[1].Reason.Code != report.ReasonLate {
			t.Errorf("after %v: %+v", time.Since(began), r.Coverage)
		}
		if _, _, _, overs := b.counts(); overs != 1 {
			t.Errorf("over %d times", overs)
		}
		b.assessor.Judge(sent(3), b.receive)
		if got := b.answersTo(3); len(got) != 1 || got[0].Missing == "" {
			t.Errorf("after the end: %+v", got)
		}
	})
}

// An interview whose definition wants no report gets none; its judgements are kept all the same. One that another worker takes
// up is left without a report (R002-59).
func TestNoReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, after(4*time.Second), func(_ *assessment.Options, c *assessment.Case) { c.Interview.Def.Report = nil })
		b.judge(1)
		if _, err := b.assessor.Report(t.Context(), finished(1, "")); err == nil {
			t.Error("a report was made")
		}
		b.assessor.Close(finished(1, "done"))
		if err := b.service.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if kept, raw, _ := b.archive.kept(); len(kept) != 1 || raw != nil {
			t.Errorf("kept %v and %s", kept, raw)
		}
		b.service.Close()

		left := open(t, after(time.Hour), nil)
		left.judge(1)
		left.assessor.Drop()
		left.service.Close()
		if saves, published, told, overs := left.counts(); saves+published+told != 0 || overs != 1 {
			t.Errorf("kept %d, published %d, told %d, over %d times", saves, published, told, overs)
		}
	})
}

// RX-13: an answer that two evaluators judged has the marks of both on their own scales; where one of them is missing the other
// counts alone, and says so. A stage that was judged beside the talk is in the report too.
func TestSeveralJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := open(t, func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
			if it.ID == "second/QUESTIONS/2" {
				return evaluate.Evaluation{}, errors.New("odd")
			}
			if by == evaluate.LLMRubric {
				return rated(it), nil
			}
			return evaluate.Evaluation{
				Status: evaluate.StatusOK, Score: 8, Max: 10, By: by, Feedback: "Well framed.",
				Evidence: []evaluate.Quote{{Turn: it.Turns[0].ID, Text: "I rebuilt service"}},
			}, nil
		}, func(_ *assessment.Options, c *assessment.Case) { c.Interview.Def.Report.Questions = 2 })
		u := finished(2, "")
		for n := 1; n <= 2; n++ {
			b.judge(n)
			second := u.Judgements[n-1]
			second.Item, second.Attachment = "second/QUESTIONS/"+string(rune('0'+n)), "second"
			u.Judgements = append(u.Judgements, second)
			e := sent(n)
			e.Item.ID, e.By = second.Item, evaluate.LLMRubric
			if n == 1 {
				e.By = "two_stage"
			}
			b.assessor.Judge(e, b.receive)
		}
		whole := sent(1)
		whole.Item.ID = "stage/QUESTIONS/1"
		u.Judgements = append(u.Judgements, state.Judgement{Item: whole.Item.ID, Attachment: "stage", Stage: "QUESTIONS", Visit: 2, Number: 1})
		b.assessor.Judge(whole, b.receive)
		<-b.ask(u)
		r := b.full()
		if len(r.Questions) != 2 || len(r.Questions[0].Marks) != 4 || r.Questions[0].Score.Max != 1 || r.Questions[0].By != "llm_rubric, two_stage" {
			t.Errorf("%+v", r.Questions[0].Assessment)
		}
		if q := r.Questions[1]; len(q.Marks) != 3 || q.Score.Max != 5 || q.Degraded != report.ReasonFailed {
			t.Errorf("%+v", q.Assessment)
		}
		for _, s := range r.Stages {
			if judged := s.ID == "QUESTIONS"; s.Judged != judged || s.Assessed != judged {
				t.Errorf("%s: %+v", s.ID, s.Assessment)
			}
		}
		b.assessor.Close(u)
		b.service.Close()
	})
}

// What panics while a report is put together ends that report, and neither the process nor those who wait for it.
func TestReportThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var panics atomic.Int64
		b := open(t, after(time.Second), func(o *assessment.Options, c *assessment.Case) {
			o.Guard = guard.New(zap.NewNop(), func(string) { panics.Add(1) })
			c.Recording = func() *report.Recording { panic(said(1)) }
		})
		_, err := b.assessor.Report(t.Context(), finished(0, "done"))
		if err == nil || strings.Contains(err.Error(), said(1)) {
			t.Errorf("the report ended with %v", err)
		}
		b.assessor.Close(finished(0, "done"))
		b.service.Close()
		synctest.Wait() // a panic is counted once its goroutine has ended
		if _, _, _, overs := b.counts(); panics.Load() != 1 || overs != 1 {
			t.Errorf("%d panics were counted, and the interview was over %d times", panics.Load(), overs)
		}
	})
}
