package socket_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/stt/socket"
	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is the only message of the test's dialect.
type reply struct {
	Ready, Final bool
	Text         string
	Settled      time.Duration
}

func (r reply) String() string {
	raw, _ := json.Marshal(r)
	return string(raw)
}

// counter is the server's side: it tells how many milliseconds of audio a segment had so far.
type counter struct {
	stub *stub
	ms   int
}

func (*counter) Open() []string { return []string{reply{Ready: true}.String()} }

func (c *counter) Receive(binary bool, message []byte) sockettest.Reply {
	if binary {
		c.ms += len(message) / 32
		return sockettest.Reply{Audio: true, Now: []string{reply{Text: fmt.Sprint(c.ms)}.String()}}
	}
	c.stub.control <- string(message)
	if string(message) != "end" {
		return sockettest.Reply{}
	}
	ms := c.ms
	c.ms = 0
	return sockettest.Reply{Final: []string{reply{Text: fmt.Sprint(ms), Final: true}.String()}}
}

// stub is a server of the test's dialect.
type stub struct {
	sockettest.Server
	control chan string // text messages received
	refuse  int
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.refuse != 0 {
		w.WriteHeader(s.refuse)
		return
	}
	s.Serve(w, r, &counter{stub: s})
}

func serve(t *testing.T) (*stub, string) {
	t.Helper()
	s := &stub{control: make(chan string, 1000)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, "ws" + strings.TrimPrefix(server.URL, "http")
}

type bytesEncoder struct{}

func (bytesEncoder) Append(dst []byte, pcm []int16) []byte {
	return append(dst, make([]byte, 2*len(pcm))...)
}
func (bytesEncoder) Flush(dst []byte) []byte { return dst }

func dialect(address string) socket.Dialect {
	return socket.Dialect{
		Provider: "test", HintReach: "check the address", Binary: true,
		Request:   func(string) (string, http.Header) { return address, nil },
		Hello:     func(string) ([]byte, error) { return []byte("hello"), nil },
		End:       []byte("end"),
		KeepAlive: []byte("still here"),
		Farewell:  []byte("goodbye"),
		Refused: func(r *http.Response) *fault.Error {
			return &fault.Error{Op: "transcribe", Provider: "test", Kind: fault.Auth, Err: errors.New(r.Status)}
		},
		NewEncoder: func() (socket.Encoder, error) { return bytesEncoder{}, nil },
		Read: func(message []byte) (socket.Update, error) {
			var r reply
			if err := json.Unmarshal(message, &r); err != nil {
				return socket.Update{}, &fault.Error{Op: "transcribe", Provider: "test", Kind: fault.Malformed, Err: err}
			}
			return socket.Update{Ready: r.Ready, Heard: !r.Ready, Text: r.Text, Whole: r.Final, End: r.Final, Settled: r.Settled}, nil
		},
	}
}

// brief ends what hangs soon; what works has time enough.
func brief() socket.Limits {
	return socket.Limits{
		Connect: time.Second, Ping: 100 * time.Millisecond, Settle: 50 * time.Millisecond, Backoff: 50 * time.Millisecond,
		KeepAlive: time.Minute, Segment: stt.Limits{Start: 2 * time.Second, Finish: 500 * time.Millisecond},
	}
}

// ear collects the events of a stream.
type ear struct {
	stt.Stream
	outcomes chan stt.Event
	mu       sync.Mutex
	partials []string
}

func open(t *testing.T, r stt.Recognizer) *ear {
	t.Helper()
	e := &ear{outcomes: make(chan stt.Event, 100)}
	s, err := r.Open(t.Context(), stt.Options{Handle: e.hear})
	if err != nil {
		t.Fatal(err)
	}
	e.Stream = s
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return e
}

func (e *ear) hear(event stt.Event) {
	if p, ok := event.(stt.Partial); ok {
		e.mu.Lock()
		e.partials = append(e.partials, p.Text)
		e.mu.Unlock()
		return
	}
	e.outcomes <- event
}

// say speaks a segment of so many milliseconds and gives its outcome as text.
func (e *ear) say(segment uint64, ms int) string {
	e.SpeechStarted(segment, 0)
	e.Write(make([]int16, ms*16))
	e.SpeechEnded(segment)
	switch o := (<-e.outcomes).(type) {
	case stt.Final:
		return fmt.Sprint(o.Segment, " ", o.Text)
	case stt.Failed:
		return fmt.Sprint(o.Segment, " ", fault.KindOf(o.Err))
	default:
		return "?"
	}
}

func TestSegmentsShareAConnection(t *testing.T) {
	s, address := serve(t)
	e := open(t, socket.New(dialect(address), brief()))
	got := []string{e.say(1, 1000), e.say(2, 150), e.say(3, 2000)}
	if diff := cmp.Diff([]string{"1 1000", "2 150", "3 2000"}, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if n := s.Counts().Connections; n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	want := []string{"hello", "end", "end", "end", "goodbye"}
	for _, w := range want {
		if c := <-s.control; c != w {
			t.Errorf("the server was told %q, want %q", c, w)
		}
	}
}

func TestPartialsComeWhileOneSpeaks(t *testing.T) {
	_, address := serve(t)
	heard := make(chan string, 100)
	s, err := socket.New(dialect(address), brief()).Open(t.Context(), stt.Options{Handle: func(e stt.Event) {
		if p, ok := e.(stt.Partial); ok {
			heard <- p.Text
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.SpeechStarted(1, 0)
	for _, want := range []string{"100", "200", "300"} {
		s.Write(make([]int16, stt.SampleRate/10))
		if got := <-heard; got != want { // nothing but the server's own message can bring it
			t.Errorf("partial %q, want %q", got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name  string
		fault sockettest.Fault
		want  string
	}{
		{"never greets", sockettest.Fault{Do: sockettest.Silent}, "1 no answer in time"},
		{"never answers", sockettest.Fault{Do: sockettest.Deaf}, "1 no answer in time"},
		{"half open", sockettest.Fault{Do: sockettest.HalfOpen}, "1 no answer in time"},
		{"breaks", sockettest.Fault{Do: sockettest.Hangup}, "1 the connection failed"},
		{"breaks down", sockettest.Fault{Do: sockettest.Hangup, Code: 1011}, "1 the provider failed"},
		{"objects", sockettest.Fault{Do: sockettest.Hangup, Code: 1008}, "1 the request was refused"},
		{"refuses the key", sockettest.Fault{Do: sockettest.Hangup, Code: 3000}, "1 the key was refused"},
		{"garbage", sockettest.Fault{Do: sockettest.Garbage}, "1 the answer makes no sense"},
		{"late, and its partials are not taken for all", sockettest.Fault{Do: sockettest.Late, Delay: 150 * time.Millisecond}, "1 1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, address := serve(t)
			tt.fault.Times = 1
			s.Fail(tt.fault)
			l := brief()
			l.Segment.Start = 500 * time.Millisecond
			e := open(t, socket.New(dialect(address), l))
			if got := e.say(1, 1000); got != tt.want {
				t.Errorf("outcome %q, want %q", got, tt.want)
			}
			if tt.fault.Do == sockettest.Silent {
				return // the greeting is still being waited for
			}
			if got := e.say(2, 500); got != "2 500" {
				t.Errorf("the next segment: %q", got)
			}
		})
	}
}

func TestTextSoFarIsTakenWhenTheEndIsNotMarked(t *testing.T) {
	for name, settles := range map[string]bool{"after a while": false, "at once if it reaches to the end": true} {
		t.Run(name, func(t *testing.T) {
			s, address := serve(t)
			d, l := dialect(address), brief()
			d.EndUnmarked = true
			if settles {
				l.Settle = time.Minute
			}
			var before atomic.Int64 // ms in the segments before
			read := d.Read
			d.Read = func(message []byte) (socket.Update, error) {
				u, err := read(message)
				if u.End {
					return socket.Update{}, err // lost
				}
				if ms, _ := strconv.Atoi(u.Text); settles && ms > 0 {
					u.Settled = time.Duration(before.Load()+int64(ms)) * time.Millisecond
				}
				return u, err
			}
			e := open(t, socket.New(d, l))
			if got := e.say(1, 1000); got != "1 1000" {
				t.Errorf("outcome %q", got)
			}
			before.Store(1000)
			if got := e.say(2, 500); got != "2 500" {
				t.Errorf("the next segment: %q", got)
			}
			if n := s.Counts().Connections; settles != (n == 1) {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// A text that comes too late belongs to nobody: it must not become the next segment's.
func TestLateTextIsNotTakenForTheNextSegment(t *testing.T) {
	s, address := serve(t)
	s.Fail(sockettest.Fault{Do: sockettest.Late, Delay: 300 * time.Millisecond, Times: 1})
	d, l := dialect(address), brief()
	l.Segment.Finish = 100 * time.Millisecond
	e := open(t, socket.New(d, l))
	if got := e.say(1, 1000); got != "1 no answer in time" {
		t.Errorf("outcome %q", got)
	}
	if got := e.say(2, 500); got != "2 500" {
		t.Errorf("the next segment: %q", got)
	}
}

func TestSessionIsKeptBetweenSegments(t *testing.T) {
	s, address := serve(t)
	l := brief()
	l.KeepAlive = 10 * time.Millisecond
	open(t, socket.New(dialect(address), l))
	for range 3 {
		for c := range s.control {
			if c == "still here" {
				break
			}
		}
	}
}

func TestWordsNameTheCause(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nowhere := "ws://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	s, refusing := serve(t)
	s.refuse = http.StatusUnauthorized
	mute, silent := serve(t)
	mute.Fail(sockettest.Fault{Do: sockettest.Silent})
	l := brief()
	l.Connect = 100 * time.Millisecond
	tests := []struct {
		name, address, want string
		kind                fault.Kind
	}{
		{"nobody there", nowhere, "check the address", fault.Connection},
		{"refused", refusing, "401", fault.Auth},
		{"no greeting", silent, "not confirmed", fault.Timeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := open(t, socket.New(dialect(tt.address), l))
			e.SpeechStarted(1, 0)
			e.Write(make([]int16, stt.SampleRate))
			e.SpeechEnded(1)
			got, is := (<-e.outcomes).(stt.Failed)
			if !is || fault.KindOf(got.Err) != tt.kind || !strings.Contains(got.Err.Error(), tt.want) {
				t.Errorf("the first segment: %v; want %q, %v", got.Err, tt.want, tt.kind)
			}
		})
	}
}

// A server that takes connections and says nothing keeps neither Open nor Close waiting.
func TestOpenAndCloseDoNotWaitForTheNetwork(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	l := socket.Limits{Connect: time.Hour}
	l.Segment.Start = time.Hour
	e := open(t, socket.New(dialect("ws://"+listener.Addr().String()), l))
	e.SpeechStarted(1, 0)
	e.Write(make([]int16, stt.SampleRate))
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Close waits for the network")
	}
}

func TestAudioWhileConnectingIsNotLost(t *testing.T) {
	_, address := serve(t)
	gate := make(chan struct{})
	d := dialect(address)
	request := d.Request
	d.Request = func(language string) (string, http.Header) { <-gate; return request(language) }
	e := open(t, socket.New(d, brief()))
	e.SpeechStarted(1, 0)
	e.Write(make([]int16, stt.SampleRate))
	close(gate)
	e.Write(make([]int16, stt.SampleRate))
	e.SpeechEnded(1)
	if f, ok := (<-e.outcomes).(stt.Final); !ok || f.Text != "2000" {
		t.Errorf("outcome %#v", f)
	}
}

func TestHalfOpenConnectionIsRescuedByTheWatchdog(t *testing.T) {
	s, address := serve(t)
	s.Fail(sockettest.Fault{Do: sockettest.HalfOpen, Times: 1})
	l := brief()
	l.Ping, l.Segment.Finish = time.Minute, time.Minute // only the watchdog can help
	w := stt.NewWatched(socket.New(dialect(address), l), stt.WatchOptions{Answer: 200 * time.Millisecond})
	e := open(t, w)
	if got := e.say(1, 1000); got != "1 1000" {
		t.Errorf("outcome %q", got)
	}
	if n := s.Counts().Connections; n != 2 {
		t.Errorf("%d connections, want a second one", n)
	}
}

func TestWriteDoesNotAllocate(t *testing.T) {
	_, address := serve(t)
	d := dialect(address)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d.Request = func(string) (string, http.Header) { <-ctx.Done(); return address, nil } // only the writer runs
	e := open(t, socket.New(d, brief()))
	defer cancel()
	frame := make([]int16, stt.SampleRate/50)
	if n := testing.AllocsPerRun(500, func() { e.Write(frame) }); n != 0 {
		t.Errorf("%v allocations per frame", n)
	}
}
