package listen

import (
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

// levels lets the foreground hear windows of one level and returns the share that belonged to it.
func levels(f *foreground, n int, level float64) float64 {
	heard := 0
	for i := range n {
		if f.hear(level+float64(i%5-2), 0.95, false) { // ±2 dB
			heard++
		}
	}
	return float64(heard) / float64(n)
}

func TestForeground(t *testing.T) {
	tests := []struct {
		name              string
		background, voice float64
		most, least       float64 // share of background, of voice
	}{
		{"quiet room", -80, -26, 0.05, 0.95},
		{"quiet voice in a quiet room", -80, -45, 0.05, 0.95},
		{"voices 20 dB below", -46, -26, 0.05, 0.95},
		{"voices 10 dB below", -36, -26, 0.05, 0.95},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newForeground()
			for round := range 5 {
				if got := levels(&f, 40, tt.background); got > tt.most {
					t.Errorf("round %d: %.2f of the background came through", round, got)
				}
				if got := levels(&f, 60, tt.voice); got < tt.least {
					t.Errorf("round %d: only %.2f of the voice came through", round, got)
				}
			}
		})
	}
}

// The track's filled-in silence says nothing about the room.
func TestForegroundAfterDigitalSilence(t *testing.T) {
	f := newForeground()
	levels(&f, 50, audio.MinLevel)
	if got := levels(&f, 60, -40); got < 0.95 {
		t.Errorf("only %.2f of a quiet voice came through", got)
	}
}

// strictly lets the foreground hear windows while the agent speaks; levels swing by ±spread dB, as fast as syllables come.
func strictly(f *foreground, n int, level, spread float64) (heard int) {
	for i := range n {
		if f.hear(level+spread*math.Sin(float64(i)), 0.95, false) {
			heard++
		}
	}
	return heard
}

// While the agent speaks, loud talk in the background is not the candidate; the candidate is, a little later than in a quiet room.
func TestCrowdDoesNotStopTheAgent(t *testing.T) {
	for _, snr := range []float64{10, 5} {
		f := newForeground()
		f.strict = true
		strictly(&f, 60, usualVoice-snr, 6)
		if n := strictly(&f, 200, usualVoice-snr, 6); n > 10 {
			t.Errorf("%v dB: %d of 200 windows of the crowd came through", snr, n)
		}
		if n := strictly(&f, 30, usualVoice+1.5, 3); n < 22 {
			t.Errorf("%v dB: only %d of 30 windows of the voice came through", snr, n)
		}
		if n := strictly(&f, 100, usualVoice-snr, 6); n > 15 {
			t.Errorf("%v dB: %d of 100 windows of the crowd came through after the voice", snr, n)
		}
	}
}

// In a quiet room nothing is later for it.
func TestQuietRoomIsAsFastWhileTheAgentSpeaks(t *testing.T) {
	f := newForeground()
	f.strict = true
	strictly(&f, 60, -70, 2)
	if n := strictly(&f, 3, -26, 0); n < 3 {
		t.Errorf("%d of the first 3 windows of the voice came through", n)
	}
}

// A long answer in a loud room is not taken for the room, neither while it lasts nor by what comes after.
func TestCrowdIsNotLearnedFromTheCandidate(t *testing.T) {
	f := newForeground()
	strictly(&f, 60, -36, 2)
	for i := range 1000 {
		f.hear(usualVoice+3*math.Sin(float64(i)/4), 0.95, true)
	}
	f.strict = true
	strictly(&f, 40, -36, 2)
	if n := strictly(&f, 30, usualVoice+1.5, 3); n < 22 {
		t.Errorf("only %d of 30 windows of the voice came through after a long answer", n)
	}
}

// The detector is strict exactly while there is a voice of the agent's that can be stopped.
func TestGuardFollowsTheFloor(t *testing.T) {
	v := &guardedEar{ear: newEar()}
	h := newHearing(Options{VAD: v, Recognizer: &scribe{}, Handle: func(Event) {}})
	h.stream = &scribe{}
	h.agentAudible(true, 1, true)
	if v.on {
		t.Error("strict while the utterance is not to be interrupted")
	}
	h.agentAudible(true, 2, false)
	if !v.on {
		t.Error("not strict while the agent speaks")
	}
	loud := make([]int16, frame)
	for i := range loud {
		loud[i] = 3000
	}
	for range 100 {
		h.hear(loud)
	}
	if h.agent.floor != turn.Taken || v.on {
		t.Errorf("floor %v, strict %v: want it taken, and every syllable heard", h.agent.floor, v.on)
	}
	h.agentAudible(true, 3, false)
	h.agentAudible(false, 3, false)
	if v.on {
		t.Error("strict after the agent has ended")
	}
}

type guardedEar struct {
	*ear
	on bool
}

func (g *guardedEar) guard(on bool) { g.on = on }

// R001-3: the pipeline begins with voice activity detection. Issue 2: nothing is allocated per frame.
func TestAnalyzerFindsRecordedSpeech(t *testing.T) {
	model, err := vad.Load()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../vad/testdata/speech/samples.pcm") // float32
	if err != nil {
		t.Fatalf("%v: run `make setup`", err)
	}
	pcm := make([]int16, len(raw)/4)
	for i := range pcm {
		pcm[i] = int16(32767 * math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	a, kinds, at := NewAnalyzer(model), make([]vad.Kind, 0, 64), 0
	report := func(s vad.Status) {
		if s.Kind != vad.Unchanged {
			kinds = append(kinds, s.Kind)
		}
	}
	allocs := testing.AllocsPerRun(len(pcm)/audio.InputFrame-1, func() {
		a.Write(pcm[at:at+audio.InputFrame], int64(at), report)
		at += audio.InputFrame
	})
	if allocs != 0 {
		t.Errorf("%v allocations per frame, want 0", allocs)
	}
	for i, k := range kinds {
		if want := vad.SpeechStart + vad.Kind(i%2); k != want {
			t.Errorf("change %d is %d, want %d", i, k, want)
		}
	}
	if len(kinds) < 2 {
		t.Errorf("%d changes in recorded speech, want a start and an end", len(kinds))
	}
}
