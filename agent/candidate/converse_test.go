package candidate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/fault"
)

// writer is an agent that shows its words and tells its state.

var writer = func() manners {
	m := polite
	m.writes = true
	return m
}()

// script is a partner with prepared moves, each of which takes some time to think of. After the last it leaves.

type script struct {
	moves  []Move
	thinks time.Duration
	err    error // in place of the first move

	told []Heard
}

func (s *script) Next(ctx context.Context, heard Heard) (Move, error) {
	s.told = append(s.told, heard)
	if !fault.Sleep(ctx, s.thinks) {
		return Move{}, ctx.Err()
	}
	n := len(s.told) - 1
	switch {
	case s.err != nil:
		return Move{}, s.err
	case n >= len(s.moves):
		return Move{Leave: true}, nil
	default:
		return s.moves[n], nil
	}
}

func say(texts ...string) []Move {
	var moves []Move
	for _, text := range texts {
		moves = append(moves, Move{Say: text})
	}
	return moves
}

// call holds a conversation with such an agent, in virtual time.

func call(t *testing.T, ctx context.Context, c Call, h *house) (Conversation, error) { //nolint:revive // t comes first in tests
	t.Helper()
	h.speech = speechForTest(t)
	c.AgentName = "fake"
	if c.Voice == nil {
		c.Voice = toneVoice{}
	}
	return Converse(ctx, c, Deps{Server: h})
}

// spoke are speakers and texts, one line each.

func spoke(lines []talk.Line) []string {
	var all []string
	for _, l := range lines {
		text := string(l.Speaker) + ": " + l.Text
		if l.Cut {
			text += " (cut)"
		}
		all = append(all, text)
	}
	return all
}

func near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	const frames = 60 * time.Millisecond // one here, one there, and one to be heard
	if (got - want).Abs() > frames {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestConverse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{manners: writer}
		p := &script{moves: say("Hello there.", "A longer answer than that.")}
		path := filepath.Join(t.TempDir(), "talk.wav")
		c, err := call(t, t.Context(), Call{Partner: p, Metadata: "{}", Record: path, StageAttribute: "stage"}, h)
		if err != nil || c.Outcome != OutcomeCompleted {
			t.Fatalf("outcome %s: %v", c.Outcome, err)
		}
		want := []string{
			"interviewer: This is line 1.", "candidate: Hello there.", "interviewer: This is line 2.",
			"candidate: A longer answer than that.", "interviewer: This is line 3.",
		}
		if diff := cmp.Diff(want, spoke(c.Lines)); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		for i, l := range c.Lines {
			if l.N != i+1 || l.Stage != "ONE" || l.Until <= l.At || (i > 0 && l.At < c.Lines[i-1].Until) {
				t.Errorf("line %+v, before it %+v", l, c.Lines[max(0, i-1)])
			}
		}
		near(t, "the greeting began", c.Lines[0].At, writer.join+writer.greet)
		near(t, "… and lasted", c.Lines[0].Until-c.Lines[0].At, writer.talk)
		near(t, "the candidate began", c.Lines[1].At-c.Lines[0].Until, DefaultSilence)
		near(t, "the first response", c.Lines[2].At-c.Lines[1].Until, writer.answer)
		if len(c.Voice.Responses) != 2 || c.Voice.Overlaps != 0 || c.Voice.Missing != 0 || c.Turns != 3 {
			t.Errorf("measured %+v in %d turns", c.Voice, c.Turns)
		}
		near(t, "response", c.Voice.Responses[0], writer.answer)
		if len(p.told) != 3 || len(p.told[1].Lines) != 1 || p.told[1].Lines[0].Text != "This is line 2." || p.told[1].Missing {
			t.Errorf("the partner was told %+v", p.told)
		}
		if info, err := os.Stat(path); err != nil || info.Size() < 16_000*4*int64(c.Took.Seconds()) {
			t.Errorf("recording %v of %v: %v", info, c.Took, err)
		}
		if len(h.deleted) != 1 || !strings.HasPrefix(h.deleted[0], "eval-") || !slices.Equal(h.metadata, []string{"{}"}) {
			t.Errorf("rooms deleted %q, metadata %q", h.deleted, h.metadata)
		}
	})
}

// A partner who takes long is waited for in silence; its wait counts from the interviewer's last word.

func TestConverseWaits(t *testing.T) {
	tests := []struct {
		name         string
		wait, thinks time.Duration
		want         time.Duration
	}{
		{"neither", 0, 0, DefaultSilence},
		{"it thinks", 0, 20 * time.Second, DefaultSilence + 20*time.Second},
		{"it waits", 5 * time.Second, 0, 5 * time.Second},
		{"thinking is part of the wait", 5 * time.Second, 3 * time.Second, 5 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &script{moves: []Move{{Say: "Hello there.", Wait: test.wait}}, thinks: test.thinks}
				c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: writer})
				if err != nil {
					t.Fatal(err)
				}
				near(t, "silence before the candidate's words", c.Lines[1].At-c.Lines[0].Until, test.want)
			})
		})
	}
}

// The candidate does not begin while the interviewer's words are not complete, or it says that it goes on, but not for ever.

func TestConverseHearsOut(t *testing.T) {
	with := func(change func(*manners)) manners {
		m := writer
		change(&m)
		return m
	}
	tests := []struct {
		name    string
		manners manners
		want    time.Duration
	}{
		{"words that come late", with(func(m *manners) { m.lingers = 1200 * time.Millisecond }), 1200 * time.Millisecond},
		{"words that do not end", with(func(m *manners) { m.lingers = -1 }), settle},
		{"a voice without words", polite, settle},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &script{moves: say("Hello there.")}
				c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: test.manners})
				if err != nil {
					t.Fatal(err)
				}
				lasted := writer.join + writer.greet + writer.talk
				near(t, "candidate's words", c.Lines[1].At-lasted, test.want)
				if len(p.told[0].Lines) != 1 || p.told[0].Lines[0].Speaker != talk.Interviewer {
					t.Errorf("the partner was told %+v", p.told[0])
				}
			})
		})
	}
}

func TestConverseEnds(t *testing.T) {
	with := func(change func(*manners)) manners {
		m := writer
		change(&m)
		return m
	}
	long := say(slices.Repeat([]string{"Hello there."}, 9)...)
	tests := []struct {
		name    string
		house   *house
		call    Call
		outcome Outcome
		want    error
		lines   int
	}{
		{"the partner leaves with a word", &house{manners: writer}, Call{Partner: &script{moves: []Move{{Say: "Bye.", Leave: true}}}}, OutcomeCompleted, nil, 2},
		{"the agent leaves", &house{manners: with(func(m *manners) { m.departs = 2 })}, Call{Partner: &script{moves: long}}, OutcomeAgentLeft, nil, 4},
		{"no agent", &house{manners: manners{never: true}}, Call{Partner: &script{}}, OutcomeFailed, ErrNoAgent, 0},
		{"too long", &house{manners: writer}, Call{Partner: &script{moves: long}, Limit: 10 * time.Second}, OutcomeFailed, ErrLimit, 5},
		{"a partner who takes too long", &house{manners: writer}, Call{Partner: &script{thinks: time.Hour}, Limit: 10 * time.Second}, OutcomeFailed, ErrLimit, 1},
		{"too many turns", &house{manners: writer}, Call{Partner: &script{moves: long}, Turns: 2}, OutcomeFailed, ErrTurns, 5},
		{"the partner fails", &house{manners: writer}, Call{Partner: &script{err: errPartner}}, OutcomeFailed, errPartner, 1},
		{"the voice fails", &house{manners: writer}, Call{Partner: &script{moves: long}, Voice: toneVoice{errPartner}}, OutcomeFailed, errPartner, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := call(t, t.Context(), test.call, test.house)
				if c.Outcome != test.outcome || !errors.Is(err, test.want) {
					t.Errorf("outcome %s, error %v, want %s, %v", c.Outcome, err, test.outcome, test.want)
				}
				if len(c.Lines) != test.lines {
					t.Errorf("%d lines, want %d: %q", len(c.Lines), test.lines, spoke(c.Lines))
				}
			})
		})
	}
}

var errPartner = errors.New("out of ideas")

// Whoever stops it gets what there is; a line that was not spoken to its end is cut.

func TestConverseStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		p := &script{moves: say(strings.Repeat("many words ", 20))}
		c, err := call(t, ctx, Call{Partner: p}, &house{manners: writer})
		if err != nil || c.Outcome != OutcomeStopped || c.Took > 6*time.Second {
			t.Errorf("outcome %s after %v: %v", c.Outcome, c.Took, err)
		}
		if len(c.Lines) != 2 || !c.Lines[1].Cut {
			t.Errorf("lines %+v, want the last cut", c.Lines)
		}
	})
}

// What is typed and sent needs no voice, and is answered like speech.

func TestConverseTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{manners: writer}
		p := &script{moves: []Move{{Type: "hi", Send: []Message{{Topic: "code", Payload: []byte("x := 1")}}}}}
		c, err := call(t, t.Context(), Call{Partner: p, AnswerTimeout: 4 * time.Second}, h)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"code x := 1", "lk.chat hi"}; !slices.Equal(h.sent, want) {
			t.Errorf("sent %q, want %q", h.sent, want)
		}
		if want := []string{"interviewer: This is line 1.", "candidate: hi"}; !slices.Equal(spoke(c.Lines), want) {
			t.Errorf("lines %q, want %q", spoke(c.Lines), want)
		}
		if c.Voice.Missing != 1 || !p.told[1].Missing { // the fake hears voices only
			t.Errorf("missing %d, the partner was told %+v", c.Voice.Missing, p.told)
		}
	})
}

// Silence lasts until the interviewer speaks, or as long as it was meant to.

func TestConverseSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &script{moves: []Move{{Wait: 7 * time.Second}, {Say: "Hello there."}}}
		c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: writer})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"interviewer: This is line 1.", "candidate: Hello there.", "interviewer: This is line 2."}
		if !slices.Equal(spoke(c.Lines), want) {
			t.Errorf("lines %q, want %q", spoke(c.Lines), want)
		}
		near(t, "the candidate's words", c.Lines[1].At-c.Lines[0].Until, 7*time.Second)
		if len(p.told[1].Lines) > 0 || p.told[1].Missing {
			t.Errorf("the partner was told %+v", p.told[1])
		}
	})
}

// An agent that does not answer is given up for that turn, and nothing else.

func TestConverseMissesAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := writer
		m.answers = 1
		p := &script{moves: say("Hello there.", "Once more.", "Anybody?")}
		c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: m})
		if err != nil {
			t.Fatal(err)
		}
		if c.Voice.Missing != 2 || len(c.Voice.Responses) != 1 || c.Measured.AnswersMissing != 2 {
			t.Errorf("measured %+v, answers missing %d", c.Voice, c.Measured.AnswersMissing)
		}
	})
}

// An agent that begins while the candidate talks is an overlap, and its words are told later.

func TestConverseOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := writer
		m.impatient, m.yield, m.talk = 2*time.Second, 500*time.Millisecond, time.Second
		p := &script{moves: say(strings.Repeat("words ", 25))} // 6 s
		c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: m})
		if err != nil {
			t.Fatal(err)
		}
		if c.Voice.Overlaps != 1 || len(c.Voice.Responses) != 1 {
			t.Errorf("measured %+v: %q", c.Voice, spoke(c.Lines))
		}
		near(t, "overlapped", c.Voice.Overlapped, 500*time.Millisecond)
		if got := spoke(c.Lines); len(got) != 4 || got[2] != "interviewer: This is (cut)" {
			t.Errorf("lines %q, want the third cut", got)
		}
		if heard := p.told[1].Lines; len(heard) != 2 || heard[1].Text != "This is line 3." {
			t.Errorf("the partner was told %+v", heard)
		}
	})
}

// An interviewer who loses patience while the partner thinks is heard out before the candidate says what it had thought of; the partner

// is told next time.

func TestConverseIsNagged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := writer
		m.nags = 5 * time.Second
		p := &script{moves: say("Hello there."), thinks: 6 * time.Second}
		c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: m})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"interviewer: This is line 1.", "interviewer: This is line 2.", "candidate: Hello there.", "interviewer: This is line 3."}
		if !slices.Equal(spoke(c.Lines), want) || c.Voice.Overlaps > 0 {
			t.Fatalf("lines %q, want %q; %d overlaps", spoke(c.Lines), want, c.Voice.Overlaps)
		}
		near(t, "the candidate's words", c.Lines[2].At-c.Lines[1].Until, DefaultSilence)
		if told := p.told[1].Lines; len(told) != 2 || told[0].N != 2 || told[1].N != 4 {
			t.Errorf("the partner was told %+v, want lines 2 and 4", told)
		}
	})
}

// Silence on purpose ends with the interviewer's next words.

func TestConverseBreaksItsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := writer
		m.nags = 5 * time.Second
		p := &script{moves: []Move{{Wait: time.Minute}}}
		c, err := call(t, t.Context(), Call{Partner: p}, &house{manners: m})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.told) != 2 || len(p.told[1].Lines) != 1 || p.told[1].At-c.Lines[1].Until > time.Second {
			t.Errorf("the partner was told %+v after %+v", p.told, c.Lines)
		}
	})
}

// Whoever leaves with a word stays until it can be heard as complete.

func TestConverseLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := call(t, t.Context(), Call{Partner: &script{moves: []Move{{Say: "Bye.", Leave: true}}}}, &house{manners: writer})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "the candidate stayed", c.Took-c.Lines[1].Until, DefaultSilence)
	})
}

// Words that make no sound are silence, not the end of the talk.

func TestConverseSaysDots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := call(t, t.Context(), Call{Partner: &script{moves: say("…")}, Voice: mute{}}, &house{manners: writer})
		if err != nil || c.Outcome != OutcomeCompleted || len(c.Lines) != 1 || c.Turns != 2 {
			t.Errorf("outcome %s, error %v, lines %q", c.Outcome, err, spoke(c.Lines))
		}
	})
}

type mute struct{}

func (mute) Synthesize(context.Context, string) ([]int16, int, error) {
	return make([]int16, 16_000), 16_000, nil
}

// Who is alone asks nobody what to say.

// An answer in writing is one, too.

// A reply that comes when all is over is no failure.

func TestConverseChecksTheCall(t *testing.T) {
	_, err := Converse(t.Context(), Call{Silence: time.Millisecond, Record: "/no/such/folder/x.wav"}, Deps{})
	for _, want := range []string{"decides what", "no voice", "silence: 1ms", "/no/such/folder is not", "server"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// What the agent makes of the candidate's words is kept with the line.

// A line begins with its voice, which may be audible before its words are shown, but not with that of the line before.
