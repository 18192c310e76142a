package listen

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/pipeline/turn"
)

// boundary is how close to the end of an utterance words still count as an answer to it: 1 s.
const boundary = turn.Rate

// segment is one run of speech and what was understood of it.
type segment struct {
	id         uint64
	start, end int64
	open       bool // speech goes on
	final      bool // the recogniser has given its last word
	failed     bool
	judged     bool // it did not interrupt the agent
	text       string
	confidence float64
}

// assembly puts a turn together from its segments, in order of speech.
type assembly struct {
	segments []segment
	text     string // all segments joined; rebuilt on change
}

func (a *assembly) add(s segment) {
	at, _ := slices.BinarySearchFunc(a.segments, s.id, func(t segment, id uint64) int { return cmp.Compare(t.id, id) })
	a.segments = slices.Insert(a.segments, at, s)
	a.join()
}

// find returns the segment, or nil when it does not belong to the turn.
func (a *assembly) find(id uint64) *segment {
	for i := range a.segments {
		if a.segments[i].id == id {
			return &a.segments[i]
		}
	}
	return nil
}

func (a *assembly) join() {
	texts := make([]string, 0, len(a.segments))
	for _, s := range a.segments {
		if s.text != "" {
			texts = append(texts, s.text)
		}
	}
	a.text = strings.Join(texts, " ")
}

// overlap returns what was said in segments that are not judged yet, and whether a transcript of them is still to come.
func (a *assembly) overlap() (text string, pending bool) {
	for i := range a.segments {
		s := &a.segments[i]
		if s.judged {
			continue
		}
		pending = pending || !s.final
		switch {
		case text == "":
			text = s.text
		case s.text != "":
			text += " " + s.text
		}
	}
	return text, pending
}

// judge marks what has ended as not interrupting.
func (a *assembly) judge() {
	for i := range a.segments {
		a.segments[i].judged = !a.segments[i].open
	}
}

// drop removes segments and returns those whose transcript is still to come.
func (a *assembly) drop(unwanted func(*segment) bool) (pending []segment) {
	kept := a.segments[:0]
	for _, s := range a.segments {
		switch {
		case !unwanted(&s):
			kept = append(kept, s)
		case !s.final:
			pending = append(pending, s)
		}
	}
	a.segments = kept
	a.join()
	return pending
}

// pending counts the segments that have ended without a final transcript.
func (a *assembly) pending() (n int) {
	for _, s := range a.segments {
		if !s.final {
			n++
		}
	}
	return n
}

// current says that the text is not empty and reaches to the last segment.
func (a *assembly) current() bool {
	n := len(a.segments)
	return n > 0 && a.text != "" && (a.segments[n-1].final || a.segments[n-1].text != "")
}

func (a *assembly) failed() bool {
	return slices.ContainsFunc(a.segments, func(s segment) bool { return s.failed })
}

// span returns where the first segment began and the last one ended.
func (a *assembly) span() (start, end int64) {
	if len(a.segments) == 0 {
		return 0, 0
	}
	return a.segments[0].start, a.segments[len(a.segments)-1].end
}

// confidence is the mean over the segments for which it is known.
func (a *assembly) confidence() float64 {
	sum, n := 0.0, 0
	for _, s := range a.segments {
		if s.confidence > 0 {
			sum += s.confidence
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
