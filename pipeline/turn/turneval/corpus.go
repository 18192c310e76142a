package turneval

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed corpus/*.txt corpus/heldout/*.txt
var corpus embed.FS

// line is one line of a list, and whether it is kept for measuring only.
type line struct {
	text    string
	heldOut bool
}

// readList reads a list of the corpus: first what is learned from, then what is held out.
func readList(name string) ([]line, error) {
	var lines []line
	for _, half := range []struct {
		folder  string
		heldOut bool
	}{{"corpus/", false}, {"corpus/heldout/", true}} {
		text, err := corpus.ReadFile(half.folder + name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		for l := range strings.Lines(string(text)) {
			if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
				lines = append(lines, line{l, half.heldOut})
			}
		}
	}
	return lines, nil
}

// Voices of Flite: two are learned from, two held out.
var (
	trainVoices   = []string{"slt", "kal16"}
	heldOutVoices = []string{"rms", "awb"}
)

func voicesFor(heldOut bool) []string {
	if heldOut {
		return heldOutVoices
	}
	return trainVoices
}
