package openaitest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

// realtimeBytes is a second of the audio that a realtime session takes: 24 kHz, 16-bit, mono.
const realtimeBytes = 2 * speechRate

// FailRealtime makes realtime connections fail, from the next one on, after they were made. Fail(Realtime, …) refuses them.
func (s *Server) FailRealtime(f sockettest.Fault) { s.realtime.Fail(f) }

// ClearRealtime makes new realtime connections work again.
func (s *Server) ClearRealtime() { s.realtime.Clear() }

// listen serves transcription over a WebSocket. Words come as their audio arrives, ten every three seconds, and the whole text
// Options.Transcription after the commit. Options.Transcribe is asked at the first audio, when Bytes and Duration are not known.
func (s *Server) listen(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("intent") != "transcription" || r.URL.Query().Has("model") {
		refuse(w, http.StatusBadRequest, "invalid_intent", "The stub has only transcription sessions, and their model is set by session.update.")
		return
	}
	s.realtime.Serve(w, r, &listening{server: s})
}

// listening is one realtime session.
type listening struct {
	server   *Server
	model    string
	language string
	bytes    int
	text     string
	told     string
	index    int64
}

var _ sockettest.Script = (*listening)(nil)

func realtimeEvent(kind string, fields map[string]any) string {
	fields["type"] = kind
	raw, _ := json.Marshal(fields) // strings and numbers always have a JSON form
	return string(raw)
}

func complaint(code, message string) sockettest.Reply {
	return sockettest.Reply{Now: []string{realtimeEvent("error", map[string]any{
		"error": map[string]any{"type": "invalid_request_error", "code": code, "message": message},
	})}}
}

// Open says that there is a session.
func (*listening) Open() []string {
	return []string{realtimeEvent("session.created", map[string]any{"session": map[string]any{"type": "transcription"}})}
}

// Receive takes the three events that transcription needs.
func (l *listening) Receive(_ bool, message []byte) sockettest.Reply {
	var e struct {
		Type    string          `json:"type"`
		Audio   string          `json:"audio"`
		Session json.RawMessage `json:"session"`
	}
	if err := json.Unmarshal(message, &e); err != nil {
		return complaint("invalid_json", "The event is not JSON.")
	}
	switch e.Type {
	case "session.update":
		return l.configure(e.Session)
	case "input_audio_buffer.append":
		return l.hear(e.Audio)
	case "input_audio_buffer.commit":
		return l.commit()
	default:
		return complaint("invalid_value", "The stub does not know this type of event.")
	}
}

func (l *listening) configure(raw json.RawMessage) sockettest.Reply {
	var session struct {
		Type  string
		Audio struct {
			Input struct {
				Format struct {
					Type string
					Rate int
				}
				Transcription struct {
					Model, Language string
					Languages       []string
				}
				TurnDetection json.RawMessage `json:"turn_detection"`
			}
		}
	}
	err := json.Unmarshal(raw, &session)
	in := session.Audio.Input
	l.model, l.language = in.Transcription.Model, in.Transcription.Language
	if len(in.Transcription.Languages) > 0 {
		l.language = in.Transcription.Languages[0]
	}
	if err != nil || session.Type != "transcription" || in.Format.Rate != speechRate || l.model == "" || string(in.TurnDetection) != "null" {
		return complaint("invalid_value", "The stub wants a transcription session at 24000 Hz, with a model and without turn detection.")
	}
	return sockettest.Reply{Now: []string{realtimeEvent("session.updated", map[string]any{"session": raw})}}
}

func (l *listening) heard() time.Duration {
	return time.Duration(l.bytes) * time.Second / realtimeBytes
}

func (l *listening) hear(audio string) sockettest.Reply {
	pcm, err := base64.StdEncoding.DecodeString(audio)
	if err != nil || len(pcm)%2 != 0 {
		return complaint("invalid_audio", "The audio is not base64 of 16-bit samples.")
	}
	if l.bytes == 0 {
		l.index = l.server.nextAnswer.Add(1) - 1
		l.text = l.server.textOf(Recording{Index: l.index, Model: l.model, Language: l.language})
	}
	l.bytes += len(pcm)
	reply := sockettest.Reply{Audio: true}
	if text := sockettest.Reveal(l.text, l.heard()); text != l.told {
		reply.Now = []string{l.transcription("delta", map[string]any{"delta": strings.TrimPrefix(text, l.told)})}
		l.told = text
	}
	return reply
}

func (l *listening) commit() sockettest.Reply {
	if l.heard() < 100*time.Millisecond {
		return complaint("input_audio_buffer_commit_empty", "The buffer is too small to commit.")
	}
	l.bytes, l.told = 0, ""
	return sockettest.Reply{
		Now:   []string{realtimeEvent("input_audio_buffer.committed", map[string]any{"item_id": "item"})},
		Final: []string{l.transcription("completed", map[string]any{"transcript": l.text})},
	}
}

func (l *listening) transcription(what string, fields map[string]any) string {
	fields["item_id"], fields["content_index"] = "item", 0
	return realtimeEvent("conversation.item.input_audio_transcription."+what, fields)
}
