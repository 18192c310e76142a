//go:build pdf

package pdftext

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// place does what moves text.
func (r *reader) place(op string, n []float64) bool {
	switch op {
	case "BT":
		r.g.text, r.g.line = identity, identity
	case "Td":
		r.next(n[0], n[1])
	case "TD":
		r.g.leading = -n[1]
		r.next(n[0], n[1])
	case "Tm":
		r.g.text, r.g.line = matrix(n[:6]), matrix(n[:6])
	case "T*":
		r.next(0, -r.g.leading)
	case "TL":
		r.g.leading = n[0]
	case "Tc":
		r.g.charSpace = n[0]
	case "Tw":
		r.g.wordSpace = n[0]
	case "Tz":
		r.g.scale = n[0] / 100
	case "Ts":
		r.g.rise = n[0]
	default:
		return false
	}
	return true
}

func (r *reader) next(x, y float64) {
	r.g.line = matrix{1, 0, 0, 1, x, y}.then(r.g.line)
	r.g.text = r.g.line
}

func (r *reader) fontOf(resources pdf.Value, name string) *pdf.Font {
	if f, there := r.fonts[name]; there {
		return f
	}
	f := &pdf.Font{V: resources.Key("Font").Key(name)}
	r.fonts[name] = f
	return f
}

// Thousandths of the size: a gap in a TJ array that is a space, and the width of a glyph that the font does not tell.
const (
	spaceGap    = 180
	unknownWide = 500
)

// showAll shows the strings of a TJ array.
func (r *reader) showAll(list pdf.Value) {
	for i := range list.Len() {
		x := list.Index(i)
		if x.Kind() == pdf.String {
			r.show(x.RawString())
			continue
		}
		r.forward(-x.Float64() / 1000 * r.g.size * r.g.scale)
		if x.Float64() < -spaceGap {
			r.space()
		}
	}
}

func (r *reader) forward(x float64) { r.g.text = matrix{1, 0, 0, 1, x, 0}.then(r.g.text) }

// show writes a string down, if it can be seen.
func (r *reader) show(raw string) {
	if raw == "" || r.g.font == nil {
		return
	}
	text := strings.ToValidUTF8(r.g.font.Encoder().Decode(raw), "")
	at := r.g.text.then(r.g.ctm)
	size := math.Abs(r.g.size) * math.Hypot(at[2], at[3])
	x, y := at.point(0, r.g.rise)
	r.forward(r.width(raw, utf8.RuneCountInString(text)))
	endX, endY := r.g.text.then(r.g.ctm).point(0, r.g.rise)
	if strings.TrimSpace(text) != "" && !r.seen(x, y, endX, endY, size) {
		r.hidden = true
		return
	}
	r.separate(x, y, size)
	r.out.WriteString(text)
	r.left -= utf8.RuneCountInString(text)
	r.begun, r.endX, r.endY, r.lastSize = true, endX, endY, size
}

// width is how far a string moves the pen, in text space.
func (r *reader) width(raw string, runes int) float64 {
	var glyphs float64
	for i := range len(raw) {
		glyphs += r.g.font.Width(int(raw[i]))
	}
	if glyphs == 0 {
		glyphs = unknownWide * float64(runes)
	}
	spaces := float64(strings.Count(raw, " "))
	return (glyphs/1000*r.g.size + r.g.charSpace*float64(runes) + r.g.wordSpace*spaces) * r.g.scale
}

// seen reports whether text from one place to another is seen by somebody who looks at the page.
func (r *reader) seen(x0, y0, x1, y1, size float64) bool {
	const invisible, clips = 3, 7 // rendering modes that draw nothing
	if r.g.mode == invisible || r.g.mode == clips || r.g.alpha < contrast || size < smallest {
		return false
	}
	x, y := (x0+x1)/2, (y0+y1)/2
	if !r.box.holds(x, y) && !r.box.holds(x0, y0) {
		return false
	}
	behind := 1.0 // paper
	for _, f := range r.fills {
		if f.holds(x, y+size/4) {
			behind = f.shade
		}
	}
	return math.IsNaN(behind) || math.IsNaN(r.g.shade) || math.Abs(behind-r.g.shade) >= contrast
}

// separate puts between two strings what stands between them on the page.
func (r *reader) separate(x, y, size float64) {
	if !r.begun {
		return
	}
	height := math.Max(size, r.lastSize)
	switch down := math.Abs(y - r.endY); {
	case down > 1.9*height:
		r.write("\n\n")
	case down > 0.5*height:
		r.write("\n")
	case x-r.endX > 0.15*height || x < r.endX-height:
		r.space()
	}
}

func (r *reader) space() {
	if text := r.out.String(); text != "" && !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\n") {
		r.write(" ")
	}
}

func (r *reader) write(text string) { r.out.WriteString(text) }
