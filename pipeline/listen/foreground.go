package listen

import (
	"math"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/vad"
)

// minSilence is the silence after which the end of speech is reported: six windows. Recognition can finish, and a reply be prepared,
// while the turn is being decided.
const minSilence = 192 * time.Millisecond

// NewAnalyzer returns voice activity detection with the settings that the turn model was learned and measured with. It leaves out
// voices in the background, which the model cannot tell from the candidate's.
func NewAnalyzer(model *vad.Model) Analyzer {
	return &foregroundAnalyzer{stream: model.NewStream(), detector: vad.NewDetector(minSilence), level: newForeground()}
}

// foregroundAnalyzer hears only the foreground. It cuts what it hears into windows; samples short of one wait for the next call.
type foregroundAnalyzer struct {
	stream   *vad.Stream
	detector *vad.Detector
	level    foreground

	window [vad.Window]int16
	filled int   // samples in window
	at     int64 // position of the window's first sample

	speaking bool
}

// guarded is an Analyzer that hears more strictly while the agent speaks.
type guarded interface{ guard(on bool) }

var (
	_ Analyzer = (*foregroundAnalyzer)(nil)
	_ guarded  = (*foregroundAnalyzer)(nil)
)

// Write implements Analyzer.
func (a *foregroundAnalyzer) Write(pcm []int16, at int64, report func(vad.Status)) {
	if at != a.at+int64(a.filled) {
		a.filled = 0
	}
	for len(pcm) > 0 {
		if a.filled == 0 {
			a.at = at
		}
		n := copy(a.window[a.filled:], pcm)
		a.filled += n
		at += int64(n)
		pcm = pcm[n:]
		if a.filled == vad.Window {
			a.filled = 0
			report(a.step())
			a.at += vad.Window
		}
	}
}

func (a *foregroundAnalyzer) step() vad.Status {
	probability, level := a.stream.Step(&a.window), audio.Level(a.window[:])
	if !a.level.hear(level, probability, a.speaking) {
		probability = 0
	}
	status := a.detector.Update(a.at, probability)
	a.speaking = status.Speaking
	return status
}

// guard says whether the agent speaks. Then a voice must step out of a loud background to be heard, which takes 0.1 to 0.2 s more
// there, while in a candidate's own turn no syllable may be missed.
func (a *foregroundAnalyzer) guard(on bool) { a.level.strict = on }

// Gap implements Analyzer.
func (a *foregroundAnalyzer) Gap() vad.Status {
	a.filled = 0
	a.stream.Reset()
	a.speaking = false
	return a.detector.Gap()
}

const (
	// floorMemory is how far back the background is looked for, in windows of 32 ms: 4 s.
	floorMemory = 125
	// quietRoom is the lowest background believed in, in dBFS: below lies filled-in silence.
	quietRoom = -75.0
	// usualVoice is the level a voice is expected at before it was heard, in dBFS.
	usualVoice = -28.0
	// above is how far between background and voice (both in dB) the foreground begins, aboveLeast the least distance from the
	// background, in dB: babble itself goes up and down by some 5 dB.
	above, aboveLeast = 0.4, 6.0
	// voiceRise and voiceFade are the shares by which the voice's level follows louder and quieter windows of speech.
	voiceRise, voiceFade = 0.1, 0.005
	// smooth is the share of the newest window in the level: about 0.1 s are seen together.
	smooth = 0.5
	// unheard stands for windows before the first: too loud to be the background.
	unheard = 0.0
)

// foreground tells the nearest voice from the background by its level. The background is the quietest moment of the last 4 s; it is
// found between words and syllables, whatever the background is made of. Where the background is loud, see crowd.
type foreground struct {
	smoothed, voice float64
	recent          [floorMemory]float64
	next            int
	crowd           crowd
	strict          bool // the agent speaks: what is not the candidate's voice must not stop it
}

func newForeground() foreground {
	f := foreground{smoothed: unheard, voice: usualVoice}
	for i := range f.recent {
		f.recent[i] = unheard
	}
	return f
}

// hear takes the next window's level in dBFS, its probability of speech and whether speech is under way, and says whether the window
// belongs to the foreground.
func (f *foreground) hear(level float64, probability float32, speaking bool) bool {
	level = max(level, quietRoom)
	if f.next == 0 {
		f.smoothed = level
	}
	f.smoothed += smooth * (level - f.smoothed)
	f.recent[f.next%floorMemory] = f.smoothed
	f.next++
	floor := f.recent[0]
	for _, l := range f.recent {
		floor = min(floor, l)
	}
	begins := floor + max(aboveLeast, above*(f.voice-floor))
	f.crowd.hear(level, speaking && !f.strict)
	heard := max(level, f.smoothed) > begins && (!f.strict || f.crowd.apart(f.voice))
	if heard && probability > 0.8 {
		share := voiceFade
		if level > f.voice {
			share = voiceRise
		}
		f.voice += share * (level - f.voice)
	}
	return heard
}

const (
	// crowdMemory is how far back the usual level of the background is looked for: 8 s in which the candidate did not have the floor.
	crowdMemory = 250
	// crowdLearns is when something is known of it: 0.5 s.
	crowdLearns = 16
	// crowdShare is the share of that time in which there surely is only the background.
	crowdShare = 0.25
	// crowdSpan is the share of the newest window in the power that is compared: about 0.2 s are seen together.
	crowdSpan = 0.15
	// loudCrowd is the distance between voice and background, in dB, below which the background is loud.
	loudCrowd = 20.0
	// stepOut is how far above the usual level of a loud background a voice begins, as a share of the distance between the two;
	// stepOutLeast and stepOutMost bound it, in dB. It ends stepBack dB lower.
	stepOut, stepOutLeast, stepOutMost, stepBack = 0.5, 3.5, 6.0, 1.5
	// crowdLevels is the number of steps of 1 dB in which levels are counted.
	crowdLevels = 96
)

// crowd tells a voice from a loud background, where single windows of both are alike: by the power of 0.2 s against the usual one.
type crowd struct {
	begun  bool
	power  float64
	recent [crowdMemory]uint8
	counts [crowdLevels]int
	heard  int  // levels noted
	out    bool // a voice has stepped out
}

// hear takes a window's level in dBFS, and whether it is the candidate's voice: then it says nothing of the background.
func (c *crowd) hear(level float64, voice bool) {
	p := math.Pow(10, level/10)
	if !c.begun {
		c.begun, c.power = true, p
	}
	c.power += crowdSpan * (p - c.power)
	if !voice {
		c.count(10 * math.Log10(c.power))
	}
}

// apart says whether a voice of a usual level in dBFS may be speaking now. It always may where the background is not loud or not known.
func (c *crowd) apart(voice float64) bool {
	usual := c.usual()
	if c.heard < crowdLearns || voice-usual > loudCrowd {
		c.out = true
		return true
	}
	begins := usual + min(max(stepOut*(voice-usual), stepOutLeast), stepOutMost)
	if c.out {
		begins -= stepBack
	}
	c.out = 10*math.Log10(c.power) > begins
	return c.out
}

// count notes a level of the background.
func (c *crowd) count(level float64) {
	step := uint8(min(max(-level, 0), crowdLevels-1))
	at := c.heard % crowdMemory
	if c.heard >= crowdMemory {
		c.counts[c.recent[at]]--
	}
	c.recent[at] = step
	c.counts[step]++
	c.heard++
}

// usual is the usual level of the background in dBFS.
func (c *crowd) usual() float64 {
	left := int(crowdShare * float64(min(c.heard, crowdMemory)))
	for i := crowdLevels - 1; i > 0; i-- {
		if left -= c.counts[i]; left < 0 {
			return -float64(i)
		}
	}
	return 0
}
