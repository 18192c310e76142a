package openaitest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	client "github.com/sashabaranov/go-openai"
	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect serves the stub to an independent client library.
func connect(t *testing.T, o openaitest.Options) *client.Client {
	t.Helper()
	server := httptest.NewServer(openaitest.New(o))
	t.Cleanup(server.Close)
	config := client.DefaultConfig("key")
	config.BaseURL = server.URL + "/v1"
	config.HTTPClient = server.Client()
	return client.NewClientWithConfig(config)
}

func request(stream bool) client.ChatCompletionRequest {
	return client.ChatCompletionRequest{
		Model: "m", Stream: stream,
		Messages:      []client.ChatCompletionMessage{{Role: "user", Content: "Hello"}},
		StreamOptions: &client.StreamOptions{IncludeUsage: stream},
	}
}

func TestChatWithAnotherClient(t *testing.T) {
	c := connect(t, openaitest.Options{Reply: func(r openaitest.ChatRequest) openaitest.Scripted {
		return openaitest.Scripted{
			Text:      "You said " + strings.Trim(string(r.Messages[0].Content), `"`) + ". Why?",
			ToolCalls: []openaitest.ScriptedCall{{Name: "f", Arguments: `{"a":1}`}},
		}
	}})
	whole := request(false)
	whole.StreamOptions = nil
	got, err := c.CreateChatCompletion(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	message := got.Choices[0].Message
	if message.Content != "You said Hello. Why?" || message.ToolCalls[0].Function.Arguments != `{"a":1}` || got.Usage.TotalTokens == 0 {
		t.Errorf("whole: %+v", got)
	}
	s, err := c.CreateChatCompletionStream(t.Context(), request(true))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	text, arguments, events := "", "", 0
	for {
		chunk, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		events++
		if len(chunk.Choices) > 0 {
			text += chunk.Choices[0].Delta.Content
			for _, call := range chunk.Choices[0].Delta.ToolCalls {
				arguments += call.Function.Arguments
			}
		}
	}
	if text != message.Content || arguments != `{"a":1}` || events != 8 {
		t.Errorf("stream: %q, %q in %d events; want 4 tokens, 2 pieces of arguments, the end and the usage", text, arguments, events)
	}
}

func TestRepliesTakeTurnsAndAsk(t *testing.T) {
	c := connect(t, openaitest.Options{})
	last := ""
	for range 8 {
		whole := request(false)
		whole.StreamOptions = nil
		got, err := c.CreateChatCompletion(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		text := got.Choices[0].Message.Content
		if text == last || !strings.HasSuffix(text, "?") {
			t.Errorf("after %q: %q", last, text)
		}
		last = text
	}
}

func TestAudioWithAnotherClient(t *testing.T) {
	c := connect(t, openaitest.Options{})
	const text = "Tell me more, please."
	sizes := map[client.SpeechResponseFormat]int{}
	for _, format := range []client.SpeechResponseFormat{client.SpeechResponseFormatPcm, client.SpeechResponseFormatWav} {
		audio, err := c.CreateSpeech(t.Context(), client.CreateSpeechRequest{Model: "m", Input: text, Voice: "alloy", ResponseFormat: format})
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(audio)
		if err := errors.Join(err, audio.Close()); err != nil {
			t.Fatal(err)
		}
		sizes[format] = len(b)
	}
	want := len(text) * 60 * 24000 / 1000 * 2
	if sizes["pcm"] != want || sizes["wav"] != want+44 {
		t.Errorf("sizes %v, want %d and 44 more", sizes, want)
	}
	_, err := c.CreateSpeech(t.Context(), client.CreateSpeechRequest{Model: "m", Input: text, Voice: "alloy", ResponseFormat: client.SpeechResponseFormatMp3})
	var refused *client.APIError
	if !errors.As(err, &refused) || refused.HTTPStatusCode != http.StatusBadRequest {
		t.Errorf("mp3: %v, want 400", err)
	}
	heard, err := c.CreateTranscription(t.Context(), client.AudioRequest{Model: "m", FilePath: "x.wav", Reader: strings.NewReader(strings.Repeat("x", 100))})
	if err != nil || heard.Text == "" {
		t.Errorf("transcription: %q, %v", heard.Text, err)
	}
	if models, err := c.ListModels(t.Context()); err != nil || len(models.Models) == 0 {
		t.Errorf("models: %v, %v", models, err)
	}
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
		ask := func(path, contentType, body string) *stopwatch {
			w := &stopwatch{ResponseRecorder: httptest.NewRecorder(), start: time.Now()}
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			stub.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			return w
		}
		w := ask("/v1/chat/completions", "application/json", `{"stream":true,"messages":[{"role":"user","content":"x"}]}`)
		if w.at[0] != 200*time.Millisecond || w.at[1]-w.at[0] != 15*time.Millisecond {
			t.Errorf("tokens at %v", w.at)
		}
		w = ask("/v1/audio/speech", "application/json", `{"input":"1234567890","response_format":"pcm"}`)
		if w.at[0] != 120*time.Millisecond || w.at[1]-w.at[0] != 20*time.Millisecond || len(w.at) != 6 {
			t.Errorf("audio at %v; 600 ms want 6 chunks, 5 times as fast as they play", w.at)
		}
		const form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nxxxx\r\n--b--\r\n"
		w = ask("/v1/audio/transcriptions", "multipart/form-data; boundary=b", form)
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
			w := httptest.NewRecorder()
			stub.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
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
