package vad

import "time"

// When probabilities become speech; the numbers are those of LiveKit's agents.
const (
	// activation is the probability from which a window counts as speech, deactivation the one above which it still does once speech has
	// started.
	activation   = 0.5
	deactivation = 0.35
	// minSpeech is the run of speech, in samples, that starts it: two windows without a break.
	minSpeech = 2 * Window
	// Evidence sums up what windows have above doubt, and keeps that share of it from window to window: some 0.1 s are seen together, a
	// short dip among them, and of windows that are just likely it takes more than of sure ones.
	doubt        = 0.4
	evidenceKept = 0.7
)

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

// Status is the detector's view after a window. Lengths are in samples.
type Status struct {
	Kind Kind
	// At is where the change really happened: the first sample of speech, or the first of the silence after it.
	// It lies before the window that gave proof of it, and is zero if Kind is Unchanged.
	At int64

	// Speaking is whether speech has started and not ended.
	Speaking bool
	// Speech is the length of the current run of speech, pauses inside it included and the pause at its end left out. It runs before
	// SpeechStart is reported, too, and on a SpeechEnd it is the length of the speech that has ended.
	Speech int64
	// Evidence of speech in the last windows, from 0 to about 2: that of two sure windows is 1.
	Evidence float32
}

// Detector turns window probabilities into the start and end of speech. It is pure policy: it reads no clock and keeps no audio. It is
// for one goroutine; use NewDetector.
type Detector struct {
	minSilence int64 // samples

	begun    bool  // a window has been seen
	next     int64 // end of the last window
	speaking bool
	start    int64 // first sample of the current run of speech
	stop     int64 // end of the last window that counted as speech, or where listening began
	running  bool  // the last window counted as speech
	evidence float32
}

// NewDetector returns a detector in silence. minSilence without a break ends speech: the first window that completes it reports the end.
func NewDetector(minSilence time.Duration) *Detector {
	return &Detector{minSilence: int64(minSilence) * Rate / int64(time.Second)}
}

// Update takes the next window: its first sample's position and its probability. If the position leaps ahead of the end of the window
// before, what is missing counts as silence; if it leaps back, speech under way ends.
//
// A window makes at most one change. Where a leap ends speech and the window itself would start the next, the start comes one window later.
func (d *Detector) Update(at int64, probability float32) Status {
	status := d.leap(at)
	d.next = at + Window
	d.evidence = evidenceKept*d.evidence + max(0, probability-doubt)
	switch {
	case probability >= d.threshold():
		d.hearSpeech(at, &status)
	case d.speaking:
		d.hearPause(&status)
	default:
		d.running = false
	}
	return d.describe(status)
}

// leap deals with a window that does not follow the one before, and with the first.
func (d *Detector) leap(at int64) Status {
	var status Status
	if d.begun && at == d.next {
		return status
	}
	back := at < d.next
	d.running, d.evidence = false, 0
	if d.speaking && (back || at-d.stop >= d.minSilence) {
		status = d.finish()
	}
	if !d.begun || back {
		d.begun, d.stop = true, at
	}
	return status
}

func (d *Detector) threshold() float32 {
	if d.speaking {
		return deactivation
	}
	return activation
}

func (d *Detector) hearSpeech(at int64, status *Status) {
	if !d.running && !d.speaking {
		d.start = at
	}
	d.running, d.stop = true, d.next
	if !d.speaking && d.stop-d.start >= minSpeech && status.Kind == Unchanged {
		d.speaking = true
		status.Kind, status.At = SpeechStart, d.start
	}
}

func (d *Detector) hearPause(status *Status) {
	d.running = false
	if d.next-d.stop >= d.minSilence {
		*status = d.finish()
	}
}

// finish ends the speech under way where its last window ended.
func (d *Detector) finish() Status {
	d.speaking, d.running = false, false
	return Status{Kind: SpeechEnd, At: d.stop, Speech: d.stop - d.start}
}

// Gap tells the detector that no more audio is coming for now (muted in the middle of a word, track gone, stream reset). Speech under
// way ends; speech not yet long enough to be reported is forgotten. Calling it again changes nothing.
func (d *Detector) Gap() Status {
	var status Status
	if d.speaking {
		status = d.finish()
	}
	d.running, d.evidence = false, 0
	return d.describe(status)
}

func (d *Detector) describe(s Status) Status {
	s.Speaking, s.Evidence = d.speaking, d.evidence
	if s.Kind != SpeechEnd && (d.speaking || d.running) {
		s.Speech = d.stop - d.start
	}
	return s
}
