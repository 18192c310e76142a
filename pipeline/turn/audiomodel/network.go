package audiomodel

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The network: three convolutions over time, each of which halves it, and two layers over all that is left. Train.py of package turneval builds
// the same.
const (
	kernel, stride = 5, 2

	width0, width1, width2, width3 = Channels, 32, 48, 64

	frames1 = (Frames-kernel)/stride + 1
	frames2 = (frames1-kernel)/stride + 1
	frames3 = (frames2-kernel)/stride + 1

	joined = frames3 * width3
	hidden = 48
)

// layer is a matrix of rows of weights, and a bias for each.
type layer struct {
	rows, columns int
	weights, bias []float32
}

// network holds the weights, and is read-only.
type network struct {
	convolutions [3]layer
	dense        [2]layer
}

// shapes are the rows and columns of the layers, in the order of the file.
var shapes = [...][2]int{
	{width1, kernel * width0}, {width2, kernel * width1}, {width3, kernel * width2}, {hidden, joined}, {1, hidden},
}

// parse reads a file of weights: of each layer its rows and then its biases, as float32, little-endian.
func parse(file []byte) (*network, error) {
	floats := make([]float32, 0, len(file)/4)
	for at := 0; at+4 <= len(file); at += 4 {
		floats = append(floats, math.Float32frombits(binary.LittleEndian.Uint32(file[at:])))
	}
	want := 0
	for _, s := range shapes {
		want += s[0]*s[1] + s[0]
	}
	if len(file) != 4*want {
		return nil, fmt.Errorf("the audio model's weights are %d bytes, want %d: train it again (pipeline/turn/turneval/README.md)", len(file), 4*want)
	}
	n := &network{}
	for i, s := range shapes {
		l := layer{rows: s[0], columns: s[1]}
		l.weights, floats = floats[:s[0]*s[1]], floats[s[0]*s[1]:]
		l.bias, floats = floats[:s[0]], floats[s[0]:]
		if i < len(n.convolutions) {
			n.convolutions[i] = l
		} else {
			n.dense[i-len(n.convolutions)] = l
		}
	}
	return n, nil
}

// activations are what the layers compute, frame by frame.
type activations struct {
	input [Frames * width0]float32
	one   [frames1 * width1]float32
	two   [frames2 * width2]float32
	three [joined]float32
	last  [hidden]float32
	odds  [1]float32
}

// odds are the log odds that the turn is over.
func (n *network) odds(a *activations) float64 {
	n.convolutions[0].slide(a.one[:], a.input[:], stride*width0)
	n.convolutions[1].slide(a.two[:], a.one[:], stride*width1)
	n.convolutions[2].slide(a.three[:], a.two[:], stride*width2)
	n.dense[0].slide(a.last[:], a.three[:], joined)
	n.dense[1].apply(a.odds[:], a.last[:])
	return float64(a.odds[0])
}

// slide applies the layer at every step of the input, with what is below 0 made 0.
func (l *layer) slide(dst, src []float32, step int) {
	for ; len(dst) > 0; dst, src = dst[l.rows:], src[min(step, len(src)):] {
		l.apply(dst[:l.rows], src[:l.columns])
		for i, v := range dst[:l.rows] {
			dst[i] = max(v, 0)
		}
	}
}

// apply sets dst to the weights times src, and the bias.
func (l *layer) apply(dst, src []float32) {
	for r := range dst {
		row := l.weights[r*l.columns:][:len(src)]
		var a, b, c, d float32
		i := 0
		for ; i+4 <= len(src); i += 4 {
			x, w := src[i:i+4:i+4], row[i:i+4:i+4]
			a += x[0] * w[0]
			b += x[1] * w[1]
			c += x[2] * w[2]
			d += x[3] * w[3]
		}
		for ; i < len(src); i++ {
			a += src[i] * row[i]
		}
		dst[r] = l.bias[r] + a + b + c + d
	}
}
