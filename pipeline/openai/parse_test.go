package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/llm"
)

func FuzzChatStream(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n")
	f.Add("<html>")
	f.Add(": x\r\n\r\ndata:\ndata: {}\n\nevent: y\n")
	f.Fuzz(func(t *testing.T, body string) {
		c := &Client{cfg: Config{BaseURL: DefaultBaseURL}, http: &http.Client{Transport: answering(body)}}
		s, err := (&chatModel{c}).Stream(t.Context(), llm.Request{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		for range len(body) + 2 { // every delta takes at least a byte
			if _, err := s.Next(); err != nil {
				if _, again := s.Next(); !errors.Is(again, err) {
					t.Errorf("the error %v is not repeated", err)
				}
				return
			}
		}
		t.Error("the stream does not end")
	})
}

// answering is a network on which every request is answered with these events.
type answering string

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(string(a))),
	}, nil
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		header   string
		min, max time.Duration
	}{
		{"", 0, 0}, {"2", 2 * time.Second, 2 * time.Second}, {"0.5", 500 * time.Millisecond, 500 * time.Millisecond},
		{"-1", 0, 0}, {"1e30", maxRetryAfter, maxRetryAfter}, {"soon", 0, 0},
		{time.Now().Add(time.Minute).UTC().Format(http.TimeFormat), 50 * time.Second, time.Minute},
	}
	for _, tt := range tests {
		if got := retryAfter(http.Header{"Retry-After": {tt.header}}); got < tt.min || got > tt.max {
			t.Errorf("Retry-After %q: %v, want %v…%v", tt.header, got, tt.min, tt.max)
		}
	}
}

func TestTheKeyIsNotShown(t *testing.T) {
	c := &Client{cfg: Config{APIKey: "sk-1234567890"}}
	got := c.explanation([]byte(`{"error":{"message":"the key sk-1234567890\nis wrong ` + strings.Repeat("é", 300) + `"}}`))
	if strings.Contains(got, "1234567890") || strings.Contains(got, "\n") || len(got) > errorText+10 {
		t.Errorf("shown: %q", got)
	}
}

func TestSpeechReadDoesNotAllocate(t *testing.T) {
	s := &speech{cause: func() error { return nil }, body: io.NopCloser(zeros{})}
	pcm := make([]int16, 480)
	if n := testing.AllocsPerRun(200, func() { _, _ = s.Read(pcm) }); n > 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
