package definition

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Sizes of the drawing, in pixels.
const (
	boxWidth   = 460
	lineHeight = 18
	boxPadding = 12
	boxGap     = 44 // between two boxes: an arrow and its label
	nesting    = 18 // a group's margin around what it holds
	left       = 90 // room for loops and margins
	right      = 300
	letter     = 6.6 // average width of a letter
)

// drawing collects the parts of an SVG from top to bottom.
type drawing struct {
	def         *Definition
	back, front strings.Builder // groups lie behind boxes
	y           int
	top, bottom map[string]int // of each stage
	depth       int
}

// SVG draws what Graph writes, without any tool: the stages from top to bottom, groups around them, ways that leave some out
// on the right.
func SVG(d *Definition) []byte {
	p := &drawing{def: d, y: 60, top: make(map[string]int), bottom: make(map[string]int)}
	for _, s := range d.Tree {
		p.depth = max(p.depth, depth(&s))
	}
	p.tree(d.Tree, 0)
	p.ways()
	width := left + p.depth*nesting*2 + boxWidth + right
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		width, p.y, width, p.y)
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
		`<path d="M0 0L8 4L0 8z" fill="#445"/></marker></defs>` + "\n" + `<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	fmt.Fprintf(&b, `<text x="%d" y="30" font-size="16" font-weight="bold" fill="#223">%s</text>`+"\n", left, escaped(d.headline()))
	b.WriteString(p.back.String())
	b.WriteString(p.front.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func depth(s *Stage) int {
	deepest := 0
	for i := range s.Stages {
		deepest = max(deepest, 1+depth(&s.Stages[i]))
	}
	return deepest
}

func (p *drawing) tree(tree []Stage, level int) {
	for i := range tree {
		if s := &tree[i]; len(s.Stages) > 0 {
			p.group(s, level)
		} else {
			p.box(s)
		}
	}
}

func (p *drawing) group(s *Stage, level int) {
	from := p.y
	p.y += lineHeight + boxPadding
	p.tree(s.Stages, level+1)
	p.y += boxPadding - boxGap
	margin := (p.depth - level) * nesting
	x := left + p.depth*nesting - margin
	fmt.Fprintf(&p.back, `<rect x="%d" y="%d" width="%d" height="%d" rx="10" fill="#f4f6fb" stroke="#9ab"/>`+"\n", x, from, boxWidth+2*margin, p.y-from)
	fmt.Fprintf(&p.back, `<text x="%d" y="%d" fill="#456">%s</text>`+"\n", x+boxPadding, from+lineHeight, escaped(s.groupTitle()))
	p.y += boxGap
}

func (p *drawing) box(s *Stage) {
	lines := p.def.facts(s)
	height := len(lines)*lineHeight + 2*boxPadding
	x := left + p.depth*nesting
	p.top[s.ID], p.bottom[s.ID] = p.y, p.y+height
	round := 6
	if s.Final {
		round = height / 2
	}
	fmt.Fprintf(&p.front, `<rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="#fff" stroke="#345"/>`+"\n", x, p.y, boxWidth, height, round)
	for i, text := range lines {
		weight := "normal"
		if i == 0 {
			weight = "bold"
		}
		fmt.Fprintf(&p.front, `<text x="%d" y="%d" font-weight="%s" fill="#223">%s</text>`+"\n",
			x+boxPadding+4, p.y+boxPadding+13+i*lineHeight, weight, escaped(clipped(text, boxWidth-2*boxPadding)))
	}
	if s.Expand != "" {
		mid := p.y + height/2
		fmt.Fprintf(&p.front, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#445" marker-end="url(#tip)"/>`+"\n",
			x, mid+14, x-60, mid+30, x-60, mid-30, x, mid-14)
	}
	p.y += height + boxGap
}

func (p *drawing) ways() {
	d := p.def
	mid := left + p.depth*nesting + boxWidth/2
	side := left + p.depth*nesting + boxWidth
	jumps := 0
	for i := range d.Stages {
		s := &d.Stages[i]
		for _, to := range d.ways(i) {
			from, at, label := p.bottom[s.ID], p.top[d.Stages[to.stage].ID], s.label(to)
			if to.stage == i+1 && to.when == nil {
				fmt.Fprintf(&p.front, `<path d="M%d %dL%d %d" stroke="#445" marker-end="url(#tip)"/>`+"\n", mid, from, mid, at)
				fmt.Fprintf(&p.front, `<text x="%d" y="%d" fill="#456">%s</text>`+"\n", mid+8, (from+at)/2+4, escaped(clipped(label, boxWidth/2+right-20)))
				continue
			}
			jumps++
			out := side + p.depth*nesting + 20*jumps
			fmt.Fprintf(&p.front, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#445" stroke-dasharray="4 3" marker-end="url(#tip)"/>`+"\n",
				side, from-boxPadding, out+20, from-boxPadding, out+20, at+boxPadding, side, at+boxPadding)
			fmt.Fprintf(&p.front, `<text x="%d" y="%d" fill="#456">%s</text>`+"\n", out+10, (from+at)/2+14*jumps, escaped(clipped(label, right-20*jumps-10)))
		}
	}
}

// clipped cuts a text to about so many pixels.
func clipped(text string, width int) string {
	most := max(8, int(float64(width)/letter))
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}
