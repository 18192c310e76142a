package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrNotWAV reports input that is not a WAV file, or one whose sound is not 8 or 16-bit PCM in one or two channels.
var ErrNotWAV = errors.New("not a PCM WAV file")

const (
	wavPCM        = 1
	wavExtensible = 0xfffe
	// wavUnknownSize stands for the size of the data where the writer could not know it.
	wavUnknownSize = 0xffffffff
	wavHeaderSize  = 44
	// wavMaxRate bounds the sample rate believed, in Hz.
	wavMaxRate = 384000
	// wavMaxOther is how much of a file may be other than sound, in bytes.
	wavMaxOther = 1 << 20
)

// wavFormat is how the sound of a file is written.
type wavFormat struct {
	rate, channels int
	bytes          int // per sample of one channel
}

// ReadWAV reads a whole WAV file of at most limit samples, and returns its sound as mono and the sample rate in Hz. A file cut short gives
// what there is, with io.ErrUnexpectedEOF. Sizes that a streaming writer leaves in the header mean "until the end".
func ReadWAV(in io.Reader, limit int) (pcm []int16, rate int, err error) {
	raw, err := io.ReadAll(io.LimitReader(in, int64(limit)*4+wavMaxOther))
	if err != nil {
		return nil, 0, fmt.Errorf("read WAV: %w", err)
	}
	if len(raw) < 12 || string(raw[:4]) != "RIFF" || string(raw[8:12]) != "WAVE" {
		return nil, 0, fmt.Errorf("%w: it does not start with RIFF … WAVE", ErrNotWAV)
	}
	var f wavFormat
	for rest := raw[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		have := min(size, int64(len(rest)))
		switch name {
		case "fmt ":
			if f, err = readWAVFormat(rest[:have]); err != nil {
				return nil, 0, err
			}
		case "data":
			open := size == 0 || size >= wavUnknownSize-wavHeaderSize
			if open {
				have = int64(len(rest))
			}
			if f.rate == 0 {
				return nil, 0, fmt.Errorf("%w: sound before its format", ErrNotWAV)
			}
			if pcm = f.mono(rest[:have]); len(pcm) > limit {
				return nil, f.rate, fmt.Errorf("WAV file is longer than the limit of %d samples", limit)
			}
			if have < size && !open {
				err = io.ErrUnexpectedEOF
			}
			return pcm, f.rate, err
		}
		rest = rest[min(size+size%2, int64(len(rest))):]
	}
	return nil, 0, fmt.Errorf("%w: it ends before its sound", ErrNotWAV)
}

func readWAVFormat(chunk []byte) (wavFormat, error) {
	if len(chunk) < 16 {
		return wavFormat{}, fmt.Errorf("%w: format chunk of %d bytes", ErrNotWAV, len(chunk))
	}
	codec := binary.LittleEndian.Uint16(chunk)
	if codec == wavExtensible && len(chunk) >= 26 {
		codec = binary.LittleEndian.Uint16(chunk[24:])
	}
	channels := int(binary.LittleEndian.Uint16(chunk[2:]))
	rate := binary.LittleEndian.Uint32(chunk[4:])
	bits := int(binary.LittleEndian.Uint16(chunk[14:]))
	if codec != wavPCM || channels < 1 || channels > 2 || rate == 0 || rate > wavMaxRate || bits != 8 && bits != 16 {
		return wavFormat{}, fmt.Errorf("%w: codec %d, %d channels, %d Hz, %d bits; want 8 or 16-bit PCM, mono or stereo", ErrNotWAV, codec, channels, rate, bits)
	}
	return wavFormat{int(rate), channels, bits / 8}, nil
}

// mono turns whole samples into 16-bit ones, stereo mixed down.
func (f wavFormat) mono(b []byte) []int16 {
	step := f.channels * f.bytes
	pcm := make([]int16, len(b)/step)
	for i := range pcm {
		sum := 0
		for c := range f.channels {
			if f.bytes == 1 {
				sum += (int(b[i*step+c]) - 128) << 8
			} else {
				sum += int(int16(binary.LittleEndian.Uint16(b[i*step+2*c:])))
			}
		}
		pcm[i] = int16(sum / f.channels)
	}
	return pcm
}

// WAVWriter writes 16-bit sound to a WAV file as it comes.
type WAVWriter struct {
	out      io.Writer
	rate     int
	channels int
	size     int64 // bytes of sound written
	buf      []byte
}

// NewWAVWriter writes a header for rate Hz and so many channels to out. The header leaves the length open, which most players accept; Close fills it in where
// out is an io.WriteSeeker. The caller closes out, after Close.
func NewWAVWriter(out io.Writer, rate, channels int) (*WAVWriter, error) {
	if rate <= 0 || rate > wavMaxRate {
		return nil, fmt.Errorf("write WAV: %w: %d Hz", ErrRate, rate)
	}
	w := &WAVWriter{out: out, rate: rate, channels: channels}
	if err := w.writeHeader(wavUnknownSize - wavHeaderSize); err != nil {
		return nil, err
	}
	return w, nil
}

// Write appends samples, those of the channels by turns.
func (w *WAVWriter) Write(pcm []int16) error {
	w.buf = w.buf[:0]
	for _, v := range pcm {
		w.buf = binary.LittleEndian.AppendUint16(w.buf, uint16(v))
	}
	w.size += int64(len(w.buf))
	if _, err := w.out.Write(w.buf); err != nil {
		return fmt.Errorf("write WAV sound: %w", err)
	}
	return nil
}

// Close writes the length into the header, if out can seek, and leaves out positioned at its end. It does not close out.
func (w *WAVWriter) Close() error {
	out, ok := w.out.(io.WriteSeeker)
	if !ok || w.size >= wavUnknownSize-wavHeaderSize {
		return nil
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("finish WAV: %w", err)
	}
	if err := w.writeHeader(uint32(w.size)); err != nil {
		return err
	}
	if _, err := out.Seek(0, io.SeekEnd); err != nil {
		return fmt.Errorf("finish WAV: %w", err)
	}
	return nil
}

func (w *WAVWriter) writeHeader(size uint32) error {
	if _, err := w.out.Write(WAVHeader(w.rate, w.channels, size)); err != nil {
		return fmt.Errorf("write WAV header: %w", err)
	}
	return nil
}

// WAVHeader is what stands before so many bytes of 16-bit sound in a WAV file.
func WAVHeader(rate, channels int, size uint32) []byte {
	const bytes = 2
	block := channels * bytes
	h := make([]byte, 0, wavHeaderSize)
	h = append(h, "RIFF"...)
	h = binary.LittleEndian.AppendUint32(h, size+wavHeaderSize-8)
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, 16)
	h = binary.LittleEndian.AppendUint16(h, wavPCM)
	h = binary.LittleEndian.AppendUint16(h, uint16(channels))
	h = binary.LittleEndian.AppendUint32(h, uint32(rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(rate*block))
	h = binary.LittleEndian.AppendUint16(h, uint16(block))
	h = binary.LittleEndian.AppendUint16(h, 8*bytes)
	h = append(h, "data"...)
	return binary.LittleEndian.AppendUint32(h, size)
}
