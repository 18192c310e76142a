package deepgram_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/deepgram"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/stt/socket"
	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "secret-key"

// connect makes a recognizer of a stub, with limits that end a hanging test soon.
func connect(t *testing.T, h http.Handler, change func(*deepgram.Config)) stt.Recognizer {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	cfg := deepgram.Config{APIKey: key, BaseURL: server.URL + "/v1", Limits: socket.Limits{
		Connect: time.Second, Ping: 100 * time.Millisecond, Settle: 50 * time.Millisecond,
		Segment: stt.Limits{Finish: 500 * time.Millisecond},
	}}
	if change != nil {
		change(&cfg)
	}
	r, err := deepgram.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stream opens a stream whose events come as lines.
func stream(t *testing.T, r stt.Recognizer, language string) (stt.Stream, <-chan string) {
	t.Helper()
	lines := make(chan string, 1000)
	s, err := r.Open(t.Context(), stt.Options{Language: language, Handle: func(e stt.Event) {
		switch e := e.(type) {
		case stt.Partial:
			lines <- fmt.Sprintf("partial %d %s", e.Segment, e.Text)
		case stt.Final:
			lines <- fmt.Sprintf("final %d %s (%.1f)", e.Segment, e.Text, e.Confidence)
		case stt.Failed:
			lines <- fmt.Sprintf("failed %d %v", e.Segment, e.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, lines
}

// speak writes a segment of one second.
func speak(s stt.Stream, segment uint64) {
	s.SpeechStarted(segment, 0)
	s.Write(make([]int16, stt.SampleRate))
	s.SpeechEnded(segment)
}

// outcome skips partials.
func outcome(lines <-chan string) string {
	for line := range lines {
		if !strings.HasPrefix(line, "partial") {
			return line
		}
	}
	return ""
}

func TestPartialsThenTheFinal(t *testing.T) {
	stub := newStub(stubOptions{Key: key, Transcribe: func(n int64) string {
		return []string{"one two three", "", "four five"}[n]
	}})
	s, lines := stream(t, connect(t, stub, nil), "")
	s.SpeechStarted(1, 0)
	for _, want := range []string{"partial 1 one", "partial 1 one two", "partial 1 one two three"} {
		s.Write(make([]int16, 3*stt.SampleRate/10))
		if got := <-lines; got != want {
			t.Errorf("event %q, want %q", got, want)
		}
	}
	s.SpeechEnded(1)
	got := []string{<-lines}
	speak(s, 2)
	got = append(got, outcome(lines))
	speak(s, 3)
	got = append(got, outcome(lines))
	if diff := cmp.Diff([]string{"final 1 one two three (0.9)", "final 2  (0.0)", "final 3 four five (0.9)"}, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if n := stub.Counts().Connections; n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestWhatIsAskedFor(t *testing.T) {
	stub := newStub(stubOptions{})
	r := connect(t, stub, nil)
	for language, want := range map[string]string{"": "en", "de-CH": "de-CH"} {
		s, lines := stream(t, r, language)
		speak(s, 1)
		outcome(lines)
		query, err := url.ParseQuery(*stub.query.Load())
		if err != nil {
			t.Fatal(err)
		}
		diff := cmp.Diff(url.Values{
			"model": {"nova-3"}, "language": {want},
			"encoding": {"linear16"}, "sample_rate": {"16000"}, "channels": {"1"},
			"interim_results": {"true"}, "endpointing": {"false"}, "punctuate": {"true"}, "smart_format": {"true"},
		}, query)
		if diff != "" {
			t.Errorf("query (-want +got):\n%s", diff)
		}
	}
}

// Deepgram does not promise to mark the answer to Finalize; results that reach to the end of the audio do as well.
func TestFinalizeWithoutItsMark(t *testing.T) {
	stub := newStub(stubOptions{Unmarked: true, Transcribe: func(n int64) string { return fmt.Sprint("text ", n) }})
	s, lines := stream(t, connect(t, stub, func(c *deepgram.Config) { c.Limits.Settle = time.Minute }), "")
	for i, want := range []string{"final 0 text 0 (0.9)", "final 1 text 1 (0.9)", "final 2 text 2 (0.9)"} {
		speak(s, uint64(i))
		if got := outcome(lines); got != want {
			t.Errorf("outcome %q, want %q", got, want)
		}
	}
}

// pieces is a server that settles a segment in several results, says other things in between, and answers Finalize twice.
type pieces struct {
	sockettest.Server
	begun, heard float64 // s
}

func (p *pieces) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.Serve(w, r, p) }
func (*pieces) Open() []string                                     { return nil }
func (p *pieces) Receive(binary bool, message []byte) sockettest.Reply {
	result := func(text string, flags string, until float64) string {
		return fmt.Sprintf(`{"type":"Results","start":%g,"duration":%g,%s"channel":{"alternatives":[{"transcript":%q,"confidence":0.8}]}}`,
			p.begun, until-p.begun, flags, text)
	}
	const final, asked = `"is_final":true,`, `"from_finalize":true,`
	switch {
	case binary:
		p.heard += float64(len(message)) / 32000
		return sockettest.Reply{Audio: true, Now: []string{
			`{"type":"Metadata"}`, `{"type":"SpeechStarted"}`,
			result("I thing", "", p.heard), result("I think", final, p.begun+0.05), result("so to", "", p.heard), result("", final, p.begun+0.06),
		}}
	case strings.Contains(string(message), "Finalize"):
		answers := []string{result("so too.", final+asked, p.heard), result("", final+asked, p.heard)}
		p.begun = p.heard
		return sockettest.Reply{Final: answers}
	}
	return sockettest.Reply{}
}

func TestTextIsPutTogetherFromPieces(t *testing.T) {
	s, lines := stream(t, connect(t, &pieces{}, nil), "")
	for segment := range uint64(3) { // the second answer to Finalize does not end the next segment
		s.SpeechStarted(segment, 0)
		s.Write(make([]int16, stt.SampleRate/10))
		s.SpeechEnded(segment)
		want := fmt.Sprintf("final %d I think so too. (0.8)", segment)
		if got := outcome(lines); got != want {
			t.Errorf("outcome %q, want %q", got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		status int
		kind   fault.Kind
		words  string
	}{
		{401, fault.Auth, "DEEPGRAM_API_KEY"},
		{402, fault.Quota, "balance"},
		{400, fault.BadRequest, "model"},
		{404, fault.Malformed, "DEEPGRAM_BASE_URL"},
		{429, fault.RateLimited, "streams"},
		{503, fault.Server, "the stub refuses"},
		{200, fault.Malformed, "DEEPGRAM_BASE_URL"},
	}
	for _, tt := range tests {
		t.Run(http.StatusText(tt.status), func(t *testing.T) {
			s, lines := stream(t, connect(t, newStub(stubOptions{Refuse: tt.status}), nil), "")
			speak(s, 1)
			got := outcome(lines)
			if !strings.HasPrefix(got, "failed 1 ") || !strings.Contains(got, tt.kind.String()) || !strings.Contains(got, tt.words) || strings.Contains(got, key) {
				t.Errorf("the first segment: %q; want %v and %q", got, tt.kind, tt.words)
			}
		})
	}
}

func TestFaultsOfAConnection(t *testing.T) {
	tests := []struct {
		name  string
		fault sockettest.Fault
		want  string
	}{
		{"never answers", sockettest.Fault{Do: sockettest.Silent}, "failed 1 deepgram: transcribe: no answer in time"},
		{"half open", sockettest.Fault{Do: sockettest.HalfOpen}, "failed 1 deepgram: transcribe: no answer in time"},
		{"hangs up", sockettest.Fault{Do: sockettest.Hangup}, "failed 1 deepgram: transcribe: the connection failed"},
		{"breaks down", sockettest.Fault{Do: sockettest.Hangup, Code: 1011}, "failed 1 deepgram: transcribe: the provider failed"},
		{"garbage", sockettest.Fault{Do: sockettest.Garbage}, "failed 1 deepgram: transcribe: the answer makes no sense"},
		{"late", sockettest.Fault{Do: sockettest.Late, Delay: 100 * time.Millisecond}, "final 1 good morning"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stub := newStub(stubOptions{Transcribe: func(int64) string { return "good morning" }})
			tt.fault.Times = 1
			stub.Fail(tt.fault)
			r := connect(t, stub, func(c *deepgram.Config) { c.Limits.Settle = time.Minute })
			s, lines := stream(t, r, "")
			speak(s, 1)
			if got := outcome(lines); !strings.HasPrefix(got, tt.want) {
				t.Errorf("outcome %q, want %q…", got, tt.want)
			}
			speak(s, 2)
			if got := outcome(lines); got != "final 2 good morning (0.9)" {
				t.Errorf("the next segment: %q", got)
			}
		})
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, cfg := range map[string]deepgram.Config{
		"DEEPGRAM_API_KEY is not set": {},
		"DEEPGRAM_API_KEY holds":      {APIKey: "a b"},
		"DEEPGRAM_BASE_URL":           {APIKey: key, BaseURL: "api.deepgram.com"},
	} {
		if _, err := deepgram.New(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("New(%+v): %v, want %q", cfg, err, name)
		}
	}
	if _, err := deepgram.New(deepgram.Config{BaseURL: "ws://localhost:1"}); err != nil {
		t.Errorf("a server of one's own needs no key: %v", err)
	}
}
