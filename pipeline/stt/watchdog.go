package stt

import "time"

// watchdog decides when a stream counts as dumb. It is pure: the caller tells it what happened and when, and asks. The zero
// value with its two limits set is ready.
type watchdog struct {
	answer time.Duration // from the end of speech, or the last event, to the outcome
	quiet  time.Duration // speech without an event; 0 means that the engine says nothing while one speaks

	life    time.Time // last event, or replacement
	patient int       // replacements for quiet that changed nothing, since the last partial
}

// maxPatience bounds how often the limit for quiet doubles: noise that is taken for speech must not cost a connection each time.
const maxPatience = 3

// watch is what the watchdog must know of the oldest segment without an outcome that can be told.
type watch struct {
	started time.Time
	ended   time.Time // zero while it is being spoken
	blamed  bool      // the stream was replaced because of it
	failed  bool      // the engine has given it up, in a way that another try may mend
	orphan  bool      // there is no stream
}

// verdict is what to do.
type verdict uint8

const (
	wait verdict = iota
	replace
	giveUp
)

// replaced notes that the stream was replaced, for quiet or for another reason.
func (d *watchdog) replaced(now time.Time, quiet bool) {
	d.life = now
	if quiet {
		d.patient = min(d.patient+1, maxPatience)
	}
}

// heard notes an event.
func (d *watchdog) heard(now time.Time, partial bool) {
	d.life = now
	if partial {
		d.patient = 0
	}
}

// judge says what to do about the oldest segment, and if that is to wait, for how long at most; 0 means until something happens.
func (d *watchdog) judge(w watch, now time.Time) (verdict, time.Duration) {
	if w.failed || w.orphan {
		if w.blamed {
			return giveUp, 0
		}
		return replace, 0
	}
	if !w.ended.IsZero() {
		return d.overdue(w, latest(w.ended, d.life).Add(d.answer).Sub(now))
	}
	if d.quiet == 0 || w.blamed {
		return wait, 0 // its end will tell
	}
	return d.overdue(w, latest(w.started, d.life).Add(d.quiet<<d.patient).Sub(now))
}

func (d *watchdog) overdue(w watch, left time.Duration) (verdict, time.Duration) {
	switch {
	case left > 0:
		return wait, left
	case w.blamed:
		return giveUp, 0
	default:
		return replace, 0
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
