package vad

import (
	"errors"
	"fmt"
	"time"
)

// Defaults of Config; the thresholds and times are those of LiveKit's agents.
const (
	DefaultActivation   = 0.5
	DefaultDeactivation = 0.35
	DefaultMinSpeech    = 64 * time.Millisecond
	DefaultMinSilence   = 250 * time.Millisecond
)

// ErrConfig reports a Config that contradicts itself.
var ErrConfig = errors.New("voice activity settings")

// Config says when probabilities become speech. Fields left zero get the defaults.
type Config struct {
	// Activation is the probability from which a window counts as speech.
	Activation float32
	// Deactivation is the probability above which a window still counts as speech once speech has started; it is not above Activation.
	Deactivation float32
	// MinSpeech without a break starts speech. It is rounded up to whole windows of 32 ms.
	MinSpeech time.Duration
	// MinSilence without a break ends it. It is not rounded: the first window that completes it reports the end.
	MinSilence time.Duration
}

func (c Config) withDefaults() Config {
	if c.Activation == 0 {
		c.Activation = DefaultActivation
	}
	if c.Deactivation == 0 {
		c.Deactivation = min(DefaultDeactivation, c.Activation)
	}
	if c.MinSpeech == 0 {
		c.MinSpeech = DefaultMinSpeech
	}
	if c.MinSilence == 0 {
		c.MinSilence = DefaultMinSilence
	}
	return c
}

func (c Config) validate() error {
	var errs []error
	if !(c.Activation > 0 && c.Activation < 1) {
		errs = append(errs, fmt.Errorf("%w: activation is %v, want a probability between 0 and 1", ErrConfig, c.Activation))
	}
	if !(c.Deactivation > 0 && c.Deactivation <= c.Activation) {
		errs = append(errs, fmt.Errorf("%w: deactivation is %v, want above 0 and not above activation (%v)", ErrConfig, c.Deactivation, c.Activation))
	}
	if c.MinSpeech < 0 || c.MinSilence < 0 {
		errs = append(errs, fmt.Errorf("%w: minimum speech (%v) and silence (%v) cannot be negative", ErrConfig, c.MinSpeech, c.MinSilence))
	}
	return errors.Join(errs...)
}

// Kind is what a window changed.
type Kind uint8

// The changes that a window can make.
const (
	// Unchanged: speech goes on, or silence does.
	Unchanged Kind = iota
	// SpeechStart: speech began at Status.At.
	SpeechStart
	// SpeechEnd: speech ended at Status.At.
	SpeechEnd
)

// String returns the kind's name in lower case.
func (k Kind) String() string {
	switch k {
	case Unchanged:
		return "unchanged"
	case SpeechStart:
		return "speech start"
	case SpeechEnd:
		return "speech end"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Status is the detector's view after a window. Lengths are in samples.
type Status struct {
	Kind Kind
	// At is where the change really happened: the first sample of speech, or the first of the silence after it.
	// It lies before the window that gave proof of it, and is zero if Kind is Unchanged.
	At int64
	// Forced is set on a SpeechEnd that came from missing audio rather than from silence heard.
	Forced bool

	// Speaking is whether speech has started and not ended.
	Speaking bool
	// Speech is the length of the current run of speech, pauses inside it included and the pause at its end left out. It runs before
	// SpeechStart is reported, too, and on a SpeechEnd it is the length of the speech that has ended.
	Speech int64
	// Silence is the time since the last window that counted as speech, or since the first window if there was none.
	Silence int64

	// Probability is that of the window; 0 after a gap.
	Probability float32
	// Noise is the level of the background in dBFS: see Detector.Noise.
	Noise float64
}

// Detector turns window probabilities into the start and end of speech. It is pure policy: it reads no clock and keeps no audio. It is
// for one goroutine; use NewDetector.
type Detector struct {
	cfg        Config
	minSpeech  int64 // samples
	minSilence int64

	begun    bool  // a window has been seen
	next     int64 // end of the last window
	speaking bool
	start    int64 // first sample of the current run of speech
	stop     int64 // end of the last window that counted as speech, or where listening began
	running  bool  // the last window counted as speech
	noise    noiseFloor
}

// NewDetector returns a detector in silence, or an error wrapping ErrConfig that names every bad setting.
func NewDetector(cfg Config) (*Detector, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	return &Detector{cfg: cfg, minSpeech: samples(cfg.MinSpeech), minSilence: samples(cfg.MinSilence), noise: noiseFloor{noiseUnknown}}, nil
}

// Update takes the next window: its first sample's position, its probability and its level in dBFS (audio.Level). If the position
// leaps ahead of the end of the window before, what is missing counts as silence; if it leaps back, speech under way ends.
//
// A window makes at most one change. Where a leap ends speech and the window itself would start the next, the start comes one window later.
func (d *Detector) Update(at int64, probability float32, level float64) Status {
	status := d.leap(at)
	d.next = at + Window
	switch {
	case probability >= d.threshold():
		d.hearSpeech(at, &status)
	case d.speaking:
		d.hearPause(&status)
	default:
		d.running = false
		d.noise.hear(level)
	}
	return d.describe(status, probability)
}

// leap deals with a window that does not follow the one before, and with the first.
func (d *Detector) leap(at int64) Status {
	var status Status
	if d.begun && at == d.next {
		return status
	}
	back := at < d.next
	d.running = false
	if d.speaking && (back || at-d.stop >= d.minSilence) {
		status = d.finish(back)
	}
	if !d.begun || back {
		d.begun, d.stop = true, at
	}
	return status
}

func (d *Detector) threshold() float32 {
	if d.speaking {
		return d.cfg.Deactivation
	}
	return d.cfg.Activation
}

func (d *Detector) hearSpeech(at int64, status *Status) {
	if !d.running && !d.speaking {
		d.start = at
	}
	d.running, d.stop = true, d.next
	if !d.speaking && d.stop-d.start >= d.minSpeech && status.Kind == Unchanged {
		d.speaking = true
		status.Kind, status.At = SpeechStart, d.start
	}
}

func (d *Detector) hearPause(status *Status) {
	d.running = false
	if d.next-d.stop >= d.minSilence {
		*status = d.finish(false)
	}
}

// finish ends the speech under way where its last window ended.
func (d *Detector) finish(forced bool) Status {
	d.speaking, d.running = false, false
	return Status{Kind: SpeechEnd, At: d.stop, Speech: d.stop - d.start, Forced: forced}
}

// Gap tells the detector that no more audio is coming for now (muted in the middle of a word, track gone, stream reset). Speech under
// way ends, with Forced set; speech not yet long enough to be reported is forgotten. Calling it again changes nothing.
func (d *Detector) Gap() Status {
	var status Status
	if d.speaking {
		status = d.finish(true)
	}
	d.running = false
	return d.describe(status, 0)
}

// Noise returns the level of the background in dBFS, as heard between speech: it sinks within some 150 ms and rises by at most 3 dB a
// second, so that speech the model has missed does not lift it. Before any background was heard it is the lowest level, −96.
func (d *Detector) Noise() float64 { return d.noise.level }

func (d *Detector) describe(s Status, probability float32) Status {
	s.Speaking, s.Probability, s.Noise = d.speaking, probability, d.noise.level
	s.Silence = d.next - d.stop
	if s.Kind != SpeechEnd && (d.speaking || d.running) {
		s.Speech = d.stop - d.start
	}
	return s
}

func samples(t time.Duration) int64 { return int64(t) * Rate / int64(time.Second) }

// noiseFloor follows the level of what is not speech.
type noiseFloor struct{ level float64 }

const (
	noiseUnknown = -96.0 // dBFS: below the quietest sound that 16 bits hold
	noiseDigital = -90.0 // dBFS: at or below lies filled-in silence, which says nothing of the room
	noiseSink    = 0.2   // share of the way down per window
	noiseRise    = 0.1   // dB per window of 32 ms
)

func (n *noiseFloor) hear(level float64) {
	switch {
	case !(level > noiseDigital):
	case n.level == noiseUnknown:
		n.level = level
	case level < n.level:
		n.level += noiseSink * (level - n.level)
	default:
		n.level = min(level, n.level+noiseRise)
	}
}
