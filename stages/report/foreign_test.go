package report_test

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/report"
)

// elements are the names of the elements of a page.
var elements = regexp.MustCompile(`<[a-zA-Z!/][a-zA-Z0-9!-]*`)

// FuzzPages: a report that was read from anywhere is written as a page, as Markdown and for its candidate, or refused; its words
// make no element that the page of a plain report has not, and no attribute of an event.
func FuzzPages(f *testing.F) {
	for _, seed := range []string{"<script>alert(1)</script>", `" onload="x`, "</style><img src=x onerror=y>", "\u2028]]>&lt;b&gt;", "javascript:alert(1)", "| a |\n# b\n```", "\x00\xff", "{{.}}"} {
		f.Add(seed, uint8(3))
	}
	whole, err := json.Marshal(build(f, persona(f)))
	if err != nil {
		f.Fatal(err)
	}
	plain := make(map[string]bool)
	for _, e := range elements.FindAllString(page(f, persona(f)), -1) {
		plain[strings.ToLower(e)] = true
	}
	f.Fuzz(func(t *testing.T, words string, every uint8) {
		r := replaced(t, whole, words, int(every)+1)
		if r == nil {
			return
		}
		html, err := report.HTML(r, report.Page{})
		if err != nil {
			return // a locale that is none
		}
		for _, e := range elements.FindAllString(string(html), -1) {
			if !plain[strings.ToLower(e)] {
				t.Errorf("%q makes the element %s", words, e)
			}
		}
		md, err := report.Markdown(r)
		if err != nil {
			t.Error(err)
		}
		if len(html)+len(md) > 1<<20+500*len(words) {
			t.Errorf("%d bytes of words make %d of a page and %d of Markdown", len(words), len(html), len(md))
		}
		report.Own(r)
		if !utf8.ValidString(words) {
			return
		}
		const plainly = " zyxw" // a text that says something, whatever stands before it
		harmless := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return 'x'
		}, words)
		if a, b := replaced(t, whole, words+plainly, int(every)+1), replaced(t, whole, harmless+plainly, int(every)+1); a != nil && b != nil {
			sameShape(t, words, a, b)
		}
	})
}

// start is the start of an element; whatever is in its attributes is escaped, so that it ends where it seems to.
var start = regexp.MustCompile(`<[a-zA-Z][^<>]*>`)

var value = regexp.MustCompile(`"[^"]*"`)

// sameShape holds that words make of a page and of Markdown what other words make of them: the same elements with the same attributes,
// the same lines with the same signs.
func sameShape(t *testing.T, words string, hostile, harmless *report.Report) {
	t.Helper()
	shapes := func(r *report.Report) (elements, lines []string) {
		html, errHTML := report.HTML(r, report.Page{})
		md, errMarkdown := report.Markdown(r)
		if err := errors.Join(errHTML, errMarkdown); err != nil {
			t.Fatal(err)
		}
		for _, e := range start.FindAllString(string(html), -1) {
			elements = append(elements, value.ReplaceAllString(e, ""))
		}
		for _, line := range strings.FieldsFunc(string(md), func(r rune) bool { return r == '\n' || r == '\r' }) {
			lines = append(lines, strings.Join(strings.Fields(strings.Join(signs.FindAllString(escaped.ReplaceAllString(line, ""), -1), "")), " "))
		}
		slices.Sort(elements)
		slices.Sort(lines)
		return elements, lines
	}
	elements, lines := shapes(hostile)
	wantElements, wantLines := shapes(harmless)
	if diff := cmp.Diff(wantElements, elements); diff != "" {
		t.Errorf("%q makes other elements of the page:\n%s", words, diff)
	}
	if diff := cmp.Diff(wantLines, lines); diff != "" {
		t.Errorf("%q makes other lines of Markdown:\n%s", words, diff)
	}
}

var (
	// escaped is what means nothing in Markdown.
	escaped = regexp.MustCompile(`\\[^0-9A-Za-z\s]|&[a-z]+;`)
	// signs are those at the beginning of a line, and those that mean something wherever they stand.
	signs = regexp.MustCompile("^\\s*(?:[-+=>#]|\\d+[.)]| {4})\\s*(?:[-+=>#]|\\d+[.)])?|[*_`\\[\\]#|~<>!&]|\\\\$")
)

// replaced puts words into every so many-th text of a report, wherever they stand.
func replaced(t *testing.T, whole []byte, words string, every int) *report.Report {
	t.Helper()
	var tree any
	if err := json.Unmarshal(whole, &tree); err != nil {
		t.Fatal(err)
	}
	n := 0
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if key != "locale" && key != "version" {
					v[key] = walk(v[key])
				}
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case string:
			if _, err := time.Parse(time.RFC3339, v); err == nil {
				return v
			}
			if n++; n%every == 0 {
				return words
			}
		}
		return v
	}
	raw, err := json.Marshal(walk(tree))
	if err != nil {
		t.Fatal(err)
	}
	var r report.Report
	if json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return &r
}

// FuzzReport: any JSON that reads as a report is written, or refused; nothing of it breaks the writers.
func FuzzReport(f *testing.F) {
	whole, err := json.Marshal(build(f, persona(f)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"locale":"en"}`))
	f.Add([]byte(`{"locale":"en","timeline":{"spans":[{"from":-9223372036854775808,"to":9223372036854775807}]},"duration":-1}`))
	f.Add([]byte(`{"locale":"zh","questions":[null,{}],"turns":[{"at":-5}],"overall":{"score":1e308,"min":1,"max":1}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var r report.Report
		if len(raw) > 64<<10 || json.Unmarshal(raw, &r) != nil {
			return
		}
		html, err := report.HTML(&r, report.Page{})
		if err == nil && len(html) > 200*len(raw)+1<<20 {
			t.Errorf("%d bytes of %d", len(html), len(raw))
		}
		if md, err := report.Markdown(&r); err == nil && len(md) > 200*len(raw)+1<<20 {
			t.Errorf("%d bytes of %d", len(md), len(raw))
		}
		report.Own(&r)
	})
}
