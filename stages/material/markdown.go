package material

import (
	"regexp"
	"strings"
)

// The parts of Markdown, and of the HTML that may stand in it, that a reader does not see, and those that only shape it.
var (
	mdComment   = regexp.MustCompile(`(?s)<!--.*?(-->|\z)`)
	mdUnseen    = regexp.MustCompile(`(?is)<[a-z][^>]*(display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0|color\s*:\s*(white|#fff|#ffffff|transparent)\b|\bhidden\b)[^>]*>.*?</[^>]*>`)
	mdCode      = regexp.MustCompile(`(?is)<(script|style|template|title|head)\b.*?(</(script|style|template|title|head)>|\z)`)
	mdReference = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]*\]:[^\n]*$`)
	mdImage     = regexp.MustCompile(`!\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`)
	mdLink      = regexp.MustCompile(`\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`)
	mdTag       = regexp.MustCompile(`(?s)</?[a-zA-Z][^>]*>`)
	mdFront     = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	mdMark      = regexp.MustCompile("(?m)^ {0,3}(#{1,6} +|> ?|```[^\n]*$|~~~[^\n]*$|[-*_]{3,} *$)")
	mdEmphasis  = regexp.MustCompile("(\\*\\*|__|\\*|`+)")
)

// markdown returns the text that a reader of the rendered document sees. hidden reports whether there was some that they
// do not: comments, link definitions, alternative texts, elements that are not shown.
func markdown(text string) (plain string, hidden bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, re := range []*regexp.Regexp{mdFront, mdComment, mdCode, mdUnseen, mdReference} {
		if re.MatchString(text) {
			text, hidden = re.ReplaceAllString(text, ""), hidden || re != mdFront && re != mdCode
		}
	}
	for _, m := range mdImage.FindAllStringSubmatch(text, -1) {
		hidden = hidden || m[1] != ""
	}
	text = mdImage.ReplaceAllString(text, "")
	text = mdLink.ReplaceAllString(text, "$1")
	text = mdTag.ReplaceAllString(text, "")
	text = mdMark.ReplaceAllString(text, "")
	return mdEmphasis.ReplaceAllString(text, ""), hidden
}
