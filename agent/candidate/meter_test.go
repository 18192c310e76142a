package candidate

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The streams of these tests are made of cues: things that reach the meter at a time. All times are milliseconds after the dispatch.

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

type cue struct {
	at     int
	do     func(m *Meter, at time.Time)
	packet *Sound // what is heard, else nil; it is numbered when its turn comes
	lost   bool
}

// packets are a track's packets of 20 ms, sent from … to, with a level, arriving delay later than sent. The RTP clock shows the time
// of sending.
func packets(track string, from, to int, level float64, delay int) []cue {
	var cues []cue
	for t := from; t < to; t += 20 {
		s := &Sound{Track: track, Timestamp: uint32(t * 48), Bytes: 80, Frame: ms(20), Levels: []float64{level}}
		cues = append(cues, cue{at: t + delay, packet: s})
	}
	return cues
}

func voice(track string, from, to int) []cue { return packets(track, from, to, -20, 0) }
func quiet(track string, from, to int) []cue { return packets(track, from, to, -60, 0) }

// says is an own utterance: frames sent from … to-20, the last of them voiced, a pause in the middle.
func says(from, to int, interrupting bool) []cue {
	cues := []cue{{at: from, do: func(m *Meter, _ time.Time) { m.BeginSpeech(interrupting) }}}
	for t := from; t < to; t += 20 {
		voiced := t < (from+to)/2-100 || t > (from+to)/2
		cues = append(cues, cue{at: t, do: func(m *Meter, at time.Time) { m.Sent(at, voiced) }})
	}
	return append(cues, cue{at: to - 20, do: func(m *Meter, _ time.Time) { m.EndSpeech() }})
}

func givesUp(at int) []cue { return []cue{{at: at, do: func(m *Meter, _ time.Time) { m.GiveUp() }}} }

// without loses the packets of a time on their way.
func without(cues []cue, from, to int) []cue {
	for i := range cues {
		cues[i].lost = cues[i].at >= from && cues[i].at < to
	}
	return cues
}

// held lets the packets of a time arrive together at its end.
func held(cues []cue, from, to int) []cue {
	for i := range cues {
		if cues[i].at >= from && cues[i].at < to {
			cues[i].at = to
		}
	}
	return cues
}

func measure(parts ...[]cue) Measurements {
	cues := slices.Concat(parts...)
	slices.SortStableFunc(cues, func(a, b cue) int { return a.at - b.at })
	m := NewMeter(DefaultSilence)
	m.Dispatched(epoch)
	m.Joined(epoch.Add(ms(120)))
	m.Joined(epoch.Add(ms(5000)))
	last, sequence := 0, map[string]uint16{}
	for _, c := range cues {
		for ; last+20 < c.at; last += 20 { // time passes for the meter as it does for a candidate
			m.Advance(epoch.Add(ms(last)))
		}
		last = c.at
		if c.packet == nil {
			c.do(m, epoch.Add(ms(c.at)))
			continue
		}
		s := *c.packet
		s.At, s.Sequence = epoch.Add(ms(c.at)), 65_500+sequence[s.Track]
		sequence[s.Track]++
		if !c.lost {
			m.Heard(s)
		}
	}
	m.Advance(epoch.Add(ms(last + 10_000)))
	return m.Finish()
}

func durations(n ...int) []time.Duration {
	var out []time.Duration
	for _, v := range n {
		out = append(out, ms(v))
	}
	return out
}

func TestMeterMeasures(t *testing.T) {
	greeting := voice("a", 500, 1500)
	tests := []struct {
		name string
		cues [][]cue
		want Measurements // Joined and the numbers of packets and bytes are checked elsewhere
	}{
		{"greeting only", [][]cue{greeting}, Measurements{FirstVoice: durations(500)}},
		{"silence is not a voice", [][]cue{quiet("a", 300, 500), greeting}, Measurements{FirstVoice: durations(500)}},
		{"a click is not a voice", [][]cue{voice("a", 100, 120), greeting}, Measurements{FirstVoice: durations(500)}},
		{
			"response",
			[][]cue{greeting, says(2100, 4000, false), voice("a", 4500, 5500)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(520),
				Counters: Counters{Turns: 1, Answers: 1},
			},
		},
		{
			"response begins with its first packet, although a click came before",
			[][]cue{greeting, says(2100, 4000, false), voice("a", 4100, 4120), voice("a", 4700, 5500)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(720),
				Counters: Counters{Turns: 1, Answers: 1},
			},
		},
		{
			"a burst of stale voice is no answer",
			[][]cue{greeting, says(2100, 4000, false), voice("a", 4300, 4360), voice("a", 4900, 5500)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(920),
				Counters: Counters{Turns: 1, Answers: 1, StaleBursts: 1},
			},
		},
		{
			"answer missing, the next one heard",
			[][]cue{greeting, says(2100, 3000, false), givesUp(18_000), says(18_020, 19_000, false), voice("a", 19_480, 20_000)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(500),
				Counters: Counters{Turns: 2, Answers: 1, AnswersMissing: 1},
			},
		},
		{
			"greeting missing",
			[][]cue{givesUp(15_000), says(15_020, 16_000, false), voice("a", 16_300, 17_000)},
			Measurements{
				FirstVoice: durations(16_300), Responses: durations(320),
				Counters: Counters{Turns: 1, Answers: 1, GreetingsMissing: 1},
			},
		},
		{
			"interruption heeded, and answered",
			[][]cue{voice("a", 500, 2200), says(1500, 3000, true), voice("a", 3600, 4000)},
			Measurements{
				FirstVoice: durations(500), Stops: durations(680), InterruptionResponses: durations(620),
				Counters: Counters{Turns: 1, Answers: 1, Interruptions: 1, InterruptionsHeeded: 1},
			},
		},
		{
			"a pause below 250 ms does not end the voice that is interrupted",
			[][]cue{voice("a", 500, 1800), voice("a", 2000, 2200), says(1500, 3000, true)},
			Measurements{
				FirstVoice: durations(500), Stops: durations(680),
				Counters: Counters{Turns: 1, Interruptions: 1, InterruptionsHeeded: 1},
			},
		},
		{
			"interruption ignored: nothing is awaited",
			[][]cue{voice("a", 500, 8000), says(1500, 3000, true)},
			Measurements{
				FirstVoice: durations(500),
				Counters:   Counters{Turns: 1, Interruptions: 1, InterruptionsIgnored: 1},
			},
		},
		{
			"interruption ignored while it lasts",
			[][]cue{voice("a", 500, 12_000), says(1500, 6000, true)},
			Measurements{
				FirstVoice: durations(500),
				Counters:   Counters{Turns: 1, Interruptions: 1, InterruptionsIgnored: 1},
			},
		},
		{
			"interruption too late: the agent's last packet came before",
			[][]cue{greeting, says(1520, 3000, true), voice("a", 3480, 4000)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(500),
				Counters: Counters{Turns: 1, Answers: 1, InterruptionsMissed: 1},
			},
		},
		{
			"agent begins while the candidate talks, stops, answers afterwards",
			[][]cue{greeting, says(2100, 5000, false), voice("a", 3500, 4000), voice("a", 5500, 6000)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(520), Crosstalk: durations(480),
				Counters: Counters{Turns: 1, Answers: 1, TalkOvers: 1, TalkedOver: 1},
			},
		},
		{
			"agent begins while the candidate talks, and talks on",
			[][]cue{greeting, says(2100, 5000, false), voice("a", 4500, 7000)},
			Measurements{
				FirstVoice: durations(500), Crosstalk: durations(460),
				Counters: Counters{Turns: 1, EarlyAnswers: 1, TalkOvers: 1, TalkedOver: 1},
			},
		},
		{
			"both begin at once",
			[][]cue{greeting, says(2100, 5000, false), voice("a", 2200, 2500), voice("a", 5500, 6000)},
			Measurements{
				FirstVoice: durations(500), Responses: durations(520), Crosstalk: durations(300),
				Counters: Counters{Turns: 1, Answers: 1, Collisions: 1},
			},
		},
		{
			"two streams at once",
			[][]cue{greeting, voice("b", 1400, 1800), voice("b", 3000, 4000)},
			Measurements{
				FirstVoice: durations(500), Overlaps: durations(100),
				Counters: Counters{Overlaps: 1},
			},
		},
		{
			"one stream after the other is no overlap",
			[][]cue{greeting, voice("b", 1500, 1800)},
			Measurements{FirstVoice: durations(500)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := measure(test.cues...)
			if diff := cmp.Diff(durations(120), got.Joined); diff != "" {
				t.Errorf("dispatch → joined, want the first agent's:\n%s", diff)
			}
			got.Joined, got.PacketsReceived, got.BytesReceived = nil, 0, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("measurements (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMeterGaps(t *testing.T) {
	tests := []struct {
		name string
		cues [][]cue
		want []time.Duration
	}{
		{"in time", [][]cue{voice("a", 500, 3000)}, nil},
		{"jitter below the limit", [][]cue{voice("a", 500, 1000), packets("a", 1000, 1020, -20, 60), packets("a", 1020, 2000, -20, 40)}, nil},
		{"late by 100 ms from then on: one gap, the player has waited", [][]cue{voice("a", 500, 1000), packets("a", 1000, 2000, -20, 100)}, durations(100)},
		{"twice later", [][]cue{voice("a", 500, 1000), packets("a", 1000, 1500, -20, 100), packets("a", 1500, 2000, -20, 170)}, durations(100, 70)},
		{"a halt of 400 ms, then all at once", [][]cue{held(voice("a", 500, 2000), 1000, 1400)}, durations(400)},
		{"late in silence", [][]cue{voice("a", 500, 1000), packets("a", 1000, 1400, -60, 100), packets("a", 1400, 2000, -20, 100)}, nil},
		{"five packets lost", [][]cue{without(voice("a", 500, 2000), 1000, 1100)}, durations(100)},
		{"three packets lost", [][]cue{without(voice("a", 500, 2000), 1000, 1060)}, nil},
		{"a halt of 100 ms, then all at once", [][]cue{held(voice("a", 500, 2000), 1000, 1100)}, durations(100)},
		{"one packet lost at the end of a pause", [][]cue{voice("a", 500, 1000), without(voice("a", 1980, 3000), 1980, 1990)}, nil},
		{"lost in silence", [][]cue{voice("a", 500, 1000), without(quiet("a", 1000, 1500), 1200, 1400)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := measure(test.cues...)
			if diff := cmp.Diff(test.want, got.Gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if got.Counters.Gaps != len(test.want) {
				t.Errorf("counted %d gaps, want %d", got.Counters.Gaps, len(test.want))
			}
		})
	}
}

// A sender that stops on purpose leaps with its timestamps, or marks the first packet of the next spurt, or is silent for long: none of
// these is a gap.
func TestMeterDeliberatePauses(t *testing.T) {
	resume := func(at int, timestamp uint32, marker bool) []cue {
		return []cue{{at: at, packet: &Sound{Track: "a", Timestamp: timestamp, Marker: marker, Frame: ms(20), Levels: []float64{-20}}}}
	}
	first := voice("a", 500, 1000)
	tests := []struct {
		name string
		next []cue
	}{
		{"the RTP clock passes with the time", resume(1700, 1700*48, false)},
		{"marked, with the RTP clock standing still", resume(1700, 1000*48, true)},
		{"standing still for long", resume(2300, 1000*48, false)},
		{"the RTP clock begins anew", resume(1200, 4_000_000_000, true)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := measure(first, test.next); len(got.Gaps) > 0 || got.PacketsLost > 0 {
				t.Errorf("gaps %v, %d lost, want none", got.Gaps, got.PacketsLost)
			}
		})
	}
}

func TestMeterCountsPackets(t *testing.T) {
	got := measure(without(voice("a", 500, 2000), 1000, 1100), voice("b", 3000, 3100))
	if got.PacketsReceived != 75 || got.PacketsLost != 5 || got.BytesReceived != 75*80 {
		t.Errorf("received %d, lost %d, %d bytes; want 75, 5, 6000", got.PacketsReceived, got.PacketsLost, got.BytesReceived)
	}
}

// A packet of several frames counts as its frames: the voice in its second half begins at the packet's arrival.
func TestMeterLongPackets(t *testing.T) {
	m := NewMeter(DefaultSilence)
	m.Dispatched(epoch)
	for i := range 10 {
		m.Heard(Sound{
			Track: "a", Sequence: uint16(i), Timestamp: uint32(i * 2880), Frame: ms(20), At: epoch.Add(ms(300 + 60*i)),
			Levels: []float64{-20, -20, -20},
		})
	}
	got := m.Finish()
	if diff := cmp.Diff(durations(300), got.FirstVoice); diff != "" {
		t.Error(diff)
	}
	if len(got.Gaps) > 0 {
		t.Errorf("gaps %v, want none", got.Gaps)
	}
}

func TestTrackLoss(t *testing.T) {
	tests := []struct {
		name      string
		sequences []uint16
		lost      int64
	}{
		{"none", []uint16{1, 2, 3}, 0},
		{"one", []uint16{1, 3}, 1},
		{"over the wrap", []uint16{65_534, 65_535, 1, 2}, 1},
		{"reordered", []uint16{1, 3, 2, 4}, 0},
		{"duplicates do not make up for more than they are", []uint16{1, 2, 2, 2}, 0},
		{"counting anew keeps what was lost", []uint16{1, 3, 40_000, 40_001, 40_003}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var tr track
			for _, sequence := range test.sequences {
				tr.receive(Sound{Sequence: sequence}, false)
			}
			if got := tr.lost(); got != test.lost {
				t.Errorf("lost %d, want %d", got, test.lost)
			}
		})
	}
}

func TestMeterEar(t *testing.T) {
	m := NewMeter(DefaultSilence)
	m.Dispatched(epoch)
	if e := m.Ear(epoch); e != (Ear{}) {
		t.Errorf("before anything was heard: %+v", e)
	}
	cues := slices.Concat(voice("a", 1000, 2000), voice("a", 2400, 3000)) // a pause inside an utterance
	for _, c := range cues {
		c.packet.At = epoch.Add(ms(c.at))
		m.Heard(*c.packet)
	}
	want := Ear{Heard: true, Voice: ms(2100), Silence: ms(120)}
	if diff := cmp.Diff(want, m.Ear(epoch.Add(ms(3100)))); diff != "" {
		t.Errorf("ear (-want +got):\n%s", diff)
	}
}

// What a busy machine holds up on its way goes on with the utterance before, as its RTP clock tells, and does not begin another.
func TestMeterEarAfterAHalt(t *testing.T) {
	for halt, want := range map[int]time.Duration{2000: ms(3100), 3500: ms(600)} {
		m := NewMeter(DefaultSilence)
		m.Dispatched(epoch)
		for _, c := range held(voice("a", 1000, 5000), 1500, 1480+halt) {
			c.packet.At = epoch.Add(ms(c.at))
			if c.at < 2100+halt {
				m.Heard(*c.packet)
			}
		}
		at := epoch.Add(ms(max(4100, 2080+halt)))
		if got := m.Ear(at).Voice; got != want {
			t.Errorf("after a halt of %d ms the utterance has lasted for %v, want %v", halt, got, want)
		}
	}
}

func TestMeterAllocatesNothingPerPacket(t *testing.T) {
	m := NewMeter(DefaultSilence)
	m.Dispatched(epoch)
	levels := []float64{-20}
	i := 0
	allocs := testing.AllocsPerRun(1000, func() {
		i++
		at := epoch.Add(ms(20 * i))
		m.Heard(Sound{Track: "a", Sequence: uint16(i), Timestamp: uint32(i * 960), Frame: ms(20), At: at, Levels: levels})
		m.Ear(at)
	})
	if allocs != 0 {
		t.Errorf("%v allocations per packet, want 0", allocs)
	}
}
