package turneval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/turn"
)

// maxClip bounds what is read of a file: five minutes.
const maxClip = 300 * turn.Rate

// spoken is what Flite said, and where it paused.
type spoken struct {
	pcm    []int16
	pauses []span // in samples
	vowel  int    // where the first vowel ends, in samples
}

type span struct{ from, to int }

// flite says a text, or phones between slashes, in a voice. Stretch is the length of each sound against the usual.
func flite(ctx context.Context, voice, text string, stretch float64) (spoken, error) {
	dir, err := os.MkdirTemp("", "turneval")
	if err != nil {
		return spoken{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder in the system's own place for leftovers
	file := filepath.Join(dir, "said.wav")
	args := []string{"-voice", voice, "-psdur", "--setf", fmt.Sprintf("duration_stretch=%g", stretch), "-o", file}
	if phones, ok := strings.CutPrefix(text, "/"); ok {
		args = append(args, "-p", "pau "+strings.TrimSuffix(phones, "/")+" pau")
	} else {
		args = append(args, "-t", text)
	}
	segments, err := exec.CommandContext(ctx, "flite", args...).Output() //nolint:gosec // the text is from the corpus
	if err != nil {
		return spoken{}, fmt.Errorf("let flite speak (apt-get install flite): %w", err)
	}
	pcm, err := readWAV(file)
	return spoken{pcm, pausesOf(string(segments)), firstVowel(string(segments))}, err
}

// readWAV reads a file of 16 kHz sound.
func readWAV(path string) ([]int16, error) {
	content, err := os.ReadFile(path) //nolint:gosec // a file of our own making
	if err != nil {
		return nil, err
	}
	pcm, rate, err := audio.ReadWAV(bytes.NewReader(content), maxClip)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	if rate != turn.Rate {
		return nil, errors.New("the voice is not at 16 kHz")
	}
	return pcm, nil
}

// pausesOf finds the pauses inside a list of "phone:end" in seconds; those at both ends are left out.
func pausesOf(segments string) (pauses []span) {
	fields := strings.Fields(segments)
	from := 0
	for i, f := range fields {
		phone, end, _ := strings.Cut(f, ":")
		seconds, err := strconv.ParseFloat(end, 64)
		if err != nil {
			continue
		}
		to := int(seconds * turn.Rate)
		if phone == "pau" && i > 0 && i < len(fields)-1 {
			pauses = append(pauses, span{from, to})
		}
		from = to
	}
	return pauses
}

// firstVowel finds where the first vowel of a list of "phone:end" ends; 0 where there is none.
func firstVowel(segments string) int {
	for _, f := range strings.Fields(segments) {
		phone, end, _ := strings.Cut(f, ":")
		if strings.ContainsAny(phone[:1], "aeiou") {
			seconds, _ := strconv.ParseFloat(end, 64) // 0 where it is none
			return int(seconds * turn.Rate)
		}
	}
	return 0
}
