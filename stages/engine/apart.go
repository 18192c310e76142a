package engine

import "strings"

// codeLines is how many lines of code in a row make code of them: one line may be a formula in a sentence.
const codeLines = 2

// codeFence marks code in a text.
const codeFence = "```"

// apart takes the code out of a turn, however it was entered (RM-5): words as "continue", "return" and "end" ask for nothing there. Code is
// what stands between fences, or lines in a row that have marks of code, with what is indented below them.
func apart(text string) (words, code string) {
	if !strings.Contains(text, "\n") {
		return text, ""
	}
	var said, coded []string
	for _, b := range blocks(text) {
		if b.code {
			coded = append(coded, b.lines...)
		} else {
			said = append(said, b.lines...)
		}
	}
	if len(coded) == 0 {
		return text, ""
	}
	return strings.TrimSpace(strings.Join(said, "\n")), strings.Join(coded, "\n")
}

// fenced marks the code in a turn for a model.
func fenced(text string) string {
	if _, code := apart(text); code == "" || strings.Contains(text, codeFence) {
		return text
	}
	var out []string
	for _, b := range blocks(text) {
		if b.code {
			out = append(append(append(out, codeFence), b.lines...), codeFence)
		} else {
			out = append(out, b.lines...)
		}
	}
	return strings.Join(out, "\n")
}

// block is lines in a row that are code, or are not.
type block struct {
	lines []string
	code  bool
}

func blocks(text string) []block {
	lines := strings.Split(text, "\n")
	is := make([]bool, len(lines))
	open := false
	for i, line := range lines {
		mark := strings.HasPrefix(strings.TrimSpace(line), codeFence)
		is[i] = open || mark || codeMarks.MatchString(line) || i > 0 && is[i-1] && goesOnInCode(line)
		if mark {
			open = !open
		}
	}
	var out []block
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && is[i+n] == is[i] {
			n++
		}
		b := block{lines[i : i+n], is[i] && filled(lines[i:i+n]) >= codeLines}
		if last := len(out) - 1; last >= 0 && out[last].code == b.code {
			out[last].lines = append(out[last].lines, b.lines...)
		} else {
			out = append(out, b)
		}
		i += n
	}
	return out
}

// goesOnInCode reports whether a line belongs to the code above it: it is blank, indented, or closes something.
func goesOnInCode(line string) bool {
	rest := strings.TrimSpace(line)
	return rest == "" || line[0] == ' ' || line[0] == '\t' || strings.Trim(rest, "{}()[];") == "" || rest == "else:" || rest == "end" ||
		strings.HasPrefix(rest, "return ")
}

func filled(lines []string) int {
	n := 0
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
