//go:build pdf

package pdftext

import (
	"fmt"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/vivavoice/viva/stages/material"
)

const (
	maxOperators = 2_000_000 // of one page
	maxForms     = 4         // forms within forms
	maxStates    = 256       // saved graphics states
	maxShapes    = 5000      // filled areas that are remembered
	smallest     = 2.0       // points: smaller text cannot be read
	contrast     = 0.1       // of luminance between 0 and 1: text with less is not seen
)

// reader collects what is seen of one page. Coordinates are points, increasing to the right and upwards.
type reader struct {
	src       *source
	left      int // characters that still fit
	out       strings.Builder
	hidden    bool
	operators int
	box       area // of the page

	g     graphics
	saved []graphics
	path  area
	fills []fill // in the order of painting

	fonts map[string]*pdf.Font
	forms int

	begun      bool
	endX, endY float64 // where the last text ended
	lastSize   float64
}

// graphics is the part of the graphics state that tells whether and where text is seen (ISO 32000-1, 8.4 and 9.3).
type graphics struct {
	ctm, text, line                            matrix
	font                                       *pdf.Font
	size, charSpace, wordSpace, scale, leading float64
	rise                                       float64
	mode                                       int64
	shade                                      float64 // luminance of fills, 0 black to 1 white; NaN = a pattern or the like
	alpha                                      float64
}

// matrix maps x, y to a·x + c·y + e, b·x + d·y + f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// then returns the map that does m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) point(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// area is a rectangle; some tells that it is not empty.
type area struct {
	x0, y0, x1, y1 float64
	some           bool
}

func (a *area) add(x, y float64) {
	if !a.some {
		*a = area{x, y, x, y, true}
		return
	}
	a.x0, a.y0, a.x1, a.y1 = math.Min(a.x0, x), math.Min(a.y0, y), math.Max(a.x1, x), math.Max(a.y1, y)
}

func (a area) holds(x, y float64) bool {
	return a.some && x >= a.x0 && x <= a.x1 && y >= a.y0 && y <= a.y1
}

type fill struct {
	area
	shade float64
}

// readPage returns the text that is seen on a page, at most some so many characters, and whether there is some that is not.
func readPage(p pdf.Page, src *source, left int) (text string, hidden bool, err error) {
	r := &reader{src: src, left: left, g: graphics{ctm: identity, text: identity, line: identity, scale: 1, alpha: 1}}
	defer func() {
		broken := recover()
		if text, hidden = r.out.String(), r.hidden; broken != nil && !src.enough {
			err = fmt.Errorf("%w: %v", material.ErrUnread, broken)
		}
	}()
	r.box = pageBox(p)
	r.run(p.V.Key("Contents"), p.Resources())
	return r.out.String(), r.hidden, nil
}

// pageBox is what of the page is shown: its crop box, or else its media box, or else anything.
func pageBox(p pdf.Page) area {
	for _, key := range []string{"CropBox", "MediaBox"} {
		for v, depth := p.V, 0; !v.IsNull() && depth < 16; v, depth = v.Key("Parent"), depth+1 {
			if b := v.Key(key); b.Len() == 4 {
				var a area
				a.add(b.Index(0).Float64(), b.Index(1).Float64())
				a.add(b.Index(2).Float64(), b.Index(3).Float64())
				return a
			}
		}
	}
	return area{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1), true}
}

// run interprets a content stream with its resources.
func (r *reader) run(content, resources pdf.Value) {
	if content.IsNull() {
		return
	}
	fonts := r.fonts
	r.fonts = make(map[string]*pdf.Font)
	pdf.Interpret(content, func(stack *pdf.Stack, op string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		if r.operators++; r.operators > maxOperators || r.left <= 0 {
			r.src.stop()
			return
		}
		r.operate(op, args, resources)
	})
	r.fonts = fonts
}

// operate does one operator; one with too few operands does nothing.
func (r *reader) operate(op string, args []pdf.Value, resources pdf.Value) {
	need, known := operands[op]
	if !known || len(args) < need {
		return
	}
	n := make([]float64, len(args))
	for i, a := range args {
		n[i] = a.Float64()
	}
	if r.draw(op, n) || r.place(op, n) {
		return
	}
	switch op {
	case "Tf":
		r.g.font, r.g.size = r.fontOf(resources, args[0].Name()), n[1]
	case "Tr":
		r.g.mode = args[0].Int64()
	case "gs":
		if a := resources.Key("ExtGState").Key(args[0].Name()).Key("ca"); a.Kind() == pdf.Real || a.Kind() == pdf.Integer {
			r.g.alpha = a.Float64()
		}
	case "Do":
		r.object(resources.Key("XObject").Key(args[0].Name()), resources)
	case "Tj":
		r.show(args[0].RawString())
	case "'":
		r.next(0, -r.g.leading)
		r.show(args[0].RawString())
	case "\"":
		r.g.wordSpace, r.g.charSpace = n[0], n[1]
		r.next(0, -r.g.leading)
		r.show(args[2].RawString())
	case "TJ":
		r.showAll(args[0])
	}
}

// operands are the operators that matter, with how many operands each needs at least.
var operands = map[string]int{
	"q": 0, "Q": 0, "cm": 6, "g": 1, "rg": 3, "k": 4, "cs": 1, "sc": 0, "scn": 0, "gs": 1, "re": 4, "m": 2, "l": 2, "c": 6, "v": 4, "y": 4,
	"f": 0, "F": 0, "f*": 0, "B": 0, "B*": 0, "b": 0, "b*": 0, "n": 0, "S": 0, "s": 0, "Do": 1,
	"BT": 0, "Tf": 2, "Td": 2, "TD": 2, "Tm": 6, "T*": 0, "TL": 1, "Tc": 1, "Tw": 1, "Tz": 1, "Ts": 1, "Tr": 1, "Tj": 1, "'": 1, "\"": 3, "TJ": 1,
}

// draw does what concerns colours and areas.
func (r *reader) draw(op string, n []float64) bool {
	switch op {
	case "q":
		if len(r.saved) < maxStates {
			r.saved = append(r.saved, r.g)
		}
	case "Q":
		if last := len(r.saved) - 1; last >= 0 {
			r.g, r.saved = r.saved[last], r.saved[:last]
		}
	case "cm":
		r.g.ctm = matrix(n[:6]).then(r.g.ctm)
	case "g", "rg", "k", "sc", "scn":
		r.g.shade = luminance(n)
	case "cs":
		r.g.shade = 0
	case "re":
		r.outline(n[0], n[1], n[0]+n[2], n[1]+n[3])
	case "m", "l", "c", "v", "y":
		r.outline(n...)
	case "f", "F", "f*", "B", "B*", "b", "b*":
		if r.path.some && len(r.fills) < maxShapes {
			r.fills = append(r.fills, fill{r.path, r.g.shade})
		}
		r.path = area{}
	case "n", "S", "s":
		r.path = area{}
	default:
		return false
	}
	return true
}

// outline adds points to the path; an area is taken as the rectangle around it.
func (r *reader) outline(n ...float64) {
	for i := 0; i+1 < len(n); i += 2 {
		r.path.add(r.g.ctm.point(n[i], n[i+1]))
	}
}

// luminance is how bright a colour of one, three or four components is (the weights of ITU-R BT.601).
func luminance(n []float64) float64 {
	switch len(n) {
	case 1:
		return n[0]
	case 3:
		return 0.299*n[0] + 0.587*n[1] + 0.114*n[2]
	case 4:
		return (1 - n[3]) * (0.299*(1-n[0]) + 0.587*(1-n[1]) + 0.114*(1-n[2]))
	}
	return math.NaN()
}

// object draws a form, which may hold text, or an image, whose colours are not looked at.
func (r *reader) object(x, resources pdf.Value) {
	switch x.Key("Subtype").Name() {
	case "Image":
		var a area
		for _, corner := range [][2]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}} {
			a.add(r.g.ctm.point(corner[0], corner[1]))
		}
		if len(r.fills) < maxShapes {
			r.fills = append(r.fills, fill{a, math.NaN()})
		}
	case "Form":
		if r.forms >= maxForms {
			return
		}
		before, saved := r.g, len(r.saved)
		if m := x.Key("Matrix"); m.Len() == 6 {
			var to matrix
			for i := range to {
				to[i] = m.Index(i).Float64()
			}
			r.g.ctm = to.then(r.g.ctm)
		}
		if own := x.Key("Resources"); !own.IsNull() {
			resources = own
		}
		r.forms++
		r.run(x, resources)
		r.forms--
		r.g, r.saved = before, r.saved[:min(saved, len(r.saved))]
	}
}
