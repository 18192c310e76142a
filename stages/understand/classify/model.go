package classify

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

// Model tells what a clause does: a linear classifier over hashed features, trained from examples. It is read-only and may be shared.
type Model struct {
	*language
	answer            int // the class of answers
	classes           []string
	group             []int   // of each class
	groups            []group // classes that count as one when a text is cut into clauses
	bias              []float32
	scale             float32 // of a weight
	cutBias, cutScale float32 // of the places where something else begins; their weights are of a class behind the last one

	slots   []uint32 // an open hash table of features; 0 = free
	first   []uint32 // by slot: where the weights of the feature begin
	weights []weight
	last    []bool // by weight: the last one of its feature
	buffers sync.Pool
}

type weight struct {
	class uint8
	value int8
}

// The encoded form: a version, the classes with their biases, the scale, and the features in order of their numbers, each as the distance
// to the one before, with its weights.
const version = 3

// mostBytes bounds a model once it is unpacked.
const mostBytes = 4 << 20

var errBroken = errors.New("the model is broken: train it again with go test ./stages/understand/classify -run TestTrain -update")

// decoder reads the encoded form; what is missing reads as zero and is noted.
type decoder struct {
	data   []byte
	broken bool
}

func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.data) {
		d.broken = true
		return make([]byte, max(0, min(n, 8)))
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) number() int {
	n, size := binary.Uvarint(d.data)
	if size <= 0 || n > math.MaxInt32<<2 {
		d.broken = true
		return 0
	}
	d.data = d.data[size:]
	return int(n)
}

func (d *decoder) float() float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(d.bytes(4)))
}

// decode reads a model from its encoded form.
func decode(data []byte) (*Model, error) {
	d := &decoder{data: data}
	m := &Model{}
	if d.number() != version {
		return nil, fmt.Errorf("it is not of version %d: %w", version, errBroken)
	}
	d.number() // the examples that it was trained from
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(d.data)), mostBytes))
	if err != nil {
		return nil, errBroken
	}
	d.data = body
	for range min(d.number(), math.MaxUint8) {
		m.classes = append(m.classes, string(d.bytes(d.number())))
		m.bias = append(m.bias, d.float())
	}
	m.scale, m.cutBias, m.cutScale = d.float(), d.float(), d.float()
	features, total := d.number(), d.number()
	if d.broken || len(m.classes) == 0 || total > len(body) || features > total {
		return nil, errBroken
	}
	m.table(features, total)
	id := uint32(0)
	for range features {
		id += uint32(d.number())
		n := d.number()
		if n == 0 || d.broken || len(m.weights)+n > total {
			return nil, errBroken
		}
		m.put(id)
		for k := range n {
			b := d.bytes(2)
			if of := int(b[0]); of > len(m.classes) || of == len(m.classes) != (id >= placesFrom) {
				return nil, errBroken
			}
			m.weights, m.last = append(m.weights, weight{b[0], int8(b[1])}), append(m.last, k == n-1)
		}
	}
	if d.broken {
		return nil, errBroken
	}
	m.grouped()
	m.answer = slices.Index(m.classes, Answer)
	m.buffers.New = func() any { return new(buffer) }
	return m, nil
}

// table makes room for the features.
func (m *Model) table(features, weights int) {
	size := 1
	for size < 2*features+2 {
		size *= 2
	}
	m.slots, m.first = make([]uint32, size), make([]uint32, size)
	m.weights, m.last = make([]weight, 0, weights), make([]bool, 0, weights)
}

// put notes that the weights of a feature begin here.
func (m *Model) put(id uint32) {
	mask := uint32(len(m.slots) - 1)
	at := id & mask
	for m.slots[at] != 0 {
		at = (at + 1) & mask
	}
	m.slots[at], m.first[at] = id, uint32(len(m.weights))
}

// key shortens the number of a feature: few of them fall together, and the model is smaller. Those of places lie above the others.
func key(id uint32) uint32 { return max(id>>9, 1) }

func keyOfPlace(id uint32) uint32 { return placesFrom | id>>10 }

const placesFrom = 1 << 23

// add adds the weights of a feature, known by its key, to the sums, times sign.
func (m *Model) add(sums []int32, id uint32, sign int32) {
	mask := uint32(len(m.slots) - 1)
	for at := id & mask; m.slots[at] != 0; at = (at + 1) & mask {
		if m.slots[at] != id {
			continue
		}
		for k := m.first[at]; ; k++ {
			w := m.weights[k]
			sums[w.class] += sign * int32(w.value)
			if m.last[k] {
				return
			}
		}
	}
}

// likely turns sums of a clause of n tokens into how likely each class is.
func (m *Model) likely(out []float32, sums []int32, n int) {
	by := m.scale / float32(math.Sqrt(float64(n+1)))
	most := float32(math.Inf(-1))
	for c, s := range sums {
		out[c] = m.bias[c] + by*float32(s)
		if c == m.answer {
			out[c] -= answerLess
		}
		most = max(most, out[c])
	}
	all := float32(0)
	for c, x := range out {
		if x -= most; x < -12 {
			out[c] = 0
			continue
		}
		out[c] = float32(math.Exp(float64(x)))
		all += out[c]
	}
	for c := range out {
		out[c] /= all
	}
}

// Has reports whether the model knows a class.
func (m *Model) Has(class string) bool { return slices.Contains(m.classes, class) }
