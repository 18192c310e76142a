package twostage

import (
	"regexp"
	"strings"
)

var (
	tag       = regexp.MustCompile(`^<(/?)([\p{L}_][\p{L}\p{N}_.:-]*)([^<>]*)>`)
	attribute = regexp.MustCompile(`=\s*["']?[^"'>]*[\p{L}\p{N}]`)
	reference = regexp.MustCompile(`&[^;&<\s]{1,64};`)
	// predefined are the entities that every XML has; all others say nothing.
	predefined = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")
)

// skipped are stretches without content; cdata has some.
var skipped = []struct{ begin, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<!", ">"}}

const (
	cdataBegin = "<![CDATA["
	cdataEnd   = "]]>"
)

// lenient makes elements of whatever looks like tags (R004-18): what is not closed ends with its parent, what was never
// opened is not closed, a section ends where the next one begins, and all else is text. Nothing is expanded but the five
// predefined entities.
func lenient(text string, sections map[string]string) (*node, error) {
	t := newTree()
	for text != "" {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			i = len(text)
		}
		t.top().text.WriteString(literal(text[:i]))
		text = text[i:]
		n, err := t.lenientTag(text, sections)
		if err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return t.root, nil
}

func literal(text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		if plain := predefined.Replace(ref); plain != ref {
			return plain
		}
		return " "
	})
}

// lenientTag takes what begins with < and returns how many bytes it took.
func (t *tree) lenientTag(text string, sections map[string]string) (int, error) {
	if text == "" {
		return 0, nil
	}
	if rest, found := strings.CutPrefix(text, cdataBegin); found {
		inside, _, _ := strings.Cut(rest, cdataEnd)
		t.top().text.WriteString(inside)
		return min(len(cdataBegin)+len(inside)+len(cdataEnd), len(text)), nil
	}
	for _, s := range skipped {
		if strings.HasPrefix(text, s.begin) {
			if i := strings.Index(text, s.end); i >= 0 {
				return i + len(s.end), nil
			}
			return len(text), nil
		}
	}
	m := tag.FindStringSubmatch(text)
	if m == nil {
		t.top().text.WriteByte('<')
		return 1, nil
	}
	name := m[2]
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if m[1] != "" {
		t.close(tagName(name))
		return len(m[0]), nil
	}
	if sections[tagName(name)] != "" {
		t.closeSection(sections)
	}
	if err := t.start(name, attribute.MatchString(m[3])); err != nil {
		return 0, err
	}
	if strings.HasSuffix(m[3], "/") {
		t.end()
	}
	return len(m[0]), nil
}

// close ends the innermost element of this name, if there is one.
func (t *tree) close(name string) {
	for i := len(t.open) - 1; i > 0; i-- {
		if t.open[i].name == name {
			t.open = t.open[:i]
			return
		}
	}
}

// closeSection ends the section that is open.
func (t *tree) closeSection(sections map[string]string) {
	for i := 1; i < len(t.open); i++ {
		if sections[t.open[i].name] != "" {
			t.open = t.open[:i]
			return
		}
	}
}
