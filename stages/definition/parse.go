package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/vivavoice/viva/stages/datafile"
)

// MaxFile bounds a definition file in bytes.
const MaxFile = datafile.MaxBytes

// Parse decodes and checks one definition. The error is an *Error that lists every problem of the file.
func Parse(file string, text []byte) (*Definition, error) {
	d, problems := Read(text)
	if len(problems) > 0 {
		return nil, &Error{File: file, Problems: problems}
	}
	return d, nil
}

// Read is Parse for those who want to look further: it returns the definition as far as it can be read, never nil, with
// all its problems in the order of the file.
func Read(text []byte) (*Definition, []Problem) {
	f, d := findings{datafile.Open("", text)}, new(Definition)
	sum := sha256.Sum256(text)
	d.hash = hex.EncodeToString(sum[:8])
	if f.Fill(d) {
		d.flatten()
		f.check(d)
	}
	d.places = f.Places()
	return d, f.Findings()
}

// LoadAll parses every *.yaml of the file systems, later ones replacing earlier ones of the same kind. The error
// joins the problems of all files; definitions without problems are returned all the same.
func LoadAll(from ...fs.FS) (map[string]*Definition, error) {
	defs := make(map[string]*Definition)
	var problems []error
	for _, fsys := range from {
		names, err := fs.Glob(fsys, "*.yaml")
		if err != nil {
			return nil, fmt.Errorf("list definitions: %w", err)
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				problems = append(problems, fmt.Errorf("read %s: %w", name, err))
				continue
			}
			d, err := Parse(path.Base(name), text)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			defs[d.Kind] = d
		}
	}
	return defs, errors.Join(problems...)
}
