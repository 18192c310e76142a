package prompts

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// every is the catalogue of what every interview says: answers to wishes and moods. A catalogue's own words go before them.
const every = "every"

// readEvery reads the shared words of a language: the given ones, or the shipped ones. A language without any has none.
func readEvery(given fs.FS, locale string) (map[string]entry, error) {
	language := Language(locale)
	for _, from := range []fs.FS{given, files} {
		for _, name := range []string{locale, language} {
			file := path.Join(every, name+".yaml")
			text, err := fs.ReadFile(from, file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read prompts %s: %w", file, err)
			}
			var entries map[string]entry
			if err := yaml.UnmarshalWithOptions(text, &entries, yaml.Strict()); err != nil {
				return nil, fmt.Errorf("prompts %s: %w", file, err)
			}
			return entries, nil
		}
	}
	return nil, nil
}

// Every returns the shipped words that every interview says in a language, or nil where there are none: for somebody who speaks
// another language than the interview's.
func Every(language string) *Catalogue { return everywhere()[language] }

var everywhere = sync.OnceValue(func() map[string]*Catalogue {
	out := make(map[string]*Catalogue)
	list, err := fs.ReadDir(files, every)
	if err != nil {
		return out // the folder is part of the program, and a test reads it
	}
	for _, file := range list {
		language := strings.TrimSuffix(file.Name(), ".yaml")
		if c, err := Load(files, every, language); err == nil {
			out[language] = c
		}
	}
	return out
})
