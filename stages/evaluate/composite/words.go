package composite

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
)

// fallbackLanguage is the language of those whose own there are no words in.
const fallbackLanguage = "en"

// words are what a composite says in one language.
type words struct {
	Part    string `yaml:"part"`
	Missing string `yaml:"missing"`
	Nothing string `yaml:"nothing"`
	And     string `yaml:"and"`
}

func loadWords() (map[string]words, error) {
	names, err := fs.Glob(files, "words/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the composite's words: %w", err)
	}
	out := make(map[string]words)
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the composite's words: %w", err)
		}
		var w words
		if err := yaml.UnmarshalWithOptions(text, &w, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("read the composite's words: %s: %w", name, err)
		}
		out[strings.TrimSuffix(path.Base(name), ".yaml")] = w
	}
	return out, nil
}

// language is a locale without its region.
func language(locale string) string {
	base, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return base
}

func (c *Composite) in(locale string) words {
	if w, known := c.words[language(locale)]; known {
		return w
	}
	return c.words[fallbackLanguage]
}

func fill(text string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
