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
	// wavMaxFormat bounds the size of a format chunk, in bytes.
	wavMaxFormat = 1 << 16
	// wavBlock is how many bytes are read and written at a time.
	wavBlock = 4096
)

// wavReader reads a WAV file as mono samples.
type wavReader struct {
	in       io.Reader
	rate     int
	channels int
	bytes    int   // per sample of one channel
	left     int64 // bytes of sound not yet read; negative: until the end of the file
	buf      [wavBlock]byte
}

// newWAVReader reads the header from in. It fails with an error wrapping ErrNotWAV, or one of in's. The caller closes in.
func newWAVReader(in io.Reader) (*wavReader, error) {
	r := &wavReader{in: in}
	var riff [12]byte
	if err := r.readHeader(riff[:]); err != nil {
		return nil, err
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return nil, fmt.Errorf("%w: it does not start with RIFF … WAVE", ErrNotWAV)
	}
	for {
		var chunk [8]byte
		if err := r.readHeader(chunk[:]); err != nil {
			return nil, err
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if err := r.readFormat(size); err != nil {
				return nil, err
			}
		case "data":
			return r, r.begin(size)
		default:
			if err := r.skip(size + size%2); err != nil {
				return nil, err
			}
		}
	}
}

// begin starts the sound. Sizes that a streaming writer leaves in the header mean "until the end".
func (r *wavReader) begin(size int64) error {
	if r.rate == 0 {
		return fmt.Errorf("%w: sound before its format", ErrNotWAV)
	}
	r.left = size
	if size == 0 || size >= wavUnknownSize-wavHeaderSize {
		r.left = -1
	}
	return nil
}

func (r *wavReader) readFormat(size int64) error {
	if size < 16 || size > wavMaxFormat {
		return fmt.Errorf("%w: format chunk of %d bytes", ErrNotWAV, size)
	}
	chunk := make([]byte, size+size%2)
	if err := r.readHeader(chunk); err != nil {
		return err
	}
	codec := binary.LittleEndian.Uint16(chunk)
	if codec == wavExtensible && size >= 26 {
		codec = binary.LittleEndian.Uint16(chunk[24:])
	}
	channels := int(binary.LittleEndian.Uint16(chunk[2:]))
	rate := binary.LittleEndian.Uint32(chunk[4:])
	bits := int(binary.LittleEndian.Uint16(chunk[14:]))
	if codec != wavPCM || channels < 1 || channels > 2 || rate == 0 || rate > wavMaxRate || bits != 8 && bits != 16 {
		return fmt.Errorf("%w: codec %d, %d channels, %d Hz, %d bits; want 8 or 16-bit PCM, mono or stereo", ErrNotWAV, codec, channels, rate, bits)
	}
	r.rate, r.channels, r.bytes = int(rate), channels, bits/8
	return nil
}

func (r *wavReader) readHeader(b []byte) error {
	_, err := io.ReadFull(r.in, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends in the header", ErrNotWAV)
	}
	if err != nil {
		return fmt.Errorf("read WAV header: %w", err)
	}
	return nil
}

func (r *wavReader) skip(n int64) error {
	got, err := io.CopyN(io.Discard, r.in, n)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: a chunk of %d bytes ends after %d", ErrNotWAV, n, got)
	}
	if err != nil {
		return fmt.Errorf("read WAV header: %w", err)
	}
	return nil
}

// Read reads up to len(dst) samples, stereo mixed down, and returns their number. At the end of the sound it returns io.EOF; where the
// file ends before the header said, io.ErrUnexpectedEOF with the samples there were. With an error there may be samples, too.
func (r *wavReader) Read(dst []int16) (int, error) {
	step := r.channels * r.bytes
	done := 0
	for done < len(dst) {
		want := min((len(dst)-done)*step, len(r.buf)/step*step)
		if r.left >= 0 {
			want = int(min(int64(want), r.left/int64(step)*int64(step)))
		}
		if want == 0 {
			return done, io.EOF
		}
		n, err := io.ReadFull(r.in, r.buf[:want])
		done += r.convert(dst[done:], r.buf[:n/step*step])
		if err != nil {
			return done, r.endOf(err)
		}
		if r.left >= 0 {
			r.left -= int64(n)
		}
	}
	return done, nil
}

// endOf tells the end that the header announced, or left open, from one that came too early.
func (r *wavReader) endOf(err error) error {
	early := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case early && r.left < 0:
		return io.EOF
	case early:
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read WAV sound: %w", err)
}

// convert turns whole samples into 16-bit mono and returns their number.
func (r *wavReader) convert(dst []int16, b []byte) int {
	step := r.channels * r.bytes
	n := len(b) / step
	for i := range n {
		sum := 0
		for c := range r.channels {
			if r.bytes == 1 {
				sum += (int(b[i*step+c]) - 128) << 8
			} else {
				sum += int(int16(binary.LittleEndian.Uint16(b[i*step+2*c:])))
			}
		}
		dst[i] = int16(sum / r.channels)
	}
	return n
}

// ReadWAV reads a whole WAV file of at most limit samples, and returns its sound as mono and the sample rate in Hz. A file cut short gives
// what there is, with io.ErrUnexpectedEOF.
func ReadWAV(in io.Reader, limit int) (pcm []int16, rate int, err error) {
	r, err := newWAVReader(in)
	if err != nil {
		return nil, 0, err
	}
	block := make([]int16, wavBlock)
	for {
		n, err := r.Read(block)
		pcm = append(pcm, block[:n]...)
		if len(pcm) > limit {
			return nil, r.rate, fmt.Errorf("WAV file is longer than the limit of %d samples", limit)
		}
		if errors.Is(err, io.EOF) {
			return pcm, r.rate, nil
		}
		if err != nil {
			return pcm, r.rate, err
		}
	}
}

// WAVWriter writes 16-bit sound to a WAV file as it comes.
type WAVWriter struct {
	out      io.Writer
	rate     int
	channels int
	size     int64 // bytes of sound written
	buf      [wavBlock]byte
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
	for len(pcm) > 0 {
		n := min(len(pcm), len(w.buf)/2)
		for i, v := range pcm[:n] {
			binary.LittleEndian.PutUint16(w.buf[2*i:], uint16(v))
		}
		if _, err := w.out.Write(w.buf[:2*n]); err != nil {
			return fmt.Errorf("write WAV sound: %w", err)
		}
		w.size += int64(2 * n)
		pcm = pcm[n:]
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
