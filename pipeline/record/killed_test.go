package record

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

// child is the variable that makes this test's program a recorder that waits to be killed.
const child = "VIVA_RECORD_UNTIL_KILLED"

// killed records into the named file until the process is killed; it reports whether it was asked to.
func killed() bool {
	path := os.Getenv(child)
	if path == "" {
		return false
	}
	w, err := newWriter(0)
	if err != nil {
		panic(err)
	}
	f, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	if err := w.begin(f); err != nil {
		panic(err)
	}
	for n := int64(0); ; n++ {
		fr := frame{side: right, n: frameLen, at: time.Duration(n) * tick}
		copy(fr.pcm[:], tone(700, rate, frameLen, n*frameLen))
		w.take(&fr)
		if err := w.writeTo(index(fr.at - lag)); err != nil {
			panic(err)
		}
		if n == 600 {
			_, _ = os.Stdout.WriteString("go\n")
		}
	}
}

// A process killed in the middle of writing leaves a file that this package's reader and, where it is installed, ffmpeg can
// play.
func TestAKilledProcessLeavesAFileThatPlays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.ogg")
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), child+"="+path)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // killed
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := mustDecode(t, data)
	if got.duration() < 9*time.Second || got.level(right, time.Second, 9*time.Second) < -15 {
		t.Errorf("%v long, %.0f dB", got.duration(), got.level(right, time.Second, 9*time.Second))
	}
	tool, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("no ffmpeg here")
	}
	played, err := exec.CommandContext(t.Context(), tool, "-v", "error", "-i", path, "-f", "s16le", "-").CombinedOutput()
	if err != nil || len(played) < int(got.duration().Seconds())*4*audio.RTPRate*9/10 {
		t.Errorf("ffmpeg: %v, %d bytes: %s", err, len(played), strings.ToValidUTF8(string(played[:min(200, len(played))]), "?"))
	}
}

// BenchmarkSecond is a second of a talk in which both speak all the time: its time is the share of a core.
func BenchmarkSecond(b *testing.B) {
	w, err := newWriter(0)
	if err != nil {
		b.Fatal(err)
	}
	if err := w.begin(&file{}); err != nil {
		b.Fatal(err)
	}
	speech := speechLike()
	n := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		for range 50 {
			at := time.Duration(n) * tick
			mic := frame{side: left, n: audio.InputFrame, position: n * audio.InputFrame, at: at + tick}
			voice := frame{side: right, n: frameLen, at: at}
			copy(mic.pcm[:], speech[n*audio.InputFrame%(rate*4):][:audio.InputFrame])
			copy(voice.pcm[:], speech[n*frameLen%(rate*4):][:frameLen])
			w.take(&voice)
			w.take(&mic)
			if err := w.writeTo(index(at - lag)); err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e7, "%core")
	b.ReportMetric(float64(w.stream.written)*8/float64(b.N)/1000, "kbit/s")
}

// speechLike is five seconds that are as hard to encode as speech: a voice with harmonics, syllables and noise.
func speechLike() []int16 {
	out := make([]int16, rate*5)
	noise := uint32(1)
	for i := range out {
		noise = noise*1664525 + 1013904223
		syllable := float64(i%6000) / 6000
		v := 0.0
		for h := 1.0; h < 12; h++ {
			v += wave(110*h*(1+0.1*syllable), i) / h
		}
		out[i] = int16(6000*v*syllable*(1-syllable)*2) + int16(int32(noise)>>20)
	}
	return out
}

func wave(hz float64, i int) float64 {
	return float64(tone(hz, rate, 1, int64(i))[0]) / 12000
}
