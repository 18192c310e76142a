package openaitest

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"time"
	"unicode"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/fault"
)

const (
	// speechRate is the rate of the audio sent, in Hz.
	speechRate = 24000
	// perCharacter is how long a character of text sounds: about 170 words in a minute.
	perCharacter = 60 * time.Millisecond
	// maxInput bounds the text of a request, in bytes, as OpenAI's interface does.
	maxInput = 4096
	// chunk is how much audio is sent at once, and faster how much faster than it plays.
	chunk  = 100 * time.Millisecond
	faster = 5
	// pitch of the tone, in Hz; it divides speechRate.
	pitch = 150
	// wavHeader is the size of a WAV file's header, in bytes.
	wavHeader = 44
)

// Recording is an upload to be transcribed.
type Recording struct {
	// Index counts the requests from 0.
	Index int64
	// Bytes is the size of the upload, Duration its length if it is a 16-bit mono WAV file.
	Bytes    int
	Duration time.Duration
	Model    string
	Language string
}

// answers is the bank from which recordings without a script are answered, in turn.
var answers = [...]string{
	"My name is Jordan and I work as a backend engineer at a payment company.",
	"I designed the service that settles payments between the banks.",
	"The hardest part was to keep the ledger consistent while we moved it.",
	"We measured it with a shadow run over two weeks before we switched.",
	"In the end the latency fell by half and nobody had to be woken at night.",
}

func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	file, _, err := r.FormFile("file")
	if err != nil {
		refuse(w, http.StatusBadRequest, "missing_file", "The form has no file.")
		return
	}
	defer func() { _ = file.Close() }() // read only
	head := make([]byte, wavHeader)
	n, _ := io.ReadFull(file, head) // a short file has no duration
	rest, err := io.Copy(io.Discard, file)
	if err != nil || n == 0 {
		refuse(w, http.StatusBadRequest, "invalid_file", "The file is empty or broke off.")
		return
	}
	recording := Recording{
		Index: s.nextAnswer.Add(1) - 1, Bytes: n + int(rest), Duration: duration(head[:n], rest),
		Model: r.FormValue("model"), Language: r.FormValue("language"),
	}
	text := s.textOf(recording)
	if fault.Sleep(r.Context(), s.options.Transcription) {
		writeJSON(w, http.StatusOK, map[string]string{"text": text})
	}
}

// textOf gives the text of a recording.
func (s *Server) textOf(r Recording) string {
	if s.options.Transcribe != nil {
		return s.options.Transcribe(r)
	}
	return answers[r.Index%int64(len(answers))]
}

// duration reads the length of a WAV file from its header, or 0.
func duration(head []byte, dataBytes int64) time.Duration {
	if len(head) < wavHeader || string(head[:4]) != "RIFF" {
		return 0
	}
	perSecond := int64(binary.LittleEndian.Uint32(head[28:]))
	if perSecond == 0 {
		return 0
	}
	return time.Duration(dataBytes) * time.Second / time.Duration(perSecond)
}

func (s *Server) speak(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Input          string  `json:"input"`
		ResponseFormat string  `json:"response_format"`
		Speed          float64 `json:"speed"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&req)
	switch {
	case err != nil:
		refuse(w, http.StatusBadRequest, "invalid_json", "The body is not the JSON of a speech request.")
		return
	case req.Input == "" || len(req.Input) > maxInput:
		refuse(w, http.StatusBadRequest, "invalid_input", "The input must have 1 to 4096 characters.")
		return
	case req.ResponseFormat != "pcm" && req.ResponseFormat != "wav":
		refuse(w, http.StatusBadRequest, "unsupported_format", "The stub sends only pcm and wav; ask for one of them.")
		return
	}
	if req.Speed == 0 {
		req.Speed = 1
	}
	if fault.Sleep(r.Context(), s.options.FirstAudio) {
		streamSpeech(w, r, newVoice(req.Input, req.Speed), req.ResponseFormat == "wav")
	}
}

// streamSpeech sends audio in chunks, the first at once and the others a fifth of their length apart.
func streamSpeech(w http.ResponseWriter, r *http.Request, v *voice, wav bool) {
	buf := make([]byte, 0, wavHeader+2*speechRate/int(time.Second/chunk))
	w.Header().Set("Content-Type", "audio/pcm")
	if wav {
		w.Header().Set("Content-Type", "audio/wav")
		buf = append(buf, audio.WAVHeader(speechRate, 1, uint32(2*v.total))...)
	}
	flush := http.NewResponseController(w)
	for first := true; v.at < v.total; first = false {
		if !first && !fault.Sleep(r.Context(), chunk/faster) {
			return
		}
		buf = v.append(buf, speechRate/int(time.Second/chunk))
		if _, err := w.Write(buf); err != nil || flush.Flush() != nil {
			return
		}
		buf = buf[:0]
	}
}

// voice makes a buzz that rises and falls with the characters of a text: loud in letters, silent in between.
type voice struct {
	text  []rune
	per   int // samples per character
	total int
	at    int
	cycle [speechRate / pitch]float64
}

func newVoice(text string, speed float64) *voice {
	v := &voice{text: []rune(text), per: int(perCharacter.Seconds() * speechRate / max(speed, 0.25))}
	v.total = len(v.text) * v.per
	for i := range v.cycle {
		phase := 2 * math.Pi * float64(i) / float64(len(v.cycle))
		for harmonic := 1; harmonic <= 12; harmonic++ {
			v.cycle[i] += math.Sin(float64(harmonic)*phase) / float64(harmonic)
		}
	}
	return v
}

// append adds up to n samples to b, 16-bit little-endian.
func (v *voice) append(b []byte, n int) []byte {
	const amplitude = 6000
	for ; n > 0 && v.at < v.total; n-- {
		var sample float64
		if unicode.IsLetter(v.text[v.at/v.per]) {
			inside := float64(v.at%v.per) / float64(v.per)
			envelope := 0.5 + 2*inside*(1-inside) // half as loud at the edges of a character
			sample = amplitude * envelope * v.cycle[v.at%len(v.cycle)]
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(sample)))
		v.at++
	}
	return b
}
