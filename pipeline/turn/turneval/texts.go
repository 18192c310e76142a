package turneval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/turn"
)

// reader gives the text of a stretch of a clip.
type reader interface {
	// partials returns what is understood from `from` on after each 100 ms; nil where the recogniser gives none.
	partials(c *clip, from int) ([]string, error)
	// final returns the text of the whole stretch.
	final(c *clip, from, to int) (stt.Transcript, error)
	// delay is from the end of the stretch to its text, in samples.
	delay(length int) int
	// punctuates says whether the recogniser writes punctuation.
	punctuates() bool
}

// blockLength is how often partials come.
const blockLength = turn.Rate / 10

// longestStretch is how far partials are made ahead.
const longestStretch = 6 * turn.Rate

// Decoded reads with a real recogniser, and remembers what it read, because that is slow.
type Decoded struct {
	decoder stt.Decoder
	file    string
	known   map[string]decoded
	added   bool
}

type decoded struct {
	Texts      []string `json:"texts"`
	Confidence float64  `json:"confidence,omitempty"`
}

var _ reader = (*Decoded)(nil)

// NewDecoded reads what was remembered in a file, if it is there. Save keeps it.
func NewDecoded(decoder stt.Decoder, file string) (*Decoded, error) {
	d := &Decoded{decoder: decoder, file: file, known: make(map[string]decoded)}
	content, err := os.ReadFile(file) //nolint:gosec // a file of our own making
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read transcripts kept: %w", err)
	}
	if err := json.Unmarshal(content, &d.known); err != nil {
		return nil, fmt.Errorf("read transcripts kept in %s (delete it to start again): %w", file, err)
	}
	return d, nil
}

// Save keeps what was read.
func (d *Decoded) Save() error {
	if !d.added {
		return nil
	}
	content, err := json.Marshal(d.known)
	if err != nil {
		return fmt.Errorf("keep transcripts: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(d.file), 0o750); err != nil {
		return fmt.Errorf("keep transcripts: %w", err)
	}
	if err := os.WriteFile(d.file, content, 0o600); err != nil {
		return fmt.Errorf("keep transcripts: %w", err)
	}
	d.added = false
	return nil
}

func (d *Decoded) partials(c *clip, from int) ([]string, error) {
	got, err := d.read("partials", c.pcm[from:min(len(c.pcm), from+longestStretch)])
	return got.Texts, err
}

func (d *Decoded) final(c *clip, from, to int) (stt.Transcript, error) {
	got, err := d.read("final", c.pcm[from:to])
	if err != nil {
		return stt.Transcript{}, err
	}
	return stt.Transcript{Text: got.Texts[len(got.Texts)-1], Confidence: got.Confidence}, nil
}

// delay is what was measured of PocketSphinx: the last piece, and a second search over the whole.
func (d *Decoded) delay(length int) int { return ms(30) + length/40 }

func (d *Decoded) punctuates() bool { return false }

func (d *Decoded) read(what string, pcm []int16) (decoded, error) {
	key := what + digest(pcm)
	if got, ok := d.known[key]; ok {
		return got, nil
	}
	ctx := context.Background() // nothing waits: the decoder has no other user
	if err := d.decoder.Start(ctx); err != nil {
		return decoded{}, err
	}
	var out decoded
	for at := 0; at < len(pcm); at += blockLength {
		text, err := d.decoder.Feed(ctx, pcm[at:min(len(pcm), at+blockLength)])
		if err != nil {
			d.decoder.Abort()
			return decoded{}, err
		}
		out.Texts = append(out.Texts, text)
	}
	last, err := d.decoder.Finish(ctx)
	if err != nil {
		return decoded{}, err
	}
	if what == "final" {
		out = decoded{Texts: []string{last.Text}, Confidence: last.Confidence}
	}
	d.known[key], d.added = out, true
	return out, nil
}

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

var _ reader = Scripted{}

func (Scripted) partials(*clip, int) ([]string, error) { return nil, nil }

func (s Scripted) punctuates() bool { return !s.Bare }

func (Scripted) delay(int) int { return ms(150) }

func (s Scripted) final(c *clip, from, to int) (stt.Transcript, error) {
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
		return stt.Transcript{}, nil
	}
	if s.Bare {
		return stt.Transcript{Text: plain(text), Confidence: 0.9}, nil
	}
	question := strings.HasSuffix(words[len(words)-1], "?")
	return stt.Transcript{Text: text + punctuate(text, end, question, seeded(text+digest(c.pcm[from:to]))), Confidence: 0.9}, nil
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
