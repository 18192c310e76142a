package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/stt/socket"
)

// DefaultRealtimeModel streams text while one speaks; other models begin only when a segment has ended.
const DefaultRealtimeModel = "gpt-live-transcribe"

// RealtimeOptions configures RealtimeRecognizer. The zero value is that of a live conversation.
type RealtimeOptions struct {
	// Model is a transcription model that the Realtime interface has; empty means DefaultRealtimeModel.
	Model  string
	Limits socket.Limits
}

// RealtimeRecognizer gives transcription over a WebSocket (/realtime?intent=transcription), with partials while one speaks if
// the model streams. The server's own turn detection is off: the buffer is committed at SpeechEnded.
func (c *Client) RealtimeRecognizer(o RealtimeOptions) *stt.Segmented {
	return socket.New(c.realtime(o), o.Limits)
}

// realtime describes https://developers.openai.com/api/docs/guides/realtime-transcription.
func (c *Client) realtime(o RealtimeOptions) socket.Dialect {
	fill(&o.Model, DefaultRealtimeModel)
	return socket.Dialect{
		Provider: provider, HintReach: hintReach,
		Request: func(string) (string, http.Header) { return c.realtimeRequest() },
		Refused: func(resp *http.Response) *fault.Error { return c.refusedRealtime(resp) },
		Hello:   func(language string) ([]byte, error) { return realtimeHello(o.Model, language) },
		End:     []byte(`{"type":"input_audio_buffer.commit"}`),
		Read:    c.readRealtime, NewEncoder: newRealtimeEncoder,
	}
}

// realtimeRequest gives the address and headers. The model has no place there: with one, the session is a conversation.
func (c *Client) realtimeRequest() (string, http.Header) {
	header := http.Header{}
	if c.cfg.APIKey != "" {
		header.Set("Authorization", "Bearer "+c.cfg.APIKey)
	}
	return "ws" + strings.TrimPrefix(c.cfg.BaseURL, "http") + "/realtime?intent=transcription", header
}

// refusedRealtime explains an answer that is not a WebSocket.
func (c *Client) refusedRealtime(resp *http.Response) *fault.Error {
	e := c.statusError(opTranscribe, resp)
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed {
		e.Kind = fault.BadRequest
		e.Hint = "the server has no realtime transcription; choose the recogniser that sends segments, or check OPENAI_BASE_URL"
	}
	return e
}

// realtimeSession is the part of a session that transcription needs.
type realtimeSession struct {
	Type  string `json:"type"`
	Audio struct {
		Input realtimeInput `json:"input"`
	} `json:"audio"`
}

type realtimeInput struct {
	Format struct {
		Type string `json:"type"`
		Rate int    `json:"rate"`
	} `json:"format"`
	Transcription struct {
		Model     string   `json:"model"`
		Language  string   `json:"language,omitempty"`
		Languages []string `json:"languages,omitempty"`
	} `json:"transcription"`
	TurnDetection *struct{} `json:"turn_detection"` // null is off
}

// realtimeHello configures the session.
func realtimeHello(model, language string) ([]byte, error) {
	s := realtimeSession{Type: "transcription"}
	in := &s.Audio.Input
	in.Format.Type, in.Format.Rate = "audio/pcm", realtimeRate
	in.Transcription.Model = model
	if base, _, _ := strings.Cut(language, "-"); base != "" {
		if takesLanguages(model) {
			in.Transcription.Languages = []string{base}
		} else {
			in.Transcription.Language = base
		}
	}
	hello, err := json.Marshal(map[string]any{"type": "session.update", "session": s})
	if err != nil {
		return nil, fmt.Errorf("configure the session: %w", err)
	}
	return hello, nil
}

// takesLanguages reports whether a model has a list of expected languages instead of one.
func takesLanguages(model string) bool {
	return strings.HasPrefix(model, "gpt-transcribe") || strings.HasPrefix(model, "gpt-live-transcribe")
}
