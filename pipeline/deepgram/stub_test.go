package deepgram_test

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

// bytesPerSecond of the audio that is taken: 16 kHz, 16-bit, mono.
const bytesPerSecond = 32000

// stubOptions set the delay and the answers.
type stubOptions struct {
	// Delay is the time from Finalize to its answer.
	Delay time.Duration
	// Transcribe gives the text of a segment, which begins with its first audio and ends with Finalize; nil gives the same
	// sentence always. It is called from several goroutines.
	Transcribe func(segment int64) string
	// Key, when not empty, is the only token accepted.
	Key string
	// Refuse, when not 0, is the status with which every connection is refused.
	Refuse int
	// Unmarked leaves from_finalize out, as Deepgram may.
	Unmarked bool
}

// stub is a server that speaks Deepgram's streaming interface (/v1/listen), with faults on request. Words are revealed as their audio
// arrives, ten every three seconds; Finalize brings the whole text. Fail, Clear and Counts are those of sockettest.Server.
type stub struct {
	sockettest.Server
	options  stubOptions
	segments atomic.Int64
	query    atomic.Pointer[string] // of the newest connection
}

var _ http.Handler = (*stub)(nil)

// newStub makes a stub. It does not listen.
func newStub(o stubOptions) *stub {
	if o.Transcribe == nil {
		o.Transcribe = func(int64) string { return "I designed the service that settles payments between the banks." }
	}
	return &stub{Server: sockettest.Server{Delay: o.Delay}, options: o}
}

// ServeHTTP serves one connection.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.query.Store(&r.URL.RawQuery)
	query := r.URL.Query()
	switch {
	case r.URL.Path != "/v1/listen":
		refuse(w, http.StatusNotFound, "no such path")
	case s.options.Refuse != 0:
		refuse(w, s.options.Refuse, "the stub refuses")
	case s.options.Key != "" && r.Header.Get("Authorization") != "Token "+s.options.Key:
		refuse(w, http.StatusUnauthorized, "Invalid credentials.")
	case query.Get("encoding") != "linear16" || query.Get("sample_rate") != "16000" || query.Get("model") == "":
		refuse(w, http.StatusBadRequest, "The stub takes linear16 at 16000 Hz, for a model that is named.")
	default:
		s.Serve(w, r, &script{server: s})
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"err_code": "STUB", "err_msg": message}) // the client went away
}

// script is one connection.
type script struct {
	server *stub
	text   string        // of the segment under way
	start  time.Duration // audio before the segment
	heard  time.Duration // of the segment
	told   string
}

var _ sockettest.Script = (*script)(nil)

// Open says nothing, as Deepgram does.
func (*script) Open() []string { return nil }

// Receive takes audio and the three control messages.
func (c *script) Receive(binary bool, message []byte) sockettest.Reply {
	if binary {
		return c.hear(message)
	}
	var control struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(message, &control); err != nil {
		return sockettest.Reply{Close: 1008}
	}
	switch control.Type {
	case "Finalize":
		return c.finalize()
	case "CloseStream":
		return sockettest.Reply{Now: []string{`{"type":"Metadata","channels":1}`}, Close: 1000}
	case "KeepAlive":
		return sockettest.Reply{}
	default:
		return sockettest.Reply{Close: 1008}
	}
}

func (c *script) hear(audio []byte) sockettest.Reply {
	if c.heard == 0 {
		c.text = c.server.options.Transcribe(c.server.segments.Add(1) - 1)
	}
	c.heard += time.Duration(len(audio)) * time.Second / bytesPerSecond
	reply := sockettest.Reply{Audio: true}
	if text := sockettest.Reveal(c.text, c.heard); text != c.told {
		c.told = text
		reply.Now = []string{c.result(text, false)}
	}
	return reply
}

// finalize answers nothing when there is nothing to finalise.
func (c *script) finalize() sockettest.Reply {
	if c.heard == 0 {
		return sockettest.Reply{}
	}
	reply := sockettest.Reply{Final: []string{c.result(c.text, true)}}
	c.start, c.heard, c.text, c.told = c.start+c.heard, 0, "", ""
	return reply
}

func (c *script) result(text string, final bool) string {
	raw, _ := json.Marshal(map[string]any{ // strings and numbers always have a JSON form
		"type": "Results", "start": c.start.Seconds(), "duration": c.heard.Seconds(),
		"is_final": final, "speech_final": final, "from_finalize": final && !c.server.options.Unmarked,
		"channel": map[string]any{"alternatives": []map[string]any{{"transcript": text, "confidence": 0.9}}},
	})
	return string(raw)
}
