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

// lines are what candidates say in one language, by purpose; slot.ID is for those who are asked for a slot.
type lines map[string][]string

// languages reads the lines of all languages, once.
var languages = sync.OnceValues(func() (all map[string]lines, err error) {
	if err = yaml.Unmarshal(linesFile, &all); err != nil {
		err = fmt.Errorf("read the candidates' lines: %w", err)
	}
	return all, err
})

// phrase draws a line of a purpose and fills in what it covers; "" when the language has none.
func (l lines) phrase(rng *rand.Rand, purpose string, pairs ...string) string {
	texts := l[purpose]
	if len(texts) == 0 {
		return ""
	}
	return strings.NewReplacer(pairs...).Replace(texts[rng.IntN(len(texts))])
}
