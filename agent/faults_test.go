package agent_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// The faults of a provider, by name.
var (
	page        = openaitest.Fault{Do: openaitest.Page}
	badKey      = openaitest.Fault{Status: 401}
	tooMany     = openaitest.Fault{Status: 429}
	noCredit    = openaitest.Fault{Status: 429, Code: "insufficient_quota"}
	broken      = openaitest.Fault{Status: 500}
	stall       = openaitest.Fault{Do: openaitest.Stall}
	stallInside = openaitest.Fault{Do: openaitest.StallInside}
	drop        = openaitest.Fault{Do: openaitest.Drop}
	endless     = openaitest.Fault{Do: openaitest.Endless}
	nothing     = openaitest.Fault{Do: openaitest.Nothing}
	garbage     = openaitest.Fault{Do: openaitest.Garbage}
)

// fault is a way to fail, and the words of the log that name it and what mends it.
type fault struct {
	name  string
	fault openaitest.Fault
	log   string
}

// sample is every third of the faults in a short run, others for each endpoint, so that each fault still happens once. A short run is
// one under the race detector, which takes ten times as long; the full run is without.
func sample(endpoint int, all []fault) []fault {
	if !testing.Short() {
		return all
	}
	var some []fault
	for i := endpoint; i < len(all); i += 3 {
		some = append(some, all[i])
	}
	return some
}

var answers = []string{
	"Hi, my name is Jordan and I am a backend engineer.",
	"I am really good at finding bugs that nobody else can find.",
	"It was a project to replace the old billing system because the company kept losing invoices.",
	"I designed the new schema and wrote the migration myself.",
	"We reduced lost invoices by ninety percent.",
}

// interview holds an interview with faults at some endpoints.
func interview(t *testing.T, faults map[openaitest.Endpoint]openaitest.Fault, check func(r told)) {
	t.Helper()
	whole := t // check fails this one
	synctest.Test(t, func(t *testing.T) {
		s := open(t, answers...)
		for endpoint, f := range faults {
			s.stub.Fail(endpoint, f)
		}
		r := s.hold()
		if r.reason != "done" {
			t.Errorf("ended with %q", r.reason)
		}
		var stages []string
		for _, v := range r.user.Visits {
			stages = append(stages, v.Stage)
		}
		if got := strings.Join(stages, " "); got != "SELF_INTRO PAST_EXPERIENCE DONE" || !strings.Contains(r.shown, "Goodbye!") {
			t.Errorf("it went through %s, or the goodbye is missing", got)
		}
		check(r)
		if t.Failed() || whole.Failed() {
			t.Logf("lasted %v, %d frames; said:\n%s\nlog:\n%s", r.lasted, r.frames, r.shown, r.log)
		}
	})
}

// candidate returns the candidate's words, as far as they were understood.
func (r told) candidate() (lines []string) {
	for _, turn := range r.user.Turns {
		if turn.Speaker == "candidate" {
			lines = append(lines, turn.Text)
		}
	}
	return lines
}

func TestNothingFails(t *testing.T) {
	interview(t, nil, func(r told) {
		if strings.Contains(r.log, "degraded") || strings.Contains(r.log, "failed") {
			t.Error("a fault is in the log")
		}
		if got := strings.Join(r.candidate(), " "); got != strings.Join(answers, " ") {
			t.Errorf("the candidate said %q", got)
		}
		if !strings.Contains(r.shown, "What was the hardest part of it for you?") {
			t.Error("the model worded nothing")
		}
		if r.lasted > 2*time.Minute {
			t.Errorf("it took %v", r.lasted)
		}
	})
}

// Issue 2: whatever the model does, the scripted words are said soon, and the log says why.
func TestModelFaults(t *testing.T) {
	for _, f := range sample(0, []fault{
		{"page", page, "OPENAI_BASE_URL likely points at a web page"},
		{"bad key", badKey, "check OPENAI_API_KEY"},
		{"too many", tooMany, "too many requests"},
		{"no credit", noCredit, "check the account's billing"},
		{"broken", broken, "the provider failed: status 500"},
		{"stall", stall, "the model was too slow to begin"},
		{"stall inside", stallInside, "no answer in time"},
		{"drop", drop, "the connection failed"},
		{"endless", endless, "the model said the same words over and over"},
		{"nothing", nothing, "openai: chat"},
		{"garbage", garbage, "the answer makes no sense"},
	}) {
		t.Run(f.name, func(t *testing.T) {
			interview(t, map[openaitest.Endpoint]openaitest.Fault{openaitest.Chat: f.fault}, func(r told) {
				if !strings.Contains(r.log, "model.degraded") || !strings.Contains(r.log, f.log) {
					t.Errorf("the log does not name %q", f.log)
				}
				if got := strings.Join(r.candidate(), " "); !strings.HasPrefix(got, strings.Join(answers, " ")) { // then the offer of a last word is answered
					t.Errorf("the candidate said %q", got)
				}
				if !strings.Contains(r.shown, "good at, what should it be?") && !strings.Contains(r.shown, "one strength, or one achievement") {
					t.Error("the scripted question is missing")
				}
				if r.lasted > 3*time.Minute {
					t.Errorf("it took %v", r.lasted)
				}
			})
		})
	}
}

// A voice that fails leaves the words to be read, all of them, and the interview goes on.
func TestVoiceFaults(t *testing.T) {
	for _, f := range sample(1, []fault{
		{"page", page, "OPENAI_BASE_URL likely points at a web page"},
		{"bad key", badKey, "check OPENAI_API_KEY"},
		{"too many", tooMany, "too many requests"},
		{"no credit", noCredit, "check the account's billing"},
		{"broken", broken, "the provider failed: status 500"},
		{"stall", stall, "no answer in time"},
		{"stall inside", stallInside, "no answer in time"},
		{"drop", drop, "the connection failed"},
		{"endless", endless, "more than the limit was sent"},
		{"nothing", nothing, "the answer is empty"},
	}) {
		t.Run(f.name, func(t *testing.T) {
			interview(t, map[openaitest.Endpoint]openaitest.Fault{openaitest.Speech: f.fault}, func(r told) {
				if !strings.Contains(r.log, "voice.failed") || !strings.Contains(r.log, f.log) {
					t.Errorf("the log does not name %q", f.log)
				}
				if got := strings.Join(r.candidate(), " "); !strings.HasPrefix(got, strings.Join(answers, " ")) { // then the offer of a last word is answered
					t.Errorf("the candidate said %q", got)
				}
				for line := range strings.Lines(r.shown) {
					if line = strings.TrimSpace(line); !strings.HasSuffix(line, "?") && !strings.HasSuffix(line, "Goodbye!") {
						t.Errorf("the candidate cannot read the question of %q", line)
					}
				}
				if r.lasted > 3*time.Minute {
					t.Errorf("it took %v", r.lasted)
				}
			})
		})
	}
}

// Without a recogniser no turn is waited for longer than a moment, and silence takes the interview to its end.
func TestRecogniserFaults(t *testing.T) {
	for _, f := range sample(2, []fault{
		{"page", page, "OPENAI_BASE_URL likely points at a web page"},
		{"bad key", badKey, "check OPENAI_API_KEY"},
		{"too many", tooMany, "too many requests"},
		{"no credit", noCredit, "check the account's billing"},
		{"broken", broken, "the provider failed: status 500"},
		{"stall", stall, "no answer in time"},
		{"stall inside", stallInside, "no answer in time"},
		{"drop", drop, "the connection failed"},
		{"endless", endless, "openai: transcribe"},
		{"nothing", nothing, "openai: transcribe"},
		{"garbage", garbage, "the answer makes no sense"},
	}) {
		t.Run(f.name, func(t *testing.T) {
			interview(t, map[openaitest.Endpoint]openaitest.Fault{openaitest.Transcriptions: f.fault}, func(r told) {
				if !strings.Contains(r.log, "stt.failed") || !strings.Contains(r.log, f.log) {
					t.Errorf("the log does not name %q", f.log)
				}
				if !strings.Contains(r.log, "turn.no_words") || len(r.candidate()) > 0 {
					t.Errorf("the candidate said %q", r.candidate())
				}
				if r.lasted > 8*time.Minute {
					t.Errorf("it took %v", r.lasted)
				}
			})
		})
	}
}

// A recogniser that comes back is listened to again.
func TestRecogniserRecovers(t *testing.T) {
	f := badKey
	f.Times = 1
	interview(t, map[openaitest.Endpoint]openaitest.Fault{openaitest.Transcriptions: f}, func(r told) {
		if got := strings.Join(r.candidate(), " "); !strings.HasPrefix(got, strings.Join(answers, " ")) { // then the offer of a last word is answered
			t.Errorf("the candidate said %q", got)
		}
	})
}

// With everything gone, the words are the script's, can be read, and lead to the goodbye.
func TestEverythingFails(t *testing.T) {
	all := map[openaitest.Endpoint]openaitest.Fault{openaitest.Transcriptions: stall, openaitest.Chat: stall, openaitest.Speech: stall}
	interview(t, all, func(r told) {
		if r.frames > 0 || r.lasted > 8*time.Minute {
			t.Errorf("%d frames of sound in %v", r.frames, r.lasted)
		}
	})
}
