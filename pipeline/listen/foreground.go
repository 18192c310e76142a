package listen

import (
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/vad"
)

// minSilence is the silence after which the end of speech is reported: six windows. Recognition can finish, and a reply be prepared,
// while the turn is being decided.
const minSilence = 192 * time.Millisecond

// NewAnalyzer returns voice activity detection with the settings that the turn model was learned and measured with. Unlike
// vad.Analyzer it leaves out voices in the background, which the model cannot tell from the candidate's.
func NewAnalyzer(model *vad.Model) (Analyzer, error) {
	detector, err := vad.NewDetector(vad.Config{MinSilence: minSilence})
	if err != nil {
		return nil, err
	}
	return &foregroundAnalyzer{stream: model.NewStream(), detector: detector, level: newForeground()}, nil
}

// foregroundAnalyzer is a vad.Analyzer that hears only the foreground.
type foregroundAnalyzer struct {
	stream   *vad.Stream
	detector *vad.Detector
	level    foreground

	window [vad.Window]int16
	filled int   // samples in window
	at     int64 // position of the window's first sample
}

var _ Analyzer = (*foregroundAnalyzer)(nil)

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
	if !a.level.hear(level, probability) {
		probability = 0
	}
	return a.detector.Update(a.at, probability, level)
}

// Gap implements Analyzer.
func (a *foregroundAnalyzer) Gap() vad.Status {
	a.filled = 0
	a.stream.Reset()
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
// found between words and syllables, whatever the background is made of.
type foreground struct {
	smoothed, voice float64
	recent          [floorMemory]float64
	next            int
}

func newForeground() foreground {
	f := foreground{smoothed: unheard, voice: usualVoice}
	for i := range f.recent {
		f.recent[i] = unheard
	}
	return f
}

// hear takes the next window's level in dBFS and probability of speech, and says whether it belongs to the foreground.
func (f *foreground) hear(level float64, probability float32) bool {
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
	heard := max(level, f.smoothed) > begins
	if heard && probability > 0.8 {
		share := voiceFade
		if level > f.voice {
			share = voiceRise
		}
		f.voice += share * (level - f.voice)
	}
	return heard
}
