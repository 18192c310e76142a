package turneval

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed corpus/*.txt corpus/heldout/*.txt corpus/independent/*.txt
var corpus embed.FS

// line is one line of a list, the kind that stands before it with a tab between, if any, and its half.
type line struct {
	kind, text string
	half       Half
	place      int // among all lines of the list, those of other halves too
}

// folders are where the halves of the lists are.
var folders = []struct {
	half Half
	path string
}{{Train, "corpus/"}, {HeldOut, "corpus/heldout/"}, {Independent, "corpus/independent/"}}

// readList reads a list of the corpus, of one half or, where half is empty, of all; not every half has every list.
func readList(name string, half Half) ([]line, error) {
	var lines []line
	place := 0
	for _, folder := range folders {
		text, err := corpus.ReadFile(folder.path + name + ".txt")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		for l := range strings.Lines(string(text)) {
			if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
				kind, text, ok := strings.Cut(l, "\t")
				if !ok {
					kind, text = "", l
				}
				if half == "" || half == folder.half {
					lines = append(lines, line{kind, text, folder.half, place})
				}
				place++
			}
		}
	}
	if place == 0 {
		return nil, fmt.Errorf("the corpus has no list of %s", name)
	}
	return lines, nil
}

// Voices of Flite: two are learned from, two held out.
var (
	trainVoices   = []string{"slt", "kal16"}
	heldOutVoices = []string{"rms", "awb"}
)

func voicesFor(half Half) []string {
	if half == Train {
		return trainVoices
	}
	return heldOutVoices
}
