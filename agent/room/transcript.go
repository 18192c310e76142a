package room

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"maps"
	"strconv"

	"github.com/livekit/protocol/livekit"
)

// Topic and attributes of transcripts, as LiveKit's agent frameworks publish and its clients read them.
const (
	topicTranscription = "lk.transcription"

	attributeSegment = "lk.segment_id"
	attributeAgain   = "viva.again"
	attributeFinal   = "lk.transcription_final"
	attributeTrack   = "lk.transcribed_track_id"
)

// NewSegmentID makes an id for a transcript segment: SG_ and 12 hexadecimal digits.
func NewSegmentID() string { return "SG_" + randomHex(6) }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Segment is one utterance of the agent on lk.transcription. It belongs to one goroutine.
//
// It is published twice, as the official frameworks do: as a text stream to which words are appended, and as the older
// Transcription packet with the whole text each time. The stream's header says that it is not final, its trailer that it is.
type Segment struct {
	put     func(...*livekit.DataPacket) error
	speaker string
	track   string
	id      string
	stream  string

	text    string // everything appended
	pending string // the end of text that is not queued yet
	chunks  uint64 // queued so far
	open    bool   // the header is queued
	closed  bool
}

// AgentSegment starts a segment of the agent's speech on the track with that SID, which may be empty. Nothing is sent
// before the first text.
func (r *Room) AgentSegment(trackSID string) *Segment {
	return newSegment(r.outbox.put, r.Identity(), trackSID)
}

func newSegment(put func(...*livekit.DataPacket) error, speaker, track string) *Segment {
	return &Segment{put: put, speaker: speaker, track: track, id: NewSegmentID(), stream: newStreamID()}
}

// ID is the segment's id.
func (s *Segment) ID() string { return s.id }

// Append adds words, as they become heard. It does not wait. After ErrBusy the words are kept and go out with the next
// Append or Close; ErrLeft is for good.
func (s *Segment) Append(text string) error {
	if s.closed || text == "" {
		return nil
	}
	s.text += text
	s.pending += text
	return s.queue(false, nil)
}

// Close ends the segment: what was appended is final. It does not wait; it is idempotent unless it returns ErrBusy, after
// which it may be repeated.
func (s *Segment) Close() error {
	if s.closed || s.text == "" {
		s.closed = true
		return nil
	}
	attrs := map[string]string{attributeFinal: "true"}
	if s.track != "" {
		attrs[attributeTrack] = s.track
	}
	if err := s.queue(true, trailerPacket(s.stream, attrs)); err != nil {
		return err
	}
	s.closed = true
	return nil
}

// queue hands over everything pending in one go, so that a refusal leaves the stream as it was.
func (s *Segment) queue(final bool, trailer *livekit.DataPacket) error {
	var packets []*livekit.DataPacket
	if !s.open {
		packets = append(packets, headerPacket(s.stream, topicTranscription, "", transcriptAttributes(s.id, s.track, false)))
	}
	chunks := chunkPackets(s.stream, s.chunks, s.pending)
	packets = append(packets, chunks...)
	if trailer != nil {
		packets = append(packets, trailer)
	}
	if s.track != "" {
		packets = append(packets, transcriptionPacket(s.speaker, s.track, s.id, s.text, final))
	}
	if err := s.put(packets...); err != nil {
		return err
	}
	s.open, s.pending = true, ""
	s.chunks += uint64(len(chunks))
	return nil
}

// errNoCandidate says that there is nobody whose words they could be.
var errNoCandidate = errors.New("publish user transcript: there is no candidate in the room")

// UserTranscript publishes what the candidate has said so far in a segment: the whole text, replacing what was published
// under the same segment id before. The last update of a segment is final. It appears to come from the candidate, which the
// server allows to agents only. It carries the attributes besides LiveKit's own. It does not wait; ErrBusy and ErrLeft as for SendData.
func (r *Room) UserTranscript(segment, text string, final bool, attributes map[string]string) error {
	c := r.candidate.Load()
	if c == nil {
		return errNoCandidate
	}
	return r.outbox.put(userTranscriptPackets(c.identity, c.microphone, segment, text, final, attributes)...)
}

func userTranscriptPackets(identity, track, segment, text string, final bool, more map[string]string) []*livekit.DataPacket {
	stream := newStreamID()
	attributes := transcriptAttributes(segment, track, final)
	maps.Copy(attributes, more)
	packets := []*livekit.DataPacket{headerPacket(stream, topicTranscription, identity, attributes)}
	packets = append(packets, chunkPackets(stream, 0, text)...)
	packets = append(packets, trailerPacket(stream, nil))
	if track != "" {
		packets = append(packets, transcriptionPacket(identity, track, segment, text, final))
	}
	return packets
}

func transcriptAttributes(segment, track string, final bool) map[string]string {
	attrs := map[string]string{attributeSegment: segment, attributeFinal: strconv.FormatBool(final)}
	if track != "" {
		attrs[attributeTrack] = track
	}
	return attrs
}

// transcriptionPacket is the older form of a transcript; the server forwards it only from agents.
func transcriptionPacket(identity, track, segment, text string, final bool) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_Transcription{Transcription: &livekit.Transcription{
		TranscribedParticipantIdentity: identity,
		TrackId:                        track,
		Segments:                       []*livekit.TranscriptionSegment{{Id: segment, Text: text, Final: final}},
	}}}
}
