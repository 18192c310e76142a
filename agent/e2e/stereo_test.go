package e2e

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pion/webrtc/v4/pkg/media/oggreader"
	"gopkg.in/hraban/opus.v2"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// The sides of a recording.
const (
	candidateSide = iota // left
	agentSide
	sides
)

// stereo is a recording: both sides at audio.InputRate, without what a decoder has to skip.
type stereo [sides][]int16

// readStereo decodes an Ogg/Opus file: its pages by a reader that is not ours, which checks their sums, and their packets by
// libopus.
func readStereo(t *testing.T, file []byte) stereo {
	t.Helper()
	pages, header, err := oggreader.NewWith(bytes.NewReader(file))
	if err != nil || header.Channels != sides {
		t.Fatalf("the recording is no stereo Ogg/Opus: %+v, %v", header, err)
	}
	played := uint64(0)
	for err == nil {
		var page *oggreader.OggPageHeader
		if _, page, err = pages.ParseNextPage(); err == nil {
			played = page.GranulePosition - uint64(header.PreSkip)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatalf("a page of the recording is broken: %v", err)
	}
	s := decoded(t, opusPackets(file))
	for side := range s {
		s[side] = s[side][int(header.PreSkip)*audio.InputRate/audio.RTPRate:]
	}
	told := time.Duration(played) * time.Second / audio.RTPRate
	if more := s.length() - told; more < 0 || more > audio.FrameDuration {
		t.Errorf("the recording says it is %v long, and has %v", told, s.length())
	}
	return s
}

func decoded(t *testing.T, packets [][]byte) (s stereo) {
	t.Helper()
	decoder, err := opus.NewDecoder(audio.InputRate, sides)
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, 6*audio.InputFrame*sides)
	for i, packet := range packets {
		n, err := decoder.Decode(packet, pcm)
		if err != nil {
			t.Fatalf("packet %d of the recording: %v", i, err)
		}
		for j := range n * sides {
			s[j%sides] = append(s[j%sides], pcm[j])
		}
	}
	return s
}

// opusPackets takes pages apart that are known to be whole (RFC 3533), without the two packets of headers.
func opusPackets(file []byte) [][]byte {
	const fixed, segments = 27, 26 // bytes of a page's header before the table of segments, and where their number stands
	var packets [][]byte
	var open []byte
	for len(file) > 0 {
		table := file[fixed : fixed+int(file[segments])]
		file = file[fixed+len(table):]
		for _, n := range table {
			open = append(open, file[:n]...)
			file = file[n:]
			if n < 255 { // a packet's last segment
				packets = append(packets, open)
				open = nil
			}
		}
	}
	return packets[2:]
}

func (s stereo) length() time.Duration {
	return time.Duration(len(s[candidateSide])) * time.Second / audio.InputRate
}

// between is what a side has between two times of the recording.
func (s stereo) between(side int, from, to time.Duration) []int16 {
	at := func(d time.Duration) int {
		return min(max(0, int(d*audio.InputRate/time.Second)), len(s[side]))
	}
	return s[side][at(from):at(to)]
}

// checkTurns: at the times that the report gives, the words of a stage's turns are heard on their own side, and on no other. Of
// a side's turns each is the one that is recognised best where it stands. It returns the mean share of a side's words that the
// local recogniser understood.
func (s stereo) checkTurns(t *testing.T, r *report.Report, stage string) (understood [sides]float64) {
	t.Helper()
	const enough = 0.5 // of the different words, in the mean
	const longest = 30 // words; what is longer takes the recogniser as long
	const breath = 300 * time.Millisecond
	var turns [sides][]report.Turn
	for _, turn := range r.Transcript {
		side := candidateSide
		if turn.Speaker == string(state.SpeakerAgent) {
			side = agentSide
		}
		if turn.Stage == stage && len(strings.Fields(turn.Text)) <= longest {
			turns[side] = append(turns[side], turn)
		}
	}
	for side := range turns {
		for i, turn := range turns[side] {
			from, to := (turn.At - r.Recording.Offset).Duration(), (turn.To - r.Recording.Offset).Duration()
			heard := recognised(t, s.between(side, from-breath, to+breath))
			share := overlap(turn.Text, heard)
			t.Logf("%s at %v: %.0f %% of %q was recognised, as %q", turn.Speaker, from.Round(100*time.Millisecond), 100*share, turn.Text, heard)
			if j := closest(turns[side], heard); j != i {
				t.Errorf("%v into the recording %q is not heard, but %q", from, turn.Text, heard)
			}
			if level := audio.Level(s.between(sides-1-side, from+breath, to-breath)); level > threshold {
				t.Errorf("%v into the recording %q is on the wrong side too: %.0f dBFS", from, turn.Text, level)
			}
			understood[side] += share / float64(len(turns[side]))
		}
		if understood[side] < enough {
			t.Errorf("side %d: %.0f %% of the words of %d turns are heard, want %.0f %%", side, 100*understood[side], len(turns[side]), 100*enough)
		}
	}
	return understood
}

// closest is the turn with most of its words in what was heard.
func closest(turns []report.Turn, heard string) int {
	best := 0
	for i := range turns {
		if overlap(turns[i].Text, heard) > overlap(turns[best].Text, heard) {
			best = i
		}
	}
	return best
}
