package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai"
)

// canned is a network on which every request is answered with a reply of so many tokens, at once.
type canned struct{ tokens int }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	const token = `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n"
	text := strings.Repeat(token, c.tokens) + "data: [DONE]\n\n"
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: io.NopCloser(strings.NewReader(text)),
	}, nil
}

// Our own share of a reply: the request of a long talk, and all of a short reply; a candidate waits for the first word of it.
func BenchmarkChat(b *testing.B) {
	r := llm.Request{MaxTokens: 220}
	for range 18 {
		r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser, Content: strings.Repeat("I rebuilt the billing system. ", 20)})
	}
	for name, tokens := range map[string]int{"first": 1, "whole": 60} {
		b.Run(name, func(b *testing.B) {
			c, err := openai.New(openai.Config{BaseURL: "http://x.test/v1", HTTPClient: &http.Client{Transport: canned{tokens}}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				s, err := c.Model().Stream(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = s.Next()
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				_ = s.Close() // it was read to its end
			}
		})
	}
}
