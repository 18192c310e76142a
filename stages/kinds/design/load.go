package design

import (
	"embed"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/vivavoice/viva/stages/datafile"
)

//go:embed companies/*.yaml questions/*.yaml
var shipped embed.FS

// files is what folders of companies hold.
type files struct {
	companies map[string]*company
	banks     map[string]*bank
	aliases   map[string]string // names of companies by other names that they have
}

// find returns the company of a name or alias in any spelling; nil = nobody knows it.
func (f *files) find(name string) *company {
	name = datafile.ID(name)
	if co := f.companies[name]; co != nil {
		return co
	}
	return f.companies[f.aliases[name]]
}

// load reads companies/*.yaml and questions/*.yaml of every file system, later ones replacing earlier ones of the same
// name, and checks them. The error joins the *datafile.Error of all files.
func load(from ...fs.FS) (*files, error) {
	f := &files{companies: make(map[string]*company), banks: make(map[string]*bank), aliases: make(map[string]string)}
	wrong := []error{datafile.Each("questions/*.yaml", from, func(name string, text []byte) error {
		c, b := check{datafile.Open(path.Base(name), text)}, new(bank)
		if c.Decode(b) {
			c.bank(b)
		}
		f.banks[b.Bank] = b
		return c.Err()
	})}
	opened := make(map[string]check)
	wrong = append(wrong, datafile.Each("companies/*.yaml", from, func(name string, text []byte) error {
		c, co := check{datafile.Open(path.Base(name), text)}, new(company)
		if !c.Decode(co) {
			return c.Err()
		}
		f.companies[co.Company], opened[co.Company] = co, c
		return nil
	}))
	for _, name := range slices.Sorted(maps.Keys(f.companies)) {
		co, c := f.companies[name], opened[name]
		for _, alias := range co.Aliases {
			f.aliases[datafile.ID(alias)] = name
		}
		f.pool(co)
		c.company(co, f.banks)
		wrong = append(wrong, c.Err())
	}
	return f, errors.Join(wrong...)
}

// pool joins the questions of a company's interviews with those of the banks that they name.
func (f *files) pool(co *company) {
	for _, i := range co.Interviews {
		if i == nil {
			continue
		}
		i.pool = i.Questions
		if b := f.banks[i.Bank]; b != nil {
			i.pool = slices.Concat(i.Questions, b.Questions)
		}
	}
}
