package playout

import (
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

// FrameInfo describes one encoded frame of the outgoing track.
type FrameInfo struct {
	// Generation is the utterance the frame belongs to; 0 for the silence that follows one and for a listening
	// signal.
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
	// Ducked says that the speech is lowered so far that it is not heard.
	Ducked bool
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

// End tells how an utterance ended.
type End struct {
	// Heard is the number of samples at 24 kHz that the track accepted.
	Heard int64
	// Complete says that all of it was heard and nothing was cut.
	Complete bool
	// Err is the last error of the track or the encoder, where they refused every frame for a second.
	Err error
	// Began is when the first frame was handed to the track; zero if none was.
	Began time.Time
}
