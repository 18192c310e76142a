package openaitest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// endlessPiece is how many bytes an endless answer sends at once, at least.
const endlessPiece = 16 << 10

// Endpoint is one of the paths served.
type Endpoint string

// The endpoints.
const (
	Transcriptions Endpoint = "transcriptions"
	Chat           Endpoint = "chat"
	Speech         Endpoint = "speech"
	Models         Endpoint = "models"
	// Realtime fails before the connection is a WebSocket; FailRealtime is for what goes wrong afterwards.
	Realtime Endpoint = "realtime"
)

// Misbehaviour is what a Fault does after its status.
type Misbehaviour uint8

// The kinds of misbehaviour.
const (
	// Refuse answers with the status and an error in OpenAI's form.
	Refuse Misbehaviour = iota
	// Page answers with the status (200 if none is given) and a web page.
	Page
	// Stall never answers.
	Stall
	// StallInside begins a good answer and then goes silent.
	StallInside
	// Drop begins a good answer and then breaks the connection.
	Drop
	// Endless begins a good answer and never ends it, as fast as the client reads.
	Endless
	// Nothing answers with status 200 and an empty body.
	Nothing
	// Garbage answers with status 200, the right content type and a body that is none.
	Garbage
)

// Fault is how an endpoint fails.
type Fault struct {
	Do     Misbehaviour
	Status int
	// Code is the error code of Refuse.
	Code string
	// RetryAfter is sent as the header of that name, in whole seconds, when not 0.
	RetryAfter time.Duration
	// Times is how many requests fail; 0 means all until Clear.
	Times int
}

// faults holds the fault in force for each endpoint.
type faults struct {
	mu sync.Mutex
	by map[Endpoint]Fault // guarded by mu
}

// Fail makes an endpoint fail from the next request on.
func (s *Server) Fail(e Endpoint, f Fault) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	if s.faults.by == nil {
		s.faults.by = make(map[Endpoint]Fault)
	}
	s.faults.by[e] = f
}

// Clear makes an endpoint work again.
func (s *Server) Clear(e Endpoint) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	delete(s.faults.by, e)
}

func (f *faults) take(e Endpoint) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault, ok := f.by[e]
	switch {
	case !ok:
		return Fault{}, false
	case fault.Times == 1:
		delete(f.by, e)
	case fault.Times > 1:
		fault.Times--
		f.by[e] = fault
	}
	return fault, true
}

func (f Fault) serve(w http.ResponseWriter, r *http.Request, e Endpoint) {
	// Only once the body is read does net/http notice that a client has gone away.
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxRequest))
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds())))
	}
	switch f.Do {
	case Refuse:
		status := orStatus(f.Status, http.StatusInternalServerError)
		refuse(w, status, f.Code, fmt.Sprintf("The stub refuses with status %d.", status))
	case Page:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(orStatus(f.Status, http.StatusOK))
		_, _ = w.Write([]byte("<!doctype html><title>Welcome</title><p>This is a web page.")) // the client went away
	case Nothing:
		w.Header().Set("Content-Type", contentType(e))
		w.WriteHeader(http.StatusOK)
	case Garbage:
		w.Header().Set("Content-Type", contentType(e))
		_, _ = w.Write([]byte("RIFF this is not what was asked for\n\n")) // the client went away
	case Stall:
		<-r.Context().Done()
	default:
		f.breakOff(w, r, e)
	}
}

// breakOff begins a good answer and leaves it in the way of the fault.
func (f Fault) breakOff(w http.ResponseWriter, r *http.Request, e Endpoint) {
	w.Header().Set("Content-Type", contentType(e))
	piece := goodPiece(e)
	if f.Do == Endless {
		piece = bytes.Repeat(piece, 1+endlessPiece/len(piece))
	}
	flush := http.NewResponseController(w)
	for first := true; first || f.Do == Endless; first = false {
		if _, err := w.Write(piece); err != nil {
			return
		}
		if err := flush.Flush(); err != nil || r.Context().Err() != nil {
			return
		}
	}
	if f.Do == Drop {
		if conn, _, err := flush.Hijack(); err == nil {
			_ = conn.Close() // in the middle of the chunked body
		}
		return
	}
	<-r.Context().Done()
}

func goodPiece(e Endpoint) []byte {
	switch e {
	case Chat:
		return []byte("data: " + `{"choices":[{"index":0,"delta":{"content":"Well, "}}]}` + "\n\n")
	case Speech:
		return make([]byte, 4800) // 100 ms of silence
	default:
		return []byte(`{"text":"I designed `)
	}
}

func contentType(e Endpoint) string {
	switch e {
	case Chat:
		return "text/event-stream"
	case Speech:
		return "audio/pcm"
	default:
		return "application/json"
	}
}

func orStatus(status, otherwise int) int {
	if status == 0 {
		return otherwise
	}
	return status
}
