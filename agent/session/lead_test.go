package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// piece comes so long after the one before it.
type piece struct {
	after time.Duration
	text  string
	err   error
}

// leader is a model that answers each request with the next of its replies, and keeps the requests.
type leader struct {
	replies [][]piece
	asked   []llm.Request
	refuse  func(r llm.Request) error
}

// Stream implements llm.Model.
func (m *leader) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	m.asked = append(m.asked, r)
	if m.refuse != nil {
		if err := m.refuse(r); err != nil {
			return nil, err
		}
	}
	reply := m.replies[0]
	m.replies = m.replies[1:]
	return &pieces{ctx: ctx, left: reply}, nil
}

type pieces struct {
	ctx  context.Context
	left []piece
}

// Next implements llm.Stream.
func (s *pieces) Next() (llm.Delta, error) {
	if len(s.left) == 0 {
		return llm.Delta{}, io.EOF
	}
	p := s.left[0]
	s.left = s.left[1:]
	select {
	case <-time.After(p.after):
	case <-s.ctx.Done():
		return llm.Delta{}, context.Cause(s.ctx)
	}
	return llm.Delta{Text: p.text}, p.err
}

// Close implements llm.Stream.
func (s *pieces) Close() error { return nil }

// room is whatever a session has around it. Its voice takes 100 ms a word, and keeps when it was given each clause.
type room struct {
	given   []string
	at      []time.Duration
	began   time.Time
	broken  error // the voice fails behind the first clause
	release chan struct{}
}

// Speak implements Voice.
func (r *room) Speak(ctx context.Context, u Utterance, src speak.Source) Spoken {
	var heard []string
	for {
		c, err := src.Next(ctx)
		if errors.Is(err, io.EOF) {
			return Spoken{Heard: strings.Join(heard, " "), Complete: true}
		}
		if err != nil {
			return Spoken{Heard: strings.Join(heard, " ")}
		}
		r.given, r.at = append(r.given, c.Text), append(r.at, time.Since(r.began))
		if r.broken != nil {
			return Spoken{Err: r.broken}
		}
		if u.Hold && len(r.given) == 1 {
			select {
			case <-r.release:
			case <-ctx.Done():
				return Spoken{}
			}
		}
		for _, w := range strings.Fields(c.Text) {
			if !passes(ctx, 100*time.Millisecond) {
				return Spoken{Heard: strings.Join(heard, " ")}
			}
			heard = append(heard, w)
		}
	}
}

func passes(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func (r *room) Pause()                              {}
func (r *room) Resume()                             {}
func (r *room) Duck(bool)                           {}
func (r *room) Audible(uint64, bool, bool)          {}
func (r *room) Take()                               {}
func (r *room) Expect(string, string)               {}
func (r *room) State(string)                        {}
func (r *room) Stage(engine.Publish)                {}
func (r *room) Words(uint64, string)                {}
func (r *room) Said(uint64, string)                 {}
func (r *room) Candidate(uint64, string, Certainty) {}
func (r *room) Done(string)                         {}

// turn is one utterance of a model that leads it, under way in a session of its own.
type turn struct {
	*room
	t    *testing.T
	s    *Session
	src  *words
	stop context.CancelCauseFunc
}

// leads starts an utterance in which the model leads, as an answer to the candidate's first turn.
func leads(t *testing.T, m llm.Model, r *room, held bool) *turn {
	t.Helper()
	iv, say := leadSay(t)
	journal, err := state.NewMemory().Create(t.Context(), "lead")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Interview: iv, Voice: r, Ears: r, Presence: r, Journal: journal, Model: m, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	s.speech.base, s.speech.stopAll = context.WithCancelCause(t.Context())
	r.began, r.release = time.Now(), make(chan struct{})
	var e *escrow
	if held {
		e = newEscrow(s.Post)
	}
	x := &turn{room: r, t: t, s: s, src: s.source(say, e)}
	x.stop = s.start(x.src)
	return x
}

// leadInterview is the two-stage interview with something to hide. It is loaded once: it is read-only.
var leadInterview = sync.OnceValues(func() (*engine.Interview, error) {
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		return nil, err
	}
	d := defs["two_stage"]
	d.Fields = map[string]definition.BoardField{"answer": {Type: "text", Secret: true, From: "var.answer"}}
	d.Vars = map[string]definition.Var{"answer": {Default: "sliding window"}}
	catalogue, err := prompts.Load(prompts.Shipped(), "two_stage", "en")
	if err != nil {
		return nil, err
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		return nil, err
	}
	return engine.New(d, catalogue, rules)
})

func leadSay(t *testing.T) (*engine.Interview, engine.Say) {
	t.Helper()
	iv, err := leadInterview()
	if err != nil {
		t.Fatal(err)
	}
	return iv, ToWord(t, iv, "How would you begin with the list of the days?")
}

// told are the messages for the session until it has been quiet for so long.
func (x *turn) told(quiet time.Duration) (list []Message, at []time.Duration) {
	for {
		ctx, cancel := context.WithTimeout(x.t.Context(), quiet)
		m, err := x.s.inbox.next(ctx)
		cancel()
		if err != nil {
			return list, at
		}
		list, at = append(list, m), append(at, time.Since(x.began))
	}
}

// came sums up what a session was told: the order of the reading and the end, and both.
type came struct {
	order    []string
	at       map[string]time.Duration
	read     string
	end      engine.VoiceEnded
	remarks  []string
	readings int
}

func (x *turn) came(quiet time.Duration) (c came) {
	list, at := x.told(quiet)
	c.at = make(map[string]time.Duration)
	for i, m := range list {
		switch m := m.(type) {
		case remark:
			c.remarks = append(c.remarks, m.name)
		case Event:
			name := engine.Name(m.Event)
			c.order, c.at[name] = append(c.order, name), at[i]
			switch e := m.Event.(type) {
			case engine.Read:
				c.read, c.readings = string(e.Reading), c.readings+1
			case engine.VoiceEnded:
				c.end = e
			}
		}
	}
	return c
}

const (
	leadWords   = "Up to a hundred thousand, yes. Which end would you move if the next one were negative?"
	leadReading = `{"acts":[],"did":"challenge"}`
)

func inTime(text string, every time.Duration) (list []piece) {
	for _, w := range strings.SplitAfter(text, " ") {
		list = append(list, piece{after: every, text: w})
	}
	return list
}

// RM-23: the first clause is spoken before the reading exists, and the reading is told before the end where it comes in time.
func TestLeadSpeaksBeforeItsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := append(inTime(`{"say":"`+leadWords+`",`, 20*time.Millisecond), piece{after: time.Second, text: `"reading":` + leadReading + `}`})
		m := &leader{replies: [][]piece{reply}}
		x := leads(t, m, &room{}, false)
		c := x.came(10 * time.Second)
		if got := strings.Join(x.given, " "); got != leadWords || x.at[0] > 300*time.Millisecond || x.at[len(x.at)-1] > time.Second {
			t.Errorf("given %q at %v", x.given, x.at)
		}
		if strings.Join(c.order, " ") != "read voice.ended" || c.read != leadReading || c.end.Heard != leadWords || !c.end.Worded || c.end.Degraded != "" {
			t.Errorf("%+v", c)
		}
		if at := c.at["read"]; at < time.Second || at >= c.at["voice.ended"] {
			t.Errorf("the reading came after %v, the end after %v", at, c.at["voice.ended"])
		}
		r := m.asked[0]
		if r.SchemaName != respond.SchemaName || r.Schema == nil || r.MaxTokens != leadTokens {
			t.Errorf("asked with %q, %d tokens", r.SchemaName, r.MaxTokens)
		}
		var trace Trace
		x.src.progress.copy(&trace)
		if d, ok := trace.ReadingDelay(); !ok || d != time.Second || trace.ReadingTokens != 8 {
			t.Errorf("traced %v, %d tokens", d, trace.ReadingTokens)
		}
	})
}

// RM-23: a reading that is late holds the end up for two seconds only, and still comes.
func TestLeadDoesNotWaitForALateReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &leader{replies: [][]piece{{{text: `{"say":"Take your time.",`}, {after: 3500 * time.Millisecond, text: `"reading":{}}`}}}}
		c := leads(t, m, &room{}, false).came(10 * time.Second)
		if strings.Join(c.order, " ") != "voice.ended read" || c.at["voice.ended"] != 2300*time.Millisecond || c.at["read"] != 3500*time.Millisecond {
			t.Errorf("%+v", c)
		}
	})
}

// RM-26: whatever a model does, what was said stands, nothing is added, and the end says why.
func TestLeadThatFails(t *testing.T) {
	broken := errors.New("the service is down")
	for name, c := range map[string]struct {
		replies [][]piece
		heard   string
		why     string // of the degradation, "" = none
		read    bool
	}{
		"late":             {[][]piece{{{after: time.Minute, text: "{"}}}, "", errLate.Error(), false},
		"broken":           {[][]piece{{{err: broken}}}, "", "the service is down", false},
		"halting":          {[][]piece{{{text: `{"say":"That is one way. And`}, {after: time.Minute}}}, "That is one way.", errHalting.Error(), false},
		"half way":         {[][]piece{{{text: `{"say":"That is one way. And then th`}}}, "That is one way.", errHalfSaid.Error(), false},
		"breaks off":       {[][]piece{{{text: `{"say":"That is one way. And`}, {err: broken}}}, "That is one way.", "the service is down", false},
		"no reading":       {[][]piece{{{text: `{"say":"That is one way."}`}}}, "That is one way.", "", false},
		"reading cut":      {[][]piece{{{text: `{"say":"That is one way.","reading":{"ac`}}}, "That is one way.", "", false},
		"reading halts":    {[][]piece{{{text: `{"say":"That is one way.","reading":{"ac`}, {after: time.Minute}}}, "That is one way.", "", false},
		"breaks off late":  {[][]piece{{{text: `{"say":"That is one way.","reading":{}}`}, {err: broken}}}, "That is one way.", "", true},
		"silent":           {[][]piece{{{text: `{"say":"","reading":{}}`}}}, "", errSilent.Error(), true},
		"plain words":      {[][]piece{{{text: "That is one way. And"}, {text: " another?"}}}, "That is one way. And another?", "", false},
		"delimiter":        {[][]piece{{{text: "That is one way.\n---\n{}"}}}, "That is one way.", "", true},
		"repeats":          {[][]piece{{{text: `{"say":"How would you begin with the list of the days?","reading":{}}`}}, {{text: `{"say":"Go on then.","reading":{"did":"ask"}}`}}}, "Go on then.", "", true},
		"repeats again":    {[][]piece{{{text: `{"say":"How would you begin with the list of the days?","reading":{}}`}}, {{text: `{"say":"How would you begin with the list of the days?","reading":{}}`}}}, "", errRepeated.Error(), false},
		"repeats a part":   {[][]piece{{{text: `{"say":"That is one way of counting. How would you begin with the list of the days? Take the example that we have.","reading":{}}`}}}, "That is one way of counting. Take the example that we have.", "", true},
		"goes on for ever": {[][]piece{inTime(`{"say":"`+strings.Repeat("Well, as I was saying, this is most interesting. ", 40)+`","reading":{}}`, 0)}, strings.TrimSpace(strings.Repeat("Well, as I was saying, this is most interesting. ", 18)), errLengthy.Error(), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &leader{replies: c.replies}
				got := leads(t, m, &room{}, false).came(2 * time.Minute)
				if got.end.Heard != c.heard || !strings.Contains(got.end.Degraded, c.why) || (got.end.Degraded == "") != (c.why == "") {
					t.Errorf("heard %q, degraded by %q", got.end.Heard, got.end.Degraded)
				}
				want := 0
				if c.read {
					want = 1
				}
				if got.readings != want || got.end.Worded != (c.heard != "") || len(m.replies) > 0 {
					t.Errorf("%+v, %d replies left", got, len(m.replies))
				}
			})
		})
	}
}

// RM-26, RM-28: what gives away what is hidden is not said, nor what follows it; nor does such a reply's reading count.
func TestLeadThatReveals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := `{"say":"Let me help you with that one. Use a sliding window here. Then go on from there.","reading":{}}`
		got := leads(t, &leader{replies: [][]piece{{{text: text}}}}, &room{}, false).came(10 * time.Second)
		if got.end.Heard != "Let me help you with that one." || got.end.Degraded != errRevealing.Error() || got.readings != 0 || got.remarks[0] != "secret.withheld" {
			t.Errorf("%+v", got)
		}
	})
}

// A candidate who cuts in ends the words at once; what was understood of the turn before still counts, for two seconds.
func TestLeadCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		order string
	}{"in time": {1900 * time.Millisecond, "voice.ended read"}, "too late": {3 * time.Second, "voice.ended"}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := leads(t, &leader{replies: [][]piece{{{text: `{"say":"` + leadWords + `",`}, {after: 350*time.Millisecond + c.after, text: `"reading":{}}`}}}}, &room{}, false)
				time.AfterFunc(350*time.Millisecond, func() { x.stop(Reason("bargein")) })
				got := x.came(10 * time.Second)
				if strings.Join(got.order, " ") != c.order || got.at["voice.ended"] != 350*time.Millisecond || !got.end.Cut || got.end.Heard != "Up to a" || got.end.Degraded != "" {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// A reply on speculation tells nothing before it is adopted, and nothing at all when it is discarded.
func TestLeadHeldBack(t *testing.T) {
	reply := [][]piece{{{text: `{"say":"` + leadWords + `","reading":{}}`}}}
	synctest.Test(t, func(t *testing.T) {
		x := leads(t, &leader{replies: reply}, &room{}, true)
		if got := x.came(5 * time.Second); len(got.order) > 0 {
			t.Errorf("told before it was adopted: %+v", got)
		}
		x.src.held.open()
		close(x.release)
		if got := x.came(10 * time.Second); strings.Join(got.order, " ") != "read voice.ended" || got.end.Heard != leadWords {
			t.Errorf("%+v", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		x := leads(t, &leader{replies: reply}, &room{}, true)
		synctest.Wait()
		x.stop(Reason("discarded"))
		list, _ := x.told(10 * time.Second)
		if len(list) != 1 {
			t.Fatalf("told %+v", list)
		}
		if w, is := list[0].(waste); !is || w.Tokens == 0 || w.Characters == 0 {
			t.Errorf("told %+v", list)
		}
	})
}

// A service that takes no schema is told of it in words, at once and from then on.
func TestLeadWithoutASchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &leader{replies: [][]piece{{{text: `{"say":"Go on.","reading":{}}`}}}, refuse: func(r llm.Request) error {
			if r.Schema != nil {
				return &fault.Error{Op: "chat", Kind: fault.BadRequest, Form: true, Err: errors.New("no response_format")}
			}
			return nil
		}}
		x := leads(t, m, &room{}, false)
		if got := x.came(10 * time.Second); got.end.Heard != "Go on." || got.readings != 1 {
			t.Errorf("%+v", got)
		}
		if len(m.asked) != 2 || !strings.Contains(m.asked[1].Messages[0].Content, string(respond.Schema)) || !x.s.plain.Load() {
			t.Errorf("asked %d times", len(m.asked))
		}
	})
}

// Without a model, or tokens for it, the end says so at once: the rules go on.
func TestLeadWithoutAModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got := leads(t, nil, &room{}, false).came(time.Second); got.end.Heard != "" || got.end.Degraded != errNoModel.Error() {
			t.Errorf("%+v", got)
		}
	})
}

// Where the voice fails, what the model has said can be read.
func TestLeadUnvoiced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &leader{replies: [][]piece{{{text: `{"say":"` + leadWords + `","reading":{}}`}}}}
		got := leads(t, m, &room{broken: errors.New("the voice is gone")}, false).came(10 * time.Second)
		if got.end.Failed == "" || got.end.Heard != leadWords || got.readings != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// A composer gives the reading with the words.
func TestComposerLeads(t *testing.T) {
	iv, say := leadSay(t)
	c := NewComposer(ComposerOptions{Interview: iv, Model: &leader{replies: [][]piece{{{text: `{"say":"Go on.","reading":{"did":"wait"}}`}}}}})
	got, err := c.Compose(t.Context(), say)
	if err != nil || got.Text != "Go on." || string(got.Reading) != `{"did":"wait"}` || !got.Worded || got.Degraded != "" {
		t.Errorf("%v, %+v", err, got)
	}
}
