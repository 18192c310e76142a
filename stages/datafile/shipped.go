package datafile

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
)

// Shipped reads the files of a package that match a pattern, by their names without the ending. They are embedded in the program, so
// it panics where one cannot be read: a test of the package reads them.
func Shipped[T any](files fs.FS, pattern string) map[string]*T {
	names, err := fs.Glob(files, pattern)
	out := make(map[string]*T, len(names))
	for _, name := range names {
		var text []byte
		if text, err = fs.ReadFile(files, name); err != nil {
			break
		}
		var v T
		if err = yaml.UnmarshalWithOptions(text, &v, yaml.Strict()); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
			break
		}
		out[strings.TrimSuffix(path.Base(name), ".yaml")] = &v
	}
	if err != nil {
		panic(err) //nolint:forbidigo // as above
	}
	return out
}
