package turneval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
)

func digest(pcm []int16) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, pcm) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Scripted stands for a good recogniser of whole segments in the cloud: the true words, 150 ms after the end of speech, without
// partials. Its punctuation is a guess, as theirs is: see punctuate.
type Scripted struct {
	// Bare leaves the punctuation out.
	Bare bool
}

// scriptedDelay is from the end of a stretch to its text, in samples.
var scriptedDelay = ms(150)

// final returns the text of a stretch.
func (s Scripted) final(c *clip, from, to int) stt.Transcript {
	var words []string
	end := stopUnknown
	for _, p := range c.parts {
		if p.from >= to {
			break // not said yet
		}
		said := strings.Fields(p.text)
		first, last := share(p, from+overlap, len(said)), share(p, to, len(said))
		words = append(words, said[first:last]...)
		if end = p.stop; last < len(said) {
			end = stopUnknown
		}
	}
	text := strings.TrimRight(strings.ToLower(strings.Join(words, " ")), ".,!?")
	if text == "" {
		return stt.Transcript{}
	}
	if s.Bare {
		return stt.Transcript{Text: plain(text), Confidence: 0.9}
	}
	question := strings.HasSuffix(words[len(words)-1], "?")
	return stt.Transcript{Text: text + punctuate(text, end, question, seeded(text+digest(c.pcm[from:to]))), Confidence: 0.9}
}

// overlap is how much sound from before the start of speech a segment begins with; the words in it belong to the segment before.
const overlap = turn.Rate / 4

// share is how many of n words of a part are said before a place, as if all were of one length.
func share(p part, at, n int) int {
	if at <= p.from {
		return 0
	}
	return min(n, int(float64(n)*float64(at-p.from)/float64(p.to-p.from)+0.5))
}

// punctuate makes the mark at the end of a segment as recognisers do that see only the segment: nearly always right at the end of a
// sentence; at a pause a full stop six times in ten where the words could be a sentence, and seldom where they cannot. These shares are
// an assumption, not a measurement. Where nobody has said which it is, package turn's lists of words decide it.
func punctuate(text string, end stop, question bool, random *rand.Rand) string {
	closed := []string{".", ".", ".", ".", ".", ".", ",", ",", "", ""}
	if end == stopUnknown {
		if f := turn.Read(turn.State{Text: text}); f[turn.Conjunction]+f[turn.Function]+f[turn.Filler]+f[turn.Dictation] > 0 {
			end = stopNever
		}
	}
	switch {
	case end == stopCertain && question:
		return "?"
	case end == stopCertain:
		closed = append(strings.Split(strings.Repeat(". ", 19), " "), "")[:20]
	case end == stopNever:
		closed = []string{".", ",", ",", "...", "", "", "", ""}
	}
	return closed[random.IntN(len(closed))]
}
