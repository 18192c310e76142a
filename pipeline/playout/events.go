package playout

import (
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

// FrameInfo describes one encoded frame of the outgoing track.
type FrameInfo struct {
	// Generation is the utterance the frame belongs to; 0 for the silence that follows one.
	Generation uint64
	// Index counts the frames of the track from 0.
	Index uint64
	// Samples is the length of the frame at 24 kHz.
	Samples int
	// Gap is the time between the end of the frame before and this one in which nothing was sent, in samples at 24 kHz.
	// The media clock advances by Gap before the frame and by Samples after it.
	Gap int
	// Silence says that the frame holds no speech.
	Silence bool
	// Marker says that the frame begins a talk spurt: the first one, or the first after a gap.
	Marker bool
}

// FrameWriter takes the frames of one track.
type FrameWriter interface {
	// WriteFrame sends one Opus frame. It is called by one goroutine, must not block and must not keep the slice.
	WriteFrame(opus []byte, f FrameInfo) error
}

// Encoder turns one 20 ms frame (480 samples) into Opus.
type Encoder interface {
	// Encode appends the packet to dst and does not keep pcm.
	Encode(dst []byte, pcm []int16) ([]byte, error)
}

var _ Encoder = (*audio.Encoder)(nil)

// Reason says why an utterance ended.
type Reason string

// The reasons of an Ended.
const (
	// ReasonFinished: everything written was handed to the track.
	ReasonFinished Reason = "finished"
	// ReasonCancelled: Cancel named this generation or a later one.
	ReasonCancelled Reason = "cancelled"
	// ReasonSuperseded: a newer generation was opened.
	ReasonSuperseded Reason = "superseded"
	// ReasonClosed: the gate was closed.
	ReasonClosed Reason = "closed"
	// ReasonFailed: the track or the encoder refused every frame for a second.
	ReasonFailed Reason = "failed"
)

// Event is something the gate reports: Started, Ended or Stalled.
type Event interface{ isEvent() }

// Started says that the first frame of an utterance was handed to the track.
type Started struct {
	Generation uint64
	At         time.Time
}

// Ended says that an utterance is over.
type Ended struct {
	Generation uint64
	// Heard is the number of samples at 24 kHz that the track accepted.
	Heard int64
	// Complete says that all of it was heard and nothing was cut.
	Complete bool
	Reason   Reason
	// Err is the last error of the track or the encoder when Reason is ReasonFailed.
	Err error
	// Began is when the first frame was handed to the track; zero if none was.
	Began time.Time
	At    time.Time
}

// Stalled says that an utterance started, is neither paused nor finished, and had no audio to send for Options.Stall. It is
// reported once for each such silence; the utterance stays open.
type Stalled struct {
	Generation uint64
	At         time.Time
}

func (Started) isEvent() {}
func (Ended) isEvent()   {}
func (Stalled) isEvent() {}

// Stats counts what happened on the track since the gate was made.
type Stats struct {
	// Frames and SilenceFrames were handed to the track; SilenceFrames is part of Frames.
	Frames, SilenceFrames uint64
	// Late counts voice frames sent more than 5 ms after their time.
	Late uint64
	// Skipped counts frames of schedule given up because the gate was more than 60 ms late.
	Skipped uint64
	// Underruns counts the times speech ran dry while an utterance was open.
	Underruns uint64
	// Dropped is the number of samples at 24 kHz thrown away by cancelling.
	Dropped uint64
	// Failures counts frames that the encoder or the track refused.
	Failures uint64
}
