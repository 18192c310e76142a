package e2e

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/vivavoice/viva/state"
)

// addedBar is how much later than over a good link the answer may come, for a packet in ten lost and 50 ms of jitter.
const addedBar = 150 * time.Millisecond

// rough is the weather that the bar is for.
var rough = weather{loss: 0.1, twice: 0.02, jitter: 50 * time.Millisecond}

// TestBadLink: a candidate whose packets are lost, late, doubled and out of order is understood and answered, turn for turn, as over a
// good link, and little later. `make chaos` has more weathers.
func TestBadLink(t *testing.T) { // beside no other test, for what they take would count as the link's
	weathers := []weather{{}, rough}
	if os.Getenv(killsVar) != "" {
		weathers = append(weathers, weather{loss: 0.01}, weather{loss: 0.05, jitter: 20 * time.Millisecond}, weather{twice: 0.2},
			weather{jitter: 100 * time.Millisecond}, weather{loss: 0.2, twice: 0.05, jitter: 80 * time.Millisecond})
	}
	took := make([][]time.Duration, len(weathers))
	t.Run("links", func(t *testing.T) {
		for i, w := range weathers {
			t.Run(w.String(), func(t *testing.T) {
				t.Parallel()
				took[i] = converse(t, w)
			})
		}
	})
	for i, w := range weathers {
		if len(took[0])*len(took[i]) == 0 {
			t.Fatal("nobody was answered")
		}
		added := mean(took[i]) - mean(took[0])
		t.Logf("%v: %v, %v added on average", w, took[i], added.Round(time.Millisecond))
		if w == rough && added > slack*addedBar {
			t.Errorf("%v adds %v, want at most %v", w, added, slack*addedBar)
		}
	}
}

// String implements fmt.Stringer.
func (w weather) String() string {
	return fmt.Sprintf("loss%g,twice%g,jitter%v", w.loss, w.twice, w.jitter)
}

func mean(of []time.Duration) (sum time.Duration) {
	for _, d := range of {
		sum += d
	}
	return sum / time.Duration(len(of))
}

// converse holds an interview over a link in that weather, and returns how long each answer's reply took, from the answer's last sound.
func converse(t *testing.T, w weather) (took []time.Duration) {
	engines, service := cloudEngines(t)
	o := open(t, plan{engines: engines})
	link := newBadLink(t, server, w, 13)
	g := enter(t, visit{server: link})
	o.dispatch(roomName(t), twoStage)
	k := &talk{office: o, t: t, guest: g}
	var given []string
	over, seen := false, 0
	for _, answer := range answers {
		eventually(t, "turn of the candidate", func() bool {
			over = g.isAlone() || k.latest("viva.state") == "done"
			return over || k.isMyTurn(seen)
		})
		if over {
			break
		}
		seen = len(g.transcripts(false))
		service.hears(answer)
		said := g.mouth.say(t, spoken(t, answer))
		given = append(given, answer)
		eventually(t, "reply", func() bool { return len(g.ear.since(said.end)) > 0 })
		took = append(took, g.ear.since(said.end)[0].at.Sub(said.end).Round(time.Millisecond))
	}
	g.awaitAgentLeft()
	o.jobEnded(roomName(t))
	checkUnderstood(t, o.record(roomName(t), "two_stage"), given)
	sent, lost, twice := link.passed()
	t.Logf("%d packets came into the link, %d were lost, %d doubled", sent, lost, twice)
	if sent < 1000 || w.loss > 0 && lost == 0 || w.twice > 0 && twice == 0 {
		t.Error("the link was not used")
	}
	return took
}

// checkUnderstood: each answer is one turn, in order; no question was put twice, and there was one voice.
//
// A link that loses packets may cut an answer in two for the ear, and the stand-in for a recogniser has the whole of it for both.
func checkUnderstood(t *testing.T, r record, given []string) {
	t.Helper()
	var kept []string
	for _, turn := range r.user.Turns {
		if turn.Speaker == state.SpeakerCandidate {
			kept = append(kept, unrepeated(turn.Text))
		}
	}
	if !slices.Equal(kept, given) {
		t.Errorf("understood were %q, said were %q", kept, given)
	}
	if r.user.Ended != "done" {
		t.Errorf("the interview ended with %q", r.user.Ended)
	}
	checkOneVoice(t, r)
	checkLedger(t, r)
}

// unrepeated is a text without its second half where that is the first one again.
func unrepeated(text string) string {
	if half := len(text) / 2; len(text)%2 == 1 && text[:half] == text[half+1:] {
		return text[:half]
	}
	return text
}
