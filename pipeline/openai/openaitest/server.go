// Package openaitest is a server that speaks OpenAI's HTTP interface, and its realtime transcription, with fixed delays, and
// with faults on request. It stands in for a provider in tests, in load tests and in comparisons between agents: what is
// measured around it is the agent's own share.
//
// A Server is an http.Handler and safe for concurrent use. Every handler ends when its client goes away; nothing runs
// between requests.
package openaitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

// Options sets the delays and the answers. A zero delay is none; use Typical for those of a good provider.
type Options struct {
	// Transcription is the time from the end of the upload to the text.
	Transcription time.Duration
	// FirstToken is the time from the request to the first token, PerToken that between two tokens.
	FirstToken, PerToken time.Duration
	// FirstAudio is the time from the request to the first sample.
	FirstAudio time.Duration

	// Transcribe gives the text of a recording; nil gives sentences from a bank in turn.
	Transcribe func(Recording) string
	// Reply gives the reply to a chat request; nil gives sentences from a bank in turn, each ending with a question. Where a turn is
	// asked for (ChatRequest.Turn), its text is what is said; a text that is a JSON object already is sent as it is.
	Reply func(ChatRequest) Scripted
	// Key, when not empty, is the only bearer token accepted.
	Key string
}

// Typical has the delays of a good cloud provider: 150 ms transcription, 200 ms first token, 15 ms per token, 120 ms first
// audio.
func Typical() Options {
	return Options{
		Transcription: 150 * time.Millisecond,
		FirstToken:    200 * time.Millisecond, PerToken: 15 * time.Millisecond,
		FirstAudio: 120 * time.Millisecond,
	}
}

// Counts are the requests served so far, faulty ones included.
type Counts struct {
	Transcriptions, Chats, Speeches, Models int64
	// Realtimes are connections for streaming transcription.
	Realtimes int64
	// Refused are chat requests that were refused for their form, as the service would.
	Refused int64
}

// Server is the stub.
type Server struct {
	options Options
	mux     *http.ServeMux
	faults  faults
	// realtime serves the connections for streaming transcription.
	realtime sockettest.Server

	transcriptions, chats, speeches, models, realtimes atomic.Int64
	refused                                            atomic.Int64
	nextAnswer, nextReply                              atomic.Int64
	prompts                                            promptCache
}

var _ http.Handler = (*Server)(nil)

// New makes a stub. It does not listen: use it as a handler, or call ListenAndServe.
func New(o Options) *Server {
	s := &Server{options: o, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /v1/audio/transcriptions", s.endpoint(Transcriptions, &s.transcriptions, s.transcribe))
	s.mux.HandleFunc("POST /v1/chat/completions", s.endpoint(Chat, &s.chats, s.chat))
	s.mux.HandleFunc("POST /v1/audio/speech", s.endpoint(Speech, &s.speeches, s.speak))
	s.mux.HandleFunc("GET /v1/realtime", s.endpoint(Realtime, &s.realtimes, s.listen))
	s.mux.HandleFunc("GET /v1/models", s.endpoint(Models, &s.models, s.listModels))
	s.realtime.Delay = o.Transcription
	return s
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Counts gives the requests served so far.
func (s *Server) Counts() Counts {
	return Counts{
		Transcriptions: s.transcriptions.Load(), Chats: s.chats.Load(),
		Speeches: s.speeches.Load(), Models: s.models.Load(), Realtimes: s.realtimes.Load(),
		Refused: s.refused.Load(),
	}
}

// ListenAndServe serves on address (host:port; port 0 takes a free one) until ctx ends, then gives running requests 1 s.
// It calls ready, if not nil, with the address it listens on.
func (s *Server) ListenAndServe(ctx context.Context, address string, ready func(net.Addr)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = server.Shutdown(grace) // requests cut off after the grace are no failure of the stub
		_ = server.Close()
		close(stopped)
	})
	defer stop()
	if ready != nil {
		ready(listener.Addr())
	}
	err = server.Serve(listener)
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", address, err)
	}
	<-stopped
	return nil
}

// endpoint counts, checks the key and applies the endpoint's fault before it serves.
func (s *Server) endpoint(e Endpoint, count *atomic.Int64, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		if s.options.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.options.Key {
			refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided.")
			return
		}
		if f, ok := s.faults.take(e); ok {
			f.serve(w, r, e)
			return
		}
		serve(w, r)
	}
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []model{{"stub", "model"}}})
}

// refuse writes an error in OpenAI's form.
func refuse(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{
		"error": map[string]any{"message": message, "type": "invalid_request_error", "code": code, "param": nil},
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client went away
}
