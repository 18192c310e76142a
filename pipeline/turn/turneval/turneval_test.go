package turneval

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/vad"
)

func TestCorpusIsSplitAndMarked(t *testing.T) {
	for name, least := range map[string]map[Half]int{
		"ends": {Train: 80, HeldOut: 50, Independent: 150}, "pauses": {Train: 80, HeldOut: 50, Independent: 150}, "gaps": {Independent: 30},
		"backchannels": {Train: 36, HeldOut: 18}, "interruptions": {Train: 36, HeldOut: 18},
	} {
		lines, err := readList(name, "")
		if err != nil {
			t.Fatal(err)
		}
		counts, seen := make(map[Half]int), make(map[string]bool)
		for _, l := range lines {
			counts[l.half]++
			if name == "pauses" && (l.kind == "" || strings.Count(l.text, " | ") != 1) || name == "gaps" && !strings.Contains(l.text, " | ") {
				t.Errorf("%s: %q has no kind or no place to stop", name, l.text)
			}
			if seen[l.text] {
				t.Errorf("%s: %q is there twice", name, l.text)
			}
			seen[l.text] = true
		}
		for half, n := range least {
			if counts[half] < n {
				t.Errorf("%s: %d lines are %s, want %d", name, counts[half], half, n)
			}
		}
	}
}

// tone is a sound of a length in milliseconds and an amplitude.
func tone(n int, amplitude float64) []int16 {
	pcm := make([]int16, ms(n))
	for i := range pcm {
		pcm[i] = int16(amplitude * math.Sin(2*math.Pi*200*float64(i)/turn.Rate))
	}
	return pcm
}

func TestWholeTrimsAndNormalises(t *testing.T) {
	sound := slices.Concat(make([]int16, ms(300)), tone(500, 900), make([]int16, ms(200)))
	c := whole(Ends, "x", "short", "v", "Yes.", Train, sound)
	if got := len(c.sound); got < ms(490) || got > ms(510) {
		t.Errorf("%d samples are left, want 500 ms", got)
	}
	if got := activeLevel(c.sound); math.Abs(got-speechLevel) > 0.5 {
		t.Errorf("level %.1f dBFS, want %.1f", got, speechLevel)
	}
}

func TestSpacedHasTheTruePause(t *testing.T) {
	sound := slices.Concat(make([]int16, ms(100)), tone(400, 3000), make([]int16, ms(90)), tone(600, 3000), make([]int16, ms(100)))
	c := spaced(Case{Name: "x"}, sound, span{ms(500), ms(590)}, ms(1200), part{text: "We used"}, "Kafka.")
	want := []part{{0, ms(400), "We used", stopUnknown}, {ms(1600), ms(2200), "Kafka.", stopCertain}}
	near := cmp.Comparer(func(a, b part) bool {
		return a.text == b.text && math.Abs(float64(a.from-b.from)) <= float64(ms(20)) && math.Abs(float64(a.to-b.to)) <= float64(ms(20))
	})
	if diff := cmp.Diff(want, c.parts, near); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if quiet := c.sound[c.parts[0].to:c.parts[1].from]; slices.Max(quiet) != 0 {
		t.Error("the pause is not silent")
	}
}

func TestMixHasTheRatioAsked(t *testing.T) {
	for _, kind := range NoiseKinds {
		pcm := make([]int16, ms(5000))
		Noise{kind, 10}.mix(pcm, tone(3000, 3000), seeded(kind))
		power := 0.0
		for _, s := range pcm {
			power += float64(s) * float64(s) / float64(len(pcm))
		}
		if got := 10 * math.Log10(power/(32768*32768)); math.Abs(got-(speechLevel-10)) > 0.5 {
			t.Errorf("%s: noise at %.1f dBFS, want %.1f", kind, got, speechLevel-10)
		}
	}
}

func TestSoundsAreReproducible(t *testing.T) {
	for _, kind := range Sounds {
		a, b := makeSound(kind, seeded(kind)), makeSound(kind, seeded(kind))
		if !slices.Equal(a, b) || len(a) < ms(40) {
			t.Errorf("%s: not the same sound twice, or too short (%d samples)", kind, len(a))
		}
	}
}

func TestPausesOf(t *testing.T) {
	got := pausesOf("pau:0.2 dh:0.25 ax:0.3 pau:0.5 k:0.6 pau:0.9 ")
	if diff := cmp.Diff([]span{{4800, 8000}}, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
}

func TestWordsAreFoundInTheSound(t *testing.T) {
	name, heard := parseSegments("demo S 0 T -9 A -8 L -5 0 -1 0 <s> 20 -2 -4 press(2) 45 -1 -6 won 60 -1 -3 now 90 -9 -2 </s> 95")
	if name != "demo" || len(heard) != 5 {
		t.Fatalf("%q: %v", name, heard)
	}
	words := splitWords("Press 1 now.")
	place(words, heard)
	want := []word{{"Press", 20 * tick, 45 * tick}, {"one", -1, -1}, {"now.", 60 * tick, 90 * tick}}
	if diff := cmp.Diff(want, words, cmp.AllowUnexported(word{})); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestLearnFindsWhatMatters(t *testing.T) {
	var samples []Sample
	random := seeded("learn")
	for range 400 {
		var s Sample
		s.Over = random.Float64() < 0.3
		if s.Over == (random.Float64() < 0.9) {
			s.Features[turn.Terminal] = 1
		} else {
			s.Features[turn.Conjunction] = 1
		}
		s.Features[turn.PitchFall] = random.NormFloat64() // says nothing
		samples = append(samples, s)
	}
	w := Learn(turn.LearnedWeights, samples)
	if w.Per[turn.Terminal] < 1 || w.Per[turn.Conjunction] > -1 || math.Abs(w.Per[turn.PitchFall]) > 0.4 {
		t.Errorf("weights %v", w)
	}
	if _, right := Loss(w, samples); right < 0.85 {
		t.Errorf("right in %.2f, want 0.9", right)
	}
	if w != Learn(turn.LearnedWeights, samples) {
		t.Error("learning twice gives two results")
	}
	if w.Per[turn.QuickAnswer] != turn.LearnedWeights.Per[turn.QuickAnswer] {
		t.Error("a weight set by hand was changed")
	}
}

func TestScriptedReaderKnowsWhatWasSaid(t *testing.T) {
	c := clip{pcm: make([]int16, ms(3000)), parts: []part{{ms(500), ms(1000), "I led it and", stopUnknown}, {ms(2000), ms(2500), "then left.", stopCertain}}}
	for _, tt := range []struct {
		from, to int
		want     string
	}{
		{200, 1200, "i led it and"},
		{1700, 2700, "then left"},
		{200, 2700, "i led it and then left"},
		{1100, 1500, ""},
	} {
		if got := (Scripted{}).final(&c, ms(tt.from), ms(tt.to)); plain(got.Text) != tt.want {
			t.Errorf("%d to %d ms: %q, want %q", tt.from, tt.to, got.Text, tt.want)
		}
	}
}

// Where a list says whether a sentence could end at a pause, the words do not count.
func TestMarksFollowTheStop(t *testing.T) {
	for _, tt := range []struct {
		end       stop
		low, high int // full stops in 400
	}{{stopNever, 20, 90}, {stopPossible, 190, 290}, {stopCertain, 360, 400}} {
		for _, text := range []string{"we led it and", "we led it", "my number is one two"} {
			stops := 0
			for i := range 400 {
				if punctuate(text, tt.end, false, seeded(fmt.Sprint(text, i))) == "." {
					stops++
				}
			}
			if stops < tt.low || stops > tt.high {
				t.Errorf("%q with stop %d: %d full stops in 400, want %d to %d", text, tt.end, stops, tt.low, tt.high)
			}
		}
	}
}

func TestTabulate(t *testing.T) {
	end := Case{Set: Ends}
	outcomes := []Outcome{
		{Case: end, Wait: 600 * time.Millisecond},
		{Case: end, Wait: 800 * time.Millisecond, CutIn: true},
		{Case: Case{Set: Interruptions, Half: HeldOut}, Noise: Noise{"fan", 10}, Floor: turn.Taken, Silence: 200 * time.Millisecond},
	}
	want := []Row{
		{Set: Ends, N: 2, Good: 1, Mean: 700 * time.Millisecond, P50: 800 * time.Millisecond, P95: 800 * time.Millisecond},
		{Set: Interruptions, SNR: 10, Half: HeldOut, N: 1, Good: 1, Mean: 200 * time.Millisecond, P50: 200 * time.Millisecond, P95: 200 * time.Millisecond},
	}
	if diff := cmp.Diff(want, Tabulate(outcomes, false)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	outcomes[1].Case.Kind = "list"
	if rows := Tabulate(outcomes, true); len(rows) != 3 || rows[1].Kind != "list" || rows[1].N != 1 {
		t.Errorf("by kind: %+v", rows)
	}
}

// R001-46, R001-47: a few plain cases through the real chain, with Flite's voices alone. The whole measure is `turneval measure`.
func TestMannersOnAFewCases(t *testing.T) {
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("flite is not installed")
	}
	model, err := vad.Load()
	if errors.Is(err, vad.ErrNoWeights) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	studio := &Studio{}
	chain := Chain{VAD: model, Reader: Scripted{}}
	for _, l := range []string{
		"I led a team of six people for two years.",
		"We moved the whole service to a new database.",
		"I led the backend team and | later the platform group.",
		"I left the company because | I wanted to learn more.",
	} {
		before, after, paused := strings.Cut(l, " | ")
		said, err := flite(t.Context(), "slt", strings.Join(strings.Split(l, " | "), ", "), 1)
		if err != nil {
			t.Fatal(err)
		}
		c := whole(Ends, l, "", "slt", l, Train, said.pcm)
		if paused {
			c = spaced(Case{Name: l, Set: Pauses}, said.pcm, said.pauses[0], ms(1200), part{text: before}, after)
		}
		all, err := studio.Measure(t.Context(), chain, c, Noise{})
		if err != nil {
			t.Fatal(err)
		}
		o := all[0]
		if o.CutIn || !paused && (o.Wait < 400*time.Millisecond || o.Wait > time.Second) {
			t.Errorf("%s: cut in %v, decided after %v (%s)", l, o.CutIn, o.Wait, o.Reason)
		}
	}
	for _, kind := range Sounds {
		c := whole(Noises, kind, kind, "", "", Train, makeSound(kind, seeded(kind)))
		if all, err := studio.Measure(t.Context(), chain, c, Noise{}); err != nil || !all[0].Good() {
			t.Errorf("%s: %+v; %v", kind, all, err)
		}
	}
}

// Fit keeps complete sentences at the minimum even where waiting longer would cut fewer pauses, and else cuts few.
func TestFitLeavesCompleteSentencesAlone(t *testing.T) {
	var marked, bare []Sample
	for i := range 200 {
		s := Sample{Over: i%2 == 0, Left: 1500 * time.Millisecond}
		s.Features[turn.PitchLow] = 0.5 - float64(i%2)
		s.Bare = true
		bare = append(bare, s)
		s.Bare, s.Features[turn.Terminal], s.Features[turn.PitchLow] = false, 1, 0
		if i%8 == 1 || i%2 == 1 && i%3 > 0 {
			s.Features[turn.Terminal], s.Features[turn.Conjunction] = 0, 1
		}
		marked = append(marked, s)
	}
	w := Fit(Learn(turn.LearnedWeights, marked), marked)
	var complete turn.Features
	complete[turn.Terminal] = 1
	if d := w.Delay(complete, shortest, longest); d > shortest+25*time.Millisecond {
		t.Errorf("a complete sentence waits %v", d)
	}
	w = Fit(Learn(turn.LearnedWeights, bare), bare)
	if cut, wait := Try(w, bare); cut > 0 || wait > patience {
		t.Errorf("%.2f cut, %.2f s mean wait, where the melody tells all", cut, wait)
	}
}
