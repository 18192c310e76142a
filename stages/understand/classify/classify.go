// Package classify tells what the clauses of a turn do: a small statistical reader beside the lexicon of rules. It is trained from the
// examples in stages/understand/examples (go test ./stages/understand/classify -run TestTrain -update); to teach it something, add
// sentences there. A model is a linear classifier over words, words in a row, parts of words and concepts (words/*.yaml).
package classify

import (
	"embed"
	"fmt"
	"sync"
)

//go:embed models/*.bin
var modelFiles embed.FS

// Languages are those that there are models for.
var Languages = []string{"en", "zh", "vi"}

// Load returns the model of a language, or nil where there is none. It is read once and shared.
func Load(name string) (*Model, error) {
	one, there := loaded[name]
	if !there {
		return nil, nil
	}
	return one()
}

var loaded = map[string]func() (*Model, error){
	"en": sync.OnceValues(func() (*Model, error) { return load("en") }),
	"zh": sync.OnceValues(func() (*Model, error) { return load("zh") }),
	"vi": sync.OnceValues(func() (*Model, error) { return load("vi") }),
}

func load(name string) (*Model, error) {
	data, err := modelFiles.ReadFile("models/" + name + ".bin")
	if err != nil {
		return nil, fmt.Errorf("read the model of language %q: %w", name, err)
	}
	m, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("model of language %q: %w", name, err)
	}
	if m.language, err = readLanguage(name); err != nil {
		return nil, err
	}
	return m, nil
}
