package settings

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
)

// entry is what stands behind a key of the file: a value, or a section of entries. A key alone leaves its setting as it is.
type entry struct {
	value   *string
	section map[string]entry
}

// Into implements datafile.Union.
func (e *entry) Into(s datafile.Shape) (into any, belongs string) {
	switch s {
	case datafile.Scalar:
		e.value = new(string)
		return e.value, ""
	case datafile.Block:
		return &e.section, ""
	}
	return nil, "a single text, number, true or false, or a section,"
}

// fileReader collects the values of one settings file and what is wrong with it.
type fileReader struct {
	*datafile.File
	keys   []string // of all settings
	values map[string]found
}

// readFile returns the values of the file by key. The error is for a file that cannot be read at all;
// whatever is wrong inside it comes as Problems, with line and column.
func readFile(path string, table []Definition) (map[string]found, Problems, error) {
	text, err := readAll(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read settings file: %w", err)
	}
	r := &fileReader{File: datafile.Open(path, text), values: make(map[string]found)}
	for _, d := range table {
		r.keys = append(r.keys, d.Key)
	}
	var top entry
	if !r.Empty() && r.Decode(&top) {
		if top.value != nil {
			r.Add("", "does not hold settings: write them as name: value, such as agent_name: viva")
		}
		r.section("", top.section)
	}
	var problems Problems
	for _, f := range r.Findings() {
		from := path
		if f.Line > 0 {
			from = fmt.Sprintf("%s:%d:%d", path, f.Line, f.Column)
		}
		problems = append(problems, Problem{Key: cmp.Or(f.Path, "settings file"), From: from, Wrong: f.Text})
	}
	return r.values, problems, nil
}

// readAll reads a file up to what datafile takes, and a byte more.
func readAll(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the path is what the person asked for
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	return io.ReadAll(io.LimitReader(file, datafile.MaxBytes+1))
}

// section takes one level of the file; prefix is "" at the top, else the dotted path of the section.
func (r *fileReader) section(prefix string, entries map[string]entry) {
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		key, e := prefix+name, entries[name]
		isSection := slices.ContainsFunc(r.keys, func(known string) bool { return strings.HasPrefix(known, key+".") })
		switch {
		case len(e.section) > 0:
			r.section(key+".", e.section)
		case isSection && e.value != nil:
			r.Add(key, "is a section, not a setting: write its settings below it, indented")
		case isSection: // all its settings are commented out
		case !slices.Contains(r.keys, key):
			r.Add(key, "%s", r.unknown(key))
		case e.value != nil:
			line, _ := r.Places().Find(key)
			r.values[key] = found{text: strings.TrimRight(*e.value, "\n"), from: fmt.Sprintf("%s:%d", r.Name(), line), given: true}
		}
	}
}

// unknown says what to do about a key that is no setting.
func (r *fileReader) unknown(key string) string {
	if suggestion := nearestKey(key, r.keys); suggestion != "" {
		return "is not a setting: did you mean " + suggestion + "?"
	}
	return "is not a setting: see docs/settings.md for the settings there are"
}
