package turn

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// after is the state's silence after so long.
func after(s State, silence time.Duration) int64 { return s.End + Samples(silence) }

func TestSignalFits(t *testing.T) {
	const sentence = "We had a big outage in March."
	long := strings.TrimSpace(strings.Repeat(sentence+" ", 10))
	with := func(s State, change func(*State)) State {
		change(&s)
		return s
	}
	story := said(sentence, 6, Story)
	for name, c := range map[string]struct {
		state State
		want  bool
	}{
		"a story that has begun":             {story, true},
		"a long story":                       {said(long, 25, Story), true},
		"a story that nobody asked for":      {said(long, 25, Open), true},
		"a story in Chinese":                 {said("我们三月份出了一次大事故。", 6, Story), true},
		"a recogniser without marks":         {with(said("we had a big outage in march", 6, Story), func(s *State) { s.Bare = true }), true},
		"by somebody who pauses long":        {said(long, 25, Story, pausing(1200*time.Millisecond)...), true},
		"by somebody who pauses shortly":     {said(long, 25, Story, pausing(300*time.Millisecond)...), false},
		"a word":                             {said("Sure.", 1, Story), false},
		"a sentence where anything is asked": {said(sentence, 6, Open), false},
		"a sentence where a word is asked":   {said(long, 25, Brief), false},
		"the middle of a sentence":           {said("We had a big outage because", 6, Story), false},
		"a full stop where the voice stops":  {said("We had a big outage because of the.", 6, Story), false},
		"no full stop by one who sets them":  {said("We had a big outage in March", 6, Story), false},
		"the middle of one, without marks":   {with(said("we had a big outage because", 6, Story), func(s *State) { s.Bare = true }), false},
		"a comma":                            {said("We had a big outage in March,", 6, Story), false},
		"a question":                         {said("Do you mean one at work or one at home?", 6, Story), false},
		"an end":                             {said(sentence+" And that's it.", 6, Story), false},
		"thanks":                             {said(sentence+" Thank you.", 6, Story), false},
		"a wish for time":                    {said(sentence+" Let me think about that.", 6, Story), false},
		"a brisk stage":                      {with(story, func(s *State) { s.Expect.Mode = Brisk }), false},
		"a button":                           {with(story, func(s *State) { s.Expect.Mode = Manual }), false},
		"speech":                             {with(story, func(s *State) { s.Speaking = true }), false},
		"an end that was asked for":          {with(story, func(s *State) { s.Asked = true }), false},
		"no words":                           {with(story, func(s *State) { s.Text = "" }), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.state.Signal(after(c.state, 480*time.Millisecond), 0); got != c.want {
				delay, why := c.state.Delay()
				t.Errorf("got %v; it waits %v (%s)", got, delay, why)
			}
		})
	}
}

// It comes in a silence that is long enough to be a pause, and early enough to be no answer.
func TestSignalHasItsMoment(t *testing.T) {
	young := said("We had a big outage in March.", 6, Story)
	slow := said(strings.Repeat("We had a big outage in March. ", 10), 25, Story, pausing(1300*time.Millisecond)...)
	for _, c := range []struct {
		state   State
		silence int // ms
		want    bool
	}{
		{young, 0, false}, {young, 449, false}, {young, 450, true}, {young, 600, true}, {young, 720, false}, {young, 1100, false},
		{slow, 449, false}, {slow, 800, true}, {slow, 801, false},
	} {
		if got := c.state.Signal(after(c.state, time.Duration(c.silence)*time.Millisecond), 0); got != c.want {
			t.Errorf("after %d ms: %v", c.silence, got)
		}
	}
}

func TestSignalsAreApart(t *testing.T) {
	s := said("We had a big outage in March.", 40, Story)
	now := after(s, 500*time.Millisecond)
	for name, c := range map[string]struct {
		last int64
		want bool
	}{
		"the first":              {0, true},
		"15 s ago":               {now - 15*second, true},
		"less than 15 s ago":     {now - 15*second + 1, false},
		"in this silence":        {s.End + second/10, false},
		"when the silence began": {s.End, false},
	} {
		if got := s.Signal(now, c.last); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	old := said("We had a big outage in March.", 40, Story)
	old.Pauses.grown = 30 * time.Second // a wait as long as this is left to nobody
	if last := old.End; old.Signal(after(old, 16*time.Second), last) {
		t.Error("a second one in the same silence")
	}
}

// Where one is given the turn waits on, for long enough to go on in.
func TestSignalLeavesTimeToGoOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := said(rapid.SampledFrom([]string{
			"We had an outage.", "We had an outage and", "So I fixed it. That's all.", "we fixed it", "Why?", "It was Monday, Tuesday.", "There were two, three.",
		}).Draw(t, "text"), rapid.Int64Range(1, 60).Draw(t, "seconds"), rapid.SampledFrom([]Kind{Open, Story, Brief, YesNo}).Draw(t, "kind"))
		s.Bare = rapid.Bool().Draw(t, "bare")
		s.Audio = rapid.Float64Range(0, 1).Draw(t, "audio")
		for range rapid.IntRange(0, 6).Draw(t, "pauses") {
			s.Pauses.Add(time.Duration(rapid.IntRange(200, 2000).Draw(t, "pause")) * time.Millisecond)
		}
		now := after(s, time.Duration(rapid.IntRange(0, 3000).Draw(t, "silence"))*time.Millisecond)
		if !s.Signal(now, 0) {
			return
		}
		if d := s.Decide(now + Samples(signalRest) - 1); d.Action != Wait {
			t.Fatalf("the turn is %v half a second later: %s", d.Action, d.Reason)
		}
	})
}
