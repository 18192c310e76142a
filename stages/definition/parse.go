package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"reflect"

	"github.com/vivavoice/viva/stages/datafile"
)

// Parse decodes and checks one definition. The error is a *datafile.Error that lists every problem of the file.
func Parse(file string, text []byte) (*Definition, error) {
	d, problems := Read(text)
	if len(problems) > 0 {
		return nil, &datafile.Error{File: file, Findings: problems}
	}
	return d, nil
}

// Read is Parse for those who want to look further: it returns the definition as far as it can be read, never nil, with
// all its problems in the order of the file.
func Read(text []byte) (*Definition, []datafile.Finding) {
	d := new(Definition)
	f := findings{datafile.Open("", text), d}
	sum := sha256.Sum256(text)
	d.hash = hex.EncodeToString(sum[:8])
	if f.Decode(d) {
		f.values(reflect.ValueOf(d), "", "")
		d.flatten()
		f.check()
	}
	d.places = f.Places()
	return d, f.Findings()
}

// LoadAll parses every *.yaml of the file systems, later ones replacing earlier ones of the same kind. The error
// joins the problems of all files; definitions without problems are returned all the same.
func LoadAll(from ...fs.FS) (map[string]*Definition, error) {
	defs := make(map[string]*Definition)
	err := datafile.Each("*.yaml", from, func(name string, text []byte) error {
		d, err := Parse(path.Base(name), text)
		if err == nil {
			defs[d.Kind] = d
		}
		return err
	})
	return defs, err
}

// Finding is one of something wrong at a path, such as stages[1].gate.by, for checks that look beyond the file.
func (d *Definition) Finding(path, format string, args ...any) datafile.Finding {
	found := datafile.Finding{Path: path, Text: fmt.Sprintf(format, args...)}
	found.Line, found.Column = d.places.Find(path)
	return found
}
