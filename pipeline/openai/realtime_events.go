package openai

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/stt/socket"
)

// realtimeRate is the only rate the Realtime interface takes as PCM, in Hz.
const realtimeRate = 24000

// The pieces of a message that appends audio.
const (
	appendHead = `{"type":"input_audio_buffer.append","audio":"`
	appendTail = `"}`
)

// realtimeEncoder resamples and wraps audio. Its buffers grow to the largest piece and are then reused.
type realtimeEncoder struct {
	resampler *audio.Resampler
	pcm       []int16
	raw       []byte
}

var _ socket.Encoder = (*realtimeEncoder)(nil)

func newRealtimeEncoder() (socket.Encoder, error) {
	r, err := audio.NewResampler(stt.SampleRate, realtimeRate)
	if err != nil {
		return nil, fmt.Errorf("prepare realtime audio: %w", err)
	}
	return &realtimeEncoder{resampler: r}, nil
}

func (e *realtimeEncoder) Append(dst []byte, pcm []int16) []byte {
	e.pcm = e.resampler.Resample(e.pcm[:0], pcm)
	return e.message(dst)
}

func (e *realtimeEncoder) Flush(dst []byte) []byte {
	e.pcm = e.resampler.Flush(e.pcm[:0])
	return e.message(dst)
}

// message appends e.pcm as a message.
func (e *realtimeEncoder) message(dst []byte) []byte {
	if len(e.pcm) == 0 {
		return dst
	}
	e.raw = e.raw[:0]
	for _, v := range e.pcm {
		e.raw = binary.LittleEndian.AppendUint16(e.raw, uint16(v))
	}
	dst = append(dst, appendHead...)
	dst = base64.StdEncoding.AppendEncode(dst, e.raw)
	return append(dst, appendTail...)
}

// realtimeEvent is what the server sends, as far as transcription needs it.
type realtimeEvent struct {
	Type       string    `json:"type"`
	Delta      string    `json:"delta"`
	Transcript string    `json:"transcript"`
	Error      *apiError `json:"error"`
}

// emptyCommit is the code of the error that answers a commit without 100 ms of audio.
const emptyCommit = "input_audio_buffer_commit_empty"

// readRealtime understands an event. Types it does not know say nothing about the text.
func (c *Client) readRealtime(raw []byte) (socket.Update, error) {
	var e realtimeEvent
	err := json.Unmarshal(raw, &e)
	if err == nil && e.Type == "" {
		err = errors.New("it has no type")
	}
	if err != nil {
		return socket.Update{}, malformed(opTranscribe, hintReach, fmt.Errorf("a message is not one of the Realtime interface's: %w", err))
	}
	switch e.Type {
	case "session.updated", "transcription_session.updated":
		return socket.Update{Ready: true}, nil
	case "conversation.item.input_audio_transcription.delta":
		return socket.Update{Heard: true, Fixed: true, Text: e.Delta}, nil
	case "conversation.item.input_audio_transcription.completed":
		return socket.Update{Heard: true, Whole: true, Text: e.Transcript, End: true}, nil
	case "conversation.item.input_audio_transcription.failed":
		return socket.Update{}, c.realtimeError(e.Error, fault.Server)
	case "error":
		if e.Error != nil && e.Error.code() == emptyCommit {
			return socket.Update{Heard: true, Whole: true, End: true}, nil
		}
		return socket.Update{}, c.realtimeError(e.Error, fault.BadRequest)
	default:
		return socket.Update{}, nil
	}
}

// realtimeError makes an error of one that came as an event; kind is for those whose code says nothing.
func (c *Client) realtimeError(said *apiError, kind fault.Kind) *fault.Error {
	e := &fault.Error{Op: opTranscribe, Provider: provider, Kind: kind, Err: errors.New("error without explanation")}
	if said == nil {
		return e
	}
	body, err := json.Marshal(map[string]any{"error": said})
	if err == nil {
		e.Err = fmt.Errorf("error %s%s", c.showable(said.code()), c.explanation(body))
	}
	switch said.code() {
	case "invalid_api_key":
		e.Kind, e.Hint = fault.Auth, hintKey
	case "insufficient_quota":
		e.Kind, e.Hint = fault.Quota, hintQuota
	case "rate_limit_exceeded":
		e.Kind = fault.RateLimited
	case "session_expired": // after an hour; another is at hand
		e.Kind = fault.Connection
	default:
		if said.Type == "server_error" {
			e.Kind = fault.Server
		}
	}
	if e.Kind == fault.BadRequest {
		e.Hint = hintModel
	}
	return e
}
