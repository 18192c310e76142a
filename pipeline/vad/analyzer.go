package vad

import "github.com/vivavoice/viva/pipeline/audio"

// Analyzer joins a Stream and a Detector for one session: it takes frames of any length with their positions, cuts them into windows and
// reports on each. It is for one goroutine.
type Analyzer struct {
	stream   *Stream
	detector *Detector

	window [Window]int16
	filled int   // samples in window
	at     int64 // position of the window's first sample
}

// NewAnalyzer returns an analyzer that has heard nothing yet, or an error wrapping ErrConfig.
func NewAnalyzer(model *Model, cfg Config) (*Analyzer, error) {
	detector, err := NewDetector(cfg)
	if err != nil {
		return nil, err
	}
	return &Analyzer{stream: model.NewStream(), detector: detector}, nil
}

// Write hears pcm, 16 kHz mono, whose first sample has position at, and calls report after every completed window (before Write
// returns; report must not call the Analyzer). Samples short of a window wait for the next call. Where at does not follow the frame
// before, those waiting are dropped. pcm is not kept.
func (a *Analyzer) Write(pcm []int16, at int64, report func(Status)) {
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
		if a.filled == Window {
			a.filled = 0
			report(a.detector.Update(a.at, a.stream.Step(&a.window), audio.Level(a.window[:])))
			a.at += Window
		}
	}
}

// Gap says that no audio is coming for now; see Detector.Gap. It also clears the model's memory of what was heard.
func (a *Analyzer) Gap() Status {
	a.filled = 0
	a.stream.Reset()
	return a.detector.Gap()
}
