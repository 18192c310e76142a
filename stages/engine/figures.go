package engine

import (
	"regexp"
	"strings"

	"github.com/vivavoice/viva/state"
)

// aroundFigure is how many words either side of a number are kept with it.
const aroundFigure = 5

// maxFigures bounds the numbers that are kept beside the notes, the latest ones.
const maxFigures = 24

var figure = regexp.MustCompile(`(?i)\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|percent|half|twice)\b|[一二两三四五六七八九十百千万亿]+[个天年万亿倍秒分人次条]`)

// figures returns the candidate's numbers with the words around them, each once, without those that noted holds already.
func figures(turns []state.Turn, noted string) []string {
	var out []string
	seen := make(map[string]bool)
	for i := range turns {
		if turns[i].Speaker != state.SpeakerCandidate {
			continue
		}
		words := strings.Fields(turns[i].Text)
		for at := 0; at < len(words); at++ {
			if !figure.MatchString(words[at]) {
				continue
			}
			until := min(len(words), at+aroundFigure+1)
			text := strings.Join(words[max(0, at-aroundFigure):until], " ")
			at = until - 1
			if key := normalise(text); !seen[key] && !strings.Contains(noted, key) {
				seen[key] = true
				out = append(out, text)
			}
		}
	}
	return out[max(0, len(out)-maxFigures):]
}
