package candidate

import (
	"time"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/audio"
)

const (
	rtpFrame = uint32(rtpRate / 50) // RTP clock ticks per 20 ms

	lateFrame   = 5 * time.Millisecond   // a frame sent that much after its time is counted
	maxBacklog  = 200 * time.Millisecond // when the schedule is further behind, frames are left out
	maxFailures = 250                    // writes in a row that may fail: 5 s

	// With discontinuous transmission silence is sent for dtxAfter frames, and then one short packet every dtxEvery frames: 0.2 and
	// 0.4 s, as libopus does.
	dtxAfter = 10
	dtxEvery = 20
)

// sender keeps the schedule of a microphone: one frame every 20 ms, counted from the start, so that a late frame delays no other. It
// belongs to one goroutine.
type sender struct {
	mic     Microphone
	silence []byte
	dtx     bool      // discontinuous transmission: most of the silence is not sent
	due     time.Time // of the next frame

	gap      uint32 // not sent since the latest frame, RTP ticks
	rested   int    // frames of silence since speech
	failures int    // in a row
	stats    SenderStats
}

// SenderStats says how well the test tool itself kept time. With more than a few late frames the measures are those of an overloaded
// tool.
type SenderStats struct {
	Frames  int64 `json:"frames_sent"`
	Late    int64 `json:"frames_late"`    // sent more than 5 ms after their time
	Skipped int64 `json:"frames_skipped"` // left out because the tool was more than 200 ms behind
	Failed  int64 `json:"frames_failed"`  // not taken by the connection
}

// keepTime is called when the frame due is about to be sent: it moves the schedule on, and skips what is too late to catch up with.
func (s *sender) keepTime(now time.Time) {
	behind := now.Sub(s.due)
	if behind > lateFrame {
		s.stats.Late++
	}
	if behind > maxBacklog {
		skip := int64(behind / audio.FrameDuration)
		s.due = s.due.Add(time.Duration(skip) * audio.FrameDuration)
		s.gap += uint32(skip) * rtpFrame
		s.stats.Skipped += skip
	}
	s.due = s.due.Add(audio.FrameDuration)
}

// speak sends a frame of an utterance.
func (s *sender) speak(payload []byte) error {
	marker := s.rested > 0 || s.stats.Frames == 0
	s.rested = 0
	return s.write(payload, marker)
}

// rest sends a frame of silence, unless it need not be.
func (s *sender) rest() error {
	pause := s.rested - dtxAfter
	s.rested++
	switch {
	case !s.dtx || pause < 0:
		return s.write(s.silence, false)
	case pause%dtxEvery == 0:
		return s.write(s.silence[:1], false) // a header without a frame: RFC 6716 §3.1
	}
	s.gap += rtpFrame
	return nil
}

// write sends. It fails only after many failures in a row; single ones are counted.
func (s *sender) write(payload []byte, marker bool) error {
	err := s.mic.WritePacket(payload, room.Packet{Gap: s.gap, Length: rtpFrame, Marker: marker})
	if err != nil {
		s.gap += rtpFrame
		s.stats.Failed++
		if s.failures++; s.failures < maxFailures {
			return nil
		}
		return err
	}
	s.stats.Frames++
	s.gap, s.failures = 0, 0
	return nil
}
