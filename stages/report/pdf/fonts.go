package pdf

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode"
)

// Fonts are TrueType files.
type Fonts struct {
	Regular []byte // required
	Bold    []byte // required
	Wide    []byte // for Chinese; nil = reports with Chinese in them cannot be written
}

// Where Debian keeps the fonts, below the root of a machine.
const (
	regularFile = "usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
	boldFile    = "usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
	wideFile    = "usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf"
)

// ErrNoFont says that a font is missing, and how to get it.
var ErrNoFont = errors.New("a font is missing")

// Find reads the fonts of a machine whose root is given, as os.DirFS("/"). A missing Wide is no error yet.
func Find(root fs.FS) (Fonts, error) {
	var f Fonts
	var err error
	if f.Regular, err = fs.ReadFile(root, regularFile); err == nil {
		f.Bold, err = fs.ReadFile(root, boldFile)
	}
	if err != nil {
		return Fonts{}, fmt.Errorf("%w for PDF (%w); on Debian: apt-get install fonts-dejavu-core", ErrNoFont, err)
	}
	if f.Wide, err = fs.ReadFile(root, wideFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Fonts{}, fmt.Errorf("read a font for PDF: %w", err)
	}
	return f, nil
}

// wide reports whether a letter needs the Wide font.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

// run is a piece of text in one font.
type run struct {
	text string
	wide bool
}

// runs cuts a text where the font changes. Signs that the library has no glyphs for (beyond U+FFFF) become a mark.
func runs(s string) []run {
	var out []run
	for _, r := range s {
		if r > 0xffff {
			r = '\u25a1'
		}
		w := wide(r)
		if n := len(out); n > 0 && out[n-1].wide == w {
			out[n-1].text += string(r)
			continue
		}
		out = append(out, run{string(r), w})
	}
	return out
}
