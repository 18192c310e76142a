package turneval

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// errPacked reports bytes that are not what RNC's method 1 packs.
var errPacked = errors.New("not packed by RNC method 1")

const packedHeader = 18

// unpack undoes RNC's method 1 (1991): rounds of literal bytes and of copies of what was before, whose lengths and distances
// are in prefix codes of the block. Bits come in words of 16, lowest first; literal bytes lie between them.
func unpack(packed []byte) (out []byte, err error) {
	if len(packed) < packedHeader || string(packed[:4]) != "RNC\x01" {
		return nil, errPacked
	}
	size := int(binary.BigEndian.Uint32(packed[4:]))
	blocks := int(packed[packedHeader-1])
	r := &packedReader{rest: append(slices.Clone(packed[packedHeader:]), 0, 0)} // the last word may be half there
	defer func() {
		if recover() != nil { // it read behind the end
			out, err = nil, errPacked
		}
	}()
	r.bits(2)
	for range blocks {
		literals, distances, lengths := r.codes(), r.codes(), r.codes()
		for count := r.bits(16); count > 0; count-- {
			out = append(out, r.bytes(r.value(literals))...)
			if count == 1 || r.bad {
				break
			}
			from := len(out) - r.value(distances) - 1
			for n := r.value(lengths) + 2; n > 0; n-- {
				out = append(out, out[from])
				from++
			}
		}
	}
	if len(out) != size || r.bad {
		return nil, errPacked
	}
	return out, nil
}

// packedReader reads bits and bytes; behind the end they fail as slices do.
type packedReader struct {
	rest  []byte
	word  uint32 // bits that are left, lowest first
	count int
	bad   bool // it read a code that there is not
}

func (r *packedReader) bits(n int) int {
	for r.count < n {
		r.word |= uint32(binary.LittleEndian.Uint16(r.rest)) << r.count
		r.rest, r.count = r.rest[2:], r.count+16
	}
	v := r.word & (1<<n - 1)
	r.word, r.count = r.word>>n, r.count-n
	return int(v)
}

func (r *packedReader) bytes(n int) []byte {
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// prefix is a code of a value, its bits reversed.
type prefix struct{ length, code, value int }

// codes reads a canonical prefix code.
func (r *packedReader) codes() []prefix {
	lengths := make([]int, r.bits(5))
	for i := range lengths {
		lengths[i] = r.bits(4)
	}
	var codes []prefix
	code := 0
	for length := 1; length <= 16; length++ {
		for value, l := range lengths {
			if l == length {
				codes = append(codes, prefix{length, int(bits.Reverse16(uint16(code)) >> (16 - length)), value})
				code++
			}
		}
		code <<= 1
	}
	return codes
}

// value reads a code and the bits of the number that it announces.
func (r *packedReader) value(codes []prefix) int {
	code := 0
	for length, next := 0, 0; next < len(codes); next++ {
		for c := codes[next]; length < c.length; length++ {
			code |= r.bits(1) << length
		}
		if codes[next].code == code {
			v := codes[next].value
			if v < 2 {
				return v
			}
			return 1<<(v-1) | r.bits(v-1)
		}
	}
	r.bad = true
	return 0
}
