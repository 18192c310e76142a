package turneval

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/pipeline/turn"
)

// Utterance is a recording of somebody who says what there is to say and is done: a line of a play, an announcement.
type Utterance struct {
	// Corpus is one of Corpora, Name unique in it.
	Corpus, Name string
	// PCM is 16 kHz mono.
	PCM []int16
}

// Corpora are what people say in packages of Debian: the dialogues of two plays with dozens of speakers each ("Beneath a Steel Sky" and
// "Flight of the Amazon Queen", freely distributable since 2003 and 2004), and announcements in three languages. The English and the Spanish ones are not
// among them: the model is measured with the voice of both.
func Corpora() []string {
	return []string{"beneath-a-steel-sky", "flight-of-the-amazon-queen", "asterisk-fr", "asterisk-it", "asterisk-ru"}
}

// ReadUtterances reads a corpus from root, where speech.sh has unpacked the packages; decoded sound is kept in cache.
func ReadUtterances(ctx context.Context, root, cache, corpus string) ([]Utterance, error) {
	dir := filepath.Join(cache, corpus)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make room for recordings: %w", err)
	}
	read := readAnnouncements
	switch corpus {
	case "beneath-a-steel-sky":
		read = readSky
	case "flight-of-the-amazon-queen":
		read = readQueen
	}
	all, err := read(ctx, root, dir, corpus)
	if err != nil {
		return nil, fmt.Errorf("read %s (pipeline/turn/turneval/speech.sh fetches it): %w", corpus, err)
	}
	for i := range all {
		all[i].Corpus = corpus
	}
	return all, nil
}

// readSky reads the dialogues of "Beneath a Steel Sky" as ScummVM does (engines/sky/disk.cpp): an index of eight bytes an entry, and entries
// from 50,000 on that are 8-bit sound at 11,025 Hz behind a header of 22 bytes, most of them packed.
func readSky(ctx context.Context, root, dir, corpus string) ([]Utterance, error) {
	const (
		headerSize, firstSpeech, soundRate = 22, 50000, 11025
		packedFlag                         = 0x80
	)
	folder := filepath.Join(root, "usr/share/scummvm", corpus)
	index, err := os.ReadFile(filepath.Join(folder, "sky.dnr")) //nolint:gosec // where the user put it
	if err != nil {
		return nil, err
	}
	disk, err := os.ReadFile(filepath.Join(folder, "sky.dsk")) //nolint:gosec // where the user put it
	if err != nil {
		return nil, err
	}
	sounds := make(map[string][]byte)
	for e := index[4:]; len(e) >= 8; e = e[8:] {
		number := binary.LittleEndian.Uint16(e)
		at, size := int(binary.LittleEndian.Uint32(e[2:])&0x7fffff), int(binary.LittleEndian.Uint32(e[4:])>>8&0x3fffff)
		if binary.LittleEndian.Uint32(e[2:])&0x800000 != 0 {
			at *= 16
		}
		if number < firstSpeech || at+size > len(disk) || size < headerSize {
			continue
		}
		sound := disk[at+headerSize : at+size]
		if disk[at]&packedFlag != 0 {
			if sound, err = unpack(sound); err != nil {
				continue // some are not packed although they say so
			}
		}
		sounds[strconv.Itoa(int(number))] = sound
	}
	return decodeAll(ctx, dir, sounds, "-f", "u8", "-ar", strconv.Itoa(soundRate), "-ac", "1")
}

// readQueen reads the dialogues of "Flight of the Amazon Queen" as ScummVM's tools packed them: a table of names, places and lengths, and MP3.
func readQueen(ctx context.Context, root, dir, corpus string) ([]Utterance, error) {
	const tableAt, entrySize, nameSize = 15, 21, 12
	file, err := os.ReadFile(filepath.Join(root, "usr/share/scummvm", corpus, "queen.1c")) //nolint:gosec // where the user put it
	if err != nil {
		return nil, err
	}
	if len(file) < tableAt || string(file[:4]) != "QTBL" {
		return nil, errors.New("queen.1c has no table")
	}
	sounds := make(map[string][]byte)
	entries := file[tableAt:]
	for range binary.BigEndian.Uint16(file[tableAt-2:]) {
		e := entries[:entrySize]
		entries = entries[entrySize:]
		name, isSound := strings.CutSuffix(strings.TrimRight(string(e[:nameSize]), " \x00"), ".SB")
		at, size := int(binary.BigEndian.Uint32(e[nameSize+1:])), int(binary.BigEndian.Uint32(e[nameSize+5:]))
		if !isSound || at+size > len(file) {
			continue
		}
		sounds[name] = file[at : at+size]
	}
	return decodeAll(ctx, dir, sounds, "-f", "mp3")
}

// readAnnouncements reads whole sentences of Asterisk's announcements.
func readAnnouncements(ctx context.Context, root, dir, corpus string) ([]Utterance, error) {
	language := strings.TrimPrefix(corpus, "asterisk-")
	folders, err := filepath.Glob(filepath.Join(root, "usr/share/asterisk/sounds", language+"_*"))
	if err != nil || len(folders) == 0 {
		return nil, fmt.Errorf("no recordings: %w", cmp.Or(err, os.ErrNotExist))
	}
	list, err := os.ReadFile(filepath.Join(root, "usr/share/doc/asterisk-core-sounds-"+language, "core-sounds-"+language+".txt.gz")) //nolint:gosec // where the user put it
	if err != nil {
		return nil, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(list))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, err
	}
	sounds := make(map[string][]byte)
	for l := range strings.Lines(string(text)) {
		name, said, ok := strings.Cut(strings.TrimSpace(l), ":")
		if said = strings.TrimSpace(said); !ok || len(strings.Fields(said)) < 3 || !strings.ContainsAny(said[len(said)-1:], ".!?") || strings.Contains(said, "...") {
			continue
		}
		sound, err := os.ReadFile(filepath.Join(folders[0], filepath.Base(name)+".g722"))
		if err != nil {
			continue // listed and not there
		}
		sounds[filepath.Base(name)] = sound
	}
	return decodeAll(ctx, dir, sounds, "-f", "g722")
}

// atOnce is how many sounds one ffmpeg decodes.
const atOnce = 60

// decodeAll has ffmpeg decode sounds to 16 kHz mono once, into files of a folder; from says what they are. What is no sound is left out.
func decodeAll(ctx context.Context, dir string, sounds map[string][]byte, from ...string) ([]Utterance, error) {
	names := slices.Sorted(maps.Keys(sounds))
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name+".wav"))
		return err == nil
	})
	for batch := range slices.Chunk(missing, atOnce) {
		if err := decodeBatch(ctx, dir, batch, sounds, from); err != nil {
			return nil, err
		}
	}
	var all []Utterance
	for _, name := range names {
		if pcm, err := readWAV(filepath.Join(dir, name+".wav")); err == nil {
			all = append(all, Utterance{Name: name, PCM: pcm})
		}
	}
	if len(all) < len(names)/2 {
		return nil, fmt.Errorf("of %d sounds ffmpeg decoded %d (apt-get install ffmpeg)", len(names), len(all))
	}
	return all, nil
}

func decodeBatch(ctx context.Context, dir string, names []string, sounds map[string][]byte, from []string) error {
	args := []string{"-v", "error", "-y"}
	var to []string
	for i, name := range names {
		raw := filepath.Join(dir, name+".raw")
		if err := os.WriteFile(raw, sounds[name], 0o600); err != nil {
			return fmt.Errorf("make room for recordings: %w", err)
		}
		defer func() { _ = os.Remove(raw) }() // it is only on the way
		args = append(append(args, from...), "-i", raw)
		to = append(to, "-map", strconv.Itoa(i), "-ac", "1", "-ar", strconv.Itoa(turn.Rate), "-bitexact", filepath.Join(dir, name+".wav"))
	}
	run := exec.CommandContext(ctx, "ffmpeg", append(args, to...)...) //nolint:gosec // fixed names
	if err := run.Run(); err != nil && len(names) > 1 {               // one of them is no sound
		half := len(names) / 2
		return cmp.Or(decodeBatch(ctx, dir, names[:half], sounds, from), decodeBatch(ctx, dir, names[half:], sounds, from))
	}
	return nil
}
