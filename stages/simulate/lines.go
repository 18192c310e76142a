package simulate

import (
	_ "embed" // the candidates' lines
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed lines.yaml
var linesFile []byte

// lines are what candidates say in one language, by purpose.
type lines struct {
	Texts map[string][]string
	Slots map[string][]string
}

// languages reads the lines of all languages, once.
var languages = sync.OnceValues(func() (map[string]lines, error) {
	var raw map[string]map[string]any
	if err := yaml.Unmarshal(linesFile, &raw); err != nil {
		return nil, fmt.Errorf("read the candidates' lines: %w", err)
	}
	out := make(map[string]lines, len(raw))
	for lang, purposes := range raw {
		l := lines{Texts: make(map[string][]string), Slots: make(map[string][]string)}
		for purpose, value := range purposes {
			if slots, is := value.(map[string]any); is {
				for id, texts := range slots {
					l.Slots[id] = list(texts)
				}
				continue
			}
			l.Texts[purpose] = list(value)
		}
		out[lang] = l
	}
	return out, nil
})

func list(value any) []string {
	items, _ := value.([]any)
	out := make([]string, 0, len(items))
	for _, x := range items {
		if s, is := x.(string); is {
			out = append(out, s)
		}
	}
	return out
}

// phrase draws a line of a purpose and fills in what it covers; "" when the language has none.
func (l lines) phrase(rng *rand.Rand, purpose string, pairs ...string) string {
	return draw(rng, l.Texts[purpose], pairs...)
}

func draw(rng *rand.Rand, texts []string, pairs ...string) string {
	if len(texts) == 0 {
		return ""
	}
	return strings.NewReplacer(pairs...).Replace(texts[rng.IntN(len(texts))])
}
