package room

import (
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
)

// MaxText and MaxData bound what is accepted from a participant, in bytes.
const (
	MaxText = 64 << 10 // one text stream
	MaxData = 64 << 10 // one user packet
)

const (
	maxStreamsPerSender = 16
	maxStreams          = 128
	maxStreamBytes      = 1 << 20          // of all open streams together
	maxStreamIdle       = 30 * time.Second // after which a stream makes room for others
	maxIDBytes          = 128
)

// streams puts incoming text streams together, within limits: what exceeds them is dropped, stream by stream, and counted. A
// sender is known by what the server stamped on each packet, so nobody can write into another's stream. It is safe for
// concurrent use and calls nobody.
type streams struct {
	topics map[string]bool // the wanted ones

	mu      sync.Mutex
	open    map[streamKey]*textStream // guarded by mu
	bytes   int                       // guarded by mu; in open streams
	dropped uint64                    // guarded by mu; streams refused or broken off
}

type streamKey struct{ sender, stream string }

type textStream struct {
	topic    string
	author   string // who the stream says it comes from; differs from the sender only for agents
	segment  string
	track    string
	final    bool
	text     []byte
	lastSeen time.Time
}

func newStreams(topics ...string) *streams {
	s := &streams{topics: map[string]bool{}, open: map[streamKey]*textStream{}}
	for _, t := range topics {
		s.topics[t] = true
	}
	return s
}

// header opens a stream. It returns an event if the header carried the whole content.
func (s *streams) header(sender, author string, h *livekit.DataStream_Header, now time.Time) Event {
	if h.GetTextHeader() == nil || !s.topics[h.GetTopic()] || h.GetCompression() != livekit.DataStream_NONE {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := streamKey{sender, h.GetStreamId()}
	if !s.admitLocked(key, h, now) {
		s.dropped++
		return nil
	}
	attrs := h.GetAttributes() // may be nil; only read
	t := &textStream{
		topic: h.GetTopic(), author: author, lastSeen: now,
		segment: bounded(attrs[attributeSegment]), track: bounded(attrs[attributeTrack]),
		final: attrs[attributeFinal] == "true",
	}
	if h.InlineContent == nil {
		s.open[key] = t
		return nil
	}
	t.text = h.GetInlineContent()
	return t.event(key.stream, true)
}

func (s *streams) admitLocked(key streamKey, h *livekit.DataStream_Header, now time.Time) bool {
	if key.stream == "" || len(key.stream) > maxIDBytes || s.open[key] != nil {
		return false
	}
	if h.GetTotalLength() > MaxText || len(h.GetInlineContent()) > MaxText {
		return false
	}
	mine := 0
	for k, t := range s.open {
		switch {
		case now.Sub(t.lastSeen) > maxStreamIdle:
			s.dropLocked(k, t)
		case k.sender == key.sender:
			mine++
		}
	}
	return mine < maxStreamsPerSender && len(s.open) < maxStreams
}

// chunk adds to a stream. Chunks of unknown streams are ignored. Order is that of arrival: the channel is reliable and
// ordered.
func (s *streams) chunk(sender string, c *livekit.DataStream_Chunk, now time.Time) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := streamKey{sender, c.GetStreamId()}
	t := s.open[key]
	if t == nil || len(c.GetContent()) == 0 {
		return nil
	}
	if len(t.text)+len(c.GetContent()) > MaxText || s.bytes+len(c.GetContent()) > maxStreamBytes {
		s.dropLocked(key, t)
		return nil
	}
	t.text = append(t.text, c.GetContent()...)
	t.lastSeen = now
	s.bytes += len(c.GetContent())
	if t.topic == topicTranscription {
		return t.event(key.stream, false)
	}
	return nil
}

// trailer completes a stream.
func (s *streams) trailer(sender string, tr *livekit.DataStream_Trailer) Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := streamKey{sender, tr.GetStreamId()}
	t := s.open[key]
	if t == nil {
		return nil
	}
	delete(s.open, key)
	s.bytes -= len(t.text)
	if tr.GetAttributes()[attributeFinal] == "true" {
		t.final = true
	}
	return t.event(key.stream, true)
}

func (s *streams) dropLocked(key streamKey, t *textStream) {
	delete(s.open, key)
	s.bytes -= len(t.text)
	s.dropped++
}

func (t *textStream) event(stream string, closed bool) Event {
	text := strings.ToValidUTF8(string(t.text), "\uFFFD")
	if t.topic == topicTranscription {
		return TranscriptReceived{
			From: t.author, Segment: t.segment, Track: t.track, Text: text, Final: t.final, Closed: closed,
		}
	}
	return Text{ID: stream, From: t.author, Text: text}
}

// bounded guards against an attribute used to store things.
func bounded(id string) string {
	if len(id) > maxIDBytes {
		return ""
	}
	return id
}
