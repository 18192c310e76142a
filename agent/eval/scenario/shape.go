package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/definition"
)

// document is a file as it is written.
type document struct {
	ID        string  `yaml:"id"`
	Name      string  `yaml:"name"`
	Interview string  `yaml:"interview"`
	Locale    string  `yaml:"locale"`
	Scenarios []entry `yaml:"scenarios"`
}

type entry struct {
	ID           string         `yaml:"id"`
	Label        string         `yaml:"label"`
	Instructions string         `yaml:"instructions"`
	Expectations expectations   `yaml:"agent_expectations"`
	Tags         tags           `yaml:"tags"`
	Userdata     map[string]any `yaml:"userdata"`

	Interview string         `yaml:"interview"`
	Locale    string         `yaml:"locale"`
	Metadata  agent.Metadata `yaml:"metadata"`
	Lines     []line         `yaml:"lines"`
	Then      string         `yaml:"then"`
	Turns     *int           `yaml:"turns"`
}

// line is what is said, or a block of keys.
type line struct {
	Say       string `yaml:"say"`
	When      string `yaml:"when"`
	Wait      *span  `yaml:"wait"`
	Silent    *span  `yaml:"silent"`
	Code      string `yaml:"code"`
	Language  string `yaml:"language"`
	Typed     string `yaml:"typed"`
	Interrupt string `yaml:"interrupt"`
	After     *span  `yaml:"after"`
	Away      *span  `yaml:"away"`
	Leave     bool   `yaml:"leave"`
}

type lineBlock line

// maxSpan bounds what a line takes.
const maxSpan = time.Hour

// span is how long something takes.
type span time.Duration

func (s *span) UnmarshalText(text []byte) error {
	var d definition.Duration
	if err := d.UnmarshalText(text); err != nil {
		return err
	}
	if d.Std() <= 0 || d.Std() > maxSpan {
		return fmt.Errorf("%s must be more than 0 and at most %s", d.Std(), maxSpan)
	}
	*s = span(d)
	return nil
}

// std is 0 where nothing was said.
func (s *span) std() time.Duration {
	if s == nil {
		return 0
	}
	return time.Duration(*s)
}

func (l *line) Into(s datafile.Shape) (any, string) {
	switch s {
	case datafile.Scalar:
		return &l.Say, ""
	case datafile.Block:
		return (*lineBlock)(l), ""
	default:
		return nil, `what the candidate says, or a block of keys such as {say: "Five.", wait: 2s},`
	}
}

// expectations are a text or a list of texts.
type expectations struct {
	text string
	list []string
}

func (e *expectations) Into(s datafile.Shape) (any, string) {
	switch s {
	case datafile.Scalar:
		return &e.text, ""
	case datafile.List:
		return &e.list, ""
	default:
		return nil, "a text or a list of texts"
	}
}

// each returns the expectations one by one. A text is one, unless it is written as a list, with "- " before each.
func (e *expectations) each() []string {
	var out []string
	for _, item := range append(split(e.text), e.list...) {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

const bullet = "- "

func split(text string) []string {
	var items []string
	for row := range strings.Lines(text) {
		item, begins := strings.CutPrefix(row, bullet)
		switch {
		case begins:
			items = append(items, item)
		case strings.TrimSpace(row) == "":
		case len(items) > 0 && strings.TrimLeft(row, " \t") != row: // goes on with the item above
			items[len(items)-1] = strings.TrimRight(items[len(items)-1], "\n") + " " + strings.TrimSpace(row)
		default:
			return []string{text}
		}
	}
	return items
}

// tags are a map, or a list of keys that are "true".
type tags struct {
	table map[string]string
	list  []string
}

func (t *tags) Into(s datafile.Shape) (any, string) {
	switch s {
	case datafile.Block:
		return &t.table, ""
	case datafile.List:
		return &t.list, ""
	default:
		return nil, "a block of keys, or a list of them,"
	}
}

func (t *tags) all() map[string]string {
	for _, key := range t.list {
		if t.table == nil {
			t.table = make(map[string]string)
		}
		t.table[key] = "true"
	}
	return t.table
}
