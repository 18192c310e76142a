package evaluator_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "a key that nobody guesses"

// pipes is a network in memory, which runs in virtual time.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
	once  sync.Once
	dials atomic.Int32
	mu    sync.Mutex
	open  []net.Conn // guarded by mu: the server's ends
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), ended: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.dials.Add(1)
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.ended:
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open = append(p.open, c)
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.ended) })
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// kill ends the network as the death of the server's process does.
func (p *pipes) kill() {
	_ = p.Close() // it has no error
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close() // a pipe
	}
}

// serve runs a service until stop is called; its error is that of Serve.
func serve(t *testing.T, o evaluator.Options) (p *pipes, stop func() error) {
	t.Helper()
	if o.Key == "" {
		o.Key = key
	}
	s, err := evaluator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p = newPipes()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, p) }()
	return p, sync.OnceValue(func() error {
		cancel()
		return <-done
	})
}

// pretend serves answers of any kind in a service's place.
func pretend(t *testing.T, h http.HandlerFunc) (p *pipes, stop func()) {
	t.Helper()
	p = newPipes()
	read := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a caller that hangs up is noticed only then
		h(w, r)
	}
	server := &http.Server{Handler: http.HandlerFunc(read), ReadHeaderTimeout: time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(p) // it ends with the server
	}()
	return p, func() {
		_ = server.Close() // a pipe
		<-done
	}
}

func client(t *testing.T, p *pipes) *evaluator.Client {
	t.Helper()
	c, err := evaluator.NewClient(evaluator.ClientOptions{URL: "http://evaluator:8092", Key: key, Dial: p.dial})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is a spoken answer that every evaluator can judge.
func answer() evaluate.Item {
	return evaluate.Item{
		ID: "cost/COMPLEXITY/1", PhaseName: "Complexity", Question: "Two numbers that add up to a target", Reference: "O(n)",
		Criteria: []state.Keyword{{Phrase: "hash map"}, {Phrase: "recursion"}},
		Turns: []evaluate.Turn{
			{ID: 3, Role: evaluate.RoleAgent, Content: "What does it cost?"},
			{ID: 4, Role: evaluate.RoleUser, Content: "We're given an array. I keep a hash map. For each number I look up the rest. I must not use one twice. So it is linear."},
		},
	}
}

// slow judges after a while, unless nobody waits any more.
func slow(d time.Duration) evaluator.Judge {
	return func(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
		select {
		case <-time.After(d):
			return evaluator.NewLocal(nil, nil).Judge(ctx, by, it)
		case <-ctx.Done():
			return evaluate.Evaluation{}, ctx.Err()
		}
	}
}

// fake is a model whose replies are given.
type fake struct {
	replies []string
	err     error
	asked   []llm.Request
}

func (f *fake) Stream(_ context.Context, r llm.Request) (llm.Stream, error) {
	f.asked = append(f.asked, r)
	if f.err != nil {
		return nil, f.err
	}
	return &reply{text: f.replies[min(len(f.asked), len(f.replies))-1]}, nil
}

type reply struct{ text string }

func (r *reply) Next() (llm.Delta, error) {
	if r.text == "" {
		return llm.Delta{}, io.EOF
	}
	d := llm.Delta{Text: r.text}
	r.text = ""
	return d, nil
}

func (*reply) Close() error { return nil }

// post sends a body as it is.
func post(t *testing.T, p *pipes, bearer string, body io.Reader) (status int, header http.Header, kind string) {
	t.Helper()
	transport := &http.Transport{DialContext: p.dial}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://evaluator/v1/judge", body)
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		req.Header.Set("Authorization", bearer)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		if strings.Contains(err.Error(), "closed pipe") { // the server had enough before all was sent
			return http.StatusRequestEntityTooLarge, nil, evaluator.KindLarge
		}
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // read only
	var said struct {
		Error evaluator.Failure `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, said.Error.Kind
}
