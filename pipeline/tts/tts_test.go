package tts_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/tts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// step is one Read of a scripted voice: wait, then give n samples of the value or an error.
type step struct {
	after time.Duration
	n     int
	err   error
}

// scripted plays one script per request, the last one for ever. A script's last step repeats unless it is an error.
type scripted struct {
	value   int16
	rate    int
	scripts [][]step
	asked   int
	open    int
}

func (v *scripted) Synthesize(ctx context.Context, _ tts.Request) (tts.Audio, error) {
	script := v.scripts[min(v.asked, len(v.scripts)-1)]
	v.asked++
	v.open++
	return &scriptedAudio{ctx: ctx, voice: v, steps: script}, nil
}

type scriptedAudio struct {
	ctx    context.Context
	voice  *scripted
	steps  []step
	closed bool
}

func (a *scriptedAudio) Rate() int { return a.voice.rate }

func (a *scriptedAudio) Read(pcm []int16) (int, error) {
	now := a.steps[0]
	if len(a.steps) > 1 {
		a.steps = a.steps[1:]
	}
	select {
	case <-time.After(now.after):
	case <-a.ctx.Done():
		return 0, a.ctx.Err()
	}
	n := min(now.n, len(pcm))
	for i := range n {
		pcm[i] = a.voice.value
	}
	return n, now.err
}

func (a *scriptedAudio) Close() error {
	if !a.closed {
		a.closed = true
		a.voice.open--
	}
	return nil
}

var end = step{err: io.EOF}

// drain reads speech to its end and gives the number of samples and the value of the last one.
func drain(ctx context.Context, s tts.Synthesizer) (n int, value int16, err error) {
	a, err := s.Synthesize(ctx, tts.Request{Text: "x"})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = a.Close() }()
	buf := make([]int16, 480)
	for {
		k, err := a.Read(buf)
		n += k
		if k > 0 {
			value = buf[k-1]
		}
		if errors.Is(err, io.EOF) {
			return n, value, nil
		}
		if err != nil {
			return n, value, err
		}
	}
}

func TestLimited(t *testing.T) {
	boom := &fault.Error{Kind: fault.Server}
	tests := []struct {
		name    string
		scripts [][]step
		limits  fault.Limits
		samples int
		kind    fault.Kind
		asked   int
	}{
		{name: "good", scripts: [][]step{{{n: 100}, {n: 480}, end}}, samples: 580, asked: 1},
		{name: "samples that come with the end", scripts: [][]step{{{n: 100}, {n: 10, err: io.EOF}}}, samples: 110, asked: 1},
		{name: "retried before the first sample", scripts: [][]step{{{err: boom}}, {{n: 7}, end}}, samples: 7, asked: 2},
		{name: "not retried after it", scripts: [][]step{{{n: 7}, {err: boom}}}, samples: 7, kind: fault.Server, asked: 1},
		{name: "first audio late", scripts: [][]step{{{after: time.Minute, n: 7}}}, kind: fault.Timeout, asked: 1},
		{name: "silent in the middle", scripts: [][]step{{{n: 7}, {after: time.Minute, n: 7}}}, samples: 7, kind: fault.Timeout, asked: 1},
		{name: "no audio", scripts: [][]step{{end}}, kind: fault.Empty, asked: 3},
		{name: "endless", scripts: [][]step{{{n: 480}}}, samples: 180 * 24000, kind: fault.Malformed, asked: 1},
		{name: "endless and slow", scripts: [][]step{{{after: time.Second, n: 1}}}, limits: fault.Limits{Total: 2500 * time.Millisecond}, samples: 2, kind: fault.Timeout, asked: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &scripted{rate: 24000, scripts: tt.scripts}
				n, _, err := drain(t.Context(), tts.NewLimited("x", v, tt.limits))
				if n != tt.samples || fault.KindOf(err) != tt.kind || v.asked != tt.asked || v.open != 0 {
					t.Errorf("%d samples, %v after %d requests, %d left open; want %d, %v after %d",
						n, err, v.asked, v.open, tt.samples, tt.kind, tt.asked)
				}
			})
		})
	}
}

func TestReaderMayTakeItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &scripted{rate: 24000, scripts: [][]step{{{n: 10}, {n: 10}, end}}}
		a, err := tts.NewLimited("x", v, fault.Limits{}).Synthesize(t.Context(), tts.Request{})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]int16, 10)
		for want := range 2 {
			time.Sleep(time.Hour)
			if n, err := a.Read(buf); n != 10 || err != nil {
				t.Errorf("read %d: %d, %v", want, n, err)
			}
		}
		if err := errors.Join(a.Close(), a.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &scripted{value: 1, rate: 24000, scripts: [][]step{{{err: io.ErrUnexpectedEOF}}, {{n: 5}, {err: io.ErrUnexpectedEOF}}}}
		second := &scripted{value: 2, rate: 16000, scripts: [][]step{{{n: 9}, end}}}
		chain := tts.NewFallback(time.Minute, first, second)
		if n, value, err := drain(t.Context(), chain); n != 9 || value != 2 || err != nil {
			t.Errorf("first failed: %d samples of %d, %v", n, value, err)
		}
		if _, value, _ := drain(t.Context(), chain); value != 2 || first.asked != 1 {
			t.Errorf("cooling down: voice %d, first asked %d times", value, first.asked)
		}
		time.Sleep(time.Minute)
		n, value, err := drain(t.Context(), chain)
		if n != 5 || value != 1 || fault.KindOf(err) != fault.Connection || second.asked != 2 {
			t.Errorf("no switch after output: %d samples of %d, %v, second asked %d times", n, value, err, second.asked)
		}
	})
}

func TestReadDoesNotAllocate(t *testing.T) {
	v := &scripted{rate: 24000, scripts: [][]step{{{n: 480}}}}
	a, err := tts.NewLimited("x", instant{v}, fault.Limits{}).Synthesize(t.Context(), tts.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	buf := make([]int16, 480)
	if _, err := a.Read(buf); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(200, func() { _, _ = a.Read(buf) }); n != 0 {
		t.Errorf("%v allocations per Read", n)
	}
}

// instant is a voice whose Read does not wait.
type instant struct{ *scripted }

func (v instant) Synthesize(context.Context, tts.Request) (tts.Audio, error) { return constant{}, nil }

type constant struct{}

func (constant) Rate() int                     { return 24000 }
func (constant) Read(pcm []int16) (int, error) { return len(pcm), nil }
func (constant) Close() error                  { return nil }
