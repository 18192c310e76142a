package diskcache

import (
	"crypto/sha256"
	"encoding/binary"
)

// The file's format: see the package documentation.
const (
	magic      = "vivapcm1"
	headerSize = 48
	sumAt      = 16
)

// fileSize is the size of a file with so many samples, in bytes.
func fileSize(samples int) int64 { return headerSize + 2*int64(samples) }

func encode(k key, s *sound) []byte {
	b := make([]byte, sumAt, fileSize(len(s.pcm)))
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[8:], uint32(s.rate))
	binary.LittleEndian.PutUint32(b[12:], uint32(len(s.pcm)))
	b = b[:headerSize]
	for _, v := range s.pcm {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	sum := checksum(k, b)
	copy(b[sumAt:], sum[:])
	return b
}

// decode returns the sound in a file, or nil if the file is not exactly what encode makes for k.
func decode(k key, b []byte) *sound {
	if len(b) <= headerSize || string(b[:len(magic)]) != magic || checksum(k, b) != [sha256.Size]byte(b[sumAt:headerSize]) {
		return nil
	}
	n := int64(binary.LittleEndian.Uint32(b[12:]))
	if int64(len(b)) != headerSize+2*n {
		return nil
	}
	s := &sound{rate: int(binary.LittleEndian.Uint32(b[8:])), pcm: make([]int16, n)}
	for i := range s.pcm {
		s.pcm[i] = int16(binary.LittleEndian.Uint16(b[headerSize+2*i:]))
	}
	return s
}

func checksum(k key, b []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range [][]byte{b[:sumAt], k[:], b[headerSize:]} {
		_, _ = h.Write(part) // a hash never fails
	}
	h.Sum(sum[:0])
	return sum
}
