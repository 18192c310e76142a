package candidate

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// thinks is the agent's word that a turn is over.
func thinks(at int) []cue {
	return []cue{{at: at, do: func(m *Meter, at time.Time) { m.Thinking(at) }}}
}

// enters is the agent's word that it is in a stage.
func enters(stage string, at int) []cue {
	return []cue{{at: at, do: func(m *Meter, at time.Time) { m.Stage(stage, at) }}}
}

// pausing is an own utterance with a pause inside.
func pausing(from, pause, on, to int) []cue {
	cues := []cue{{at: from, do: func(m *Meter, _ time.Time) { m.BeginSpeech(false) }}}
	for t := from; t < to; t += 20 {
		voiced := t < pause || t >= on
		cues = append(cues, cue{at: t, do: func(m *Meter, at time.Time) { m.Sent(at, voiced) }})
	}
	return append(cues, cue{at: to - 20, do: func(m *Meter, _ time.Time) { m.EndSpeech() }})
}

// TestMeterTellsCutInsFromTalkingOver: both are the agent beginning during a turn; a turn counts once.
func TestMeterTellsCutInsFromTalkingOver(t *testing.T) {
	greeting, thought := voice("a", 500, 1500), pausing(2100, 4000, 5000, 7000)
	tests := []struct {
		name                          string
		cues                          [][]cue
		talkedOver, cutIns, talkOvers int
	}{
		{"nobody", [][]cue{voice("a", 7600, 9000)}, 0, 0, 0},
		{"over the voice", [][]cue{voice("a", 3000, 3500)}, 1, 0, 1},
		{"within 200 ms of the voice", [][]cue{voice("a", 4160, 4400)}, 1, 0, 1},
		{"in the pause", [][]cue{voice("a", 4600, 4900)}, 1, 1, 1},
		{"in the pause, and again over the voice", [][]cue{voice("a", 4600, 4900), voice("a", 6000, 6300)}, 1, 1, 2},
		{"as soon as the candidate", [][]cue{voice("a", 2200, 2500)}, 0, 0, 0},
		{"after the last voice", [][]cue{voice("a", 7000, 9000)}, 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := measure(slices.Concat([][]cue{greeting, thought}, test.cues)...)
			c := got.Counters
			if c.TalkedOver != test.talkedOver || c.CutIns != test.cutIns || c.TalkOvers != test.talkOvers {
				t.Errorf("talked over in %d turns, %d cut-ins, began %d times; want %d, %d, %d",
					c.TalkedOver, c.CutIns, c.TalkOvers, test.talkedOver, test.cutIns, test.talkOvers)
			}
		})
	}
}

// TestMeterCountsUnfinishedTurns: an agent that leaves in the middle of a turn does not hide that it was one.
func TestMeterCountsUnfinishedTurns(t *testing.T) {
	cut := says(2100, 5000, false)
	got := measure(voice("a", 500, 1500), cut[:len(cut)-1], voice("a", 3000, 3500))
	if c := got.Counters; c.Turns != 0 || c.TurnsUnfinished != 1 || c.TalkedOver != 1 {
		t.Errorf("counters %+v, want one turn, unfinished and talked over", c)
	}
}

func TestMeterMeasuresHandoffs(t *testing.T) {
	said := slices.Concat(voice("a", 500, 1500), enters("ONE", 400), says(2100, 4000, false), voice("a", 4700, 5500))
	tests := []struct {
		name              string
		cues              []cue
		decided, handoffs []int
	}{
		{"an agent that says nothing of itself", nil, nil, nil},
		{"an answer", thinks(4500), []int{200}, nil},
		{"the last decision counts", slices.Concat(thinks(3000), thinks(4600)), []int{100}, nil},
		{"one that came after the voice", thinks(4720), []int{0}, nil},
		{"a decision about an earlier turn", thinks(1600), nil, nil},
		{"another stage", slices.Concat(thinks(4500), enters("TWO", 4500)), nil, []int{200}},
		{"which is told after the voice began", slices.Concat(thinks(4500), enters("TWO", 4800)), nil, []int{200}},
		{"the same stage, told again", slices.Concat(thinks(4500), enters("ONE", 4500)), []int{200}, nil},
		{"a stage that was left before the candidate spoke", slices.Concat(enters("TWO", 1700), thinks(4500)), []int{200}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := measure(said, test.cues)
			if diff := cmp.Diff(durations(test.decided...), got.Decided); diff != "" {
				t.Errorf("decided: %s", diff)
			}
			if diff := cmp.Diff(durations(test.handoffs...), got.Handoffs); diff != "" {
				t.Errorf("handoffs: %s", diff)
			}
		})
	}
}
