package facts

import (
	"embed"
	"maps"
	"slices"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
)

//go:embed default.yaml
var files embed.FS

// Default returns what every interview answers (RM-8). The caller must not change it.
var Default = sync.OnceValue(func() Sheet {
	var file struct {
		Facts Sheet `yaml:"facts"`
	}
	if err := datafile.Read(files, "default.yaml", &file); err != nil {
		panic(err) //nolint:forbidigo // the file is part of the program, and its test reads it
	}
	return file.Facts
})

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
