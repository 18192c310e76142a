package room

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
)

// MaxText, MaxFile and MaxData bound what is accepted from a participant, in bytes.
const (
	MaxText = 64 << 10 // one text stream
	MaxFile = 2 << 20  // one byte stream
	MaxData = 64 << 10 // one user packet
)

const (
	maxStreamsPerSender = 16 // texts
	maxStreams          = 128
	maxStreamBytes      = 1 << 20 // of all texts together
	maxFilesOpen        = 2       // of one sender
	maxFiles            = 16      // of one sender, in the life of the room
	maxFileBytes        = 4 << 20 // of all files that are coming in
	maxFileAttributes   = 8
	maxStreamIdle       = 30 * time.Second // after which a stream makes room for others
	maxIDBytes          = 128
)

// File is what somebody sent as a byte stream on one of Options.Files, complete.
type File struct {
	ID         string // of the stream
	Topic      string
	From       string // identity
	Name       string // as the sender calls it; at most 128 bytes
	Attributes map[string]string
	Data       []byte // at most MaxFile; belongs to the receiver of the event
}

func (File) event() {}

// bounds are what streams of one kind may take.
type bounds struct {
	each, all int  // bytes: of one, and of all that are under way
	perSender int  // under way
	ever      int  // of one sender, in the life of the room; 0 = any number
	files     bool // byte streams, which say how long they are and come in order; else texts
}

var (
	ofTexts = bounds{each: MaxText, all: maxStreamBytes, perSender: maxStreamsPerSender}
	ofFiles = bounds{each: MaxFile, all: maxFileBytes, perSender: maxFilesOpen, ever: maxFiles, files: true}
)

// streams puts incoming streams of one kind together, within bounds: what exceeds them is dropped, stream by stream. A sender is known
// by what the server stamped on each packet, so nobody can write into another's stream. It is safe for concurrent use and calls nobody.
type streams struct {
	bounds
	topics map[string]bool // the wanted ones

	mu    sync.Mutex
	open  map[streamKey]*stream // guarded by mu
	bytes int                   // guarded by mu: of the open ones, files' as announced
	sent  map[string]int        // guarded by mu: how many a sender began, where that is bounded
}

type streamKey struct{ sender, stream string }

// stream is one that is not complete.
type stream struct {
	File     // of a text all but its name and attributes
	segment  string
	track    string
	final    bool
	again    bool
	size     int // of a file, as announced
	next     uint64
	lastSeen time.Time
}

func newStreams(b bounds, topics ...string) *streams {
	s := &streams{bounds: b, topics: map[string]bool{}, open: map[streamKey]*stream{}, sent: map[string]int{}}
	for _, t := range topics {
		s.topics[t] = true
	}
	return s
}

// header opens a stream. It returns an event if the header carried the whole content; is tells whether the stream is of this kind at
// all. author is who it says it comes from, who differs from the sender only for agents.
func (s *streams) header(sender, author string, h *livekit.DataStream_Header, now time.Time) (ev Event, is bool) {
	if s.files && h.GetByteHeader() == nil || !s.files && h.GetTextHeader() == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := streamKey{sender, h.GetStreamId()}
	if !s.topics[h.GetTopic()] || h.GetCompression() != livekit.DataStream_NONE || !s.admitLocked(key, h, now) {
		return nil, true
	}
	if s.ever > 0 {
		s.sent[sender]++
	}
	attrs := h.GetAttributes() // may be nil; only read
	t := &stream{
		File:    File{ID: key.stream, Topic: h.GetTopic(), From: author, Data: h.GetInlineContent()},
		segment: bounded(attrs[attributeSegment]), track: bounded(attrs[attributeTrack]), final: attrs[attributeFinal] == "true",
		again: attrs[attributeAgain] == "true", lastSeen: now,
	}
	if s.files {
		t.size, t.Name, t.Attributes = int(h.GetTotalLength()), bounded(h.GetByteHeader().GetName()), described(attrs)
	}
	if h.InlineContent != nil {
		return s.event(t, true), true
	}
	s.open[key] = t
	s.bytes += t.size
	return nil, true
}

// admitLocked reports whether there is room for the stream.
func (s *streams) admitLocked(key streamKey, h *livekit.DataStream_Header, now time.Time) bool {
	if key.stream == "" || len(key.stream) > maxIDBytes || s.open[key] != nil {
		return false
	}
	length := h.GetTotalLength()
	if length > uint64(s.each) || len(h.GetInlineContent()) > s.each || s.files && h.TotalLength == nil {
		return false
	}
	mine := 0
	for k, t := range s.open {
		switch {
		case now.Sub(t.lastSeen) > maxStreamIdle:
			s.dropLocked(k)
		case k.sender == key.sender:
			mine++
		}
	}
	if mine >= s.perSender || len(s.open) >= maxStreams || s.ever > 0 && s.sent[key.sender] >= s.ever {
		return false
	}
	return !s.files || s.bytes+int(length) <= s.all
}

// chunk adds to a stream; the channel keeps the order. is tells whether the stream is one of these.
func (s *streams) chunk(sender string, c *livekit.DataStream_Chunk, now time.Time) (ev Event, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := streamKey{sender, c.GetStreamId()}
	t := s.open[key]
	if t == nil {
		return nil, false
	}
	length := len(t.Data) + len(c.GetContent())
	fits := length <= s.each && s.bytes+len(c.GetContent()) <= s.all
	if s.files {
		fits = length <= t.size && c.GetChunkIndex() == t.next
	}
	if !fits {
		s.dropLocked(key)
		return nil, true
	}
	t.Data, t.lastSeen = append(t.Data, c.GetContent()...), now
	t.next++
	if s.files {
		return nil, true
	}
	s.bytes += len(c.GetContent())
	if t.Topic == topicTranscription && len(c.GetContent()) > 0 {
		return s.event(t, false), true
	}
	return nil, true
}

// trailer completes a stream. is tells whether the stream was one of these.
func (s *streams) trailer(sender string, tr *livekit.DataStream_Trailer) (ev Event, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := streamKey{sender, tr.GetStreamId()}
	t := s.open[key]
	if t == nil {
		return nil, false
	}
	s.dropLocked(key)
	if s.files && tr.GetReason() != "" { // it was given up
		return nil, true
	}
	t.final = t.final || tr.GetAttributes()[attributeFinal] == "true"
	return s.event(t, true), true
}

func (s *streams) dropLocked(key streamKey) {
	if t := s.open[key]; s.files {
		s.bytes -= t.size
	} else {
		s.bytes -= len(t.Data)
	}
	delete(s.open, key)
}

// event is what a stream says so far; nil for a file that is not whole.
func (s *streams) event(t *stream, closed bool) Event {
	if s.files {
		if len(t.Data) != t.size {
			return nil
		}
		return t.File
	}
	text := strings.ToValidUTF8(string(t.Data), "\uFFFD")
	if t.Topic == topicTranscription {
		return TranscriptReceived{From: t.From, Segment: t.segment, Track: t.track, Text: text, Final: t.final, Closed: closed}
	}
	return Text{ID: t.ID, From: t.From, Text: text, Again: t.again}
}

// bounded guards against an attribute used to store things.
func bounded(id string) string {
	if len(id) > maxIDBytes {
		return ""
	}
	return id
}

// described keeps a few short attributes.
func described(attrs map[string]string) map[string]string {
	if len(attrs) > maxFileAttributes {
		return nil
	}
	out := maps.Clone(attrs)
	maps.DeleteFunc(out, func(k, v string) bool { return len(k) > maxIDBytes || len(v) > maxIDBytes })
	return out
}
