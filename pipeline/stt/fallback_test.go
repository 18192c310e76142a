package stt_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

// named gives an engine's answers a name.
type named struct {
	*engine
	name string
}

func (n named) Transcribe(ctx context.Context, pcm []int16, language string) (stt.Transcript, error) {
	t, err := n.engine.Transcribe(ctx, pcm, language)
	t.Text = n.name + " " + t.Text
	return t, err
}

func pair(first, second *engine) stt.Recognizer {
	return stt.NewFallback(time.Minute,
		stt.NewSegmenter("first", named{first, "first"}, stt.SegmenterOptions{}),
		stt.NewSegmenter("second", named{second, "second"}, stt.SegmenterOptions{}))
}

func say(s stt.Stream, segment uint64, value int16) {
	s.SpeechStarted(segment, stt.SampleRate/10)
	write(s, time.Second, value)
	s.SpeechEnded(segment)
}

func TestFallbackReplaysTheSegmentAndLeavesTheFailedEngineAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &engine{errs: []error{&fault.Error{Kind: fault.Auth}}}
		second := &engine{}
		s, j := open(t, pair(first, second))
		write(s, time.Second, 9)
		say(s, 1, 5)
		j.want(t, "final 1 second 9×100 5×1000")
		write(s, time.Second, 9)
		say(s, 2, 6)
		j.want(t, "final 1 second 9×100 5×1000", "final 2 second 9×100 6×1000")
		if first.asked != 1 {
			t.Errorf("the first engine was asked %d times, want once", first.asked)
		}
		time.Sleep(time.Minute)
		say(s, 3, 7)
		j.want(t, "final 1 second 9×100 5×1000", "final 2 second 9×100 6×1000", "final 3 first 6×100 7×1000")
	})
}

func TestFallbackKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The first engine fails segment 1 only after 1 s, then segment 2 is answered at once; the replay takes 3 s.
		first := &engine{delay: time.Second, errs: []error{&fault.Error{Kind: fault.Auth}}}
		second := &engine{delay: 3 * time.Second}
		s, j := open(t, pair(first, second))
		say(s, 1, 5)
		say(s, 2, 6)
		time.Sleep(3 * time.Second)
		j.want(t)
		time.Sleep(2 * time.Second)
		j.want(t, "final 1 second 5×1000", "final 2 first 5×100 6×1000")
	})
}

func TestFallbackReportsWhenAllFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		auth, bad := &fault.Error{Kind: fault.Auth}, &fault.Error{Kind: fault.BadRequest}
		var got stt.Event
		r := pair(&engine{errs: []error{auth}}, &engine{errs: []error{bad}})
		s, err := r.Open(t.Context(), stt.Options{Handle: func(e stt.Event) { got = e }})
		if err != nil {
			t.Fatal(err)
		}
		say(s, 1, 5)
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		failed, ok := got.(stt.Failed)
		if !ok || !errors.Is(failed.Err, auth) || !errors.Is(failed.Err, bad) {
			t.Errorf("got %#v", got)
		}
	})
}

// mute is an engine that does not open.
type mute struct{ err error }

func (m mute) Open(context.Context, stt.Options) (stt.Stream, error) { return m, m.err }
func (mute) Write([]int16)                                           {}
func (mute) SpeechStarted(uint64, int)                               {}
func (mute) SpeechEnded(uint64)                                      {}
func (mute) Close() error                                            { return nil }

func TestFallbackOpensWhatItCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := mute{errors.New("no model")}
		s, j := open(t, stt.NewFallback(0, broken, stt.NewSegmenter("x", &engine{}, stt.SegmenterOptions{})))
		say(s, 1, 5)
		j.want(t, "final 1 5×1000")
		if _, err := stt.NewFallback(0, broken, broken).Open(t.Context(), stt.Options{Handle: func(stt.Event) {}}); !errors.Is(err, broken.err) {
			t.Errorf("nothing opened, and the error is %v", err)
		}
	})
}

// words is a streaming decoder: it gives a word for each piece of audio.
type words struct {
	start   time.Duration
	text    string
	aborted *int
}

func (w *words) Start(ctx context.Context) error {
	w.text = ""
	select {
	case <-time.After(w.start):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *words) Feed(_ context.Context, pcm []int16) (string, error) {
	w.text += summary(pcm)[:1]
	return w.text, nil
}

func (w *words) Finish(context.Context) (stt.Transcript, error) {
	return stt.Transcript{Text: w.text + "."}, nil
}
func (w *words) Abort() { *w.aborted++ }

func TestPartialsComeBeforeTheFinalAndPassTheFallback(t *testing.T) {
	for _, chained := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			aborted := 0
			var r stt.Recognizer = stt.NewSegmented("x", func(context.Context, string, func(string)) stt.Decoder { return &words{aborted: &aborted} }, stt.Limits{})
			if chained {
				r = stt.NewFallback(0, r)
			}
			s, j := open(t, r)
			s.SpeechStarted(1, 0)
			for range 3 {
				write(s, 100*time.Millisecond, 5)
				synctest.Wait()
			}
			j.want(t, "partial 1 5", "partial 1 55", "partial 1 555")
			s.SpeechEnded(1)
			j.want(t, "partial 1 5", "partial 1 55", "partial 1 555", "final 1 555.")
			if aborted != 0 {
				t.Errorf("aborted %d times", aborted)
			}
		})
	}
}

func TestSegmentWaitsForTheEngineButNotForEver(t *testing.T) {
	tests := []struct {
		start time.Duration
		want  string
	}{{9 * time.Second, "final 1 5555555555."}, {11 * time.Second, "failed 1 no answer in time"}}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			aborted := 0
			newDecoder := func(context.Context, string, func(string)) stt.Decoder {
				return &words{start: tt.start, aborted: &aborted}
			}
			finals := make(chan stt.Event, 1)
			s, err := stt.NewSegmented("x", newDecoder, stt.Limits{}).Open(t.Context(), stt.Options{Handle: func(e stt.Event) {
				if _, partial := e.(stt.Partial); !partial {
					finals <- e
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			say(s, 1, 5)
			j := &journal{}
			j.handle(<-finals)
			j.want(t, tt.want)
			if err := s.Close(); err != nil || aborted != 0 {
				t.Errorf("aborted %d times, %v", aborted, err)
			}
		})
	}
}

func TestCloseInSpeechAborts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		aborted := 0
		s, _ := open(t, stt.NewSegmented("x", func(context.Context, string, func(string)) stt.Decoder { return &words{aborted: &aborted} }, stt.Limits{}))
		s.SpeechStarted(1, 0)
		write(s, time.Second, 5)
		synctest.Wait()
		if err := s.Close(); err != nil || aborted != 1 {
			t.Errorf("aborted %d times, %v", aborted, err)
		}
	})
}
