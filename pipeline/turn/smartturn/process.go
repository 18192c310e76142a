package smartturn

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
)

const (
	// DefaultPatience is how long a runner may take for one answer before it is taken to hang.
	DefaultPatience = 5 * time.Second
	// startPatience is how long it may take for the first, in which it loads the model.
	startPatience = 60 * time.Second
	// restartAfter is how long a runner that failed is left alone.
	restartAfter = 10 * time.Second
)

// Errors of Process.Run.
var (
	ErrClosed      = errors.New("the turn model's runner is closed")
	ErrUnavailable = errors.New("the turn model's runner has failed lately")
)

// ProcessOptions configure a Process. Command is required.
type ProcessOptions struct {
	Command []string // the program and its arguments, with the model's file
	Env     []string // as os.Environ gives it; nil means this process's own
	// Patience bounds one answer; 0 means DefaultPatience. Who asks may give up earlier.
	Patience time.Duration
	// Logger is optional.
	Logger *zap.Logger
}

// Process is a Runner in another process. One that fails, hangs or answers nonsense is ended, and started again for a question
// that comes restartAfter or more later.
type Process struct {
	start    func() (*child, error)
	end      context.CancelFunc // ends the child whoever has the turn
	patience time.Duration
	log      *zap.Logger

	turn chan struct{} // holds one token: who has it may use what follows
	once sync.Once
	done chan struct{} // closed by Close

	child    *child // nil while none runs
	failed   time.Time
	question []byte
}

var _ Runner = (*Process)(nil)

// StartProcess starts a runner and asks it about silence, so that the model is loaded, and what does not work is known at
// once. Cancelling ctx ends the attempt, not the runner; Close does that.
func StartProcess(ctx context.Context, o ProcessOptions) (*Process, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("the turn model's runner needs a command")
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &Process{
		start: func() (*child, error) { return startChild(life, o) }, end: end, patience: cmp.Or(o.Patience, DefaultPatience), log: o.Logger,
		turn: make(chan struct{}, 1), done: make(chan struct{}),
	}
	p.turn <- struct{}{}
	if _, err := p.Run(ctx, make([]float32, Bins*Frames)); err != nil {
		return nil, errors.Join(fmt.Errorf("start the turn model's runner %q: %w", o.Command[0], err), p.Close())
	}
	return p, nil
}

// Run has one question answered, after those before it. When ctx ends first, the answer is awaited in the background and dropped,
// so that the next question meets a runner that is ready.
func (p *Process) Run(ctx context.Context, features []float32) (float32, error) {
	select {
	case <-p.done:
		return 0, ErrClosed
	default:
	}
	select {
	case <-p.turn:
	case <-p.done:
		return 0, ErrClosed
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the runner: %w", ctx.Err())
	}
	p.encode(features)
	type answer struct {
		probability float32
		err         error
	}
	answers := make(chan answer, 1)
	g := guard.From(ctx)
	g.Start("turn", func() { // Close waits for it, by the turn
		var a answer
		a.err = g.Try("turn", func() (err error) {
			a.probability, err = p.ask()
			return err
		})
		answers <- a
		p.turn <- struct{}{}
	})
	select {
	case a := <-answers:
		return a.probability, a.err
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the runner's answer: %w", ctx.Err())
	}
}

// encode makes the question. The caller has the turn.
func (p *Process) encode(features []float32) {
	b := binary.LittleEndian.AppendUint32(p.question[:0], uint32(len(features)))
	for _, v := range features {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	p.question = b
}

// ask puts the question, to a new child where there is none. The caller has the turn.
func (p *Process) ask() (float32, error) {
	patience := p.patience
	if p.child == nil {
		if !p.failed.IsZero() && time.Since(p.failed) < restartAfter {
			return 0, ErrUnavailable
		}
		c, err := p.start()
		if err != nil {
			p.failed = time.Now()
			return 0, err
		}
		p.child, patience = c, startPatience
	}
	v, err := p.child.ask(p.question, patience)
	if err == nil {
		return v, nil
	}
	err = fmt.Errorf("%w%s", err, p.child.close())
	p.child, p.failed = nil, time.Now()
	p.log.Warn("turn_model.runner_failed", zap.Error(err))
	return 0, err
}

// Close ends the runner, and with it a question under way, and waits. It is idempotent.
func (p *Process) Close() error {
	p.once.Do(func() {
		close(p.done)
		p.end()
		<-p.turn // for good
		if p.child != nil {
			p.child.close()
		}
	})
	return nil
}

// answerSize is one number that says that one number follows, and that.
const answerSize = 8

func readAnswer(r io.Reader) (float32, error) {
	var b [answerSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, fmt.Errorf("read the runner's answer: %w", err)
	}
	if n := binary.LittleEndian.Uint32(b[:]); n != 1 {
		return 0, fmt.Errorf("the runner answers with %d numbers where one was expected", n)
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4:])), nil
}
