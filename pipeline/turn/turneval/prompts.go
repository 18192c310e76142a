package turneval

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/pipeline/turn"
)

// Where Debian's asterisk-core-sounds-en-g722 and asterisk-core-sounds-en put recordings and transcripts.
const (
	promptDir  = "/usr/share/asterisk/sounds/en_US_f_Allison"
	promptList = "/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz"
)

// prompt is a recording of a human voice with its transcript.
type prompt struct {
	name  string
	pcm   []int16
	words []word
}

// word is a word of a transcript as it is written, and where it is in the sound; at is −1 where that is not known.
type word struct {
	text     string
	from, to int
}

// readPrompts reads the recordings that are whole sentences of three words or more. They are decoded, and their words found, once;
// cache is a folder for that.
func readPrompts(ctx context.Context, cache string) ([]prompt, error) {
	texts, err := readTranscripts()
	if err != nil {
		return nil, fmt.Errorf("read the recordings' transcripts (apt-get install asterisk-core-sounds-en asterisk-core-sounds-en-g722): %w", err)
	}
	dir := filepath.Join(cache, "prompts")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make room for recordings: %w", err)
	}
	var prompts []prompt
	for _, t := range texts {
		pcm, err := decode(ctx, dir, t.name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		prompts = append(prompts, prompt{name: t.name, pcm: pcm, words: splitWords(t.text)})
	}
	return prompts, align(ctx, dir, prompts)
}

type transcript struct{ name, text string }

func readTranscripts() ([]transcript, error) {
	file, err := os.Open(promptList)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var out []transcript
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		name, text, ok := strings.Cut(lines.Text(), ": ")
		if text = strings.TrimSpace(text); ok && wholeSentence(text) && !strings.Contains(name, "/") {
			out = append(out, transcript{name, text})
		}
	}
	return out, lines.Err()
}

// wholeSentence leaves out fragments, sounds, and what is not said as it is written.
func wholeSentence(text string) bool {
	return len(strings.Fields(text)) > 2 && text[0] >= 'A' && text[0] <= 'Z' && strings.ContainsAny(text[len(text)-1:], ".!?") &&
		!strings.Contains(text, "...") && !strings.ContainsAny(text, "[]<>()*#")
}

// numerals are how single digits are said.
var numerals = strings.Fields("zero one two three four five six seven eight nine")

func splitWords(text string) (words []word) {
	for _, w := range strings.Fields(text) {
		if core := strings.TrimRight(w, ".,!?"); len(core) == 1 && core[0] >= '0' && core[0] <= '9' {
			w = numerals[core[0]-'0'] + w[1:]
		}
		words = append(words, word{w, -1, -1})
	}
	return words
}

// decode has ffmpeg decode G.722 once.
func decode(ctx context.Context, dir, name string) ([]int16, error) {
	source, file := filepath.Join(promptDir, name+".g722"), filepath.Join(dir, name+".wav")
	if _, err := os.Stat(source); err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		run := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-y", "-f", "g722", "-i", source, "-ac", "1", "-ar", strconv.Itoa(turn.Rate), file) //nolint:gosec // fixed names
		if err := run.Run(); err != nil {
			return nil, fmt.Errorf("decode %s (apt-get install ffmpeg): %w", name, err)
		}
	}
	return readWAV(file)
}

const sphinxModel = "/usr/share/pocketsphinx/model/en-us"

// align finds the words in the sound with PocketSphinx's batch recogniser, which gives times.
func align(ctx context.Context, dir string, prompts []prompt) error {
	found := filepath.Join(dir, "words.hypseg")
	if _, err := os.Stat(found); err != nil {
		if err := recognise(ctx, dir, found, prompts); err != nil {
			return err
		}
	}
	content, err := os.ReadFile(found) //nolint:gosec // a file of our own making
	if err != nil {
		return fmt.Errorf("read word times: %w", err)
	}
	byName := make(map[string][]word)
	for l := range strings.Lines(string(content)) {
		name, words := parseSegments(l)
		byName[name] = words
	}
	for _, p := range prompts {
		place(p.words, byName[p.name])
	}
	return nil
}

func recognise(ctx context.Context, dir, found string, prompts []prompt) error {
	names := make([]string, len(prompts))
	for i, p := range prompts {
		names[i] = p.name
	}
	control := filepath.Join(dir, "names.ctl")
	if err := os.WriteFile(control, []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("list recordings: %w", err)
	}
	partial := found + ".part"
	run := exec.CommandContext(ctx, "pocketsphinx_batch", //nolint:gosec // fixed names
		"-hmm", sphinxModel+"/en-us", "-lm", sphinxModel+"/en-us.lm.bin", "-dict", sphinxModel+"/cmudict-en-us.dict",
		"-adcin", "yes", "-adchdr", "44", "-cepdir", dir, "-cepext", ".wav", "-ctl", control, "-hypseg", partial)
	if err := run.Run(); err != nil {
		return fmt.Errorf("find words in the recordings (apt-get install pocketsphinx pocketsphinx-en-us): %w", err)
	}
	return os.Rename(partial, found)
}

// parseSegments reads a line "name S … T … A … L … frame score … word frame …" of a -hypseg file: after the header, each word has its
// first frame and two scores before it; frames last 10 ms.
func parseSegments(l string) (name string, words []word) {
	fields := strings.Fields(l)
	if len(fields) < 10 {
		return "", nil
	}
	name = fields[0]
	for i := 9; i+3 < len(fields); i += 4 {
		frame, err := strconv.Atoi(fields[i])
		if err != nil {
			return name, words
		}
		from := frame * tick
		if n := len(words); n > 0 {
			words[n-1].to = from
		}
		text, _, _ := strings.Cut(fields[i+3], "(")
		words = append(words, word{text, from, from})
	}
	return name, words
}

// place gives the words of a transcript the places of equal words that were recognised, in order (longest common subsequence).
func place(words, heard []word) {
	best := make([][]int, len(words)+1)
	for i := range best {
		best[i] = make([]int, len(heard)+1)
	}
	for i := len(words) - 1; i >= 0; i-- {
		for j := len(heard) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if sameWord(words[i].text, heard[j].text) {
				best[i][j] = max(best[i][j], best[i+1][j+1]+1)
			}
		}
	}
	for i, j := 0, 0; i < len(words) && j < len(heard); {
		switch {
		case sameWord(words[i].text, heard[j].text) && best[i][j] == best[i+1][j+1]+1:
			words[i].from, words[i].to = heard[j].from, heard[j].to
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
}

func sameWord(a, b string) bool { return slices.Equal(turn.Words(a), turn.Words(b)) }
