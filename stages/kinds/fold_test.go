package kinds_test

import (
	"fmt"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// aLongTalk is the journal of an open conversation until it ends by itself: somebody says three sentences every twenty seconds.
func aLongTalk(t testing.TB) (*engine.Interview, []state.Entry) {
	t.Helper()
	iv, u, now := benchOf(t, "conversation", "en"), &state.UserData{}, state.Millis(0)
	var entries []state.Entry
	var send func(ev engine.Event)
	send = func(ev engine.Event) {
		now += 1000
		entry, err := engine.Encode(uint64(len(entries)+1), now, ev)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
		var effects []engine.Effect
		u, effects = iv.Step(u, now, ev)
		for _, e := range effects {
			if say, is := e.(engine.Say); is {
				send(engine.VoiceStarted{Utterance: say.Utterance})
				now += 3000
				send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: say.Text})
			}
		}
	}
	send(engine.Started{Session: "s1", Locale: "en", Candidate: state.Candidate{Name: "Ada"}})
	for n := 0; u.Ended == ""; n++ {
		now += 15000
		send(engine.UserTurn{Text: fmt.Sprintf("We had %d machines then, and I moved the jobs between them by hand. "+
			"It took %d minutes a day, so I wrote a small program. After that nobody had to look at it any more.", n+3, n+20)})
	}
	return iv, entries
}

// BenchmarkFold: what an interview that is gone on with takes before it knows where it was. The bar for an hour is a second.
func BenchmarkFold(b *testing.B) {
	iv, entries := aLongTalk(b)
	for b.Loop() {
		if _, err := iv.Fold(entries); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(entries)), "entries")
}
