package definition

import (
	"fmt"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
)

// Problem is one thing wrong with a definition file.
type Problem = datafile.Finding

// Error is every problem of one file.
type Error struct {
	File     string
	Problems []Problem
}

func (e *Error) Error() string {
	var b strings.Builder
	noun := "problems"
	if len(e.Problems) == 1 {
		noun = "problem"
	}
	fmt.Fprintf(&b, "%s: %d %s", e.File, len(e.Problems), noun)
	for _, p := range e.Problems {
		b.WriteString("\n  ")
		if p.Line > 0 {
			fmt.Fprintf(&b, "%d:%d: ", p.Line, p.Column)
		}
		if p.Path != "" {
			fmt.Fprintf(&b, "%s: ", p.Path)
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// findings collects what is wrong with one file and knows where in it each path stands.
type findings struct{ *datafile.File }

// add notes a problem at path, or at its nearest parent that stands in the file.
func (f *findings) add(path, format string, args ...any) { f.Add(path, format, args...) }

// Problem makes one of something wrong at a path, such as stages[1].gate.by, for checks that look beyond the file.
func (d *Definition) Problem(path, format string, args ...any) Problem {
	p := Problem{Path: path, Text: fmt.Sprintf(format, args...)}
	p.Line, p.Column = d.places.Find(path)
	return p
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Meant suggests the known word that is closest to one that is not known, or nothing when none is close.
func Meant(got string, known []string) string { return datafile.Meant(got, known) }
