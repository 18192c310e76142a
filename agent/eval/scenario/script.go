package scenario

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
