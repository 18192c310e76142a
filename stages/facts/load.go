package facts

import (
	_ "embed" // the default sheet
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
)

// Parse reads a sheet from the text of a YAML file with a list under facts. The error is a *datafile.Error with everything that is
// wrong, each problem with its line and column.
func Parse(file string, text []byte) (Sheet, error) {
	f := datafile.Open(file, text)
	var content struct {
		Facts Sheet `yaml:"facts"`
	}
	if f.Decode(&content) {
		if len(content.Facts) == 0 {
			f.Add("facts", "the sheet is empty: list its facts under facts")
		}
		content.Facts.Check("facts", f.Add)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return content.Facts, nil
}

//go:embed default.yaml
var defaults []byte

// Default returns what every interview answers (RM-8). The caller must not change it.
func Default() Sheet { return parseDefault() }

var parseDefault = sync.OnceValue(func() Sheet {
	s, err := Parse("default.yaml", defaults)
	if err != nil {
		panic(err) //nolint:forbidigo // the file is part of the program, and its test reads it
	}
	return s
})

// base is a locale without its region: zh of zh-CN.
func base(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return language
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
