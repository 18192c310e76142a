package candidate

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/audio"
)

// hold runs a plan against agents with these manners, in virtual time.
func hold(t *testing.T, ctx context.Context, plan Plan, h *house) Report { //nolint:revive // t comes first in tests
	t.Helper()
	h.speech = speechForTest(t)
	if plan.AgentName == "" {
		plan.AgentName = "fake"
	}
	report, err := Run(ctx, plan, Deps{Server: h, Speech: h.speech})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// within says that a measure is what the agent did, as exactly as 20 ms frames allow.
func within(t *testing.T, what string, d Distribution, count int, want time.Duration) {
	t.Helper()
	const frame = 20
	if d.Count != count {
		t.Errorf("%s: %d samples, want %d", what, d.Count, count)
	}
	if low, high := milliseconds(want)-frame, milliseconds(want)+frame; count > 0 && (d.Min < low || d.Max > high) {
		t.Errorf("%s: %.0f to %.0f ms, want %v ± one frame", what, d.Min, d.Max, want)
	}
}

func TestRunMeasuresPoliteAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{manners: polite}
		r := hold(t, t.Context(), Plan{Rooms: 3, Turns: 4, Metadata: "{}"}, h)
		if r.RoomsCompleted != 3 || r.Interrupted {
			t.Errorf("%d rooms completed, interrupted %v: %+v", r.RoomsCompleted, r.Interrupted, r.Rooms)
		}
		within(t, "joined", r.Measures.Joined, 3, polite.join)
		within(t, "first voice", r.Measures.FirstVoice, 3, polite.join+polite.greet)
		within(t, "response", r.Measures.Responses, 12, polite.answer)
		want := Counters{Turns: 12, Answers: 12, PacketsReceived: r.Counters.PacketsReceived, BytesReceived: r.Counters.BytesReceived}
		if diff := cmp.Diff(want, r.Counters); diff != "" {
			t.Errorf("counters (-want +got):\n%s", diff)
		}
		if r.Tool.Late != 0 || r.Tool.Skipped != 0 || r.Tool.PacketsDropped != 0 || r.Tool.Undecodable != 0 || r.Tool.Failed != 0 {
			t.Errorf("in virtual time nothing is late: %+v", r.Tool)
		}
		if len(h.deleted) != 3 {
			t.Errorf("deleted rooms %v, want all 3", h.deleted)
		}
		if diff := cmp.Diff([]string{"{}", "{}", "{}"}, h.metadata); diff != "" {
			t.Errorf("metadata: %s", diff)
		}
	})
}

func TestRunInterrupts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := hold(t, t.Context(), Plan{Rooms: 2, Turns: 5, BargeIns: 3, Seed: 7}, &house{manners: polite})
		within(t, "interruption → silence", r.Measures.Stops, 6, polite.yield)
		within(t, "response after an interruption", r.Measures.InterruptionResponses, 6, polite.answer)
		within(t, "response", r.Measures.Responses, 4, polite.answer)
		c := r.Counters
		if c.Turns != 10 || c.Interruptions != 6 || c.InterruptionsHeeded != 6 || c.InterruptionsIgnored != 0 || c.TalkOvers != 0 {
			t.Errorf("counters %+v", c)
		}
	})
}

func TestRunCounts(t *testing.T) {
	with := func(change func(*manners)) manners {
		m := polite
		change(&m)
		return m
	}
	tests := []struct {
		name    string
		manners manners
		plan    Plan
		want    Counters // without the packets and bytes
		outcome Outcome
	}{
		{
			"interruptions ignored",
			with(func(m *manners) { m.yield, m.talk = 0, 8*time.Second }),
			Plan{Turns: 2, BargeIns: 2},
			Counters{Turns: 2, Interruptions: 2, InterruptionsIgnored: 2}, OutcomeCompleted,
		},
		{
			"interruptions too late",
			with(func(m *manners) { m.talk = 300 * time.Millisecond }),
			Plan{Turns: 2, BargeIns: 2},
			Counters{Turns: 2, Answers: 2, InterruptionsMissed: 2}, OutcomeCompleted,
		},
		{
			"answers missing after the first, and it goes on",
			with(func(m *manners) { m.answers = 1 }),
			Plan{Turns: 3},
			Counters{Turns: 3, Answers: 1, AnswersMissing: 2}, OutcomeCompleted,
		},
		{
			"no greeting: the candidate speaks first, and what the agent says then is the answer",
			with(func(m *manners) { m.greet = 20 * time.Second }),
			Plan{Turns: 1},
			Counters{Turns: 1, Answers: 1, GreetingsMissing: 1}, OutcomeCompleted,
		},
		{
			"two streams",
			with(func(m *manners) { m.twoVoice = true }),
			Plan{Turns: 1},
			Counters{Turns: 1, Answers: 1, Overlaps: 2}, OutcomeCompleted,
		},
		{
			"the agent leaves",
			with(func(m *manners) { m.departs = 2 }),
			Plan{Turns: 5},
			Counters{Turns: 2, Answers: 1}, OutcomeAgentLeft,
		},
		{
			"the agent leaves after all was said",
			with(func(m *manners) { m.departs = 2 }),
			Plan{Turns: 2},
			Counters{Turns: 2, Answers: 1}, OutcomeCompleted,
		},
		{
			"no agent comes",
			manners{never: true},
			Plan{Turns: 1},
			Counters{}, OutcomeFailed,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.plan.Rooms = 1
				r := hold(t, t.Context(), test.plan, &house{manners: test.manners})
				got := r.Counters
				got.PacketsReceived, got.BytesReceived = 0, 0
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("counters (-want +got):\n%s", diff)
				}
				if room := r.Rooms[0]; room.Outcome != test.outcome {
					t.Errorf("outcome %s %q, want %s", room.Outcome, room.Error, test.outcome)
				}
			})
		})
	}
}

func TestRunFailures(t *testing.T) {
	tests := []struct {
		name  string
		house *house
		plan  Plan
		want  string
	}{
		{"no connection", &house{connectErr: errors.New("unreachable")}, Plan{}, "join room"},
		{"dispatch refused", &house{refusal: errors.New("not allowed")}, Plan{}, `dispatch agent "fake": not allowed`},
		{"no agent", &house{manners: manners{never: true}}, Plan{}, ErrNoAgent.Error()},
		{"limit", &house{manners: polite}, Plan{Limit: 5 * time.Second}, ErrLimit.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.plan.Rooms, test.plan.Turns = 1, 9
				r := hold(t, t.Context(), test.plan, test.house)
				if r.RoomsFailed != 1 || !strings.Contains(r.Rooms[0].Error, test.want) {
					t.Errorf("failed %d, error %q, want %q in it", r.RoomsFailed, r.Rooms[0].Error, test.want)
				}
			})
		})
	}
}

// A run that is interrupted ends at once, tells so, and deletes its rooms.
func TestRunInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		h := &house{manners: polite}
		started := time.Now()
		r := hold(t, ctx, Plan{Rooms: 4, Turns: 20, Ramp: 5 * time.Second}, h)
		if took := time.Since(started); took > 13*time.Second {
			t.Errorf("took %v after an interruption at 12 s", took)
		}
		if !r.Interrupted || r.RoomsStopped != 3 || len(r.Rooms) != 3 || len(h.deleted) != 3 {
			t.Errorf("interrupted %v, stopped %d of %d rooms, %d deleted; want true, 3 of 3, 3", r.Interrupted, r.RoomsStopped, len(r.Rooms), len(h.deleted))
		}
		if r.Counters.Turns == 0 || r.Measures.Responses.Count == 0 {
			t.Error("the partial report holds nothing")
		}
	})
}

// Without an agent name the agent comes by itself, and nothing is dispatched.
func TestRunAutomaticDispatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{manners: polite, speech: speechForTest(t)}
		h.manners.unasked = true
		r, err := Run(t.Context(), Plan{Rooms: 1, Turns: 1}, Deps{Server: h, Speech: h.speech})
		if err != nil {
			t.Fatal(err)
		}
		within(t, "joined", r.Measures.Joined, 1, polite.join)
		if r.RoomsCompleted != 1 || len(h.metadata) != 0 || len(h.deleted) != 1 {
			t.Errorf("completed %d, dispatched %d, deleted %d; want 1, 0, 1", r.RoomsCompleted, len(h.metadata), len(h.deleted))
		}
	})
}

func TestRunReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{manners: polite, speech: speechForTest(t)}
		var seen []Progress
		deps := Deps{Server: h, Speech: h.speech, Progress: func(p Progress) { seen = append(seen, p) }}
		if _, err := Run(t.Context(), Plan{Rooms: 2, Turns: 1, Ramp: 1500 * time.Millisecond, AgentName: "fake"}, deps); err != nil {
			t.Fatal(err)
		}
		first, last := seen[0], seen[len(seen)-1]
		if diff := cmp.Diff(Progress{Elapsed: time.Second, Rooms: 2, Started: 1, Active: 1}, first); diff != "" {
			t.Errorf("after a second (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(Progress{Elapsed: last.Elapsed, Rooms: 2, Started: 2, Turns: 2}, last); diff != "" {
			t.Errorf("at the end (-want +got):\n%s", diff)
		}
		if line := last.String(); strings.Contains(line, "\n") || len(line) > 100 {
			t.Errorf("progress line %q", line)
		}
	})
}

// Of each room there is a file with the candidate on the left and the agent on the right.
func TestRunRecords(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		hold(t, t.Context(), Plan{Rooms: 2, Turns: 1, RecordDir: dir}, &house{manners: polite})
	})
	files, err := filepath.Glob(filepath.Join(dir, "loadtest-*.wav"))
	if err != nil || len(files) != 2 {
		t.Fatalf("recordings %v, %v; want 2", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	sound, found := bytes.CutPrefix(raw, audio.WAVHeader(audio.InputRate, 2, uint32(len(raw)-len(audio.WAVHeader(audio.InputRate, 2, 0)))))
	if !found {
		t.Fatalf("it begins with % x", raw[:min(len(raw), 44)])
	}
	var sides [2][]int16
	for i := 0; i+1 < len(sound); i += 2 {
		sides[i/2%2] = append(sides[i/2%2], int16(binary.LittleEndian.Uint16(sound[i:])))
	}
	// Joined after 150 ms, greeting from 350 to 3350, silence of 600, answer from 3950 to 5150, silence of 700.
	own, agent := sides[0], sides[1]
	checkVoiced(t, agent, 0, 330, false)
	checkVoiced(t, agent, 400, 3300, true)
	checkVoiced(t, agent, 3450, 5750, false)
	checkVoiced(t, agent, 6000, 8000, true)
	checkVoiced(t, own, 0, 3900, false)
	checkVoiced(t, own, 4050, 5050, true)
	checkVoiced(t, own, 5250, 8000, false)
}

func checkVoiced(t *testing.T, pcm []int16, from, to int, want bool) {
	t.Helper()
	const perMillisecond = audio.InputRate / 1000
	if to*perMillisecond > len(pcm) {
		t.Fatalf("the recording ends at %d ms", len(pcm)/perMillisecond)
	}
	for at := from; at < to; at += 20 {
		level := audio.Level(pcm[at*perMillisecond : (at+20)*perMillisecond])
		if (level > Threshold) != want {
			t.Fatalf("level at %d ms is %.0f dBFS; want voice: %v", at, level, want)
		}
	}
}

func TestRunRefusesPlans(t *testing.T) {
	speech := speechForTest(t)
	tests := []struct {
		name string
		plan Plan
		want []string // all of them are told
	}{
		{"empty", Plan{}, []string{"rooms", "turns"}},
		{"several problems", Plan{Rooms: -1, Turns: 2, BargeIns: 3}, []string{"rooms", "barge-ins"}},
		{"no directory", Plan{Rooms: 1, Turns: 1, RecordDir: "/does/not/exist"}, []string{"create it first"}},
		{"short silence", Plan{Rooms: 1, Turns: 1, Silence: time.Millisecond}, []string{"silence"}},
		{"no such process", Plan{Rooms: 1, Turns: 1, PIDs: []int{1 << 30}}, []string{"no such process"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := &house{}
			_, err := Run(t.Context(), test.plan, Deps{Server: h, Speech: speech})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
	if _, err := Run(t.Context(), Plan{Rooms: 1, Turns: 1}, Deps{}); err == nil {
		t.Error("no error without anything to work with")
	}
}
