package speak

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleaner removes what is written but not spoken, rune by rune: Markdown marks, list bullets, fenced code, link targets and
// emoji. Letters and digits pass, except inside fenced code and link targets.
type cleaner struct {
	lineStart bool   // nothing but space since the last line break
	bullet    string // digits at the start of a line that may turn out to number a list
	fences    int    // backquotes in a row
	code      bool   // inside fenced code
	link      linkState
}

type linkState uint8

const (
	noLink linkState = iota
	afterLabel
	inTarget
)

// clean appends the spoken part of r to dst.
func (c *cleaner) clean(dst []byte, r rune) []byte {
	if c.fence(r) || c.code || c.target(r) {
		return dst
	}
	if c.lineStart {
		return c.atLineStart(dst, r)
	}
	if r == '\n' {
		c.lineStart = true
		return append(dst, '\n')
	}
	return appendSpoken(dst, r)
}

// fence swallows backquotes; three in a row begin or end code that is not spoken.
func (c *cleaner) fence(r rune) bool {
	if r != '`' {
		c.fences = 0
		return false
	}
	if c.fences++; c.fences == 3 {
		c.code = !c.code
		c.fences = 0
	}
	return true
}

// target swallows "](address)".
func (c *cleaner) target(r rune) bool {
	switch {
	case c.link == inTarget:
		if r == ')' || r == '\n' || r == ' ' {
			c.link = noLink
		}
		return r != '\n' && r != ' '
	case c.link == afterLabel && r == '(':
		c.link = inTarget
		return true
	case r == ']':
		c.link = afterLabel
		return true
	}
	c.link = noLink
	return false
}

// atLineStart swallows bullets, quote marks, heading marks and list numbers.
func (c *cleaner) atLineStart(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(c.release(dst), '\n')
	case c.bullet != "" && (r == '.' || r == ')'):
		c.bullet += string(r)
		return dst
	case c.bullet != "" && r == ' ' && !unicode.IsDigit(rune(c.bullet[len(c.bullet)-1])):
		c.bullet, c.lineStart = "", false
		return dst
	case unicode.IsDigit(r) && r < utf8.RuneSelf && len(c.bullet) < 3 && strings.Trim(c.bullet, "0123456789") == "":
		c.bullet += string(r)
		return dst
	case c.bullet == "" && (unicode.IsSpace(r) || strings.ContainsRune("-*+•#>–·", r)):
		return dst
	}
	dst = c.release(dst)
	c.lineStart = false
	return appendSpoken(dst, r)
}

// release gives back digits that did not number a list.
func (c *cleaner) release(dst []byte) []byte {
	dst = append(dst, c.bullet...)
	c.bullet = ""
	return dst
}

func appendSpoken(dst []byte, r rune) []byte {
	switch {
	case strings.ContainsRune("*[|~", r), emoji(r):
		return dst
	case r == '_': // emphasis, or part of a name: a pause neither way
		return append(dst, ' ')
	case unicode.IsSpace(r):
		return append(dst, ' ')
	}
	return utf8.AppendRune(dst, r)
}

// emoji covers pictographs, dingbats, flags, and the joiners and selectors that build them.
func emoji(r rune) bool {
	switch {
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF, r >= 0x2B00 && r <= 0x2BFF,
		r >= 0xFE00 && r <= 0xFE0F, r == 0x200D, r == 0x20E3, r >= 0xE0020 && r <= 0xE007F:
		return true
	}
	return false
}
