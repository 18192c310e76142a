package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/vivavoice/viva/pipeline/fault"
)

// maxRequest bounds the body of a request (a recording of 5 minutes).
const maxRequest = 12 << 20

// ChatRequest is what a client asks, as far as a script needs it.
type ChatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"` // a string or a list of parts
	} `json:"messages"`
	ResponseFormat json.RawMessage `json:"response_format"`
	Temperature    *float64        `json:"temperature"`
	Effort         string          `json:"reasoning_effort"`
	// Limit and OldLimit are max_completion_tokens and max_tokens.
	Limit         int  `json:"max_completion_tokens"`
	OldLimit      int  `json:"max_tokens"`
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// Scripted is a reply. One without text is an empty one.
type Scripted struct {
	Text string
	// Reading is what the field reading of a turn holds (see Turn), as JSON; empty: one that fits the request.
	Reading string
}

// replies is the bank from which chat requests without a script are answered, in turn.
var replies = [...]string{
	"Thank you, that helps. What was the hardest part of it for you?",
	"I see. How did you decide between the options that you had?",
	"That is clear. What would you do differently if you started again today?",
	"Good, let us stay with that for a moment. How did you measure whether it worked?",
	"Understood. Who else was involved, and what was your own part?",
	"Interesting. What went wrong along the way, and how did you notice?",
}

// goodbye is the reply of an interviewer at the end of the interview.
const goodbye = "Thank you for talking with me, and all the best. Goodbye!"

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request", "The body could not be read.")
		return
	}
	if wrong := checkForm(body); wrong != nil {
		s.refused.Add(1)
		refuse(w, http.StatusBadRequest, wrong.code, wrong.message)
		return
	}
	var req ChatRequest
	if err := json.Unmarshal(body, &req); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_json", "The body is not the JSON of a chat request.")
		return
	}
	reply := s.reply(req)
	if req.Turn() {
		reply.Text = turnText(req, reply)
	}
	cached := s.cached(req)
	if req.Stream {
		s.streamChat(w, r, req, reply, cached)
		return
	}
	tokens := pieces(reply.Text)
	if fault.Sleep(r.Context(), s.options.FirstToken) && pauseTokens(r, s.options, len(tokens)) {
		writeJSON(w, http.StatusOK, wholeReply(req, reply, cached))
	}
}

func (s *Server) reply(req ChatRequest) Scripted {
	if s.options.Reply != nil {
		return s.options.Reply(req)
	}
	if req.goodbye() {
		return Scripted{Text: goodbye}
	}
	n := s.nextReply.Add(1) - 1
	return Scripted{Text: replies[n%int64(len(replies))]}
}

func pauseTokens(r *http.Request, o Options, n int) bool {
	for range n {
		if !fault.Sleep(r.Context(), o.PerToken) {
			return false
		}
	}
	return true
}

// streamChat sends a reply token by token.
func (s *Server) streamChat(w http.ResponseWriter, r *http.Request, req ChatRequest, reply Scripted, cached int) {
	if !fault.Sleep(r.Context(), s.options.FirstToken) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	flush := http.NewResponseController(w)
	for i, p := range pieces(reply.Text) {
		if i > 0 && !fault.Sleep(r.Context(), s.options.PerToken) {
			return
		}
		if !send(w, flush, event(req.Model, map[string]any{"content": p}, nil)) {
			return
		}
	}
	if !send(w, flush, event(req.Model, map[string]any{}, "stop")) {
		return
	}
	if req.StreamOptions.IncludeUsage {
		u := event(req.Model, nil, nil)
		u["choices"], u["usage"] = []any{}, usage(req, reply, cached)
		if !send(w, flush, u) {
			return
		}
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n") // the client went away
}

func send(w http.ResponseWriter, flush *http.ResponseController, v any) bool {
	b, err := json.Marshal(v)
	if err != nil {
		return false
	}
	if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
		return false
	}
	return flush.Flush() == nil
}

func event(model string, delta map[string]any, finish any) map[string]any {
	return map[string]any{
		"id": "chatcmpl-stub", "object": "chat.completion.chunk", "created": 0, "model": model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

func wholeReply(req ChatRequest, reply Scripted, cached int) map[string]any {
	message := map[string]any{"role": "assistant", "content": reply.Text}
	return map[string]any{
		"id": "chatcmpl-stub", "object": "chat.completion", "created": 0, "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
		"usage":   usage(req, reply, cached),
	}
}

// usage counts a token per word, and one per four bytes of the prompt.
func usage(req ChatRequest, reply Scripted, cached int) map[string]any {
	prompt := 0
	for _, m := range req.Messages {
		prompt += 1 + len(m.Content)/4
	}
	completion := len(pieces(reply.Text))
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
		"prompt_tokens_details": map[string]int{"cached_tokens": min(cached, prompt)},
	}
}

// pieces splits text into tokens: words with the space before them.
func pieces(text string) []string {
	var out []string
	for text != "" {
		end := strings.IndexByte(text[1:], ' ') + 1
		if end == 0 {
			end = len(text)
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}
