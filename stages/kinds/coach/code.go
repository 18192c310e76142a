package coach

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
)

// The faults that reading finds (R003-38).
const (
	IssueEmpty  = "empty_input"
	IssueResult = "missing_result"
	IssueNull   = "null_element"
	IssueIndex  = "index_range"
)

// Reading is what reading pseudo code, without running it, can tell.
type Reading struct {
	Lines     int
	Loops     int
	Depth     int  // of loops inside each other
	Recursion bool // a function that calls itself
	Result    bool // something is given back
	// Cost is what the loops amount to in time; "" when reading cannot tell.
	Cost   string
	Issues []string // what nothing in the code deals with
	// Blind says what reading could not judge.
	Blind []string
}

// Complete reports whether the main logic is there: something repeats, or a few steps do, and there is a result.
func (r Reading) Complete() bool { return r.Result && (r.Loops > 0 || r.Recursion || r.Lines > 2) }

// codeMarks are the kinds of marks of code.
var codeMarks = []string{"loop", "result", "branch", "set"}

// toldMarks is how many kinds of marks make pseudo code of what was said where none was asked for.
const toldMarks = 3

// dictatedMarks is how many marks of code make a spoken turn pseudo code.
const dictatedMarks = 2

// looksLikeCode reports whether a turn dictates code.
func (k *kit) looksLikeCode(text string) bool {
	n := 0
	for _, mark := range codeMarks {
		n += len(k.code[mark].FindAllStringIndex(text, dictatedMarks))
	}
	return n >= dictatedMarks
}

// dictatedBefore is the code that was told before there was a part for it, "" for none. Who says what the task gives and wants back names a
// loop and a result as well: code has more.
func (k *kit) dictatedBefore(b *expert.Board) string {
	var out []string
	for _, text := range said(b) {
		if code := k.codeOf(text); k.kinds(code) >= toldMarks && k.read(code).Complete() && !slices.Contains(out, code) { // the input may be in the history
			out = append(out, code)
		}
	}
	return strings.Join(out, "\n")
}

// kinds is how many kinds of marks of code a text has.
func (k *kit) kinds(text string) int {
	n := 0
	for _, mark := range codeMarks {
		if k.code[mark].MatchString(text) {
			n++
		}
	}
	return n
}

// codeOf is what of a spoken turn is code: its sentences with marks of more than one kind, or all of it where it has none.
func (k *kit) codeOf(text string) string {
	if strings.Contains(text, "\n") {
		return strings.TrimSpace(text)
	}
	var out []string
	for _, s := range evaluate.Sentences(text) {
		if k.kinds(s) > 1 {
			out = append(out, strings.TrimSpace(s))
		}
	}
	if len(out) == 0 {
		return strings.TrimSpace(text)
	}
	return strings.Join(out, "\n")
}

// dictates reports whether a turn adds to the code that is there. To code that was typed only what is code from its first word is
// added: a remark about it, which names loops and results too, is none.
func (k *kit) dictates(b *expert.Board, code string) bool {
	switch {
	case !k.looksLikeCode(b.Input):
		return false
	case code == "" || spoke(b, code):
		return true
	}
	return k.code["begins"].MatchString(b.Input) && !k.code["remark"].MatchString(b.Input) && !Asks(b.Input)
}

// spoke reports whether the code is the candidate's spoken words and nothing else.
func spoke(b *expert.Board, code string) bool {
	said := strings.Join(strings.Fields(strings.Join(said(b), " ")), " ")
	for line := range strings.Lines(code) {
		if !strings.Contains(said, strings.Join(strings.Fields(line), " ")) {
			return false
		}
	}
	return true
}

// read reads pseudo code.
func (k *kit) read(code string) Reading {
	code = strings.ReplaceAll(code, "\t", "    ")
	var lines []string
	for line := range strings.SplitSeq(code, "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	r := Reading{Lines: len(lines), Result: k.code["result"].MatchString(code), Recursion: recursive(lines)}
	k.loops(&r, lines)
	k.costOf(&r, code)
	for _, issue := range []struct {
		id    string
		there bool
	}{
		{IssueEmpty, !k.any("guard", lines)},
		{IssueResult, !r.Result},
		{IssueIndex, k.any("index", lines) && !k.any("bounds", lines)},
		{IssueNull, !k.any("kind", lines)},
	} {
		if issue.there {
			r.Issues = append(r.Issues, issue.id)
		}
	}
	return r
}

func (k *kit) any(mark string, lines []string) bool {
	for _, line := range lines {
		if k.code[mark].MatchString(line) {
			return true
		}
	}
	return false
}

// loops counts loops and how deep they lie in each other: by indentation, by braces where nothing is indented, and by
// words such as "inside" where code was dictated in one line.
func (k *kit) loops(r *Reading, lines []string) {
	indented := false
	for _, line := range lines {
		indented = indented || strings.HasPrefix(line, " ")
	}
	var open []int // where the loops around the current line begin
	braces := 0
	for _, line := range lines {
		at := len(line) - len(strings.TrimLeft(line, " "))
		if !indented {
			at = braces - strings.Count(leading(line), "}")
		}
		for len(open) > 0 && open[len(open)-1] >= at {
			open = open[:len(open)-1]
		}
		braces += strings.Count(line, "{") - strings.Count(line, "}")
		n := len(k.code["loop"].FindAllStringIndex(k.code["not_loop"].ReplaceAllString(line, " "), -1))
		if n == 0 {
			continue
		}
		if len(open) > 0 && k.code["inner_while"].MatchString(line) {
			r.Blind = append(r.Blind, "inner_while")
		}
		r.Loops++
		open = append(open, at)
		r.Depth = max(r.Depth, len(open))
		if n > 1 {
			k.dictated(r, line, n)
		}
	}
}

// dictated reads several loops in one line.
func (k *kit) dictated(r *Reading, line string, n int) {
	r.Loops += n - 1
	if k.code["inside"].MatchString(line) {
		r.Depth = max(r.Depth, 2)
		return
	}
	r.Blind = append(r.Blind, "nesting")
}

// leading returns the closing braces that a line begins with.
func leading(line string) string {
	line = strings.TrimSpace(line)
	return line[:len(line)-len(strings.TrimLeft(line, "} "))]
}

// costOf tells what the loops amount to, and admits what it cannot tell: an inner loop that only goes on where it left
// off, recursion, and loops dictated in one line.
func (k *kit) costOf(r *Reading, code string) {
	switch {
	case len(r.Blind) > 0:
		return
	case r.Recursion:
		r.Blind = append(r.Blind, "recursion")
		return
	}
	r.Cost = []string{"O(1)", "O(n)", "O(n^2)", "O(n^3)"}[min(r.Depth, 3)]
	switch {
	case r.Depth == 1 && k.code["halve"].MatchString(code):
		r.Cost = "O(log n)"
	case r.Depth <= 1 && k.code["sort"].MatchString(code):
		r.Cost = "O(n log n)"
	}
}

// recursive reports whether a function that the code defines is called again further on.
func recursive(lines []string) bool {
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) < 2 || !slices.Contains([]string{"def", "func", "function", "fn", "procedure"}, strings.ToLower(words[0])) {
			continue
		}
		name, _, _ := strings.Cut(words[1], "(")
		if name = strings.Trim(name, ":"); name != "" && strings.Contains(strings.Join(lines[i+1:], "\n"), name+"(") {
			return true
		}
	}
	return false
}
