package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const pastedCode = "seen = {}\nfor i, p in enumerate(prices):\n    if card - p in seen:\n        return [seen[card - p], i]\n\n    seen[p] = i"

// turnsOf reads all turns of an input.
func turnsOf(in io.Reader, wait time.Duration) []string {
	l := readLines(in, wait, nil)
	var out []string
	for {
		text, ok := l.turn()
		if !ok {
			return out
		}
		out = append(out, text)
	}
}

// RM-5: what is pasted between the marks of a terminal is one turn, with its line breaks and its indentation, and so is what is typed
// behind it; a file has a turn on each line.
func TestPastedTextIsOneTurn(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		want  []string
	}{
		"a file":                {"Hello.\n\n  I bake bread. \r\nBye.", []string{"Hello.", "I bake bread.", "Bye."}},
		"code":                  {"Here it is.\n" + pasteBegins + pastedCode + pasteEnds + "\nThat is all.\n", []string{"Here it is.", pastedCode, "That is all."}},
		"words around it":       {"So: " + pasteBegins + "a\n  b" + pasteEnds + " is my code\n", []string{"So: a\n  b is my code"}},
		"one line":              {pasteBegins + "  I bake. " + pasteEnds + "\n", []string{"I bake."}},
		"nothing":               {pasteBegins + "\n\n" + pasteEnds + "\nHi.\n", []string{"Hi."}},
		"two, without a break":  {pasteBegins + "a\nb" + pasteEnds + "\n" + pasteBegins + "c\nd" + pasteEnds + "\n", []string{"a\nb", "c\nd"}},
		"the end of it is lost": {pasteBegins + "a\nb\n", []string{"a\nb"}},
	} {
		if got := turnsOf(strings.NewReader(c.input), 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// RM-5: of a terminal without marks, lines that arrive together are one turn; what is typed line by line is a turn each, also when it is
// read later.
func TestLinesThatArriveTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			for _, x := range []struct {
				after time.Duration
				text  string
			}{{0, "I would write:\n"}, {300 * time.Millisecond, pastedCode + "\n"}, {time.Second, "Is that fine?\n"}, {90 * time.Millisecond, "I hope so.\n"}} {
				time.Sleep(x.after)
				_, _ = fmt.Fprint(w, x.text) // the reader takes all
			}
			_ = w.Close()
		}()
		l := readLines(r, together, nil)
		time.Sleep(5 * time.Second) // all came before anybody asked
		for _, want := range []string{"I would write:", pastedCode, "Is that fine?", "I hope so."} {
			if got, ok := l.turn(); !ok || got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		if got, ok := l.turn(); ok {
			t.Errorf("and %q", got)
		}
	})
}

// RM-5: a whole console interview takes a pasted answer as one.
func TestConsoleTakesAPaste(t *testing.T) {
	setting(t)
	pasted := pasteBegins + "Hi, my name is Jordan.\n\nI am a backend engineer.\nI am really good at finding bugs that nobody else can find." + pasteEnds + "\n"
	_, rest, _ := strings.Cut(answers, "It was a project")
	o := viva(t, strings.NewReader(pasted+"It was a project"+rest), "console")
	o.wants(t, 0)
	inOrder(t, o.out, "Hello, I'm Viva", "Past experience (2 of 2)", "Which part of that was your own doing?", "What changed because of it", "the interview is over (done)")
}
