package twostage

import "strings"

// Construction is the judgement of the first stage.
type Construction struct {
	Score      float64 // share of the sections that are present, 0 to 1
	Feedback   string
	GoodEnough bool // the score reaches the rubric's mark (R004-19)
	// Found counts the items of each section; a section with none is missing.
	Found   map[string]int
	Missing []string // sections, in the fixed order
	// Read is how it was read: xml, lenient, spoken or none.
	Read string
	// Confidence, 0 to 1, is how sure the reading is. It changes no score (R004-62).
	Confidence float64

	problem string // why it could not be read
}

// Confidence in what was read, by how it was read.
var readConfidence = map[string]float64{readXML: 0.9, readLenient: 0.6, readSpoken: 0.4, readNone: 0.9}

// EvaluateConstruction judges a construction written as XML. It never fails: what is not well-formed is read leniently,
// and what cannot be read at all, or goes beyond the limits, scores 0 (R004-18, R004-21).
func (e *Evaluator) EvaluateConstruction(text string) Construction {
	if blank(text) {
		return e.construction(map[string]int{}, readNone, "")
	}
	root, how, err := readTree(text, shipped().sections)
	if err != nil {
		return e.construction(map[string]int{}, readNone, err.Error())
	}
	found := make(map[string]int)
	count(root, found)
	return e.construction(found, how, "")
}

// count counts the items of the sections below an element. What stands within a section belongs to it, whatever it is called.
func count(n *node, found map[string]int) {
	for _, c := range n.children {
		if id := shipped().sections[c.name]; id != "" {
			found[id] += items(c)
		} else {
			count(c, found)
		}
	}
}

// items counts what a section holds: its elements that say something, or else the pieces of its text.
func items(section *node) int {
	n := 0
	for _, c := range section.children {
		if c.says() {
			n++
		}
	}
	if n > 0 {
		return n
	}
	separator := ","
	text := section.text.String()
	if strings.ContainsAny(strings.TrimSpace(text), "\n;；") {
		separator = "\n;；"
	}
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separator, r) }) {
		if holds(piece) {
			n++
		}
	}
	if n == 0 && section.says() {
		n = 1
	}
	return n
}

// construction scores the sections that were found.
func (e *Evaluator) construction(found map[string]int, how, problem string) Construction {
	c := Construction{Found: found, Read: how, Confidence: readConfidence[how], problem: problem}
	for _, id := range e.rubric.Sections {
		if found[id] == 0 {
			c.Missing = append(c.Missing, id)
		}
	}
	n := len(e.rubric.Sections)
	c.Score = float64(n-len(c.Missing)) / float64(n)
	c.GoodEnough = c.Score >= *e.rubric.GoodEnough-1e-9
	missing := e.words.names(c.Missing)
	switch {
	case problem != "":
		c.Feedback = e.words.say("unreadable", "why", problem, "missing", missing)
	case how == readNone:
		c.Feedback = e.words.say("absent", "missing", missing)
	case len(c.Missing) > 0:
		c.Feedback = e.words.say("incomplete", "missing", missing)
	default:
		c.Feedback = e.words.say("complete")
	}
	return c
}
