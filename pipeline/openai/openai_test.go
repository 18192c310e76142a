package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// short are limits that end a stalled test soon, long those of tests in which nothing stalls.
const (
	short = 100 * time.Millisecond
	long  = 10 * time.Second
)

// start serves h and gives a client of it, with limits that end a stalled request soon, and one retry at once.
func start(t *testing.T, h http.Handler) *openai.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return connect(t, server.URL+"/v1", short)
}

func connect(t *testing.T, url string, limit time.Duration) *openai.Client {
	t.Helper()
	retry := &fault.Retry{Max: 1}
	c, err := openai.New(openai.Config{
		BaseURL: url, APIKey: "secret-key",
		ChatLimits:   fault.Limits{First: limit, Gap: limit, Retry: retry},
		SpeechLimits: fault.Limits{First: limit, Gap: limit, Retry: retry},
		TranscriptionLimits: stt.SegmenterOptions{
			Attempt: limit, Limits: stt.Limits{Finish: 3 * limit}, Retry: retry,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// chat reads a reply to its end.
func chat(ctx context.Context, c *openai.Client, r llm.Request) (text string, usage *llm.Usage, err error) {
	if r.Messages == nil {
		r.Messages = []llm.Message{{Role: llm.RoleUser, Content: "Hello"}}
	}
	s, err := c.Model().Stream(ctx, r)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return text, usage, nil
		}
		if err != nil {
			return text, usage, err
		}
		text += d.Text
		if d.Usage != nil {
			usage = d.Usage
		}
	}
}

// speak reads speech to its end.
func speak(ctx context.Context, c *openai.Client, r tts.Request) (pcm []int16, err error) {
	a, err := c.Synthesizer().Synthesize(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	buf := make([]int16, 333)
	for {
		n, err := a.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return pcm, nil
		}
		if err != nil {
			return pcm, err
		}
	}
}

// recognize has one segment of a second recognised.
func recognize(ctx context.Context, c *openai.Client, language string) (stt.Final, error) {
	outcome := make(chan stt.Event, 1)
	s, err := c.Recognizer().Open(ctx, stt.Options{Language: language, Handle: func(e stt.Event) { outcome <- e }})
	if err != nil {
		return stt.Final{}, err
	}
	defer func() { _ = s.Close() }()
	s.SpeechStarted(1, 0)
	s.Write(make([]int16, stt.SampleRate))
	s.SpeechEnded(1)
	switch e := (<-outcome).(type) {
	case stt.Final:
		return e, nil
	case stt.Failed:
		return stt.Final{}, e.Err
	default:
		return stt.Final{}, errors.New("a partial came")
	}
}

// requests are the three uses, for tests that hold for each.
var requests = map[openaitest.Endpoint]func(context.Context, *openai.Client) error{
	openaitest.Chat: func(ctx context.Context, c *openai.Client) error {
		_, _, err := chat(ctx, c, llm.Request{})
		return err
	},
	openaitest.Speech: func(ctx context.Context, c *openai.Client) error {
		_, err := speak(ctx, c, tts.Request{Text: "Hello"})
		return err
	},
	openaitest.Transcriptions: func(ctx context.Context, c *openai.Client) error {
		_, err := recognize(ctx, c, "en")
		return err
	},
}

// A provider that returns HTML, 401, 429, 500, an endless stream, or nothing at all: a clear error, no hang, nothing lost.
func TestFaults(t *testing.T) {
	type faulty struct {
		name  string
		fault openaitest.Fault
		kind  fault.Kind
		hint  string
	}
	tests := []faulty{
		{"401", openaitest.Fault{Status: 401, Code: "invalid_api_key"}, fault.Auth, "OPENAI_API_KEY"},
		{"400", openaitest.Fault{Status: 400}, fault.BadRequest, "model"},
		{"404", openaitest.Fault{Status: 404, Code: "model_not_found"}, fault.BadRequest, "model"},
		{"429", openaitest.Fault{Status: 429}, fault.RateLimited, ""},
		{"429 without credit", openaitest.Fault{Status: 429, Code: "insufficient_quota"}, fault.Quota, "billing"},
		{"500", openaitest.Fault{Status: 500}, fault.Server, ""},
		{"page", openaitest.Fault{Do: openaitest.Page}, fault.Malformed, "OPENAI_BASE_URL"},
		{"page with 404", openaitest.Fault{Do: openaitest.Page, Status: 404}, fault.Malformed, "OPENAI_BASE_URL"},
		{"gateway's page", openaitest.Fault{Do: openaitest.Page, Status: 502}, fault.Server, ""},
		{"stall", openaitest.Fault{Do: openaitest.Stall}, fault.Timeout, ""},
		{"stall inside", openaitest.Fault{Do: openaitest.StallInside}, fault.Timeout, ""},
		{"drop", openaitest.Fault{Do: openaitest.Drop}, fault.Connection, ""},
		{"endless", openaitest.Fault{Do: openaitest.Endless}, fault.Malformed, ""},
		{"garbage", openaitest.Fault{Do: openaitest.Garbage}, fault.Malformed, ""},
	}
	special := map[openaitest.Endpoint]faulty{ // an empty body means something else to each
		openaitest.Chat:           {"nothing", openaitest.Fault{Do: openaitest.Nothing}, fault.Connection, ""},
		openaitest.Speech:         {"nothing", openaitest.Fault{Do: openaitest.Nothing}, fault.Empty, ""},
		openaitest.Transcriptions: {"nothing", openaitest.Fault{Do: openaitest.Nothing}, fault.Malformed, ""},
	}
	for endpoint, request := range requests {
		for _, tt := range append(tests, special[endpoint]) {
			t.Run(string(endpoint)+"/"+tt.name, func(t *testing.T) {
				stub := openaitest.New(openaitest.Options{})
				stub.Fail(endpoint, tt.fault)
				err := request(t.Context(), start(t, stub))
				if fault.KindOf(err) != tt.kind {
					t.Fatalf("got %v (%v), want %v", err, fault.KindOf(err), tt.kind)
				}
				if !strings.Contains(err.Error(), tt.hint) || strings.Contains(err.Error(), "secret-key") {
					t.Errorf("message %q must contain %q and no key", err, tt.hint)
				}
			})
		}
	}
}

func TestOneFailureIsRetried(t *testing.T) {
	for endpoint, request := range requests {
		t.Run(string(endpoint), func(t *testing.T) {
			stub := openaitest.New(openaitest.Options{})
			stub.Fail(endpoint, openaitest.Fault{Status: 503, Times: 1})
			if err := request(t.Context(), start(t, stub)); err != nil {
				t.Error(err)
			}
			c := stub.Counts()
			if n := c.Chats + c.Speeches + c.Transcriptions; n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	for endpoint, request := range requests {
		t.Run(string(endpoint), func(t *testing.T) {
			err := request(t.Context(), connect(t, url, short))
			if fault.KindOf(err) != fault.Connection || !strings.Contains(err.Error(), "OPENAI_BASE_URL") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Cancelling ends a request that waits, within the request's own limits and without a leak (TestMain checks).
func TestCancel(t *testing.T) {
	for endpoint, request := range requests {
		t.Run(string(endpoint), func(t *testing.T) {
			arrived := make(chan struct{}, 8)
			stalled := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // so that the server notices the client's leaving
				arrived <- struct{}{}
				<-r.Context().Done()
			})
			c := start(t, stalled)
			ctx, cancel := context.WithCancel(t.Context())
			if endpoint == openaitest.Transcriptions {
				s, err := c.Recognizer().Open(ctx, stt.Options{Handle: func(e stt.Event) { t.Errorf("event %v", e) }})
				if err != nil {
					t.Fatal(err)
				}
				s.SpeechStarted(1, 0)
				s.Write(make([]int16, stt.SampleRate))
				s.SpeechEnded(1)
				<-arrived
				cancel()
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			done := make(chan error, 1)
			go func() { done <- request(ctx, c) }()
			<-arrived
			cancel()
			if err := <-done; fault.KindOf(err) != fault.Canceled {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestChatStreamsTextAndUsage(t *testing.T) {
	stub := openaitest.New(openaitest.Options{Reply: func(r openaitest.ChatRequest) openaitest.Scripted {
		if len(r.ResponseFormat) == 0 {
			return openaitest.Scripted{Text: "the request lost something"}
		}
		return openaitest.Scripted{Text: "One moment, please."}
	}})
	text, usage, err := chat(t.Context(), start(t, stub), llm.Request{
		Schema: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`),
	})
	if err != nil || text != "One moment, please." {
		t.Errorf("text %q, %v", text, err)
	}
	if usage == nil || usage.CompletionTokens == 0 || usage.PromptTokens == 0 {
		t.Errorf("usage %+v", usage)
	}
}

// body serves one fixed answer.
func body(contentType, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, text)
	})
}

func TestChatDialects(t *testing.T) {
	const hello = `data: {"choices":[{"delta":{"content":"Hello"}}]}` + "\n\n"
	tests := []struct {
		name, contentType, body string
		text                    string
		kind                    fault.Kind
	}{
		{"no end mark but a reason", "text/event-stream", hello + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n", "Hello", fault.Unknown},
		{"no end mark, no reason: cut off", "text/event-stream", hello, "Hello", fault.Connection},
		{"no last empty line", "text/event-stream", hello + "data: [DONE]", "Hello", fault.Unknown},
		{"comments, event names, CRLF", "text/event-stream", ": ping\r\nevent: x\r\n" + strings.ReplaceAll(hello, "\n", "\r\n") + "data:[DONE]\r\n\r\n", "Hello", fault.Unknown},
		{"whole reply", "application/json", `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`, "Hello", fault.Unknown},
		{"error inside", "text/event-stream", hello + `data: {"error":{"message":"overloaded","code":503}}` + "\n\n", "Hello", fault.Server},
		{"rate limit inside", "text/event-stream", hello + `data: {"error":{"code":"rate_limit_exceeded"}}` + "\n\n", "Hello", fault.RateLimited},
		{"content filter", "text/event-stream", hello + `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n", "Hello", fault.BadRequest},
		{"keep-alives only", "text/event-stream", strings.Repeat(": ping\n\n", 100), "", fault.Connection},
		{"a line without end", "text/event-stream", "data: " + strings.Repeat("x", 2<<20), "", fault.Malformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, _, err := chat(t.Context(), start(t, body(tt.contentType, tt.body)), llm.Request{})
			if text != tt.text || fault.KindOf(err) != tt.kind || (err == nil) != (tt.kind == fault.Unknown) {
				t.Errorf("got %q, %v; want %q, %v", text, err, tt.text, tt.kind)
			}
		})
	}
}

func TestSpeechJoinsOddPiecesAndSendsWhatWasAsked(t *testing.T) {
	var got map[string]any
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		for i := range 255 { // 85 samples of 1, 2, 3 … in pieces of one and two bytes, and half a sample more
			_, _ = w.Write([]byte{byte(i)})
			if i%2 == 1 || i%3 == 0 {
				_ = http.NewResponseController(w).Flush()
			}
		}
	})
	c := start(t, h)
	pcm, err := speak(t.Context(), c, tts.Request{Text: "Hi", Voice: "nova", Speed: 9})
	if err != nil || len(pcm) != 127 {
		t.Fatalf("%d samples, %v; want 127", len(pcm), err)
	}
	for i, s := range pcm {
		if want := int16(2*i) | int16(2*i+1)<<8; s != want {
			t.Fatalf("sample %d is %#x, want %#x", i, s, want)
		}
	}
	want := map[string]any{"model": openai.DefaultSpeechModel, "input": "Hi", "voice": "nova", "response_format": "pcm", "speed": 4.0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestSpeechRefusesOtherFormats(t *testing.T) {
	for _, text := range []string{"RIFF\x00\x00\x00\x00WAVEfmt ", "ID3\x04xxxx", "OggSxxxx", "<!doctype html>"} {
		pcm, err := speak(t.Context(), start(t, body("application/octet-stream", text)), tts.Request{Text: "Hi"})
		if fault.KindOf(err) != fault.Malformed || len(pcm) != 0 {
			t.Errorf("%q: %d samples, %v", text, len(pcm), err)
		}
	}
}

func TestTranscription(t *testing.T) {
	var seen openaitest.Recording
	stub := openaitest.New(openaitest.Options{Transcribe: func(r openaitest.Recording) string {
		seen = r
		return " I was a team lead. "
	}})
	final, err := recognize(t.Context(), start(t, stub), "en-GB")
	if err != nil || final.Text != "I was a team lead." || final.Confidence != 0 {
		t.Errorf("got %+v, %v", final, err)
	}
	want := openaitest.Recording{Bytes: 32044, Duration: time.Second, Model: openai.DefaultTranscriptionModel, Language: "en"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("upload (-want +got):\n%s", diff)
	}
	final, err = recognize(t.Context(), start(t, body("application/json", `{"text":"x","logprobs":[{"logprob":-0.1},{"logprob":-0.3}]}`)), "")
	if err != nil || final.Confidence < 0.81 || final.Confidence > 0.82 {
		t.Errorf("confidence %v, %v; want exp(-0.2)", final.Confidence, err)
	}
}

func TestPrewarm(t *testing.T) {
	stub := openaitest.New(openaitest.Options{Key: "another"})
	if err := start(t, stub).Prewarm(t.Context()); fault.KindOf(err) != fault.Auth {
		t.Errorf("wrong key: %v", err)
	}
	if err := start(t, openaitest.New(openaitest.Options{})).Prewarm(t.Context()); err != nil {
		t.Error(err)
	}
	if err := start(t, http.NotFoundHandler()).Prewarm(t.Context()); err != nil {
		t.Errorf("a server without a list of models: %v", err)
	}
}

func TestConnectionIsUsedAgain(t *testing.T) {
	server := httptest.NewUnstartedServer(openaitest.New(openaitest.Options{}))
	opened := 0
	server.Config.ConnState = connCounter(&opened)
	server.Start()
	defer server.Close()
	c := connect(t, server.URL+"/v1", long)
	if err := c.Prewarm(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for endpoint, request := range requests {
			if err := request(t.Context(), c); err != nil {
				t.Errorf("%s: %v", endpoint, err)
			}
		}
	}
	server.Close()
	if opened != 1 {
		t.Errorf("%d connections for 10 requests in turn, want 1", opened)
	}
}

func TestNewExplainsBadSettings(t *testing.T) {
	tests := []struct {
		cfg  openai.Config
		want string
	}{
		{openai.Config{}, "OPENAI_API_KEY"},
		{openai.Config{BaseURL: "localhost:8000"}, "OPENAI_BASE_URL"},
		{openai.Config{BaseURL: "ftp://x"}, "OPENAI_BASE_URL"},
		{openai.Config{APIKey: "sk-x\n"}, "OPENAI_API_KEY"},
	}
	for _, tt := range tests {
		if _, err := openai.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v): %v, want it to name %s", tt.cfg, err, tt.want)
		}
	}
	if _, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1/"}); err != nil {
		t.Errorf("a local server needs no key: %v", err)
	}
}

// asFault finds the provider's failure in an error.
func asFault(err error) (*fault.Error, bool) { return errors.AsType[*fault.Error](err) }
