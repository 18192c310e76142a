package scenario

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/datafile"
)

// Limits of a file.
const (
	maxScenarios = 500
	maxTurns     = 1000
	maxLines     = 1000
	maxSlug      = 60 // characters
)

var (
	kindPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	localePattern = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
)

// Parse reads and checks one file of scenarios; file is its path, which names it in errors and its scenarios in results. The
// error is a *datafile.Error that lists everything that is wrong, each with its line and column.
func Parse(file string, text []byte) ([]*Scenario, error) {
	p := parser{File: datafile.Open(file, text), seen: make(map[string]int)}
	var d document
	if p.Decode(&d) {
		p.check(&d)
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.out, nil
}

// parser makes scenarios of a document and notes what is wrong with them.
type parser struct {
	*datafile.File
	seen map[string]int // by slug: the scenario that has it
	out  []*Scenario
}

func (p *parser) check(d *document) {
	p.kind("interview", d.Interview)
	p.locale("locale", d.Locale)
	switch n := len(d.Scenarios); {
	case n == 0:
		p.Add("scenarios", "list at least one scenario, such as: scenarios: [{label: Says little, instructions: You are Ada.}]")
	case n > maxScenarios:
		p.Add("scenarios", "there are %d scenarios; at most %d are read: make several files of them", n, maxScenarios)
		return
	}
	for i := range d.Scenarios {
		p.out = append(p.out, p.scenario(d, i))
	}
}

func (p *parser) scenario(d *document, i int) *Scenario {
	e, at := &d.Scenarios[i], fmt.Sprintf("scenarios[%d]", i)
	s := &Scenario{
		ID: p.id(e.Label, i, at), Label: e.Label, Instructions: strings.TrimSpace(e.Instructions), Expectations: e.Expectations.each(),
		Tags: e.Tags.all(), Then: Then(e.Then), Turns: DefaultTurns, File: p.Name(),
	}
	s.LineNo, _ = p.Places().Find(at)
	p.kind(at+".interview", e.Interview)
	p.locale(at+".locale", e.Locale)
	s.Metadata = p.metadata(d, e, at)
	if s.Instructions == "" && len(e.Lines) == 0 {
		p.Add(at, "say who the candidate is and what it does: give instructions for a model that plays it, or lines that it says")
	}
	p.lines(e, s, at)
	if e.Turns != nil {
		s.Turns = *e.Turns
		if s.Turns < 1 || s.Turns > maxTurns {
			p.Add(at+".turns", "%d must lie between 1 and %d", s.Turns, maxTurns)
		}
	}
	return s
}

// id names the i-th scenario after the file and its label.
func (p *parser) id(label string, i int, at string) string {
	slug := slug(label)
	switch before, taken := p.seen[slug]; {
	case strings.TrimSpace(label) == "":
		p.Add(at+".label", "give the scenario a label: results and recordings are named after it")
	case slug == "":
		p.Add(at+".label", "%q has no letter or digit: results and recordings are named after it", label)
	case taken:
		p.Add(at+".label", "scenarios[%d] has the same name, %s: results and recordings are named after the label", before, slug)
	default:
		p.seen[slug] = i
	}
	base := filepath.Base(p.Name())
	return strings.TrimSuffix(base, filepath.Ext(base)) + "/" + slug
}

// slug keeps the letters, of whatever script, and the digits of a label, for names of files and addresses.
func slug(label string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range strings.ToLower(label) {
		if !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			gap = true
			continue
		}
		if gap && n > 0 {
			b.WriteByte('-')
			n++
		}
		if n >= maxSlug {
			break
		}
		b.WriteRune(r)
		gap = false
		n++
	}
	return strings.TrimRight(b.String(), "-")
}

func (p *parser) kind(path, kind string) {
	if kind != "" && !kindPattern.MatchString(kind) {
		p.Add(path, "%q is not the kind of an interview, such as two_stage", kind)
	}
}

func (p *parser) locale(path, locale string) {
	if locale != "" && !localePattern.MatchString(locale) {
		p.Add(path, "%q is not a language, such as en or zh-CN", locale)
	}
}
