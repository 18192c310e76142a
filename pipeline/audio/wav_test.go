package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wav builds a file: a RIFF header, then chunks of a name and content.
func wav(chunks ...any) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVE")
	for i := 0; i < len(chunks); i += 2 {
		content := chunks[i+1].([]byte)
		b = append(b, chunks[i].(string)...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(content)))
		b = append(b, content...)
		if len(content)%2 == 1 {
			b = append(b, 0)
		}
	}
	return b
}

func format(codec, channels uint16, rate uint32, bits uint16) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint16(b, codec)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(channels*bits/8))
	b = binary.LittleEndian.AppendUint16(b, channels*bits/8)
	return binary.LittleEndian.AppendUint16(b, bits)
}

func little(pcm ...int16) []byte {
	var b []byte
	for _, v := range pcm {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

func TestReadWAV(t *testing.T) {
	mono := format(1, 1, 16000, 16)
	extensible := append(format(wavExtensible, 1, 48000, 16), 22, 0, 16, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113)
	open := wav("fmt ", mono, "data", little(1, 2, 3))
	binary.LittleEndian.PutUint32(open[len(open)-10:], wavUnknownSize)
	tests := []struct {
		name string
		file []byte
		rate int
		want []int16
		err  error
	}{
		{"16-bit mono", wav("fmt ", mono, "data", little(1, -2, 32767, -32768)), 16000, []int16{1, -2, 32767, -32768}, nil},
		{"16-bit stereo", wav("fmt ", format(1, 2, 44100, 16), "data", little(100, 200, -32768, -32768)), 44100, []int16{150, -32768}, nil},
		{"8-bit mono", wav("fmt ", format(1, 1, 8000, 8), "data", []byte{128, 255, 0}), 8000, []int16{0, 32512, -32768}, nil},
		{"8-bit stereo", wav("fmt ", format(1, 2, 8000, 8), "data", []byte{128, 130}), 8000, []int16{256}, nil},
		{"extensible", wav("fmt ", extensible, "data", little(7)), 48000, []int16{7}, nil},
		{"other chunks, one of odd length", wav("LIST", []byte("abc"), "fmt ", mono, "fact", []byte{1, 2}, "data", little(5)), 16000, []int16{5}, nil},
		{"length left open", open, 16000, []int16{1, 2, 3}, nil},
		{"chunks after the sound", wav("fmt ", mono, "data", little(5), "LIST", []byte("junk")), 16000, []int16{5}, nil},
		{"half a sample at the end", wav("fmt ", mono, "data", []byte{5, 0, 9}), 16000, []int16{5}, nil},
		{"sound cut off", wav("fmt ", mono, "data", little(1, 2, 3))[:49], 16000, []int16{1, 2}, io.ErrUnexpectedEOF},
		{"empty", nil, 0, nil, ErrNotWAV},
		{"text", []byte("<!doctype html><html></html>"), 0, nil, ErrNotWAV},
		{"header cut off", wav("fmt ", mono)[:20], 0, nil, ErrNotWAV},
		{"no sound", wav("fmt ", mono), 0, nil, ErrNotWAV},
		{"sound before its format", wav("data", little(1)), 0, nil, ErrNotWAV},
		{"MP3 inside", wav("fmt ", format(0x55, 1, 16000, 16), "data", little(1)), 0, nil, ErrNotWAV},
		{"24 bits", wav("fmt ", format(1, 1, 16000, 24), "data", little(1)), 0, nil, ErrNotWAV},
		{"six channels", wav("fmt ", format(1, 6, 16000, 16), "data", little(1)), 0, nil, ErrNotWAV},
		{"no rate", wav("fmt ", format(1, 1, 0, 16), "data", little(1)), 0, nil, ErrNotWAV},
		{"short format", wav("fmt ", mono[:8], "data", little(1)), 0, nil, ErrNotWAV},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, rate, err := ReadWAV(bytes.NewReader(tt.file), 100)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || rate != tt.rate {
				t.Errorf("%d Hz, want %d; samples (-want +got):\n%s", rate, tt.rate, diff)
			}
		})
	}
	if _, _, err := ReadWAV(bytes.NewReader(wav("fmt ", mono, "data", make([]byte, 202))), 100); err == nil {
		t.Error("a file beyond the limit was read")
	}
}

func TestWAVWriterRoundTrip(t *testing.T) {
	pcm := make([]int16, 10000)
	for i := range pcm {
		pcm[i] = int16(i*37 - 20000)
	}
	path := filepath.Join(t.TempDir(), "out.wav")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	var stream bytes.Buffer
	for _, out := range []io.Writer{file, &stream} {
		w, err := NewWAVWriter(out, VoiceRate, 1)
		if err != nil {
			t.Fatal(err)
		}
		for from := 0; from < len(pcm); from += 480 {
			if err := w.Write(pcm[from:min(from+480, len(pcm))]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if size := binary.LittleEndian.Uint32(saved[40:]); int(size) != 2*len(pcm) {
		t.Errorf("the header of the file says %d bytes, want %d", size, 2*len(pcm))
	}
	for name, b := range map[string][]byte{"file": saved, "stream": stream.Bytes()} {
		got, rate, err := ReadWAV(bytes.NewReader(b), len(pcm))
		if err != nil || rate != VoiceRate || !cmp.Equal(pcm, got) {
			t.Errorf("%s: %d samples at %d Hz, error %v", name, len(got), rate, err)
		}
	}
}

func TestWAVWriterRefusesRates(t *testing.T) {
	for _, rate := range []int{0, -1, 1 << 30} {
		if _, err := NewWAVWriter(io.Discard, rate, 1); !errors.Is(err, ErrRate) {
			t.Errorf("%d Hz: error %v, want ErrRate", rate, err)
		}
	}
}

func FuzzReadWAV(f *testing.F) {
	f.Add(wav("fmt ", format(1, 2, 44100, 16), "data", little(1, 2, 3, 4)))
	f.Add(wav("LIST", []byte("x"), "fmt ", format(1, 1, 8000, 8), "data", []byte{1}))
	f.Fuzz(func(t *testing.T, file []byte) {
		pcm, rate, err := ReadWAV(bytes.NewReader(file), 1<<20)
		if len(pcm) > len(file) {
			t.Errorf("%d samples out of %d bytes", len(pcm), len(file))
		}
		if err == nil && rate <= 0 {
			t.Errorf("rate %d without an error", rate)
		}
	})
}
