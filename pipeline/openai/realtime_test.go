package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/stt/socket"
	"github.com/vivavoice/viva/pipeline/stt/socket/sockettest"
)

// realtime are options that end a hanging test soon.
func realtime(model string) openai.RealtimeOptions {
	return openai.RealtimeOptions{Model: model, Limits: socket.Limits{
		Connect: 500 * time.Millisecond, Ping: 100 * time.Millisecond, Settle: time.Millisecond,
		Segment: stt.Limits{Finish: 5 * short},
	}}
}

// listen opens a stream whose events come as lines.
func listen(t *testing.T, r stt.Recognizer, language string) (stt.Stream, <-chan string) {
	t.Helper()
	lines := make(chan string, 1000)
	s, err := r.Open(t.Context(), stt.Options{Language: language, Handle: func(e stt.Event) {
		switch e := e.(type) {
		case stt.Partial:
			lines <- fmt.Sprintf("partial %d %s", e.Segment, e.Text)
		case stt.Final:
			lines <- fmt.Sprintf("final %d %s", e.Segment, e.Text)
		case stt.Failed:
			lines <- fmt.Sprintf("failed %d %v", e.Segment, e.Err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, lines
}

func utter(s stt.Stream, segment uint64, samples int) {
	s.SpeechStarted(segment, 0)
	s.Write(make([]int16, samples))
	s.SpeechEnded(segment)
}

func outcome(lines <-chan string) string {
	for line := range lines {
		if !strings.HasPrefix(line, "partial") {
			return line
		}
	}
	return ""
}

func TestRealtimePartialsThenTheFinal(t *testing.T) {
	heard := make(chan openaitest.Recording, 3)
	stub := openaitest.New(openaitest.Options{Key: "secret-key", Transcribe: func(r openaitest.Recording) string {
		heard <- r
		return []string{"one two three", "", "four five"}[r.Index]
	}})
	s, lines := listen(t, start(t, stub).RealtimeRecognizer(realtime("")), "en-GB")
	s.SpeechStarted(1, 0)
	// The resampler and the queue hold some audio back, so a word comes with the 100 ms after its own 300.
	s.Write(make([]int16, 4*stt.SampleRate/10))
	got := []string{<-lines}
	s.Write(make([]int16, 3*stt.SampleRate/10))
	got = append(got, <-lines)
	s.SpeechEnded(1)
	got = append(got, outcome(lines))
	utter(s, 2, stt.SampleRate)
	got = append(got, outcome(lines))
	utter(s, 3, stt.SampleRate)
	got = append(got, outcome(lines))
	want := []string{"partial 1 one", "partial 1 one two", "final 1 one two three", "final 2 ", "final 3 four five"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if r := <-heard; r.Model != "gpt-live-transcribe" || r.Language != "en" || stub.Counts().Realtimes != 1 {
		t.Errorf("the server heard %+v on %d connections", r, stub.Counts().Realtimes)
	}
}

func TestRealtimeLanguageIsAskedForAsTheModelWants(t *testing.T) {
	for _, model := range []string{"gpt-transcribe", "gpt-realtime-whisper", "gpt-4o-transcribe"} {
		heard := make(chan openaitest.Recording, 1)
		stub := openaitest.New(openaitest.Options{Transcribe: func(r openaitest.Recording) string { heard <- r; return "ja" }})
		s, lines := listen(t, start(t, stub).RealtimeRecognizer(realtime(model)), "de-CH")
		utter(s, 1, stt.SampleRate)
		got, r := outcome(lines), <-heard
		if got != "final 1 ja" || r.Model != model || r.Language != "de" {
			t.Errorf("%s: %q, the server heard %+v", model, got, r)
		}
	}
}

// tally is a server whose text is the number of samples it got.
type tally struct {
	sockettest.Server
	samples int
}

func (s *tally) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.Serve(w, r, s) }
func (*tally) Open() []string                                     { return []string{`{"type":"session.updated"}`} }
func (s *tally) Receive(_ bool, message []byte) sockettest.Reply {
	var e struct{ Type, Audio string }
	_ = json.Unmarshal(message, &e)
	switch e.Type {
	case "input_audio_buffer.append":
		pcm, _ := base64.StdEncoding.DecodeString(e.Audio)
		s.samples += len(pcm) / 2
	case "input_audio_buffer.commit":
		text := fmt.Sprintf(`{"type":"conversation.item.input_audio_transcription.completed","transcript":"%d"}`, s.samples)
		s.samples = 0
		return sockettest.Reply{Final: []string{text}}
	}
	return sockettest.Reply{}
}

// The server wants 24 kHz: a segment must arrive in its full length, whatever the resampler holds back.
func TestRealtimeAudioIsWhole(t *testing.T) {
	s, lines := listen(t, start(t, &tally{}).RealtimeRecognizer(realtime("")), "")
	for segment, samples := range []int{16000, 12345, 1601} {
		utter(s, uint64(segment), samples)
		if got, want := outcome(lines), fmt.Sprintf("final %d %d", segment, (samples*3+1)/2); got != want {
			t.Errorf("outcome %q, want %q", got, want)
		}
	}
}

func TestRealtimeFaults(t *testing.T) {
	const failed = "failed 1 openai: transcribe: "
	tests := []struct {
		name  string
		fault sockettest.Fault
		want  string
	}{
		{"never greets", sockettest.Fault{Do: sockettest.Silent}, failed + "no answer in time"},
		{"never answers", sockettest.Fault{Do: sockettest.Deaf}, failed + "no answer in time"},
		{"half open", sockettest.Fault{Do: sockettest.HalfOpen}, failed + "no answer in time"},
		{"hangs up", sockettest.Fault{Do: sockettest.Hangup}, failed + "the connection failed"},
		{"breaks down", sockettest.Fault{Do: sockettest.Hangup, Code: 1011}, failed + "the provider failed"},
		{"refuses the key", sockettest.Fault{Do: sockettest.Hangup, Code: 3000}, failed + "the key was refused"},
		{"garbage", sockettest.Fault{Do: sockettest.Garbage}, failed + "the answer makes no sense"},
		{"late", sockettest.Fault{Do: sockettest.Late, Delay: short}, "final 1 good morning"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stub := openaitest.New(openaitest.Options{Transcribe: func(openaitest.Recording) string { return "good morning" }})
			tt.fault.Times = 1
			stub.FailRealtime(tt.fault)
			s, lines := listen(t, start(t, stub).RealtimeRecognizer(realtime("")), "")
			utter(s, 1, stt.SampleRate)
			if got := outcome(lines); !strings.HasPrefix(got, tt.want) {
				t.Errorf("outcome %q, want %q…", got, tt.want)
			}
			utter(s, 2, stt.SampleRate)
			if got := outcome(lines); got != "final 2 good morning" {
				t.Errorf("the next segment: %q", got)
			}
		})
	}
}

func TestRealtimeRefusals(t *testing.T) {
	tests := []struct {
		name  string
		fault openaitest.Fault
		kind  fault.Kind
		words string
	}{
		{"key", openaitest.Fault{Do: openaitest.Refuse, Status: 401}, fault.Auth, "OPENAI_API_KEY"},
		{"no such thing", openaitest.Fault{Do: openaitest.Refuse, Status: 404}, fault.BadRequest, "no realtime transcription"},
		{"no credit", openaitest.Fault{Do: openaitest.Refuse, Status: 429, Code: "insufficient_quota"}, fault.Quota, "billing"},
		{"broken", openaitest.Fault{Do: openaitest.Refuse, Status: 503}, fault.Server, "503"},
		{"page", openaitest.Fault{Do: openaitest.Page}, fault.Malformed, "OPENAI_BASE_URL"},
		{"hangs", openaitest.Fault{Do: openaitest.Stall}, fault.Timeout, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stub := openaitest.New(openaitest.Options{})
			stub.Fail(openaitest.Realtime, tt.fault)
			o := realtime("")
			o.Limits.Connect = short
			c := start(t, stub)
			s, lines := listen(t, c.RealtimeRecognizer(o), "")
			utter(s, 1, stt.SampleRate)
			got := outcome(lines)
			if !strings.HasPrefix(got, "failed 1 ") || !strings.Contains(got, tt.kind.String()) || !strings.Contains(got, tt.words) || strings.Contains(got, "secret-key") {
				t.Errorf("%q; want %v and %q", got, tt.kind, tt.words)
			}
			stub.Clear(openaitest.Realtime)
			utter(s, 2, stt.SampleRate)
			if got := outcome(lines); !strings.HasPrefix(got, "final 2 ") {
				t.Errorf("and afterwards: %q", got)
			}
		})
	}
}

// says is a server that answers audio with one event.
type says struct {
	sockettest.Server
	event string
}

func (*says) Open() []string { return []string{`{"type":"session.updated"}`} }
func (s *says) Receive(_ bool, message []byte) sockettest.Reply {
	if !strings.Contains(string(message), "append") {
		return sockettest.Reply{}
	}
	return sockettest.Reply{Audio: true, Now: []string{s.event}}
}

func TestRealtimeErrorsAreUnderstood(t *testing.T) {
	tests := []struct{ event, want string }{
		{`{"type":"error","error":{"type":"invalid_request_error","code":"model_not_found","message":"No secret-key such."}}`, "the request was refused: error model_not_found: No *** such. (check the model"},
		{`{"type":"error","error":{"type":"server_error","message":"Oops."}}`, "the provider failed: error : Oops."},
		{`{"type":"error","error":{"code":"invalid_api_key"}}`, "the key was refused"},
		{`{"type":"error","error":{"code":"insufficient_quota"}}`, "no credit left"},
		{`{"type":"error","error":{"code":"rate_limit_exceeded"}}`, "too many requests"},
		{`{"type":"error","error":{"code":"session_expired"}}`, "the connection failed"},
		{`{"type":"error"}`, "without explanation"},
		{`{"type":"conversation.item.input_audio_transcription.failed","error":{"message":"Bad audio."}}`, "the provider failed: error : Bad audio."},
		{`[]`, "the answer makes no sense"},
	}
	for _, tt := range tests {
		stub := &says{event: tt.event}
		server := httptest.NewServer(serveScript{stub})
		s, lines := listen(t, connect(t, server.URL+"/v1", short).RealtimeRecognizer(realtime("")), "")
		utter(s, 1, stt.SampleRate)
		if got := outcome(lines); !strings.Contains(got, tt.want) {
			t.Errorf("%s\ngave %q, want %q", tt.event, got, tt.want)
		}
		_ = s.Close()
		server.Close()
	}
}

// serveScript serves the same script to every connection.
type serveScript struct{ *says }

func (s serveScript) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.Serve(w, r, s.says) }
