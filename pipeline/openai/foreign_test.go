package openai

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/vivavoice/viva/pipeline/fault"
)

// FuzzRealtime: any event is understood or refused as a fault whose words are bounded and do not show the key.
func FuzzRealtime(f *testing.F) {
	for _, seed := range []string{
		`{"type":"session.updated"}`, `{"type":"conversation.item.input_audio_transcription.delta","delta":"hel"}`,
		`{"type":"conversation.item.input_audio_transcription.completed","transcript":"hello"}`,
		`{"type":"conversation.item.input_audio_transcription.failed","error":{"message":"m"}}`,
		`{"type":"conversation.item.input_audio_transcription.failed"}`,
		`{"type":"error","error":{"code":"input_audio_buffer_commit_empty"}}`, `{"type":"error","error":{"code":"invalid_api_key","message":"sk-1234567890"}}`,
		`{"type":"error","error":{"code":"` + strings.Repeat("é", 1500) + `"}}`, `{"type":"error","error":{"code":"sk-1234567890"}}`,
		`{"type":"error","error":{"code":"a\nb","type":"server_error"}}`,
		`{"type":"error","error":{"code":{},"type":[]}}`, `{"type":"error"}`, `{"type":""}`, `{"type":1}`, `null`, `[]`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := &Client{cfg: Config{APIKey: "sk-1234567890"}}
		u, err := c.readRealtime(raw)
		if err == nil {
			if len(u.Text) > 3*len(raw) || u.Confidence != 0 || u.Settled != 0 {
				t.Errorf("%+v", u)
			}
			return
		}
		shown(t, err)
		if u.Heard || u.End || u.Ready {
			t.Errorf("%+v of an event that was refused", u)
		}
	})
}

// shown holds what an error may show.
func shown(t *testing.T, err error) {
	t.Helper()
	var is *fault.Error
	if text := err.Error(); !errors.As(err, &is) || len(text) > 1<<10 || strings.Contains(text, "sk-1234567890") || strings.Contains(text, "\n") {
		t.Errorf("refused by %d bytes: %.300q", len(text), text)
	}
}

// FuzzTranscript: a transcript is trimmed, its confidence is one, and everything else is refused.
func FuzzTranscript(f *testing.F) {
	for _, seed := range []string{
		`{"text":" hello "}`, `{"text":"a","logprobs":[{"logprob":-0.1},{"logprob":-1e308},{"logprob":-1e308}]}`, `{"text":null}`, `{}`,
		`{"text":"a","logprobs":[{"logprob":1e308},{"logprob":1e308}]}`, `{"text":"a","logprobs":{}}`, `null`, `"a"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := decodeTranscript(body)
		if err != nil {
			shown(t, err)
			return
		}
		if got.Text != strings.TrimSpace(got.Text) || !(got.Confidence >= 0 && got.Confidence <= 1) {
			t.Errorf("%+v", got)
		}
	})
}

// FuzzWholeReply: a reply in one piece is one event that the library can read, or it is refused.
func FuzzWholeReply(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}`,
		`{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}`,
		`{"error":{"message":"no","code":"x"}}`, `{"error":null}`, `{"choices":null}`, `null`, `{`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		event, err := wholeReply(strings.NewReader(body), func(err error) error { return err })
		if err == nil && (!strings.HasPrefix(string(event), "data: ") || strings.Count(string(event), "\n") > 4) {
			t.Errorf("%q", event)
		}
	})
}

// FuzzErrorBody: what a server says with a failure is shown shortened, on one line, without the key.
func FuzzErrorBody(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"the key sk-1234567890\nis wrong","code":"c","type":"t"}}`))
	f.Add([]byte(`[{"error":{"message":"sk-1234567890","code":429}}]`))
	f.Add([]byte(`{"error":"sk-1234567890"}`))
	f.Add([]byte("<html>sk-1234567890"))
	f.Add([]byte(`{"error":{"message":"` + strings.Repeat("é", 195) + `sk-1234567890"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		c := &Client{cfg: Config{APIKey: "sk-1234567890"}}
		if got := c.explanation(body); strings.Contains(got, "sk-1234567890") || strings.ContainsAny(got, "\n\r") || len(got) > errorText+10 {
			t.Errorf("shown: %d bytes, %.300q", len(got), got)
		}
	})
}

// FuzzSpeech: sound that comes in pieces cut anywhere is the same as in one.
func FuzzSpeech(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, uint8(3))
	f.Add([]byte{1, 2, 3}, uint8(1))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, body []byte, size uint8) {
		s := &speech{cause: func() error { return nil }, body: io.NopCloser(iotest.OneByteReader(strings.NewReader(string(body))))}
		var got []int16
		for range len(body) + 4 {
			pcm := make([]int16, int(size)+1)
			n, err := s.Read(pcm)
			got = append(got, pcm[:n]...)
			if errors.As(err, new(*fault.Error)) && len(got) == 0 {
				return // a sound file instead of sound
			}
			if err != nil {
				break
			}
		}
		if len(got) != len(body)/2 {
			t.Fatalf("%d samples of %d bytes", len(got), len(body))
		}
		for i, v := range got {
			if want := int16(binary.LittleEndian.Uint16(body[2*i:])); v != want {
				t.Fatalf("sample %d is %d, not %d", i, v, want)
			}
		}
	})
}
