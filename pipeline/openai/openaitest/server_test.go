package openaitest_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask sends a request to the stub without a network and gives the answer.
func ask(t *testing.T, stub http.Handler, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	stub.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	return w
}

// reply is what the tests read of a chat answer, whole or in pieces.
type reply struct {
	Choices []struct {
		Message, Delta struct {
			Content string
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		Total int `json:"total_tokens"`
	}
}

func decode(t *testing.T, text string) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return r
}

const hello = `"messages":[{"role":"user","content":"Hello"}]}`

func TestChatInBothForms(t *testing.T) {
	stub := openaitest.New(openaitest.Options{Reply: func(r openaitest.ChatRequest) openaitest.Scripted {
		return openaitest.Scripted{Text: "You said " + strings.Trim(string(r.Messages[0].Content), `"`) + ". Why?"}
	}})
	whole := decode(t, ask(t, stub, "/v1/chat/completions", `{`+hello).Body.String())
	message := whole.Choices[0].Message
	if message.Content != "You said Hello. Why?" || whole.Usage.Total == 0 {
		t.Errorf("whole: %+v", whole)
	}
	events := strings.Split(strings.TrimSpace(ask(t, stub, "/v1/chat/completions", `{"stream":true,"stream_options":{"include_usage":true},`+hello).Body.String()), "\n\n")
	text, finish, total := "", "", 0
	for _, event := range events[:len(events)-1] {
		piece := decode(t, strings.TrimPrefix(event, "data: "))
		total += piece.Usage.Total
		for _, choice := range piece.Choices {
			text += choice.Delta.Content
			finish += choice.FinishReason
		}
	}
	if text != message.Content || finish != "stop" || total != whole.Usage.Total || events[len(events)-1] != "data: [DONE]" {
		t.Errorf("stream: %q, %q, %d tokens in %q", text, finish, total, events)
	}
	if len(events) != 7 {
		t.Errorf("%d events; want 4 tokens, the reason, the usage and the end mark", len(events))
	}
}

func TestRepliesTakeTurnsAndAsk(t *testing.T) {
	stub := openaitest.New(openaitest.Options{})
	last := ""
	for range 8 {
		text := decode(t, ask(t, stub, "/v1/chat/completions", `{`+hello).Body.String()).Choices[0].Message.Content
		if text == last || !strings.HasSuffix(text, "?") {
			t.Errorf("after %q: %q", last, text)
		}
		last = text
	}
}

func TestSpeechIsAsLongAsItsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stub := openaitest.New(openaitest.Options{})
		const text = "Tell me more, please."
		size := func(format string) int {
			w := ask(t, stub, "/v1/audio/speech", `{"input":"`+text+`","response_format":"`+format+`"}`)
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d", format, w.Code)
			}
			return w.Body.Len()
		}
		want := len(text) * 60 * 24000 / 1000 * 2
		if pcm, wav := size("pcm"), size("wav"); pcm != want || wav != want+44 {
			t.Errorf("%d and %d bytes, want %d and 44 more", pcm, wav, want)
		}
		if w := ask(t, stub, "/v1/audio/speech", `{"input":"x","response_format":"mp3"}`); w.Code != http.StatusBadRequest {
			t.Errorf("mp3: %d, want 400", w.Code)
		}
	})
}

// stopwatch is a response that notes when each piece was written.
type stopwatch struct {
	*httptest.ResponseRecorder
	start time.Time
	at    []time.Duration
}

func (s *stopwatch) Write(b []byte) (int, error) {
	s.at = append(s.at, time.Since(s.start))
	return s.ResponseRecorder.Write(b)
}

func TestDelaysAreThoseAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stub := openaitest.New(openaitest.Typical())
		timed := func(path, contentType, body string) *stopwatch {
			w := &stopwatch{ResponseRecorder: httptest.NewRecorder(), start: time.Now()}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			stub.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			return w
		}
		w := timed("/v1/chat/completions", "application/json", `{"stream":true,"messages":[{"role":"user","content":"x"}]}`)
		if w.at[0] != 200*time.Millisecond || w.at[1]-w.at[0] != 15*time.Millisecond {
			t.Errorf("tokens at %v", w.at)
		}
		w = timed("/v1/audio/speech", "application/json", `{"input":"1234567890","response_format":"pcm"}`)
		if w.at[0] != 120*time.Millisecond || w.at[1]-w.at[0] != 20*time.Millisecond || len(w.at) != 6 {
			t.Errorf("audio at %v; 600 ms want 6 chunks, 5 times as fast as they play", w.at)
		}
		const form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nxxxx\r\n--b--\r\n"
		w = timed("/v1/audio/transcriptions", "multipart/form-data; boundary=b", form)
		if w.at[0] != 150*time.Millisecond {
			t.Errorf("transcription at %v", w.at)
		}
	})
}

func TestBadRequestsAreRefused(t *testing.T) {
	stub := openaitest.New(openaitest.Options{})
	for path, bodies := range map[string][]string{
		"/v1/chat/completions":     {"", "{", `{"messages":[]}`},
		"/v1/audio/speech":         {"", `{"input":"","response_format":"pcm"}`, `{"input":"x"}`},
		"/v1/audio/transcriptions": {"", "no form"},
	} {
		for _, body := range bodies {
			w := ask(t, stub, path, body)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"error"`) {
				t.Errorf("%s %q: %d %s", path, body, w.Code, w.Body)
			}
		}
	}
}

func TestListenAndServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := make(chan net.Addr, 1)
	done := make(chan error, 1)
	stub := openaitest.New(openaitest.Options{Key: "k"})
	go func() { done <- stub.ListenAndServe(ctx, "127.0.0.1:0", func(a net.Addr) { address <- a }) }()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+(<-address).String()+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || stub.Counts().Models != 1 {
		t.Errorf("status %d without the key, counts %+v", resp.StatusCode, stub.Counts())
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := stub.ListenAndServe(t.Context(), "127.0.0.1:-1", nil); err == nil {
		t.Error("a bad address was accepted")
	}
}
