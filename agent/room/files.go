package room

import (
	"maps"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
)

// MaxFile bounds a file that is accepted from a participant, in bytes.
const MaxFile = 2 << 20

const (
	maxFiles          = 16      // of one sender, in the life of the room
	maxFilesOpen      = 2       // of one sender at a time
	maxFileBytes      = 4 << 20 // of all files that are coming in
	maxFileAttributes = 8
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

// files puts incoming byte streams together, within limits: what exceeds them is dropped. It is safe for concurrent use and
// calls nobody.
type files struct {
	topics map[string]bool

	mu    sync.Mutex
	open  map[streamKey]*incoming // guarded by mu
	bytes int                     // guarded by mu: of the open ones, as announced
	sent  map[string]int          // guarded by mu: how many a sender began
}

// incoming is a file that is not complete.
type incoming struct {
	File
	size     int // as announced
	next     uint64
	lastSeen time.Time
}

func newFiles(topics ...string) *files {
	f := &files{topics: map[string]bool{}, open: map[streamKey]*incoming{}, sent: map[string]int{}}
	for _, t := range topics {
		f.topics[t] = true
	}
	return f
}

// header opens a file. The event is of one whose header carried all of it; it reports whether the stream is a file at all.
func (f *files) header(sender, author string, h *livekit.DataStream_Header, now time.Time) (ev Event, is bool) {
	if h.GetByteHeader() == nil {
		return nil, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := streamKey{sender, h.GetStreamId()}
	if !f.topics[h.GetTopic()] || h.GetCompression() != livekit.DataStream_NONE || !f.admitLocked(key, h, now) {
		return nil, true
	}
	size := int(h.GetTotalLength())
	f.sent[sender]++
	f.bytes += size
	f.open[key] = &incoming{size: size, lastSeen: now, File: File{
		ID: key.stream, Topic: h.GetTopic(), From: author, Name: bounded(h.GetByteHeader().GetName()), Attributes: described(h.GetAttributes()),
		Data: make([]byte, 0, size),
	}}
	if h.InlineContent == nil {
		return nil, true
	}
	whole := f.open[key].File
	f.dropLocked(key)
	if whole.Data = h.GetInlineContent(); len(whole.Data) != size {
		return nil, true
	}
	return whole, true
}

// admitLocked reports whether there is room for the file. It must say how long it is.
func (f *files) admitLocked(key streamKey, h *livekit.DataStream_Header, now time.Time) bool {
	if key.stream == "" || len(key.stream) > maxIDBytes || f.open[key] != nil || h.TotalLength == nil || h.GetTotalLength() > MaxFile {
		return false
	}
	mine := 0
	for k, in := range f.open {
		switch {
		case now.Sub(in.lastSeen) > maxStreamIdle:
			f.dropLocked(k)
		case k.sender == key.sender:
			mine++
		}
	}
	total := f.bytes + int(h.GetTotalLength())
	return mine < maxFilesOpen && f.sent[key.sender] < maxFiles && total <= maxFileBytes
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

// chunk adds to a file; the channel keeps the order. It reports whether the stream is one.
func (f *files) chunk(sender string, c *livekit.DataStream_Chunk, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := streamKey{sender, c.GetStreamId()}
	in := f.open[key]
	if in == nil {
		return false
	}
	if c.GetChunkIndex() != in.next || len(in.Data)+len(c.GetContent()) > in.size {
		f.dropLocked(key)
		return true
	}
	in.Data, in.lastSeen = append(in.Data, c.GetContent()...), now
	in.next++
	return true
}

// trailer completes a file. The event is nil for one that came incomplete or was given up; it reports whether the stream is
// one.
func (f *files) trailer(sender string, t *livekit.DataStream_Trailer) (ev Event, is bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := streamKey{sender, t.GetStreamId()}
	in := f.open[key]
	if in == nil {
		return nil, false
	}
	f.dropLocked(key)
	if t.GetReason() != "" || len(in.Data) != in.size {
		return nil, true
	}
	return in.File, true
}

func (f *files) dropLocked(key streamKey) {
	f.bytes -= f.open[key].size
	delete(f.open, key)
}
