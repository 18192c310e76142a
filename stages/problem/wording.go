package problem

import (
	"strings"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/understand"
)

// How many words that are no filler may stand between two elements of a wording: usually, and where it has "…". A character of a
// script without spaces counts for one.
const (
	gapShort = 4
	gapLong  = 14
)

// wording is something a candidate may say: elements in this order.
type wording []element

// element is one of several expressions, each as the words of it written together.
type element struct {
	any []string
	gap int // words that may stand before it
	// firm says that no denial, condition or hedge may stand before it: "is not linear" does not say that it is.
	firm bool
}

// compileWording reads a wording as it stands in a file: "keep/store … seen".
func compileWording(text string) wording {
	var out wording
	gap := gapShort
	for _, field := range strings.Fields(strings.ReplaceAll(text, "…", " … ")) {
		if field == "…" {
			gap = gapLong
			continue
		}
		var e element
		for alternative := range strings.SplitSeq(field, "/") {
			if joined := joined(alternative); joined != "" {
				e.any = append(e.any, joined)
			}
		}
		if len(e.any) > 0 {
			e.gap = gap
			out = append(out, e)
		}
		gap = gapShort
	}
	if len(out) > 0 {
		out[0].gap = 0
	}
	return out
}

// compilePhrase reads words that stand together.
func compilePhrase(text string) wording {
	if joined := joined(text); joined != "" {
		return wording{{any: []string{joined}}}
	}
	return nil
}

func joined(text string) string {
	var b strings.Builder
	text, _ = eitherOr(percent.Replace(text))
	for _, w := range understand.Tokens(text) {
		if !fillers[w] {
			b.WriteString(stem(w))
		}
	}
	return b.String()
}

// span is where a wording stands: words from up to but not to, weight of them its own.
type span struct{ from, to, weight int }

// find returns every place where the wording stands.
func (w wording) find(words []word) []span {
	var out []span
	for at := range words {
		if to, weight, ok := w.match(words, at); ok {
			out = append(out, span{at, to, weight})
		}
	}
	return out
}

// match reports whether the wording begins at this word, where it ends, and how many words are its own.
func (w wording) match(words []word, at int) (to, weight int, ok bool) {
	if len(w) == 0 {
		return at, 0, true
	}
	for from := at; from <= at+w[0].gap && from < len(words); from++ {
		for _, expression := range w[0].any {
			n := begins(words[from:], expression)
			if n == 0 {
				continue
			}
			if to, weight, ok := w[1:].match(words, from+n); ok {
				return to, weight + n, true
			}
		}
		if w[0].firm && from < len(words) && beginsAny(words[from:], softens) {
			break
		}
	}
	return 0, 0, false
}

// begins returns how many of the words, written together, are the expression; 0 = they are not.
func begins(words []word, expression string) int {
	for i := range words {
		rest, ok := strings.CutPrefix(expression, words[i].stem)
		if !ok {
			return 0
		}
		if expression = rest; expression == "" {
			return i + 1
		}
	}
	return 0
}

// fillers are words that stand anywhere and change nothing.
var fillers = set("a an the of to it its this that these those my our your just simply really also then i we you one's " +
	"would could can will should d ll ve re m s um uh well so 的 了 就 都 也 吧 呢 啊 我 会 thì là và cứ mà")

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// irregular are forms that no ending gives away.
var irregular = map[string]string{
	"kept": "keep", "held": "hold", "met": "meet", "gone": "go", "went": "go", "goe": "go", "found": "find",
	"took": "take", "taken": "take", "wrote": "write", "written": "write", "put": "put", "came": "come", "began": "begin", "begun": "begin",
	"ran": "run", "gave": "give", "given": "give", "got": "get", "lies": "lie", "was": "is", "were": "is", "are": "is",
}

// stem takes the usual endings off an English word, so that "trying" and "tries" are one.
func stem(w string) string {
	if base, ok := irregular[w]; ok {
		w = base
	}
	if strings.HasPrefix(w, "note") || w == "noting" {
		return "note" // and not "not"
	}
	if len(w) < 4 || utf8.RuneCountInString(w) != len(w) {
		return w
	}
	cut := func(ending, instead string) bool {
		base, ok := strings.CutSuffix(w, ending)
		if ok = ok && len(base) >= 3; ok {
			w = base + instead
		}
		return ok
	}
	_ = cut("ies", "y") || cut("ied", "y") || cut("ie", "y") || cut("ing", "") || cut("ed", "") || cut("es", "") || cut("s", "")
	w = strings.TrimSuffix(w, "e")
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}
