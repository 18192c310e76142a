package vad

import (
	"math"
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

// pause is the silence that ends speech in these tests: eight windows.
const pause = 250 * time.Millisecond

func TestDetectorFindsStartAndEnd(t *testing.T) {
	const end = "nnnnnnnn" // eight windows, 256 ms: the pause is over
	tests := []struct {
		name  string
		pause time.Duration
		probs string
		want  []change
	}{
		{"silence", pause, "nnnnnnnnnnnnnnnnnnnn", nil},
		{"a click is one window", pause, "nnsnnnsnnnsnn", nil},
		{"noise around the lower threshold", pause, "hhhhhhhhhhhhhhhh", nil},
		{"a click and later speech do not add up", pause, "snss", []change{{3, SpeechStart, 2}}},
		{"a word", pause, "nnssss" + end, []change{{3, SpeechStart, 2}, {13, SpeechEnd, 6}}},
		{"half-sure windows hold speech", pause, "sshhhhhhhhhhhh" + end, []change{{1, SpeechStart, 0}, {21, SpeechEnd, 14}}},
		{"a pause inside speech", pause, "ssnnnnnnnss" + end, []change{{1, SpeechStart, 0}, {18, SpeechEnd, 11}}},
		{"two words", pause, "ss" + end + "nss", []change{{1, SpeechStart, 0}, {9, SpeechEnd, 2}, {12, SpeechStart, 11}}},
		{"long pauses allowed", 320 * time.Millisecond, "ssnnnnnnnnnn", []change{{1, SpeechStart, 0}, {11, SpeechEnd, 2}}},
		{"short pauses end", 33 * time.Millisecond, "ssnn", []change{{1, SpeechStart, 0}, {3, SpeechEnd, 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := NewDetector(tt.pause)
			const origin = 1000 // positions need not start at zero
			var got []change
			for i, p := range probs(tt.probs) {
				s := d.Update(origin+int64(i*Window), p)
				if s.Kind != Unchanged {
					got = append(got, change{i, s.Kind, int(s.At-origin) / Window})
				}
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(change{})); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetectorRunningLengths(t *testing.T) {
	d := NewDetector(pause)
	want := []int64{0, 1, 2, 3, 3, 3, 6, 6}
	for i, p := range probs("nsssnnsn") {
		s := d.Update(int64(i*Window), p)
		if got := s.Speech / Window; got != want[i] {
			t.Errorf("window %d: %d windows of speech, want %d", i, got, want[i])
		}
	}
}

var about = cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 0.01 })

// Sure windows are evidence at once, half-sure ones only several together; a dip of a window or two keeps some of it, a gap none.
func TestDetectorEvidence(t *testing.T) {
	for spelt, want := range map[string]float32{
		"": 0, "s": 0.5, "ss": 0.85, "sn": 0.35, "snns": 0.67, "hhhhhhhh": 0, "sssss": 1.39, "ssnnnnnn": 0.1,
	} {
		d, got := NewDetector(pause), float32(0)
		for i, p := range probs("nn" + spelt) {
			got = d.Update(int64(i*Window), p).Evidence
		}
		if math.Abs(float64(got-want)) > 0.01 {
			t.Errorf("%q: evidence %.2f, want %.2f", spelt, got, want)
		}
		if s := d.Gap(); s.Evidence != 0 {
			t.Errorf("%q: a gap leaves %.2f", spelt, s.Evidence)
		}
	}
}

func TestDetectorGapEndsSpeech(t *testing.T) {
	d := NewDetector(pause)
	at := int64(0)
	hear := func(spelt string) (last Status) {
		for _, p := range probs(spelt) {
			last = d.Update(at, p)
			at += Window
		}
		return last
	}
	hear("nsssn")
	got := d.Gap()
	want := Status{Kind: SpeechEnd, At: 4 * Window, Speech: 3 * Window}
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
		{"short leap ahead is a pause", 4 * Window, Status{Speaking: true, Speech: 7 * Window, Evidence: 0.5}},
		{"long leap ahead ends speech", Rate, Status{Kind: SpeechEnd, At: 2 * Window, Speech: 2 * Window, Evidence: 0.5}},
		{"leap back ends speech", -Window, Status{Kind: SpeechEnd, At: 2 * Window, Speech: 2 * Window, Evidence: 0.5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := NewDetector(pause)
			d.Update(0, 0.9)
			d.Update(Window, 0.9)
			at := 2*Window + tt.leap
			got := d.Update(at, 0.9)
			if diff := cmp.Diff(tt.want, got, about); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			next := d.Update(at+Window, 0.9)
			if tt.want.Kind == SpeechEnd && (next.Kind != SpeechStart || next.At != at) {
				t.Errorf("after the leap: %+v, want a start at %d", next, at)
			}
		})
	}
}

func TestDetectorAlternatesAndNeverLooksAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewDetector(time.Duration(rapid.IntRange(1, 400).Draw(t, "silence")) * time.Millisecond)
		last, at, changedAt := SpeechEnd, int64(0), int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "windows") {
			s := d.Update(at, rapid.Float32Range(0, 1).Draw(t, "p"))
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
