package report_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

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
		if _, err := report.Markdown(r); err != nil {
			t.Error(err)
		}
		report.Own(r)
	})
}

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
			for key, value := range v {
				if key != "locale" && key != "version" {
					v[key] = walk(value)
				}
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case string:
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
