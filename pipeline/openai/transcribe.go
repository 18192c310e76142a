package openai

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

const opTranscribe = "transcribe"

// maxTranscript bounds the answer; a minute of speech is some 2 kB of text, with log probabilities some 30 kB.
const maxTranscript = 1 << 20

type transcriber struct{ client *Client }

var _ stt.Transcriber = (*transcriber)(nil)

// Transcribe uploads pcm as a WAV file. The request is our own: go-openai has no "include" for transcripts, and without
// log-probabilities there is no confidence.
func (t *transcriber) Transcribe(ctx context.Context, pcm []int16, language string) (stt.Transcript, error) {
	body, contentType, err := t.form(pcm, language)
	if err != nil {
		return stt.Transcript{}, &fault.Error{Op: opTranscribe, Provider: provider, Kind: fault.BadRequest, Err: err}
	}
	in, err := t.client.do(ctx, call{ //nolint:bodyclose // closeBody does
		op: opTranscribe, method: http.MethodPost, path: "/audio/transcriptions",
		model: t.client.cfg.TranscriptionModel, contentType: contentType, body: body,
	})
	if err != nil {
		return stt.Transcript{}, err
	}
	defer closeBody(in.Body)
	text, err := io.ReadAll(io.LimitReader(in.Body, maxTranscript+1))
	if err != nil {
		return stt.Transcript{}, transportError(opTranscribe, because(ctx, err))
	}
	if len(text) > maxTranscript {
		return stt.Transcript{}, malformed(opTranscribe, "", fault.ErrTooMuch)
	}
	return decodeTranscript(text)
}

func (t *transcriber) form(pcm []int16, language string) (body []byte, contentType string, err error) {
	var b bytes.Buffer
	b.Grow(2*len(pcm) + 1024)
	w := multipart.NewWriter(&b)
	model := t.client.cfg.TranscriptionModel
	fields := [][2]string{{"model", model}, {"response_format", "json"}}
	if base, _, _ := strings.Cut(language, "-"); base != "" {
		fields = append(fields, [2]string{"language", base})
	}
	if strings.HasPrefix(model, "gpt-4o") {
		fields = append(fields, [2]string{"include[]", "logprobs"}) // Whisper models refuse it
	}
	for _, f := range fields {
		if err := w.WriteField(f[0], f[1]); err != nil {
			return nil, "", fmt.Errorf("build the form: %w", err)
		}
	}
	part, err := w.CreateFormFile("file", "speech.wav")
	if err != nil {
		return nil, "", fmt.Errorf("build the form: %w", err)
	}
	_, err = part.Write(audio.WAVHeader(stt.SampleRate, 1, uint32(2*len(pcm))))
	if err = errors.Join(err, binary.Write(part, binary.LittleEndian, pcm), w.Close()); err != nil {
		return nil, "", fmt.Errorf("build the form: %w", err)
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

func decodeTranscript(text []byte) (stt.Transcript, error) {
	var got struct {
		Text     *string `json:"text"`
		Logprobs []struct {
			Logprob float64 `json:"logprob"`
		} `json:"logprobs"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return stt.Transcript{}, malformed(opTranscribe, hintURL, fmt.Errorf("the answer is not JSON: %w", err))
	}
	if got.Text == nil {
		return stt.Transcript{}, malformed(opTranscribe, hintURL, fmt.Errorf(`the answer has no "text"`))
	}
	out := stt.Transcript{Text: strings.TrimSpace(*got.Text)}
	if n := len(got.Logprobs); n > 0 {
		var sum float64
		for _, p := range got.Logprobs {
			sum += p.Logprob
		}
		out.Confidence = min(1, math.Exp(sum/float64(n))) // geometric mean of the tokens' probabilities
	}
	return out, nil
}
