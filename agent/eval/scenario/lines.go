package scenario

import (
	"fmt"
	"regexp"
	"strings"
)

// maxPattern bounds what a line waits for, in bytes.
const maxPattern = 2000

// lines makes the script of a scenario.
func (p *parser) lines(e *entry, s *Scenario, at string) {
	switch s.Then {
	case "":
		s.Then = ThenLeave
	case ThenLeave, ThenSilent:
		if len(e.Lines) == 0 {
			p.Add(at+".then", "it says what a candidate by script does after its last line, and there are no lines")
		}
	default:
		p.Add(at+".then", "%q is neither %s nor %s", s.Then, ThenLeave, ThenSilent)
	}
	if n := len(e.Lines); n > maxLines {
		p.Add(at+".lines", "there are %d lines; at most %d are read", n, maxLines)
		return
	}
	left := false
	for i := range e.Lines {
		path := fmt.Sprintf("%s.lines[%d]", at, i)
		l := p.line(&e.Lines[i], path)
		if left && l.When == nil {
			p.Add(path, "the candidate has left before: nobody says this")
		}
		left = left || l.Leave && l.When == nil
		s.Lines = append(s.Lines, l)
	}
}

func (p *parser) line(w *line, at string) Line {
	l := Line{
		Say: strings.TrimSpace(w.Say), Typed: strings.TrimSpace(w.Typed), Interrupt: strings.TrimSpace(w.Interrupt),
		Code: w.Code, Language: w.Language, Leave: w.Leave,
		Wait: w.Wait.std(), Silent: w.Silent.std(), Away: w.Away.std(), After: w.After.std(),
	}
	l.When = p.pattern(w.When, at+".when")
	p.together(w, &l, at)
	if l.Interrupt != "" && w.After == nil {
		l.After = DefaultAfter
	}
	return l
}

// together checks what the keys of one line make of it.
func (p *parser) together(w *line, l *Line, at string) {
	var does []string
	for _, key := range []struct {
		name  string
		there bool
	}{{"say", l.Say != ""}, {"typed", l.Typed != ""}, {"interrupt", l.Interrupt != ""}, {"silent", w.Silent != nil}, {"away", w.Away != nil}} {
		if key.there {
			does = append(does, key.name)
		}
	}
	switch {
	case len(does) > 1:
		p.Add(at, "a candidate cannot do all of %s at once: make lines of them", strings.Join(does, ", "))
	case len(does) == 0 && l.Code == "" && !l.Leave:
		p.Add(at, "the candidate does nothing here: give one of say, typed, interrupt, silent, away, code or leave")
	}
	if w.After != nil && l.Interrupt == "" {
		p.Add(at+".after", "it says when the candidate interrupts, and nothing is said in interrupt; to think before speaking, use wait")
	}
	if w.Wait != nil && l.Interrupt != "" {
		p.Add(at+".wait", "who interrupts does not wait: use after, which counts from the interviewer's first word")
	}
	if w.Wait != nil && w.Silent != nil {
		p.Add(at+".wait", "it adds to silent: give one of them")
	}
	if l.Language != "" && l.Code == "" {
		p.Add(at+".language", "it names the language of code, and there is none")
	}
	if w.Away != nil && (l.Code != "" || l.Leave) {
		p.Add(at+".away", "who is away neither writes code nor leaves: make lines of them")
	}
}

func (p *parser) pattern(text, at string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	if len(text) > maxPattern {
		p.Add(at, "the pattern has %d bytes; at most %d are read", len(text), maxPattern)
		return nil
	}
	when, err := regexp.Compile("(?i)" + text)
	if err != nil {
		p.Add(at, "%q is not a regular expression (%s); write the words to wait for, such as team|colleagues", text,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	}
	return when
}
