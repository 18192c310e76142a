package design

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
)

//go:embed companies/*.yaml questions/*.yaml
var shipped embed.FS

// maxFile bounds a company file in bytes.
const maxFile = 1 << 18

// files is what folders of companies hold.
type files struct {
	companies map[string]*company
	banks     map[string]*bank
	problems  []error
}

// load reads companies/*.yaml and questions/*.yaml of every file system, later ones replacing earlier ones of the same
// name, and checks them. The error names every problem of every file.
func load(from ...fs.FS) (*files, error) {
	f := &files{companies: make(map[string]*company), banks: make(map[string]*bank)}
	checks := make(map[string]*check)
	for _, fsys := range from {
		f.each(fsys, "questions/*.yaml", func(name string, text []byte) {
			c, b := newCheck(name, text), new(bank)
			c.decode(b)
			c.bank(b)
			f.banks[b.Bank] = b
			f.problems = append(f.problems, c.problems...)
		})
		f.each(fsys, "companies/*.yaml", func(name string, text []byte) {
			c, co := newCheck(name, text), new(company)
			c.decode(co)
			f.companies[co.Company], checks[co.Company] = co, c
		})
	}
	for name, co := range f.companies {
		c := checks[name]
		for _, i := range co.Interviews {
			if i == nil {
				continue
			}
			i.pool = i.Questions
			if b := f.banks[i.Bank]; b != nil {
				i.pool = slices.Concat(i.Questions, b.Questions)
			}
		}
		c.company(co, f.banks)
		f.problems = append(f.problems, c.problems...)
	}
	slices.SortStableFunc(f.problems, byText)
	return f, errors.Join(f.problems...)
}

func (f *files) each(fsys fs.FS, pattern string, do func(name string, text []byte)) {
	names, err := fs.Glob(fsys, pattern)
	if err != nil {
		f.problems = append(f.problems, fmt.Errorf("list %s: %w", pattern, err))
	}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		switch {
		case err != nil:
			f.problems = append(f.problems, fmt.Errorf("read %s: %w", name, err))
		case len(text) > maxFile:
			f.problems = append(f.problems, fmt.Errorf("%s: the file has %d bytes; at most %d are read", path.Base(name), len(text), maxFile))
		default:
			do(path.Base(name), text)
		}
	}
}

// decode reads the file into v and notes every key that v has no place for.
func (c *check) decode(v any) {
	if err := yaml.Unmarshal(c.text, v); err != nil {
		c.problems = append(c.problems, fmt.Errorf("%s: %s", c.file, yaml.FormatError(err, false, false)))
		return
	}
	var raw any
	if err := yaml.Unmarshal(c.text, &raw); err == nil {
		c.unknown(raw, reflect.TypeOf(v), "$")
	}
}

// unknown compares the keys of a decoded file with the fields of the type that it is for.
func (c *check) unknown(v any, t reflect.Type, at string) {
	switch t.Kind() {
	case reflect.Pointer:
		c.unknown(v, t.Elem(), at)
	case reflect.Slice:
		list, _ := v.([]any)
		for i := range list {
			c.unknown(list[i], t.Elem(), fmt.Sprintf("%s[%d]", at, i))
		}
	case reflect.Map:
		block, _ := v.(map[string]any)
		for key := range block {
			c.unknown(block[key], t.Elem(), at+"."+key)
		}
	case reflect.Struct:
		fields := make(map[string]reflect.Type)
		for i := range t.NumField() {
			fields[t.Field(i).Tag.Get("yaml")] = t.Field(i).Type
		}
		block, _ := v.(map[string]any)
		for key := range block {
			if field, known := fields[key]; known {
				c.unknown(block[key], field, at+"."+key)
			} else {
				c.add(at+"."+key, "unknown key %q", key)
			}
		}
	}
}
