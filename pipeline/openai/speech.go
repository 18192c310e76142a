package openai

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/tts"
)

const opSpeak = "speak"

// SpeechRate is the rate of response_format "pcm", in Hz: 24 kHz, 16-bit, little-endian, mono.
const SpeechRate = 24000

// The range of "speed" that the interface accepts.
const (
	minSpeed = 0.25
	maxSpeed = 4.0
)

// readBuffer is the size of the buffer between the connection and the samples (85 ms).
const readBuffer = 4096

type synthesizer struct{ client *Client }

var _ tts.Synthesizer = (*synthesizer)(nil)

// Synthesize sends the request and returns once the answer's headers are here.
func (s *synthesizer) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	cfg := s.client.cfg
	request := lib.CreateSpeechRequest{
		Model: lib.SpeechModel(cfg.SpeechModel), Input: r.Text, Voice: lib.SpeechVoice(cmp.Or(r.Voice, cfg.Voice)),
		ResponseFormat: lib.SpeechResponseFormatPcm,
	}
	if r.Speed != 0 && r.Speed != 1 {
		request.Speed = max(minSpeed, min(r.Speed, maxSpeed))
	}
	in, err := s.client.library(opSpeak, openSpeech).CreateSpeech(ctx, request)
	if err != nil {
		return nil, err // the doer's: the library has none of its own here
	}
	return &speech{cause: func() error { return context.Cause(ctx) }, body: in.ReadCloser}, nil
}

// speech reads PCM from a body whose pieces end at any byte.
type speech struct {
	cause  func() error // why the context ended, if it did
	body   io.ReadCloser
	buf    [readBuffer]byte
	start  int // buf[start:end] is not yet delivered
	end    int
	begun  bool
	err    error // repeated once buf is delivered
	closed bool
}

func (s *speech) Rate() int { return SpeechRate }

func (s *speech) Read(pcm []int16) (int, error) {
	if len(pcm) == 0 {
		return 0, nil
	}
	for (s.end-s.start < 2 || !s.begun) && s.err == nil {
		s.fill()
	}
	n := min(len(pcm), (s.end-s.start)/2)
	for i := range n {
		at := s.start + 2*i
		pcm[i] = int16(uint16(s.buf[at]) | uint16(s.buf[at+1])<<8)
	}
	s.start += 2 * n
	if n > 0 {
		return n, nil
	}
	return 0, s.err
}

// fill reads more bytes behind what is left.
func (s *speech) fill() {
	s.end = copy(s.buf[:], s.buf[s.start:s.end])
	s.start = 0
	n, err := s.body.Read(s.buf[s.end:])
	s.end += n
	if !s.begun && s.end >= 4 {
		s.begun = true
		if format := container(s.buf[:s.end]); format != "" {
			s.start = s.end
			s.err = malformed(opSpeak, "", fmt.Errorf("the server sent %s where raw PCM was asked for", format))
			return
		}
	}
	if err != nil {
		s.err = s.explain(err)
	}
}

func (s *speech) explain(err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF // half a sample at the end is left out
	}
	if cause := s.cause(); cause != nil {
		err = cause
	}
	return transportError(opSpeak, err)
}

func (s *speech) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.body.Close()
}

// container names the file format that data begins with, if it is one that servers send: played as PCM it would be loud
// noise.
func container(data []byte) string {
	for magic, name := range map[string]string{"RIFF": "a WAV file", "ID3": "an MP3 file", "OggS": "an Ogg file", "fLaC": "a FLAC file"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return name
		}
	}
	if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte("<!")) || bytes.HasPrefix(trimmed, []byte("<htm")) {
		return "a web page"
	}
	return ""
}
