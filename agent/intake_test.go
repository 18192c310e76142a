package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// sent is what the page was told.
type sent struct {
	mu      sync.Mutex
	packets []string
}

func (s *sent) send(topic string, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.packets = append(s.packets, topic+" "+string(payload))
	return nil
}

// A candidate's flood is refused but for what the quota allows, counted, and told to the page once for each kind; what an honest
// page sends all comes in.
func TestAFloodIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told sent
		registry := prometheus.NewRegistry()
		metrics := NewMetrics(registry)
		in := newIntake(metrics, told.send, zap.NewNop())
		page := []byte(`{"text":"` + strings.Repeat("x", 12<<10) + `"}`)
		honest := func() {
			for i := range 600 { // ten minutes
				for _, ev := range []room.Event{room.Data{Topic: TopicCode, Payload: page}, room.Data{Topic: topicTurn, Payload: []byte(`{"type":"press"}`)}, room.Data{Topic: topicProblem}, room.Data{Topic: assessment.Topic}} {
					if !in.admit(ev) {
						t.Fatalf("%T is refused after %d s", ev, i)
					}
				}
				if i%5 == 0 && !in.admit(room.Text{Text: strings.Repeat("word ", 200)}) {
					t.Fatal("a message is refused")
				}
				time.Sleep(time.Second)
			}
		}
		honest()
		if len(told.packets) > 0 {
			t.Fatalf("%v", told.packets)
		}
		taken := 0
		for range 10_000 {
			if in.admit(room.Text{Text: "hello"}) {
				taken++
			}
			in.admit(room.Data{Topic: TopicCode, Payload: page})
			in.admit(room.Data{Topic: "nobody's", Payload: page})
		}
		if taken > 20 {
			t.Errorf("%d of a flood came in", taken)
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		counted := make(map[string]float64)
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if f.GetName() == "viva_quota_refused_total" {
					counted[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
				}
			}
		}
		if counted[kindChat] != float64(10_000-taken) || counted[kindCode] == 0 || len(counted) != len(quotas) {
			t.Errorf("counted %v", counted)
		}
		if len(told.packets) != 2 {
			t.Fatalf("the page is told %d times", len(told.packets))
		}
		for _, p := range told.packets {
			var notice struct{ Kind, Text string }
			raw, is := strings.CutPrefix(p, topicNotice+" ")
			if err := json.Unmarshal([]byte(raw), &notice); err != nil || !is || notice.Text == "" || notice.Text != quotas[notice.Kind].notice {
				t.Errorf("%v %s", err, p)
			}
		}
		time.Sleep(time.Minute)
		honest() // it is forgiven
	})
}

// Each topic that the page may send on has a quota, and the page a word for it.
func TestEveryKindHasAQuota(t *testing.T) {
	for name, topic := range topics {
		if quotas[topic.kind].notice == "" {
			t.Errorf("%s (%s) has no quota, or no words", name, topic.kind)
		}
	}
}

// A burst passes, then as much as the rate allows; a message that is refused takes nothing.
func TestAQuotaFillsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &account{messages: rates{2, 5}.limiter(), bytes: rates{100, 1000}.limiter()}
		flood := func(size int) (n int) {
			for range 100 {
				if a.take(size) {
					n++
				}
			}
			return n
		}
		for i, x := range []struct {
			rest       time.Duration
			size, want int
		}{{0, 10, 5}, {2 * time.Second, 10, 4}, {time.Hour, 10, 5}, {time.Hour, 400, 2}, {0, 200, 1}, {0, 0, 2}, {0, 0, 0}} {
			time.Sleep(x.rest)
			if n := flood(x.size); n != x.want {
				t.Errorf("step %d: %d came in, want %d", i, n, x.want)
			}
		}
	})
}

// Once the journal has as much as it may, the page's text is refused in words. The button to talk and consent still work, and the
// talk goes on: an interview is not ended over it.
func TestAFullJournalTakesNoMoreText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told sent
		in := newIntake(NewMetrics(prometheus.NewRegistry()), told.send, zap.NewNop())
		store := state.NewMemory()
		journal, err := store.Create(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		counted := counting{journal, &in.journalled}
		long := json.RawMessage(`"` + strings.Repeat("x", 200<<10) + `"`)
		n := uint64(0)
		for in.admit(room.Text{Text: "hello"}) {
			n++
			if err := counted.Append(state.Entry{Seq: n, Type: "turn", Data: long}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if grown := in.journalled.Load(); grown < maxJournalled || grown > maxJournalled+1<<20 {
			t.Errorf("the journal has %d bytes", grown)
		}
		for _, ev := range []room.Event{room.Text{Text: "a"}, room.Data{Topic: TopicCode}, room.Data{Topic: topicPersona}, room.File{}} {
			if in.admit(ev) {
				t.Errorf("%+v comes in", ev)
			}
		}
		if !in.admit(room.Data{Topic: topicTurn}) || !in.admit(room.Data{Topic: topicConsent}) || !in.admit(room.Data{Topic: assessment.Topic}) {
			t.Error("the button, consent or the report is refused")
		}
		if err := counted.Append(state.Entry{Seq: n + 1, Type: "turn"}); err != nil {
			t.Error(err)
		}
		if len(told.packets) != 4 || !strings.Contains(told.packets[0], noticeFull) {
			t.Errorf("%v", told.packets)
		}
	})
}

// A candidate who replaces whole pages as fast as packets come makes the interview take a bounded number of them, and the last
// one always.
func TestTheEditorKeepsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		bytes, last := 0, ""
		e := newEditor(func(ev engine.Event) {
			mu.Lock()
			defer mu.Unlock()
			last = ev.(engine.CodeChanged).Text
			bytes += len(last)
		})
		text := ""
		for i := range 600 {
			text = fmt.Sprint(i) + strings.Repeat(string(rune('a'+i%26)), maxCode-8)
			e.change(engine.CodeChanged{Text: text})
			time.Sleep(100 * time.Millisecond)
		}
		mu.Lock()
		if limit := pace.burst + 60*int(pace.perSecond); bytes > limit {
			t.Errorf("%d bytes in a minute, at most %d", bytes, limit)
		}
		mu.Unlock()
		time.Sleep(2 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if last != text {
			t.Error("the last text was not taken")
		}
		e.stop()
	})
}
