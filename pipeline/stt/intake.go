package stt

import (
	"sync"

	"github.com/vivavoice/viva/pipeline/audio"
)

// blockSamples is the size of one queued piece of audio (100 ms).
const blockSamples = SampleRate / 10

// spareBlocks is how many used blocks a stream keeps for reuse (1.6 s of audio, 51 kB).
const spareBlocks = 16

type itemKind uint8

const (
	itemStart itemKind = iota
	itemAudio
	itemPause
	itemEnd
)

// item is one entry between the writer and the worker of a stream.
type item struct {
	kind    itemKind
	segment uint64
	audio   *block
	overrun bool // with itemEnd: audio of this segment was dropped because the queue was full
}

type block struct {
	pcm [blockSamples]int16
	n   int
}

// intake is the queue between the goroutine that writes audio and the one that recognises it. Outside speech it keeps only
// the last PreRoll samples. Its audio is bounded by limit samples: when full, the newest audio is dropped and the segment is
// marked as overrun. Marks are never dropped: there are two for each segment, and one for each pause in it.
type intake struct {
	ready chan struct{} // capacity 1: something was queued
	limit int           // samples

	mu      sync.Mutex // held for copying only
	items   []item
	head    int
	queued  int // samples in items
	current *block
	spare   []*block
	before  *audio.Tape
	open    bool   // between start and end of segment
	begun   bool   // segment is the number of a real segment
	segment uint64 // the one open, or the last one
	overrun bool
}

func newIntake(limit int) *intake {
	return &intake{
		ready: make(chan struct{}, 1), limit: limit, spare: make([]*block, 0, spareBlocks), before: audio.NewTape(PreRoll),
	}
}

func (q *intake) write(frame []int16) {
	q.mu.Lock()
	q.before.Add(frame)
	full := q.open && q.appendLocked(frame)
	q.mu.Unlock()
	if full {
		signal(q.ready)
	}
}

func (q *intake) start(segment uint64, prefix int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open && q.segment == segment {
		return
	}
	if q.open {
		q.endLocked(q.segment)
	}
	q.open, q.begun, q.segment, q.overrun = true, true, segment, false
	q.push(item{kind: itemStart, segment: segment})
	older, newer := q.before.Last(prefix)
	q.appendLocked(older)
	q.appendLocked(newer)
	signal(q.ready)
}

func (q *intake) pause(segment uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.open || segment != q.segment {
		return
	}
	q.flush()
	q.push(item{kind: itemPause, segment: segment})
	signal(q.ready)
}

func (q *intake) end(segment uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.endLocked(segment)
	signal(q.ready)
}

func (q *intake) endLocked(segment uint64) {
	current := q.open && segment == q.segment
	if !current && q.begun && segment <= q.segment {
		return // answered already
	}
	end := item{kind: itemEnd, segment: segment}
	if current {
		q.flush()
		q.open = false
		end.overrun = q.overrun
	}
	q.push(end)
}

// take gives the oldest item, or false if there is none now.
func (q *intake) take() (item, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == len(q.items) {
		return item{}, false
	}
	it := q.items[q.head]
	q.items[q.head] = item{}
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	if it.audio != nil {
		q.queued -= it.audio.n
	}
	return it, true
}

// release gives a block back for reuse.
func (q *intake) release(b *block) {
	b.n = 0
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.spare) < spareBlocks {
		q.spare = append(q.spare, b)
	}
}

// signal leaves a sign in a channel of capacity 1, unless there is one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// appendLocked copies pcm into blocks and reports whether a full one was queued.
func (q *intake) appendLocked(pcm []int16) (full bool) {
	for len(pcm) > 0 {
		if q.queued >= q.limit {
			q.overrun = true
			return full
		}
		if q.current == nil {
			q.current = q.newBlock()
		}
		n := copy(q.current.pcm[q.current.n:], pcm)
		q.current.n += n
		pcm = pcm[n:]
		if q.current.n == blockSamples {
			q.flush()
			full = true
		}
	}
	return full
}

// flush queues the block being filled.
func (q *intake) flush() {
	if q.current == nil {
		return
	}
	q.queued += q.current.n
	q.push(item{kind: itemAudio, segment: q.segment, audio: q.current})
	q.current = nil
}

func (q *intake) newBlock() *block {
	if n := len(q.spare); n > 0 {
		b := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return b
	}
	return new(block)
}

// push queues it, moving the waiting items to the front when that spares growing.
func (q *intake) push(it item) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, it)
}
