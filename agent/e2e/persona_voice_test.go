package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

const (
	seniorJob = `{"interview":"persona_interview","consent":{"recording":true}}`
	aloneJob  = `{"interview":"evaluation","vars":{"problem":"door_log"}}`
)

// longestSpoken is how long a spoken report may be (R002-56).
const longestSpoken = 45 * time.Second

// senior is a candidate who answers five questions, each in a few words.
var senior = map[string][]string{
	"MENU": {"The senior one, please."},
	"QUESTIONS": {
		"I wrote a program for the bank, and it saved my team two days every month.",
		"I measured the slow part first, and then I changed one table.",
		"First I compared three ways with my team, then I wrote a plan.",
		"I fixed a clock in the test that was two minutes wrong.",
		"I wrote more tests before the next change, and that saved us a week in the end.",
		"No, thank you, that was all.", // to whether there is anything to add
	},
}

// unhurried speaks the questions so that the local recogniser understands them, the report at its usual speed, so that it can be
// measured, and hurries through the rest.
type unhurried struct {
	tts.Synthesizer
	guest *guest
}

// Synthesize implements tts.Synthesizer.
func (u *unhurried) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	switch u.guest.latest("viva.stage") {
	case "QUESTIONS":
		r.Speed = 1.3
	case "REPORT":
		r.Speed = 1
	default:
		r.Speed = 2
	}
	return u.Synthesizer.Synthesize(ctx, r)
}

// TestPersonaInterviewByVoice: a candidate chooses by voice who interviews, answers five questions, and is told a report, which
// is on the page, in the store and behind a link. Each answer is judged once while the talk goes on, and nothing of it is heard or
// shown before. With consent from dispatch the talk is recorded, one side a channel, and the report's times fit it (R002-1,
// R002-5, R002-7, R002-25, R002-30, R002-33, R002-42, R002-51, R002-52, R002-53, R002-55, R002-56, RX-20).
func TestPersonaInterviewByVoice(t *testing.T) {
	t.Parallel()
	engines, service := cloudEngines(t)
	voice := &unhurried{Synthesizer: engines.TTS}
	engines.LLM, engines.TTS = nil, voice
	voice.guest = enter(t, visit{})
	g, page := voice.guest, watch(t, roomName(t))
	b := openBureau(t, engines)
	begun := time.Now()
	b.dispatch(roomName(t), seniorJob)
	k := &talk{office: b.office, t: t, guest: g, lines: senior, speak: aloudAt(t, g, service, 1.2)}
	k.hold()
	t.Logf("the talk took %v", time.Since(begun).Round(time.Second))
	if result := b.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}

	session := b.await("job.started", nil).text("job_id")
	r := b.record(roomName(t), "persona_interview")
	parts := r.parts()
	if got := names(parts); got != "MENU QUESTIONS REPORT DONE" || r.user.Ended != "done" {
		t.Fatalf("the interview went %s and ended with %q", got, r.user.Ended)
	}
	checkOneVoice(t, r)
	if first := parts[1].opening; !strings.Contains(first, "senior developer") || !strings.HasSuffix(first, "?") { // R002-7
		t.Errorf("the senior developer began with %q, want a word of introduction and the first question", first)
	}
	if notice := parts[2].opening; !strings.Contains(notice, "report") || !strings.Contains(notice, "prepar") { // R002-33
		t.Errorf("after the last answer was said %q", notice)
	}
	if who := g.latest("viva.persona"); who != "Senior Developer" {
		t.Errorf("%q was chosen by voice", who)
	}
	var items []string
	for n := range 5 {
		items = append(items, fmt.Sprintf("answer/QUESTIONS/%d", n+1))
	}
	b.checkJudged(r, session, items...)
	envelope := page.report(t)
	checkQuiet(t, g, "REPORT")
	checkFiveAnswers(t, envelope.Report)
	checkSpoken(t, r, envelope)
	b.checkReadable(envelope, session)
	b.checkRecorded(envelope, session)
}

// checkQuiet: no attribute told of a judgement, and what was said before a stage had nothing of one (RX-20).
func checkQuiet(t *testing.T, g *guest, stage string) {
	t.Helper()
	for _, e := range all[room.ParticipantAttributes](g) {
		if text := fmt.Sprint(e.Changed); strings.Contains(text, marker) {
			t.Errorf("an attribute told what the judge wrote: %s", text)
		}
		if e.Changed["viva.stage"] == stage {
			return
		}
	}
	t.Errorf("the page was never told of %s", stage)
}

// checkFiveAnswers: the report has each of the answers with its score. What rules say of it beside that is left out: they are not sure.
func checkFiveAnswers(t *testing.T, r *report.Report) {
	t.Helper()
	if len(r.Questions) != 5 || r.Overall == nil || r.Overall.Count != 5 {
		t.Fatalf("the report has %d questions, overall %+v", len(r.Questions), r.Overall)
	}
	for i, q := range r.Questions {
		if q.Answer != senior["QUESTIONS"][i] || q.Score == nil || q.Feedback != "" {
			t.Errorf("question %d, %q: answer %q, score %v, %+v, feedback %q", q.Number, q.Text, q.Answer, q.Score, q.Reason, q.Feedback)
		}
	}
	for what, n := range map[string]int{"strengths": len(r.Strengths), "improvements": len(r.Improvements)} {
		if n < 2 || n > 3 { // R002-52, R002-53
			t.Errorf("%d %s, want two or three", n, what)
		}
	}
}

// checkSpoken: the summary of the report was heard to its end, within its time.
func checkSpoken(t *testing.T, r record, e assessment.Envelope) {
	t.Helper()
	if e.Spoken == "" {
		t.Fatal("the report has nothing to say")
	}
	began := state.Millis(-1)
	first, rest, _ := strings.Cut(e.Spoken, ". ") // between them it may be said what holds of the work at a problem
	for i, ev := range r.events {
		switch v := ev.(type) {
		case engine.VoiceStarted:
			began = r.entries[i].At
		case engine.VoiceEnded:
			if !strings.HasPrefix(v.Heard, first) || !strings.HasSuffix(v.Heard, rest) {
				continue
			}
			lasted := (r.entries[i].At - began).Duration()
			t.Logf("the spoken report of %d words took %v", len(strings.Fields(e.Spoken)), lasted.Round(100*time.Millisecond))
			if v.Cut || lasted > longestSpoken {
				t.Errorf("the spoken report took %v, cut: %v", lasted, v.Cut)
			}
			return
		}
	}
	t.Errorf("the spoken report was not heard whole: %q", e.Spoken)
}

// checkRecorded: the recording is behind the candidate's link, and has both sides where the report says.
func (b *bureau) checkRecorded(e assessment.Envelope, session string) {
	t := b.t
	t.Helper()
	status, kind, file := b.get(e.Link + "/recording")
	if status != http.StatusOK || kind != "audio/ogg" {
		t.Fatalf("the recording: %d, %s", status, kind)
	}
	kept, err := b.database.Recordings(t.Context(), session)
	if err != nil || len(kept) != 1 || kept[0].Consent != engine.ConsentMetadata || kept[0].Bytes != int64(len(file)) {
		t.Errorf("the store has the recordings %+v, %v; the file has %d bytes", kept, err, len(file))
	}
	sound := readStereo(t, file)
	if length := sound.length(); len(kept) == 1 && (length-kept[0].Duration).Abs() > 100*time.Millisecond {
		t.Errorf("the recording lasts %v, and the store says %v", length, kept[0].Duration)
	}
	understood := sound.checkTurns(t, e.Report, "QUESTIONS")
	t.Logf("%v recorded; understood: %.0f %% of the candidate's words, %.0f %% of the interviewer's", sound.length().Round(time.Second),
		100*understood[candidateSide], 100*understood[agentSide])
}

// thinker is a candidate who takes the problem of the door apart, and is asked for what is missing.
var thinker = map[string][]string{"PROBLEM": {
	"We're given a list of badge numbers. I keep a set of the badges that I have seen. For each number I look it up in the set.",
	"It must stop at the first one that is there already. So the running time is linear, and so is the memory.",
	"Then nobody is returned.", "Then I return nothing either.", // two inputs that were not spoken of
	"No, thank you, that was all.",
}}

// TestEvaluationByVoice: a problem is thought through aloud; the judgement that goes into the report is made once and beside the
// talk, and what the problem's right answer is was told to nobody. Without consent nothing is recorded (R004-65, RX-1, RX-8, RX-20).
func TestEvaluationByVoice(t *testing.T) {
	t.Parallel()
	engines, service := cloudEngines(t)
	engines.LLM, engines.TTS = nil, murmur{}
	g, page := enter(t, visit{}), watch(t, roomName(t))
	b := openBureau(t, engines)
	b.dispatch(roomName(t), aloneJob)
	k := &talk{office: b.office, t: t, guest: g, lines: thinker, speak: aloud(t, g, service)}
	k.hold()
	if result := b.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	session := b.await("job.started", nil).text("job_id")
	r := b.record(roomName(t), "evaluation")
	if got := names(r.parts()); got != "PROBLEM REPORT DONE" || r.user.Ended != "done" {
		t.Errorf("the interview went %s and ended with %q", got, r.user.Ended)
	}
	b.checkJudged(r, session, "solution/PROBLEM/1")
	envelope := page.report(t)
	checkQuiet(t, g, "REPORT")
	checkSecret(t, r, g, "o(n)")
	checkSpoken(t, r, envelope)
	b.checkReadable(envelope, session)
	if stages := envelope.Report.Stages; len(stages) == 0 || stages[0].Score == nil || stages[0].Score.Norm != 1 {
		t.Errorf("the report has the stages %+v, want the problem with a full score", stages)
	}
	kept, err := b.database.Recordings(t.Context(), session)
	if status, _, _ := b.get(envelope.Link + "/recording"); status != http.StatusNotFound || err != nil || len(kept) != 0 || envelope.Report.Recording != nil {
		t.Errorf("without consent there is a recording: %d, %+v, %v", status, kept, err)
	}
}
