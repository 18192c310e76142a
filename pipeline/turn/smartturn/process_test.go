package smartturn

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
)

// asRunner makes the test binary be a runner: its value says how it behaves.
const asRunner = "VIVA_TEST_AS_TURN_RUNNER"

func TestMain(m *testing.M) {
	if how := os.Getenv(asRunner); how != "" {
		os.Exit(serve(how))
	}
	goleak.VerifyTestMain(m)
}

// serve answers as the protocol says, with the mean of the features, unless how asks for a fault from the second question on.
func serve(how string) int {
	if how == "missing" {
		_, _ = os.Stderr.WriteString("Traceback:\nModuleNotFoundError: No module named 'onnxruntime'\n")
		return 1
	}
	in := bufio.NewReader(os.Stdin)
	for n := 0; ; n++ {
		mean, err := question(in)
		if err != nil {
			return 0
		}
		count := uint32(1)
		switch {
		case n == 0:
		case how == "crash":
			return 3
		case how == "hang":
			_, _ = io.Copy(io.Discard, in)
		case how == "chatter":
			count = 1 << 30
		}
		answer := binary.LittleEndian.AppendUint32(nil, count)
		answer = binary.LittleEndian.AppendUint32(answer, math.Float32bits(mean))
		if _, err := os.Stdout.Write(answer); err != nil {
			return 1
		}
	}
}

func question(in io.Reader) (mean float32, err error) {
	var n uint32
	if err := binary.Read(in, binary.LittleEndian, &n); err != nil {
		return 0, err
	}
	features := make([]float32, n)
	if err := binary.Read(in, binary.LittleEndian, features); err != nil {
		return 0, err
	}
	for _, v := range features {
		mean += v / float32(n)
	}
	return mean, nil
}

func runner(t *testing.T, how string, change func(*ProcessOptions)) *Process {
	t.Helper()
	o := ProcessOptions{Command: []string{os.Args[0], "model.onnx"}, Env: append(os.Environ(), asRunner+"="+how), Logger: zap.NewNop()}
	if change != nil {
		change(&o)
	}
	p, err := StartProcess(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(p.Close(), p.Close()); err != nil {
			t.Error(err)
		}
	})
	return p
}

func flat(v float32) []float32 {
	f := make([]float32, Bins*Frames)
	for i := range f {
		f[i] = v
	}
	return f
}

func TestProcessAnswers(t *testing.T) {
	p := runner(t, "well", nil)
	answers := make(chan error, 8)
	for i := range cap(answers) {
		go func() {
			want := float32(i) / 16
			got, err := p.Run(context.WithoutCancel(t.Context()), flat(want))
			if err == nil && math.Abs(float64(got-want)) > 1e-3 {
				err = errors.New("another's answer")
			}
			answers <- err
		}()
	}
	for range cap(answers) {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

// What goes wrong ends the runner; it is left alone for a while.
func TestProcessThatFails(t *testing.T) {
	for how, want := range map[string]string{
		"crash": "exit status 3", "hang": "no answer within 50ms", "chatter": "1073741824 numbers",
	} {
		t.Run(how, func(t *testing.T) {
			p := runner(t, how, func(o *ProcessOptions) { o.Patience = 50 * time.Millisecond })
			if how != "hang" {
				p.patience = DefaultPatience
			}
			if v, err := p.Run(t.Context(), flat(0.5)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, %v; want %q", v, err, want)
			}
			if _, err := p.Run(t.Context(), flat(0.5)); !errors.Is(err, ErrUnavailable) {
				t.Errorf("then %v", err)
			}
			<-p.turn
			p.failed = p.failed.Add(-restartAfter)
			p.turn <- struct{}{}
			if v, err := p.Run(t.Context(), flat(0.5)); err != nil || math.Abs(float64(v)-0.5) > 1e-3 {
				t.Errorf("restarted: %v, %v", v, err)
			}
		})
	}
}

// A runner may hang before it has read the question, which is longer than a pipe holds, or behind it, and may still answer when its
// input ends: each is told as what it is, for by then it is being ended.
func TestHangingIsToldWhereverItIs(t *testing.T) {
	hang := func(stdin io.Reader, stdout io.Writer, reads, answers bool) {
		if reads {
			_, _ = io.Copy(io.Discard, stdin)
		}
		if answers {
			_, _ = stdout.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0})
		}
	}
	for name, how := range map[string]struct{ reads, answers bool }{
		"before the question is read": {false, false}, "behind it": {true, false}, "until its input ends": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stdin, in := io.Pipe()
				out, stdout := io.Pipe()
				c := &child{in: in, out: out, kill: func() {
					_ = in.Close()
					if !how.answers {
						_ = stdout.Close()
					}
				}}
				go hang(stdin, stdout, how.reads, how.answers)
				if v, err := c.ask(make([]byte, 100), time.Second); err == nil || !strings.Contains(err.Error(), "no answer within 1s") {
					t.Errorf("got %v, %v", v, err)
				}
			})
		})
	}
}

// Who asks and gives up gets an error at once; the runner goes on and is there for the next question.
func TestProcessOutlivesTheQuestion(t *testing.T) {
	p := runner(t, "well", nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 5 { // whether it is the turn or the answer that is not awaited is chance
		if _, err := p.Run(ctx, flat(0.2)); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if v, err := p.Run(t.Context(), flat(0.5)); err != nil || math.Abs(float64(v)-0.5) > 1e-3 {
		t.Errorf("afterwards %v, %v", v, err)
	}
}

// Closing ends a question that would take for ever.
func TestCloseEndsTheQuestion(t *testing.T) {
	p := runner(t, "hang", func(o *ProcessOptions) { o.Patience = time.Hour })
	asked := make(chan error, 1)
	go func() {
		_, err := p.Run(context.WithoutCancel(t.Context()), flat(0.5))
		asked <- err
	}()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := <-asked; err == nil {
		t.Error("it was answered")
	}
	if _, err := p.Run(t.Context(), flat(0.5)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestRunnerThatDoesNotStartSaysWhy(t *testing.T) {
	for name, test := range map[string]struct {
		o    ProcessOptions
		want string
	}{
		"no such program":  {ProcessOptions{Command: []string{"/nowhere/python3"}}, "/nowhere/python3"},
		"no such module":   {ProcessOptions{Command: []string{os.Args[0]}, Env: append(os.Environ(), asRunner+"=missing")}, "No module named 'onnxruntime'"},
		"nothing to start": {ProcessOptions{}, "needs a command"},
	} {
		if p, err := StartProcess(t.Context(), test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}
