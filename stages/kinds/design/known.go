package design

import (
	"io/fs"
	"strings"
	"sync"

	"github.com/vivavoice/viva/stages/facts"
)

// Known is what interviewers know of companies and of the tasks in their files. It is read-only and may be shared.
type Known struct {
	*files
	questions map[string]facts.Sheet // by text, in any language
}

var shippedKnown = sync.OnceValues(func() (*Known, error) { return readKnown(shipped) })

// NewKnown reads the company files that come with Viva and those of an operator, which replace them. The error names everything
// that is wrong with them.
func NewKnown(folders ...fs.FS) (*Known, error) {
	if len(folders) == 0 {
		return shippedKnown()
	}
	return readKnown(append([]fs.FS{shipped}, folders...)...)
}

func readKnown(from ...fs.FS) (*Known, error) {
	read, err := load(from...)
	if err != nil {
		return nil, err
	}
	k := &Known{files: read, questions: make(map[string]facts.Sheet)}
	for _, co := range read.companies {
		for _, i := range co.Interviews {
			k.add(i.Questions)
		}
	}
	for _, b := range read.banks {
		k.add(b.Questions)
	}
	return k, nil
}

func (k *Known) add(questions []question) {
	for _, q := range questions {
		for _, text := range q.Text {
			k.questions[strings.TrimSpace(text)] = q.Facts
		}
	}
}

// Sheet returns what is known of a company and of a task, which is found by its text. For a company that nobody knows the default
// one stands in, as everywhere; a task that nobody knows adds nothing.
func (k *Known) Sheet(company, question string) facts.Sheet {
	co := k.find(company)
	if co == nil {
		co = k.companies[Default]
	}
	return facts.Join(co.Facts, k.questions[strings.TrimSpace(question)])
}
