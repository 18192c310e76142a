package vad

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// change is what a table expects to be reported: in which window, and where in windows it happened.
type change struct {
	window int
	kind   Kind
	at     int
	forced bool
}

// probs spells probabilities: s(peech) 0.9, h(alf) 0.4, which holds speech but does not start it, n(oise) 0.1.
func probs(spelt string) []float32 {
	value := map[rune]float32{'s': 0.9, 'h': 0.4, 'n': 0.1}
	var p []float32
	for _, c := range spelt {
		p = append(p, value[c])
	}
	return p
}

func newDetector(t *testing.T, cfg Config) *Detector {
	t.Helper()
	d, err := NewDetector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDetectorFindsStartAndEnd(t *testing.T) {
	const end = "nnnnnnnn" // eight windows, 256 ms: the default MinSilence is over
	tests := []struct {
		name  string
		cfg   Config
		probs string
		want  []change
	}{
		{"silence", Config{}, "nnnnnnnnnnnnnnnnnnnn", nil},
		{"a click is one window", Config{}, "nnsnnnsnnnsnn", nil},
		{"noise around the lower threshold", Config{}, "hhhhhhhhhhhhhhhh", nil},
		{"a click and later speech do not add up", Config{}, "snss", []change{{3, SpeechStart, 2, false}}},
		{"a word", Config{}, "nnssss" + end, []change{{3, SpeechStart, 2, false}, {13, SpeechEnd, 6, false}}},
		{"half-sure windows hold speech", Config{}, "sshhhhhhhhhhhh" + end, []change{{1, SpeechStart, 0, false}, {21, SpeechEnd, 14, false}}},
		{"a pause inside speech", Config{}, "ssnnnnnnnss" + end, []change{{1, SpeechStart, 0, false}, {18, SpeechEnd, 11, false}}},
		{"two words", Config{}, "ss" + end + "nss", []change{{1, SpeechStart, 0, false}, {9, SpeechEnd, 2, false}, {12, SpeechStart, 11, false}}},
		{"long pauses allowed", Config{MinSilence: 320 * time.Millisecond}, "ssnnnnnnnnnn", []change{{1, SpeechStart, 0, false}, {11, SpeechEnd, 2, false}}},
		{"short pauses end", Config{MinSilence: 33 * time.Millisecond}, "ssnn", []change{{1, SpeechStart, 0, false}, {3, SpeechEnd, 2, false}}},
		{"100 ms are four windows", Config{MinSpeech: 100 * time.Millisecond}, "sssnssss", []change{{7, SpeechStart, 4, false}}},
		{"higher threshold", Config{Activation: 0.95}, "ssssss", nil},
		{"no hysteresis", Config{Deactivation: 0.5}, "sshhhhhhhh", []change{{1, SpeechStart, 0, false}, {9, SpeechEnd, 2, false}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDetector(t, tt.cfg)
			const origin = 1000 // positions need not start at zero
			var got []change
			for i, p := range probs(tt.probs) {
				s := d.Update(origin+int64(i*Window), p, -60)
				if s.Kind != Unchanged {
					got = append(got, change{i, s.Kind, int(s.At-origin) / Window, s.Forced})
				}
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(change{})); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetectorRunningLengths(t *testing.T) {
	d := newDetector(t, Config{})
	type lengths struct{ Speech, Silence int64 }
	want := []lengths{{0, 1}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {3, 2}, {6, 0}, {6, 1}}
	for i, p := range probs("nsssnnsn") {
		s := d.Update(int64(i*Window), p, -60)
		if got := (lengths{s.Speech / Window, s.Silence / Window}); got != want[i] {
			t.Errorf("window %d: %+v, want %+v", i, got, want[i])
		}
	}
}

func TestDetectorGapEndsSpeech(t *testing.T) {
	d := newDetector(t, Config{})
	at := int64(0)
	hear := func(spelt string) (last Status) {
		for _, p := range probs(spelt) {
			last = d.Update(at, p, -60)
			at += Window
		}
		return last
	}
	hear("nsssn")
	got := d.Gap()
	want := Status{Kind: SpeechEnd, At: 4 * Window, Forced: true, Speech: 3 * Window, Silence: Window, Noise: -60}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("gap in speech (-want +got):\n%s", diff)
	}
	if again := d.Gap(); again.Kind != Unchanged {
		t.Errorf("second gap reports %v", again.Kind)
	}
	hear("s")
	d.Gap()
	if s := hear("s"); s.Kind != Unchanged {
		t.Errorf("one window before the gap and one after make %v", s.Kind)
	}
}

func TestDetectorLeapsOfTheSampleClock(t *testing.T) {
	tests := []struct {
		name string
		leap int64
		want Status
	}{
		{"short leap ahead is a pause", 4 * Window, Status{Speaking: true, Speech: 7 * Window}},
		{"long leap ahead ends speech", Rate, Status{Kind: SpeechEnd, At: 2 * Window, Speech: 2 * Window}},
		{"leap back ends speech", -Window, Status{Kind: SpeechEnd, At: 2 * Window, Speech: 2 * Window, Forced: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDetector(t, Config{MinSpeech: time.Millisecond})
			d.Update(0, 0.9, -60)
			d.Update(Window, 0.9, -60)
			at := 2*Window + tt.leap
			got := d.Update(at, 0.9, -60)
			tt.want.Probability, tt.want.Noise = 0.9, noiseUnknown
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			next := d.Update(at+Window, 0.9, -60)
			if tt.want.Kind == SpeechEnd && (next.Kind != SpeechStart || next.At != at) {
				t.Errorf("after the leap: %+v, want a start at %d", next, at)
			}
		})
	}
}

func TestDetectorNoise(t *testing.T) {
	d := newDetector(t, Config{})
	at := int64(0)
	hear := func(windows int, p float32, level float64) {
		for range windows {
			d.Update(at, p, level)
			at += Window
		}
	}
	if d.Noise() != noiseUnknown {
		t.Errorf("noise %v before anything was heard", d.Noise())
	}
	hear(100, 0.1, -50)
	hear(10, 0.1, -96) // filled-in silence
	hear(100, 0.9, -10)
	if got := d.Noise(); got != -50 {
		t.Errorf("noise %v after background, digital silence and speech, want -50", got)
	}
	hear(8, 0.1, -30) // ends the speech
	hear(31, 0.1, -30)
	if got := d.Noise(); got < -48 || got > -46.5 {
		t.Errorf("noise %v a second after it became louder, want some 3 dB more", got)
	}
	hear(31, 0.1, -70)
	if got := d.Noise(); got > -69 {
		t.Errorf("noise %v a second after it became quieter, want -70", got)
	}
}

func TestDetectorAlternatesAndNeverLooksAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, err := NewDetector(Config{MinSilence: time.Duration(rapid.IntRange(1, 400).Draw(t, "silence")) * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		last, at, changedAt := SpeechEnd, int64(0), int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "windows") {
			s := d.Update(at, rapid.Float32Range(0, 1).Draw(t, "p"), -60)
			at += Window
			if s.Kind == Unchanged {
				continue
			}
			if s.Kind == last || s.At < changedAt || s.At > at {
				t.Fatalf("%v at %d after %v at %d, now %d", s.Kind, s.At, last, changedAt, at)
			}
			last, changedAt = s.Kind, s.At
			at += int64(rapid.SampledFrom([]int{0, 0, 0, 160, 3 * Window, Rate}).Draw(t, "leap"))
		}
	})
}

func TestConfigNamesEveryProblem(t *testing.T) {
	tests := []struct {
		name string
		cfg  Config
	}{
		{"activation above 1", Config{Activation: 1.2, Deactivation: 0.3}},
		{"deactivation above activation", Config{Activation: 0.4, Deactivation: 0.6}},
		{"negative times", Config{MinSpeech: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := NewDetector(tt.cfg); !errors.Is(err, ErrConfig) {
				t.Errorf("error %v, want ErrConfig", err)
			}
		})
	}
	if _, err := NewDetector(Config{Activation: 0.2}); err != nil {
		t.Errorf("a low activation alone is refused: %v", err)
	}
}

// R001-3: the pipeline begins with voice activity detection.
func TestAnalyzerFindsRecordedSpeech(t *testing.T) {
	a, err := NewAnalyzer(loadModel(t), Config{})
	if err != nil {
		t.Fatal(err)
	}
	pcm := speech(t, "samples.pcm")
	var byFrames, byBlocks []Status
	collect := func(into *[]Status) func(Status) {
		return func(s Status) {
			if s.Kind != Unchanged {
				*into = append(*into, s)
			}
		}
	}
	for at := 0; at+320 <= len(pcm); at += 320 {
		a.Write(pcm[at:at+320], int64(at), collect(&byFrames))
	}
	if len(byFrames) < 2 || byFrames[0].Kind != SpeechStart {
		t.Fatalf("changes %+v in recorded speech", byFrames)
	}
	whole := len(pcm) / 320 * 320
	a.Gap()
	const later = 1 << 20
	a.Write(pcm[:whole], later, collect(&byBlocks))
	for i := range byBlocks {
		byBlocks[i].At -= later
	}
	ignoreNoise := cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Noise" }, cmp.Ignore())
	if diff := cmp.Diff(byFrames, byBlocks, ignoreNoise); diff != "" {
		t.Errorf("frames of 20 ms against one block after a gap (-frames +block):\n%s", diff)
	}
}
