package listen

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/turn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const soon = 100 * time.Millisecond

func TestSimpleTurn(t *testing.T) {
	s := play(t, []answer{{text: "I lead a team of five.", after: soon}}, func(s *scene) {
		s.quiet(time.Second)
		s.speak(2 * time.Second)
		s.quiet(2 * time.Second)
	})
	s.want("turn 1: I lead a team of five.")
	got := first[Turn](t, s)
	if d := got.Start - turn.Rate; d < -512 || d > 512 {
		t.Errorf("start %d, want about %d", got.Start, turn.Rate)
	}
	if d := got.End - 3*turn.Rate; d < -512 || d > 512 {
		t.Errorf("end %d, want about %d", got.End, 3*turn.Rate)
	}
	if got.Words != 6 || got.Confidence != 0.5 || got.Reason != "complete sentence" {
		t.Errorf("turn %+v", got)
	}
	if d := got.DecidedAfter; d < 500*time.Millisecond || d > 1050*time.Millisecond {
		t.Errorf("decided after %v, want 0.5 to 1 s", d)
	}
}

// From a recogniser that writes punctuation, a segment without a mark at its end is a sentence that goes on.
func TestPunctuationIsExpectedOnceItWasSeen(t *testing.T) {
	after := func(first string) time.Duration {
		s := play(t, []answer{{text: first, after: soon}, {text: "we had about forty services", after: soon}}, func(s *scene) {
			for range 2 {
				s.speak(2 * time.Second)
				s.quiet(4 * time.Second)
			}
		})
		s.want("turn 1: "+first, "turn 2: we had about forty services")
		last, _ := s.events[len(s.events)-1].(Turn)
		return last.DecidedAfter
	}
	marked, bare := after("I led a team of five."), after("i led a team of five")
	if marked < bare+500*time.Millisecond {
		t.Errorf("decided after %v where marks are usual, %v where they are not", marked, bare)
	}
}

// R002-34: one answer may span several segments of speech.
func TestTwoSegmentsAreOneTurn(t *testing.T) {
	s := play(t, []answer{{text: "I worked there and", after: soon}, {text: "then I left.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(1500 * time.Millisecond)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.want("turn 1: I worked there and then I left.")
}

func TestSpeechBeforeTheCommitReopensTheTurn(t *testing.T) {
	s := play(t, []answer{{text: "It is done.", after: soon}, {text: "Almost.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(400 * time.Millisecond)
		s.speak(600 * time.Millisecond)
		s.quiet(2 * time.Second)
	})
	s.want("turn 1: It is done. Almost.")
}

func TestTurnsAreSeparate(t *testing.T) {
	s := play(t, []answer{{text: "First.", after: soon}, {text: "Second.", after: soon}}, func(s *scene) {
		for range 2 {
			s.speak(time.Second)
			s.quiet(2 * time.Second)
		}
	})
	s.want("turn 1: First.", "turn 2: Second.")
}

func TestLateFinalFollowsThePartial(t *testing.T) {
	s := play(t, []answer{{partials: map[time.Duration]string{soon: "I built it."}, text: "I built it all.", after: 5 * time.Second}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(7 * time.Second)
	})
	s.want("turn 1: I built it.")
	if d := first[Turn](t, s).DecidedAfter; d < 1500*time.Millisecond || d > 1600*time.Millisecond {
		t.Errorf("decided after %v, want the budget of 1.5 s", d)
	}
}

func TestLateFinalWithoutPartialIsNotLost(t *testing.T) {
	s := play(t, []answer{{text: "I built it.", after: 3 * time.Second}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(5 * time.Second)
	})
	s.want("no words: no transcript in time", "turn 2: I built it.")
}

func TestNoFinal(t *testing.T) {
	s := play(t, []answer{{after: -1}, {text: "Hello again.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(3 * time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.want("no words: no transcript in time", "turn 2: Hello again.")
}

func TestRecogniserFailureStallsNothing(t *testing.T) {
	s := play(t, []answer{{err: errors.New("engine down"), after: soon}, {text: "And back.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(2 * time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.want("failed", "no words: recogniser failed", "turn 2: And back.")
}

func TestThinkingHoldsTheTurn(t *testing.T) {
	s := play(t, []answer{{text: "Let me think.", after: soon}, {text: "It was Redis.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(10 * time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.want("thinking", "turn 1: Let me think. It was Redis.")
	if d := first[Thinking](t, s).For; d < 29*time.Second || d > 30*time.Second {
		t.Errorf("thinking for %v, want the rest of 30 s", d)
	}
}

func TestRambling(t *testing.T) {
	s := play(t, []answer{{text: "A very long story.", after: soon}}, func(s *scene) {
		s.speak(32500 * time.Millisecond)
		s.quiet(2 * time.Second)
	})
	s.want("long speech 30s", "long speech 31s", "long speech 32s", "turn 1: A very long story.")
}

// The microphone is muted in the middle of a word: no frames come any more.
func TestMuteMidWord(t *testing.T) {
	s := play(t, []answer{{text: "I was just", after: soon}, {text: "Sorry, muted.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		time.Sleep(10 * time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	s.want("turn 1: I was just", "turn 2: Sorry, muted.")
	if second := s.events[slices.IndexFunc(s.events, func(e Event) bool { x, ok := e.(Turn); return ok && x.ID == 2 })].(Turn); second.Start < 10*turn.Rate {
		t.Errorf("the clock stood still while muted: second turn at %d", second.Start)
	}
}

// A track with DTX brings its silence in packets 400 ms apart.
func TestSilenceInBursts(t *testing.T) {
	s := play(t, []answer{{text: "It is done.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		for range 5 {
			time.Sleep(400 * time.Millisecond)
			for range 20 {
				s.Write(make([]int16, frame))
			}
		}
	})
	s.want("turn 1: It is done.")
}

func TestPushToTalk(t *testing.T) {
	s := play(t, []answer{{text: "This is all.", after: soon}}, func(s *scene) {
		s.Expect(turn.Expectation{Mode: turn.Manual})
		s.speak(time.Second)
		s.quiet(5 * time.Second)
		s.Commit()
		s.quiet(time.Second)
		s.Commit()
		s.quiet(time.Second)
	})
	s.want("turn 1: This is all.", "no words: nothing understood")
}

func TestCommitEndsSpeechUnderWay(t *testing.T) {
	s := play(t, []answer{{text: "Half a", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.Commit()
		s.quiet(time.Second)
	})
	s.want("turn 1: Half a")
	if got := first[Turn](t, s).Reason; got != "asked to end" {
		t.Errorf("reason %q", got)
	}
}

func TestPartialsShowTheTurnSoFar(t *testing.T) {
	s := play(t, []answer{{text: "One,", after: soon}, {partials: map[time.Duration]string{soon: "two"}, text: "two.", after: soon}}, func(s *scene) {
		s.speak(time.Second)
		s.quiet(time.Second)
		s.speak(time.Second)
		s.quiet(2 * time.Second)
	})
	var partials []string
	for _, e := range s.events {
		if p, ok := e.(Partial); ok {
			partials = append(partials, p.Text)
		}
	}
	if got := strings.Join(partials, "|"); got != "One,|One, two|One, two." {
		t.Errorf("partials %q", got)
	}
}

func TestFullIntakeDropsTheOldest(t *testing.T) {
	q := newIntake()
	now := time.Unix(100, 0)
	for i := range 200 {
		pcm := make([]int16, frame)
		pcm[0] = int16(i)
		q.write(pcm, now)
	}
	pcm := make([]int16, frame)
	n, lost := q.read(pcm)
	if want := int64(200*frame - intakeSamples); n != frame || lost != want || q.dropped != uint64(want) {
		t.Errorf("read %d after %d lost, %d dropped, want %d", n, lost, q.dropped, want)
	}
	if _, lost := q.read(pcm); lost != 0 {
		t.Errorf("loss reported twice: %d", lost)
	}
}

// Close in the middle of anything: no event afterwards, nobody left behind.
func TestCloseMidEverything(t *testing.T) {
	for _, at := range []time.Duration{0, 40, 500, 1100, 1300, 1750, 2500} {
		s := play(t, []answer{{partials: map[time.Duration]string{soon: "yeah"}, text: "Yeah, well.", after: 300 * time.Millisecond}}, func(s *scene) {
			s.AgentAudible(true, 1, false)
			for i := time.Duration(0); i < at; i += 20 {
				s.mic(20*time.Millisecond, i > 300 && i < 1000)
			}
			if err := s.Close(); err != nil {
				s.t.Error(err)
			}
			before := len(s.events)
			s.Commit()
			s.Write(make([]int16, frame))
			time.Sleep(3 * time.Second)
			if n := len(s.events); n != before {
				s.t.Errorf("closed at %v ms: %d events afterwards", int(at), n-before)
			}
		})
		if !s.scribe.closed {
			t.Error("the recogniser's stream was left open")
		}
	}
}

func TestCancelledContextStopsListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l, err := New(ctx, Options{VAD: newEar(), Recognizer: &scribe{}, Handle: func(Event) {}})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-l.done
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	whole := Options{VAD: newEar(), Recognizer: &scribe{}, Handle: func(Event) {}}
	tests := map[string]func(*Options){
		"no vad":        func(o *Options) { o.VAD = nil },
		"no recogniser": func(o *Options) { o.Recognizer = nil },
		"no handler":    func(o *Options) { o.Handle = nil },
		"no connection": func(o *Options) { o.Recognizer = &scribe{openErr: errors.New("refused")} },
	}
	for name, change := range tests {
		o := whole
		change(&o)
		if _, err := New(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestHearingDoesNotAllocate(t *testing.T) {
	for name, level := range map[string]int16{"silence": 0, "speech": 3000} {
		h := newHearing(Options{VAD: newEar(), Recognizer: &scribe{}, Handle: func(Event) {}})
		h.stream = &scribe{}
		q := newIntake()
		l := &Listener{intake: q}
		pcm := make([]int16, frame)
		for i := range pcm {
			pcm[i] = level
		}
		hear := func() { l.Write(pcm); l.drain(h) }
		for range 10 {
			hear()
		}
		if n := testing.AllocsPerRun(500, hear); n != 0 {
			t.Errorf("%s: %v allocations per frame", name, n)
		}
	}
}
