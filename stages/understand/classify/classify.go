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
	return once(loaded[name])
}

// LoadDistress returns the model of a language that tells Distress from all else, for a text as a whole (Model.Whole). It is one of its own, so
// that its examples take nothing from the other classes; nil and shared as of Load.
func LoadDistress(name string) (*Model, error) {
	return once(loaded[name+distressed])
}

// distressed is what the files of such models add to the language.
const distressed = ".distress"

func once(one func() (*Model, error)) (*Model, error) {
	if one == nil {
		return nil, nil
	}
	return one()
}

var loaded = loaders()

func loaders() map[string]func() (*Model, error) {
	out := make(map[string]func() (*Model, error))
	for _, name := range Languages {
		for _, file := range []string{name, name + distressed} {
			out[file] = sync.OnceValues(func() (*Model, error) { return load(file, name) })
		}
	}
	return out
}

func load(file, name string) (*Model, error) {
	data, err := modelFiles.ReadFile("models/" + file + ".bin")
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
