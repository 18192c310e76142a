package turn

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const second = int64(Rate)

// said is an answer of so many seconds, with its silence behind it.
func said(text string, seconds int64, kind Kind, pauses ...time.Duration) State {
	s := State{Text: text, End: seconds * second, Expect: Expectation{Kind: kind}}
	for _, p := range pauses {
		s.Pauses.Add(p)
	}
	return s
}

// pausing is somebody who has paused so long four times.
func pausing(d time.Duration) []time.Duration { return []time.Duration{d, d, d, d} }

func TestPatienceIsThatOfWhatWasAsked(t *testing.T) {
	const sentence = "We had a big outage in March."
	long := strings.Repeat(sentence+" ", 9) + sentence
	between := func(low, high int) [2]time.Duration {
		return [2]time.Duration{time.Duration(low) * time.Millisecond, time.Duration(high) * time.Millisecond}
	}
	short, over := between(600, 620), between(600, 700)
	tests := []struct {
		name  string
		state State
		want  [2]time.Duration
	}{
		{"a word that was asked for", said("Berlin.", 1, Brief), over},
		{"a sentence where a word was asked for", said(sentence, 3, Brief), short},
		{"yes", said("Yes.", 1, YesNo), over},
		{"a sentence where anything was asked for", said(sentence, 3, Open), short},
		{"a story that has begun", said(sentence, 3, Story), between(1150, 1200)},
		{"a story that has begun with a word", said("Sure.", 1, Story), between(1150, 1400)},
		{"a story that could be whole, by its words", said(long, 15, Story), between(1050, 1080)},
		{"a story that could be whole, by its time", said(sentence, 25, Story), between(1050, 1080)},
		{"a story by somebody who pauses shortly", said(long, 25, Story, pausing(300*time.Millisecond)...), between(800, 850)},
		{"a story by somebody who pauses long", said(long, 25, Story, pausing(1200*time.Millisecond)...), between(1350, 1410)},
		{"the beginning of one by somebody who pauses shortly", said(sentence, 3, Story, pausing(300*time.Millisecond)...), between(1150, 1200)},
		{"the beginning of one by somebody who pauses long", said(sentence, 3, Story, pausing(1200*time.Millisecond)...), between(1350, 1410)},
		{"a story that nobody asked for", said(long, 25, Open), between(1050, 1080)},
		{"a story where a word was asked for", said(long, 25, Brief), short},
		{"anything, by somebody who pauses long", said(sentence, 3, Open, pausing(1500*time.Millisecond)...), between(900, 920)},
		{"a word by somebody who pauses long", said("Berlin.", 1, Brief, pausing(1500*time.Millisecond)...), over},
		{"a story that says that it is over", said(sentence+" And that's it.", 5, Story), over},
		{"a question in place of a story", said("Do you mean a project at work?", 3, Story), short},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d, why := tt.state.Delay(); d < tt.want[0] || d > tt.want[1] {
				t.Errorf("waits %v (%s), want %v", d, why, tt.want)
			}
		})
	}
}

// Words that call for more are waited on whatever was asked, and no less long than a whole sentence.
func TestWordsThatCallForMoreKeepTheirDelay(t *testing.T) {
	for _, kind := range []Kind{Open, YesNo, Brief, Story} {
		if d, why := said("We had a big outage and", 3, kind).Delay(); d < 2200*time.Millisecond {
			t.Errorf("%s: %v (%s)", kind, d, why)
		}
	}
}

// Who was cut in on is left more room for the rest of the talk, also within a thought, and not without end.
func TestPatienceGrowsWithEveryCutIn(t *testing.T) {
	for _, kind := range []Kind{Open, YesNo, Brief, Story} {
		for _, text := range []string{"We had a big outage.", "We had a big outage and"} {
			s := said(text, 3, kind)
			before, _ := s.Delay()
			for n := range 5 {
				s.Pauses.Cut(900 * time.Millisecond)
				if d, _ := s.Delay(); d < before+min(time.Duration(n+1)*cutGrows, grownMost)-20*time.Millisecond {
					t.Errorf("%s, %q: %v after %d cuts, %v before", kind, text, d, n+1, before)
				}
			}
			for range 20 {
				s.Pauses.Add(300 * time.Millisecond)
			}
			if d, _ := s.Delay(); d < before+grownMost-20*time.Millisecond || d > before+1500*time.Millisecond {
				t.Errorf("%s, %q: %v after many short pauses, %v before the cuts", kind, text, d, before)
			}
		}
	}
}

// Whatever was asked and however somebody pauses, patience lies within bounds, and nothing that grows makes it less.
func TestPatienceIsBounded(t *testing.T) {
	kinds := []Kind{Open, YesNo, Brief, Story}
	rapid.Check(t, func(t *rapid.T) {
		var p Pauses
		for range rapid.IntRange(0, 12).Draw(t, "pauses") {
			d := time.Duration(rapid.IntRange(200, 4000).Draw(t, "pause")) * time.Millisecond
			if rapid.Bool().Draw(t, "cut") {
				p.Cut(d)
			} else {
				p.Add(d)
			}
		}
		e := Expectation{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		a := answer{words: rapid.IntRange(0, 200).Draw(t, "words"), spoke: time.Duration(rapid.IntRange(0, 90).Draw(t, "s")) * time.Second}
		d := patience(e, a, p)
		if d < patienceShort || d > patienceMost+grownMost {
			t.Fatalf("%v", d)
		}
		a.over = true
		if over := patience(e, a, p); over > d {
			t.Fatalf("%v where it is over, %v where not", over, d)
		}
		if e.Mode = Brisk; patience(e, a, p) > d {
			t.Fatal("brisk takes longer")
		}
	})
}

// A pause that is usual for somebody is not taken for the end of their story.
func TestUsualPausesAreLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usual := time.Duration(rapid.IntRange(300, 1300).Draw(t, "usual")) * time.Millisecond
		var p Pauses
		for range rapid.IntRange(pausesKnown, 20).Draw(t, "pauses") {
			p.Add(usual)
		}
		if d := patience(Expectation{Kind: Story}, answer{words: grownWords}, p); d < usual+resumed {
			t.Fatalf("%v where pauses of %v are usual", d, usual)
		}
	})
}
