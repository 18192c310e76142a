package design

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/vivavoice/viva/stages/evaluate"
)

// check collects the problems of one file.
type check struct {
	file     string
	text     []byte
	tree     *ast.File // nil: not YAML
	problems []error
}

// problem is one thing wrong with a file, and where.
type problem struct {
	file, text   string
	line, column int // from 1; 0 = the file as a whole
}

func (p *problem) Error() string {
	if p.line == 0 {
		return p.file + ": " + p.text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.file, p.line, p.column, p.text)
}

func byText(a, b error) int {
	var x, y *problem
	if !errors.As(a, &x) || !errors.As(b, &y) {
		return cmp.Compare(a.Error(), b.Error())
	}
	return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line), cmp.Compare(x.column, y.column), cmp.Compare(x.text, y.text))
}

func newCheck(file string, text []byte) *check {
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		tree = nil // decode says what is wrong
	}
	return &check{file: file, text: text, tree: tree}
}

// add notes a problem at a path such as $.interviews.system_design, or at its nearest parent that stands in the file.
func (c *check) add(at, format string, args ...any) {
	p := &problem{file: c.file, text: strings.TrimPrefix(at, "$.") + ": " + fmt.Sprintf(format, args...)}
	for ; at != "$" && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] {
		if line, column, ok := c.place(at); ok {
			p.line, p.column = line, column
			break
		}
	}
	c.problems = append(c.problems, p)
}

func (c *check) place(at string) (line, column int, ok bool) {
	path, err := yaml.PathString(at)
	if err != nil || c.tree == nil {
		return 0, 0, false
	}
	node, err := path.FilterFile(c.tree)
	if err != nil || node == nil || node.GetToken() == nil {
		return 0, 0, false
	}
	position := node.GetToken().Position
	return position.Line, position.Column, true
}

func (c *check) bank(b *bank) {
	if b.Bank == "" {
		c.add("$.bank", "the name of the bank is missing")
	}
	c.questions(b.Questions, "$.questions")
}

// questions checks what can be said of questions alone.
func (c *check) questions(list []question, at string) {
	seen := make(map[string]bool)
	for i, q := range list {
		here := fmt.Sprintf("%s[%d]", at, i)
		if q.ID == "" || seen[q.ID] {
			c.add(here+".id", "id %q is missing or there twice", q.ID)
		}
		seen[q.ID] = true
		if strings.TrimSpace(q.Text["en"]) == "" {
			c.add(here+".text", "the question needs a text in English (en)")
		}
		q.Facts.Check(here+".facts", c.add)
	}
}

func (c *check) company(co *company, banks map[string]*bank) {
	if co.Company == "" || co.Company != canonical(co.Company) {
		c.add("$.company", "%q is no name; use small letters, digits and _", co.Company)
	}
	co.Facts.Check("$.facts", c.add)
	if len(co.Interviews) == 0 {
		c.add("$.interviews", "there is no interview; name at least one type, such as system_design")
	}
	for name, i := range co.Interviews {
		at := "$.interviews." + name
		if i == nil {
			c.add(at, "the interview is empty")
			continue
		}
		if i.Bank != "" && banks[i.Bank] == nil {
			c.add(at+".bank", "there is no bank %q", i.Bank)
		}
		c.interview(i, at)
	}
}

func (c *check) interview(i *interview, at string) {
	c.share(i.Pass, at+".pass")
	c.oneOf(i.Words, at+".words", evaluate.WordsCandidate, evaluate.WordsBoth)
	c.oneOf(i.Match, at+".match", evaluate.MatchToken, evaluate.MatchSubstring)
	if len(i.Phases) > maxPhases {
		c.add(at+".phases", "there are %d sub-phases; at most %d can be held", len(i.Phases), maxPhases)
	}
	ids := make(map[string]bool)
	for n := range i.Phases {
		p := &i.Phases[n]
		here := fmt.Sprintf("%s.phases[%d]", at, n)
		if ids[p.ID] {
			c.add(here+".id", "id %q is there twice", p.ID)
		}
		ids[p.ID] = true
		c.phase(p, here)
	}
	c.questions(i.Questions, at+".questions")
	for n, q := range i.Questions {
		for _, id := range q.Irrelevant {
			if !ids[id] {
				c.add(fmt.Sprintf("%s.questions[%d].irrelevant", at, n), "there is no sub-phase %q", id)
			}
		}
	}
	if i.Remote != nil {
		c.remote(i.Remote, at+".remote")
	}
}

// phase checks one sub-phase: id, name, description and keywords are told to the model, so none may be empty (R000-9, R000-29).
func (c *check) phase(p *phase, at string) {
	if !phaseID.MatchString(p.ID) {
		c.add(at+".id", "%q is no id; use letters, digits, _ and -, at most 64", p.ID)
	}
	if strings.TrimSpace(p.Name) == "" {
		c.add(at+".name", "the name is missing")
	}
	if strings.TrimSpace(p.Description) == "" {
		c.add(at+".description", "the description is missing")
	}
	if len(p.Keywords) == 0 {
		c.add(at+".keywords", "there are no keywords")
	}
	for n, k := range p.Keywords {
		if strings.TrimSpace(k.Phrase) == "" || k.Weight < 0 {
			c.add(fmt.Sprintf("%s.keywords[%d]", at, n), "a keyword needs a phrase, and no negative weight")
		}
	}
	c.share(p.Pass, at+".pass")
	if p.Soft < 0 || p.Hard < 0 || p.Hard > 0 && p.Soft > p.Hard {
		c.add(at+".soft", "soft and hard must not be negative, and soft not be later than hard")
	}
}

func (c *check) remote(r *remote, at string) {
	if (r.URL == "") == (r.Card == "") {
		c.add(at, "set url (where the service is) or card (where its agent card is), one of them")
	}
	for key, text := range map[string]string{"url": r.URL, "card": r.Card} {
		if text == "" {
			continue
		}
		if u, err := url.Parse(text); err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
			c.add(at+"."+key, "%q is no http address without user and password", text)
		}
	}
	if r.Wait < 0 {
		c.add(at+".wait", "the wait must not be negative")
	}
}

func (c *check) share(v float64, at string) {
	if !(v >= 0 && v <= 1) {
		c.add(at, "%v is no share; it lies between 0 and 1", v)
	}
}

func (c *check) oneOf(v, at string, known ...string) {
	if v != "" && !slices.Contains(known, v) {
		c.add(at, "%q is not known; use %s", v, strings.Join(known, " or "))
	}
}
