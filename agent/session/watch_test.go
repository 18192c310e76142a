package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// A voice that begins and then sends nothing, a voice that never begins, and one that fails to stop: the words are shown, the
// interview goes on and ends.
func TestWatchdogsOfTheVoice(t *testing.T) {
	for name, c := range map[string]struct {
		speak func(free context.Context) func(context.Context, session.Utterance, speak.Source) session.Spoken
		want  []string
	}{
		"falls silent": {func(context.Context) func(context.Context, session.Utterance, speak.Source) session.Spoken {
			return func(ctx context.Context, u session.Utterance, _ speak.Source) session.Spoken {
				u.Started()
				<-ctx.Done()
				return session.Spoken{Err: ctx.Err()}
			}
		}, []string{"speaking"}},
		"never begins": {func(context.Context) func(context.Context, session.Utterance, speak.Source) session.Spoken {
			return func(ctx context.Context, _ session.Utterance, _ speak.Source) session.Spoken {
				<-ctx.Done()
				return session.Spoken{}
			}
		}, []string{"starting"}},
		"does not stop": {func(free context.Context) func(context.Context, session.Utterance, speak.Source) session.Spoken {
			return func(_ context.Context, u session.Utterance, _ speak.Source) session.Spoken {
				u.Started()
				<-free.Done()
				return session.Spoken{}
			}
		}, []string{"speaking", "voice"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				free, release := context.WithCancel(t.Context())
				r := newRig(t, interview(t, "two_stage"), nil, nil)
				r.speak = c.speak(free)
				began := time.Now()
				if reason, err := r.s.Run(t.Context()); reason != "done" || err != nil {
					t.Errorf("ended with %q, %v", reason, err)
				}
				release()
				if lasted := time.Since(began); lasted > 6*time.Minute {
					t.Errorf("it took %v", lasted)
				}
				if got := r.watchdogs(); len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) {
					t.Errorf("watchdogs %q, want %q first", got, c.want)
				}
				if r.count("voice.failed") == 0 || name != "does not stop" && !strings.Contains(r.s.UserData().Turns[0].Text, "this is your mock interview") {
					t.Errorf("the words were not shown: %+v", r.s.UserData().Turns)
				}
				if r.logs.FilterMessage("watchdog.fired").Len() != len(r.watchdogs()) {
					t.Error("the log does not tell of each")
				}
			})
		})
	}
}

// The watchdog fires on time, not before, and never while sound goes on or where the voice is only paused.
func TestWatchdogOfSilenceIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		began := time.Now()
		var gone time.Time
		r.speak = func(ctx context.Context, u session.Utterance, _ speak.Source) session.Spoken {
			u.Started()
			for range 20 { // 20 s of sound
				r.sound(u.Generation)
				if !passes(ctx, time.Second) {
					return session.Spoken{}
				}
			}
			<-ctx.Done()
			gone = time.Now()
			return session.Spoken{}
		}
		r.runFor(28 * time.Second)
		if got, want := gone.Sub(began), 27*time.Second; got != want { // the last sound was at 19 s
			t.Errorf("given up after %v, want %v", got, want)
		}
	})
}

func TestHealthyInterviewWakesNoWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		r := newRig(t, interview(t, "two_stage"), replied(&asked), nil)
		r.answer = answers
		if reason, err := r.s.Run(t.Context()); reason != "done" || err != nil {
			t.Errorf("ended with %q, %v", reason, err)
		}
		if got := r.watchdogs(); len(got) > 0 {
			t.Errorf("watchdogs %q", got)
		}
	})
}

// R001-12: a pause about which nobody decides ends, and the utterance is heard to its end.
func TestWatchdogOfPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.at(2*time.Second, session.Interruption{Utterance: 2, Action: session.Pause})
		r.runFor(30 * time.Second)
		if diff := cmp.Diff([]string{"paused"}, r.watchdogs()); diff != "" || r.resumes != 1 {
			t.Errorf("%d resumes, %s", r.resumes, diff)
		}
		if len(r.traces) == 0 || !r.traces[0].Complete {
			t.Error("the utterance was not heard to its end")
		}
	})
}

// A model that does not begin, or stops amid its words, is replaced by the rules.
func TestWatchdogOfTheModel(t *testing.T) {
	for name, stream := range map[string]llm.Model{
		"does not begin": modelFunc(func(llm.Request) reply { return reply{hang: true} }),
		"halts":          halting{},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, interview(t, "two_stage"), stream, func(o *session.Options) { o.Speculate = false })
				r.answer = func(s *session.Session, n int, _ string) {
					if n == 1 {
						say(s, "I am a baker")
					}
				}
				r.runFor(40 * time.Second)
				if got := r.watchdogs(); len(got) == 0 || got[0] != "thinking" {
					t.Errorf("watchdogs %q", got)
				}
				if !strings.Contains(strings.Join(r.heard, " "), "one strength, or one achievement") {
					t.Errorf("the script did not stand in: %q", r.heard)
				}
			})
		})
	}
}

// halting is a model that says something and then no more.
type halting struct{}

func (halting) Stream(ctx context.Context, _ llm.Request) (llm.Stream, error) {
	return &haltingReply{ctx: ctx}, nil
}

type haltingReply struct {
	ctx  context.Context
	said bool
}

func (h *haltingReply) Next() (llm.Delta, error) {
	if !h.said {
		h.said = true
		return llm.Delta{Text: "That is good to hear. "}, nil
	}
	<-h.ctx.Done()
	return llm.Delta{}, errors.New("cut")
}

func (h *haltingReply) Close() error { return nil }

// Sound without words and without end, a fan next to the microphone: the turn is taken, and the noise no longer keeps the
// interview from going on. Words end the suspicion.
func TestWatchdogOfTheEars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.taken = func(s *session.Session) {
			s.Post(session.Event{Event: engine.SpeechStopped{}})
			s.Post(session.Event{Event: engine.NoWords{}})
			s.Post(session.Event{Event: engine.SpeechStarted{}}) // it goes on
		}
		r.at(15*time.Second, session.Event{Event: engine.SpeechStarted{}})
		if reason, err := r.s.Run(t.Context()); reason != "done" || err != nil {
			t.Errorf("ended with %q, %v", reason, err)
		}
		if got := r.watchdogs(); len(got) != 1 || got[0] != "listening" || r.takes[0].Sub(began) != time.Minute {
			t.Errorf("watchdogs %q at %v", got, r.takes)
		}
	})
}

func TestWordsEndTheSuspicionOfNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.at(8*time.Second, session.Event{Event: engine.SpeechStarted{}})
		r.at(60*time.Second, session.Event{Event: engine.SpeechStarted{}}) // noise for all that is known
		r.at(61*time.Second, session.Partial{Text: "so"})
		r.runFor(63 * time.Second)
		if before, after := r.speaking(60500), r.speaking(62000); before || !after {
			t.Errorf("the candidate counted as speaking: %v before a word, %v after it", before, after)
		}
	})
}

// speaking reports whether the journal has the candidate speaking at a time of the session.
func (r *rig) speaking(at state.Millis) bool {
	r.t.Helper()
	entries, err := r.store.Read(r.t.Context(), "rig")
	if err != nil {
		r.t.Fatal(err)
	}
	entries = slices.DeleteFunc(entries, func(e state.Entry) bool { return e.At > at })
	u, err := interview(r.t, "two_stage").Fold(entries)
	if err != nil {
		r.t.Fatal(err)
	}
	return u.Floor.Candidate
}

// Words that keep coming are no reason to step in, however long they last.
func TestLongAnswerWakesNoWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.at(8*time.Second, session.Event{Event: engine.SpeechStarted{}})
		for i := range 9 {
			r.at(time.Duration(10*i+10)*time.Second, session.Partial{Text: strings.Repeat("and ", i+1)})
		}
		r.runFor(95 * time.Second)
		if got := r.watchdogs(); len(got) > 0 {
			t.Errorf("watchdogs %q", got)
		}
	})
}

// Ears that do not even answer are not waited for.
func TestWatchdogOfDeadEars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, interview(t, "two_stage"), nil, nil)
		r.taken = func(*session.Session) {}
		r.at(15*time.Second, session.Event{Event: engine.SpeechStarted{}})
		if reason, err := r.s.Run(t.Context()); reason != "done" || err != nil {
			t.Errorf("ended with %q, %v", reason, err)
		}
		if diff := cmp.Diff([]string{"listening", "ears"}, r.watchdogs()[:2]); diff != "" {
			t.Error(diff)
		}
	})
}
