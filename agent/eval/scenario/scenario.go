// Package scenario reads the files that say which talks an eval holds: who the candidate is, what it does, and what is expected
// of the interviewer.
//
// The format is that of LiveKit's scenarios.yaml, which "lk agent simulate" reads, with keys of Viva's own beside theirs:
//
//	name: Two-stage interviews
//	interview: two_stage            # Viva's: the default of all scenarios of the file; so is locale
//	scenarios:
//	  - label: Gives numbers that contradict each other
//	    instructions: You are Ada. You first claim a team of five, later of twelve.
//	    agent_expectations: |
//	      - Takes up the contradiction.
//	      - Stays polite about it.
//	    tags: {topic: honesty}
//	    metadata:                   # Viva's: what dispatch would send; see agent.Metadata for the keys
//	      candidate: {name: Ada}
//	    turns: 30
//	  - label: Says goodbye early
//	    lines:                      # Viva's: a candidate by script
//	      - I am Ada, I write software for trains.
//	      - {when: "team|colleagues", say: We were five., wait: 2s}
//	      - {say: I have to go. Goodbye., leave: true}
//
// A file that uses only LiveKit's keys is read here and there alike. agent_expectations and tags as lists are Viva's too: lk
// wants a text and a map. What userdata holds under the keys of agent.Metadata is taken where metadata says nothing and where
// it fits; all else in it is left alone, since it may be meant for another agent.
//
// A candidate by script says the first line whose pattern (when) the interviewer's last words match, else the next line
// without one. Spans are written as 3s or 1m30s.
//
// A Scenario is not changed after Parse and may be shared; a Script belongs to one goroutine.
package scenario

import (
	"regexp"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent"
)

// Scenario is one talk to hold.
type Scenario struct {
	// ID is the file's base name without its ending, a slash, and the label as a slug; unique in the file.
	ID    string
	Label string
	// Instructions are for the model that plays the candidate. Empty means that only Lines say what it does.
	Instructions string
	// Expectations are what a judge is asked about, one by one; none is possible.
	Expectations []string
	Tags         map[string]string
	// Metadata is what dispatch would send. Its interview may be empty, for the caller's default.
	Metadata agent.Metadata
	Lines    []Line
	Then     Then
	Turns    int // most turns of the candidate
	File     string
	LineNo   int // where the scenario begins in the file
}

// Then is what a candidate by script does when it has nothing more to say.
type Then string

// What a candidate may do then.
const (
	ThenLeave  Then = "leave"
	ThenSilent Then = "silent"
)

// Defaults of what a file leaves out.
const (
	DefaultTurns = 60
	DefaultAfter = 1200 * time.Millisecond
)

// Line is one thing that a candidate by script does. At most one of Say, Typed, Interrupt, Silent and Away is set; Code and
// Leave may stand beside one of them or alone.
type Line struct {
	Say       string         // spoken
	Typed     string         // typed in the chat
	Interrupt string         // spoken over the interviewer's voice
	After     time.Duration  // how long the interviewer has been speaking when Interrupt begins
	Silent    time.Duration  // says nothing for so long
	Away      time.Duration  // the connection is lost for so long
	When      *regexp.Regexp // on the interviewer's last words; nil = when its turn comes
	Wait      time.Duration  // thinking before
	Code      string         // what the editor holds from now on
	Language  string         // of Code; empty = the interview's
	Leave     bool           // leaves for good, after what else the line does
}

// Tagged reports whether the scenario has the tag: a key whose value is neither empty nor "false", or "key=value". All have the empty one.
func (s *Scenario) Tagged(tag string) bool {
	if tag == "" {
		return true
	}
	key, want, exact := strings.Cut(tag, "=")
	value, there := s.Tags[key]
	if exact {
		return there && value == want
	}
	return value != "" && value != "false"
}

// Script plays the lines of one talk, each at most once. It belongs to one goroutine.
type Script struct {
	lines []Line
	used  []bool
}

// Script begins to play the scenario's lines.
func (s *Scenario) Script() *Script {
	return &Script{lines: s.Lines, used: make([]bool, len(s.Lines))}
}

// Next takes the line that fits the interviewer's last words: the first that waits for such words, else the first that waits
// for none. It reports false when there is nothing to say now. A line that waits for other words may still come later, should
// the candidate stay.
func (s *Script) Next(lastWords string) (Line, bool) {
	i := s.find(lastWords)
	if i < 0 {
		return Line{}, false
	}
	s.used[i] = true
	return s.lines[i], true
}

// Peek returns what Next would take, and takes nothing: who means to interrupt must know it while the interviewer speaks.
func (s *Script) Peek(lastWords string) (Line, bool) {
	i := s.find(lastWords)
	if i < 0 {
		return Line{}, false
	}
	return s.lines[i], true
}

func (s *Script) find(lastWords string) int {
	next := -1
	for i, l := range s.lines {
		switch {
		case s.used[i]:
		case l.When == nil:
			if next < 0 {
				next = i
			}
		case l.When.MatchString(lastWords):
			return i
		}
	}
	return next
}
