package report

import (
	"bytes"
	_ "embed" // the form of the document
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// In markdownText every line begins with its line break, so that what is left out leaves no empty line.
//
//go:embed report.gomd
var markdownText string

// Markdown writes the report as CommonMark with tables. Signs that mean something in Markdown or HTML are escaped in
// everything that people or models said.
func Markdown(r *Report) ([]byte, error) {
	v := &view{Report: r, W: Speak(r.Locale)}
	t := template.Must(template.New("report").Funcs(v.functions()).Funcs(template.FuncMap{
		"esc": plainMark, "join": strings.Join, "lines": lines, "rate": rate, "known": known,
		"place": func(i int) int { return i + 1 },
		"say":   func(key string, pairs ...string) string { return plainMark(v.W.Say(key, pairs...)) }, // a key of which nothing is known is said as it is
	}).Parse(markdownText))
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return nil, fmt.Errorf("write the report as Markdown: %w", err)
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n'), nil
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ", "\n", " ",
)

// begins is what makes a list, a rule or a title of a line that begins with it.
var begins = regexp.MustCompile(`^(\d*)([-+=.)])([-=\s]|$)`)

func plainMark(s string) string {
	return begins.ReplaceAllString(strings.TrimSpace(markdownEscapes.Replace(s)), `$1\$2$3`)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func lines(code string) []string { return strings.Split(lineEnds.Replace(code), "\n") }
