package turneval

import (
	"encoding/binary"
	"testing"
)

// packedWriter writes what packedReader reads: bits in words of 16, lowest first, and literal bytes behind the word that is begun.
type packedWriter struct {
	out   []byte
	word  int // where the word is that bits go to
	count int
}

func (w *packedWriter) bits(v, n int) {
	for ; n > 0; n, v = n-1, v>>1 {
		if w.count%16 == 0 {
			w.word = len(w.out)
			w.out = append(w.out, 0, 0)
		}
		if v&1 == 1 {
			at := w.count % 16
			w.out[w.word+at/8] |= 1 << (at % 8)
		}
		w.count++
	}
}

// TestUnpack unpacks "viva viva viva": five literal bytes, and a copy of nine that overlaps itself.
func TestUnpack(t *testing.T) {
	w := &packedWriter{}
	w.bits(0, 2)
	// Literals: the number 5 has three bits and 0 has none, so values 3 and 0, each of one bit.
	w.bits(4, 5)
	for _, length := range []int{1, 0, 0, 1} {
		w.bits(length, 4)
	}
	// Distances: 5, as 4, has three bits. Lengths: 9, as 7, has three.
	for range 2 {
		w.bits(4, 5)
		for _, length := range []int{0, 0, 0, 1} {
			w.bits(length, 4)
		}
	}
	w.bits(2, 16)
	w.bits(1, 1) // value 3: the second code
	w.bits(5&3, 2)
	w.out = append(w.out, "viva "...)
	w.bits(0, 1)
	w.bits(4&3, 2)
	w.bits(0, 1)
	w.bits(7&3, 2)
	w.bits(0, 1) // no literals before the end
	w.bits(0, 16)

	packed := append([]byte("RNC\x01"), make([]byte, packedHeader-4)...)
	binary.BigEndian.PutUint32(packed[4:], 14)
	packed[packedHeader-1] = 1
	packed = append(packed, w.out...)
	got, err := unpack(packed)
	if err != nil || string(got) != "viva viva viva" {
		t.Errorf("%q, %v", got, err)
	}
	for n := range packed[:len(packed)-len(w.out)/2] {
		if got, err := unpack(packed[:n]); err == nil {
			t.Fatalf("%d bytes of it gave %q", n, got)
		}
	}
}
