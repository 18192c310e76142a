package main

import (
	"bufio"
	"io"
	"strings"
	"time"
)

// A text that is pasted is one turn, and its line breaks do not cut it (RM-5). A terminal that can puts marks around what is pasted, once
// it is told to; without them lines that arrive together were pasted, as nobody types so fast. Input that is no terminal, such as a file,
// has a turn on each line.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
	marksOn     = "\x1b[?2004h"
	marksOff    = "\x1b[?2004l"
	// together is how long after a line the next one of a pasted text comes at most: terminals hand them over at once.
	together = 40 * time.Millisecond
)

// typing reads input into turns. Its goroutine ends with the input, or once nobody takes what it read and stop is closed; a read that
// waits cannot be interrupted.
type typing struct {
	read <-chan line
	err  error         // why the input ended; set before read is closed
	wait time.Duration // how long a turn waits for more lines; 0 = it does not
	next *line         // one that was read too many; nil = none
}

// line is a line and when it came: it may be asked for later.
type line struct {
	text string
	at   time.Time
}

// maxAhead is how many lines are read before they are asked for; then the reading waits.
const maxAhead = 256

func readLines(in io.Reader, wait time.Duration, stop <-chan struct{}) *typing {
	read := make(chan line, maxAhead)
	l := &typing{read: read, wait: wait}
	go func() {
		defer close(read)
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, maxLine)
		for scan.Scan() {
			select {
			case read <- line{scan.Text(), time.Now()}:
			case <-stop:
				return
			}
		}
		l.err = scan.Err()
	}()
	return l
}

// turn returns the next turn, without the blank lines around it; ok is false at the end of the input.
func (l *typing) turn() (text string, ok bool) {
	for {
		first, open := l.line()
		if !open {
			return "", false
		}
		block := []string{first.text}
		if strings.Contains(first.text, pasteBegins) {
			block = l.pasted(block)
		} else if l.wait > 0 {
			block = l.arriving(block, first.at)
		}
		if text := trimmed(block); text != "" {
			return text, true
		}
	}
}

func (l *typing) line() (line, bool) {
	if next := l.next; next != nil {
		l.next = nil
		return *next, true
	}
	next, open := <-l.read
	return next, open
}

// pasted takes lines up to the mark at the end of a paste, and what was typed behind it before the line was sent.
func (l *typing) pasted(block []string) []string {
	for !strings.Contains(block[len(block)-1], pasteEnds) {
		next, open := l.line()
		if !open {
			break
		}
		block = append(block, next.text)
	}
	for i := range block {
		block[i] = strings.NewReplacer(pasteBegins, "", pasteEnds, "").Replace(block[i])
	}
	return block
}

// arriving takes the lines that come together with one. A paste with marks is a turn of its own.
func (l *typing) arriving(block []string, last time.Time) []string {
	for {
		timer := time.NewTimer(l.wait)
		select {
		case next, open := <-l.read:
			timer.Stop()
			if !open {
				return block
			}
			if next.at.Sub(last) > l.wait || strings.Contains(next.text, pasteBegins) {
				l.next = &next
				return block
			}
			block, last = append(block, next.text), next.at
		case <-timer.C:
			return block
		}
	}
}

// trimmed joins lines to a text: without blank lines around it and blanks behind them, with the indentation that code has. A line by itself
// has none.
func trimmed(block []string) string {
	for i := range block {
		block[i] = strings.TrimRight(block[i], " \t\r")
	}
	text := strings.Trim(strings.Join(block, "\n"), "\n")
	if !strings.Contains(text, "\n") {
		return strings.TrimSpace(text)
	}
	return text
}
