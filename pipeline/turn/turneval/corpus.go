package turneval

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed corpus/*.txt
var corpus embed.FS

// line is one line of a list, and whether it is kept for measuring only.
type line struct {
	text    string
	heldOut bool
}

// readList reads a list of the corpus. Lines come in pairs: the first is learned from, the second held out.
func readList(name string) ([]line, error) {
	text, err := corpus.ReadFile("corpus/" + name + ".txt")
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	var lines []line
	for l := range strings.Lines(string(text)) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			lines = append(lines, line{l, len(lines)%2 == 1})
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
