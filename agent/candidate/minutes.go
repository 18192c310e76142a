package candidate

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/agent/room"
)

const (
	// voiceBefore is how long before its first words were shown a voice may have begun: words that a busy machine loses on their way
	// are sent again seconds later.
	voiceBefore = 15 * time.Second
	// maxLines bounds what an agent can make a candidate keep.
	maxLines = 5000
)

// minutes are what was said, in the order in which it began, with times since the beginning. They belong to one goroutine.
type minutes struct {
	began time.Time
	lines []talk.Line
	stage string

	open    map[string]int // lines of the interviewer that are not complete, by segment
	closed  map[string]bool
	opened  time.Time // when the interviewer's latest line was first shown
	heeded  int       // lines that a partner was told of or will not be
	mine    int       // index of the candidate's latest line that was spoken; -1: none
	talking bool      // that line is being spoken
}

func newMinutes() minutes {
	return minutes{open: map[string]int{}, closed: map[string]bool{}, mine: -1}
}

func (m *minutes) since(at time.Time) time.Duration { return max(0, at.Sub(m.began)) }

// add appends a line and returns its index.
func (m *minutes) add(l talk.Line) int {
	l.N, l.Stage = len(m.lines)+1, m.stage
	m.lines = append(m.lines, l)
	return len(m.lines) - 1
}

// interviewer takes an update of an agent's segment, with what is known of its voice.
func (m *minutes) interviewer(w room.TranscriptReceived, now time.Time, ear Ear) {
	key := w.From + " " + w.Segment
	if m.closed[key] || len(m.lines) >= maxLines {
		return
	}
	i, known := m.open[key]
	if !known {
		if w.Text == "" {
			return
		}
		at := m.since(now)
		i = m.add(talk.Line{Speaker: talk.Interviewer, At: at, Until: at})
		m.open[key], m.opened = i, now
	}
	if w.Text != "" {
		m.lines[i].Text = w.Text
	}
	if w.Closed || w.Final {
		delete(m.open, key)
		m.closed[key] = true
		m.complete(i, now, ear)
	}
}

// complete sets the times of a line to those of the voice where it fits, and says whether the candidate's words ended it.
func (m *minutes) complete(i int, now time.Time, ear Ear) {
	l := &m.lines[i]
	shown := l.At
	l.Until = m.since(now)
	l.Stage = m.stage // the words of a stage that begins may come before its name
	if ear.Heard {
		onset, last := m.since(now.Add(-ear.Voice)), m.since(now.Add(-ear.Silence))
		if onset >= shown-voiceBefore && onset >= m.endBefore(i) && onset < l.Until {
			l.At = onset
		}
		if last > l.At {
			l.Until = last
		}
	}
	l.Cut = m.talking && !isWhole(l.Text)
}

// endBefore is when the lines before this one had ended.
func (m *minutes) endBefore(i int) time.Duration {
	if i == 0 {
		return 0
	}
	return max(m.lines[i-1].At, m.lines[i-1].Until)
}

// isWhole says whether a text ends like a sentence.
func isWhole(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " \n\"')”’»"))
	return strings.ContainsRune(".!?…。！？", last)
}

// speak begins a line of the candidate.
func (m *minutes) speak(text string, now time.Time) {
	at := m.since(now)
	m.mine, m.talking = m.add(talk.Line{Speaker: talk.Candidate, Text: text, At: at, Until: at}), true
}

// spoken ends it.
func (m *minutes) spoken(now time.Time) {
	m.lines[m.mine].Until, m.talking = m.since(now), false
}

// wordless keeps that the interviewer was heard, but wrote nothing of it.
func (m *minutes) wordless(from, to time.Time) {
	m.add(talk.Line{Speaker: talk.Interviewer, At: m.since(from), Until: m.since(to)})
}

// note keeps something that takes no time.
func (m *minutes) note(who talk.Speaker, text string, now time.Time) {
	m.add(talk.Line{Speaker: who, Text: text, At: m.since(now), Until: m.since(now)})
}

// unheeded says whether the interviewer has begun lines that no partner knows of.
func (m *minutes) unheeded() bool {
	return slices.ContainsFunc(m.lines[m.heeded:], func(l talk.Line) bool { return l.Speaker == talk.Interviewer })
}

// heed returns the interviewer's lines that no partner knows of yet.
func (m *minutes) heed() []talk.Line {
	fresh := slices.Clone(m.lines[m.heeded:])
	m.heeded = len(m.lines)
	return slices.DeleteFunc(fresh, func(l talk.Line) bool { return l.Speaker != talk.Interviewer })
}

// finish ends what goes on, now that nobody hears anything any more.
func (m *minutes) finish(now time.Time, ear Ear) {
	for _, i := range m.open {
		m.complete(i, now, ear)
	}
	clear(m.open)
	if m.talking {
		m.lines[m.mine].Cut = true
		m.spoken(now)
	}
}
