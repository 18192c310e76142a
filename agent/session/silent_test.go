package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
)

// silent takes items on, and answers when its test says so.
type silent struct{ answers []func(engine.Judged) }

func (s *silent) Judge(_ engine.Judge, answer func(engine.Judged)) {
	s.answers = append(s.answers, answer)
}

// R002-30, R002-42: an item goes out and the session goes on; what comes of it is one more fact in the mailbox. Where nobody
// judges, that is a fact too, so that a report waits for nobody.
func TestJudgementsComeThroughTheMailbox(t *testing.T) {
	o, by := newOffice(t, nil), &silent{}
	o.o.Silent = by
	item := engine.Judge{By: evaluate.LLMRubric, Item: evaluate.Item{ID: "answer/A/1"}}
	o.act(item)
	if m, err := o.inbox.get(); m != nil || err != nil || len(by.answers) != 1 {
		t.Fatalf("%+v, %v, taken on %d times", m, err, len(by.answers))
	}
	want := engine.Judged{Item: "answer/A/1", Evaluation: &evaluate.Evaluation{Status: evaluate.StatusOK}}
	by.answers[0](want)
	if m, err := o.inbox.get(); m != (Event{want}) || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
	o.o.Silent = nil
	o.act(item)
	if m, err := o.inbox.get(); m != (Event{engine.Judged{Item: "answer/A/1", Missing: "no_judge"}}) || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
	o.inbox.close()
	by.answers[0](want) // the session is over: nobody takes it, and nothing breaks
}

// R002-31: what judges use is counted beside the talk: together they are bounded, and the talk is never cut short by it. Judges
// wait for the talk's own reply.
func TestMeterBesideTheTalk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMeter(100)
		b := m.Beside()
		m.Add(30)
		b.Add(69)
		if m.Spent() || b.Spent() || m.Used() != 30 || b.Used() != 69 {
			t.Errorf("%d and %d", m.Used(), b.Used())
		}
		if b.Add(500); m.Spent() || !b.Spent() {
			t.Error("the judges have cut the talk short, or are not stopped")
		}
		if m.Add(70); !m.Spent() {
			t.Error("the talk has no end")
		}
		m.begin()
		began := time.Now()
		time.AfterFunc(2*time.Second, m.end)
		if b.Yield(t.Context(), time.Minute); time.Since(began) != 2*time.Second {
			t.Errorf("the judge waited %v", time.Since(began))
		}
		if NewMeter(0).Beside().Spent() {
			t.Error("no limit is spent")
		}
	})
}
