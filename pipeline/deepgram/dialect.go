package deepgram

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt/socket"
)

const opTranscribe = "transcribe"

// errorText is how much of the provider's explanation is shown, in bytes.
const errorText = 200

// The hints that lead an operator to the cause.
const (
	hintKey     = "check DEEPGRAM_API_KEY"
	hintReach   = "check DEEPGRAM_BASE_URL and the network"
	hintRequest = "check the model's name, the language and DEEPGRAM_BASE_URL"
	hintQuota   = "check the account's balance"
)

// dialect describes https://developers.deepgram.com/reference/speech-to-text/listen-streaming.
func (s *service) dialect() socket.Dialect {
	return socket.Dialect{
		Provider: provider, HintReach: hintReach,
		Request: s.request, Refused: s.refused,
		Binary: true, NewEncoder: func() (socket.Encoder, error) { return encoder{}, nil },
		End: []byte(`{"type":"Finalize"}`), EndUnmarked: true,
		KeepAlive: []byte(`{"type":"KeepAlive"}`),
		Farewell:  []byte(`{"type":"CloseStream"}`),
		Read:      read,
	}
}

// encoder makes little-endian bytes of samples.
type encoder struct{}

var _ socket.Encoder = encoder{}

func (encoder) Append(dst []byte, pcm []int16) []byte {
	for _, v := range pcm {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(v))
	}
	return dst
}

func (encoder) Flush(dst []byte) []byte { return dst }

// message is what the server sends: results, and others that only their type tells.
type message struct {
	Type         string  `json:"type"`
	Start        float64 `json:"start"`    // s
	Duration     float64 `json:"duration"` // s
	IsFinal      bool    `json:"is_final"`
	FromFinalize bool    `json:"from_finalize"`
	Channel      struct {
		Alternatives []struct {
			Transcript string  `json:"transcript"`
			Confidence float64 `json:"confidence"`
		} `json:"alternatives"`
	} `json:"channel"`
	Description string `json:"description"` // of an error
}

// read understands a message. Types it does not know say nothing about the text.
func read(raw []byte) (socket.Update, error) {
	var m message
	head := struct {
		Type *string `json:"type"`
	}{}
	err := json.Unmarshal(raw, &head)
	if err == nil && head.Type == nil {
		err = errors.New("it has no type")
	}
	if err != nil {
		return socket.Update{}, &fault.Error{
			Op: opTranscribe, Provider: provider, Kind: fault.Malformed,
			Err: fmt.Errorf("a message is not one of Deepgram's: %w", err), Hint: hintReach,
		}
	}
	switch *head.Type {
	case "Results":
		if err := json.Unmarshal(raw, &m); err != nil {
			return socket.Update{}, &fault.Error{Op: opTranscribe, Provider: provider, Kind: fault.Malformed, Err: err}
		}
		return m.update(), nil
	case "Error":
		_ = json.Unmarshal(raw, &m) // an explanation in another form is left out
		return socket.Update{}, &fault.Error{
			Op: opTranscribe, Provider: provider, Kind: fault.Server, Err: errors.New("error" + shorten(m.Description)),
		}
	default: // Metadata, SpeechStarted, UtteranceEnd
		return socket.Update{}, nil
	}
}

func (m *message) update() socket.Update {
	u := socket.Update{Heard: true, Fixed: m.IsFinal, End: m.FromFinalize}
	if len(m.Channel.Alternatives) > 0 {
		best := m.Channel.Alternatives[0]
		if best.Transcript != "" {
			u.Text, u.Confidence = " "+best.Transcript, min(max(best.Confidence, 0), 1)
		}
	}
	if m.IsFinal {
		u.Settled = moment(m.Start + m.Duration)
	}
	return u
}

// longest is how long no connection lasts: a later moment is none.
const longest = 24 * time.Hour

// moment is so many seconds after the beginning; 0, which is not said, for what cannot be.
func moment(seconds float64) time.Duration {
	if seconds < 0 || seconds > longest.Seconds() {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// refused explains an answer that is not a WebSocket.
func (s *service) refused(resp *http.Response) *fault.Error {
	body, _ := io.ReadAll(resp.Body) // what could be read is enough
	var said struct {
		Message string `json:"err_msg"`
		Reason  string `json:"reason"`
	}
	_ = json.Unmarshal(body, &said) // a body in another form leaves it empty
	why := said.Message + " " + said.Reason
	if s.key != "" {
		why = strings.ReplaceAll(why, s.key, "***")
	}
	kind, hint := classify(resp.StatusCode)
	return &fault.Error{
		Op: opTranscribe, Provider: provider, Kind: kind, Hint: hint,
		Err: fmt.Errorf("status %d%s", resp.StatusCode, shorten(why)),
	}
}

// classify maps the status of a refused handshake to a kind of failure and what to do about it.
func classify(status int) (kind fault.Kind, hint string) {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.Auth, hintKey
	case status == http.StatusPaymentRequired:
		return fault.Quota, hintQuota
	case status == http.StatusTooManyRequests:
		return fault.RateLimited, "raise the limit of concurrent streams, or lower that of interviews"
	case status == http.StatusRequestTimeout:
		return fault.Timeout, ""
	case status >= http.StatusInternalServerError:
		return fault.Server, ""
	case status/100 == 2 || status/100 == 3 || status == http.StatusNotFound:
		return fault.Malformed, hintReach
	default:
		return fault.BadRequest, hintRequest
	}
}

// shorten puts an explanation into a form that can follow a word.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if len(text) > errorText {
		text = strings.ToValidUTF8(text[:errorText], "") + "…"
	}
	return ": " + text
}
