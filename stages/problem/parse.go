package problem

import (
	"github.com/vivavoice/viva/stages/datafile"
)

// findings collects what is wrong with one file, each thing with its place.
type findings struct{ *datafile.File }

func (f findings) add(path, format string, args ...any) { f.Add(path, format, args...) }

// Parse decodes and checks one file. The error is a *datafile.Error that lists everything that is wrong.
func Parse(file string, text []byte) (*Problem, error) {
	f := findings{datafile.Open(file, text)}
	var p Problem
	if f.Decode(&p) {
		f.check(&p, file)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return &p, nil
}
