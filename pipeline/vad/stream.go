package vad

import "math"

// Stream runs the model over one audio stream: it keeps the recurrent state, the last samples of the previous window and all
// scratch space (about 13 KiB). It is for one goroutine; the zero value is not usable.
type Stream struct {
	model *Model

	input [inputLen]float32 // context, window, mirrored end

	// Frames of the layers, channels contiguous, with a zero frame before and behind: the padding of the convolutions.
	spectrum [(spectra + 2) * binsPad]float32
	frames0  [(spectra + 2) * chan0]float32
	frames1  [(spectra/2 + 2) * chan1]float32
	frame2   [chan2]float32

	joined [chan3 + hidden]float32 // the LSTM's input, then its state from the step before
	cell   [hidden]float32
	gate   [gates * hidden]float32
}

// NewStream returns a stream that has heard nothing yet.
func (m *Model) NewStream() *Stream { return &Stream{model: m} }

// Reset forgets what was heard, as at the start of a new stream.
func (s *Stream) Reset() {
	clear(s.input[:])
	clear(s.joined[:])
	clear(s.cell[:])
}

// Step hears the next Window samples and returns the probability, 0 … 1, that they contain speech. Windows must follow one another
// without gaps. The samples are not kept. A slice converts as (*[vad.Window]int16)(slice).
func (s *Stream) Step(window *[Window]int16) float32 {
	s.load(window)
	s.analyse()
	s.encode()
	return s.decide()
}

// load moves the context to the front, appends the window scaled to ±1 and mirrors the end (the model's "reflect" padding, in which
// the last sample itself is not repeated).
func (s *Stream) load(window *[Window]int16) {
	const end = contextSamples + Window
	copy(s.input[:contextSamples], s.input[Window:end])
	in := s.input[contextSamples:end]
	for i := range in {
		in[i] = float32(window[i]) * (1.0 / 32768)
	}
	for i := range padded {
		s.input[end+i] = s.input[end-2-i]
	}
}

// analyse computes the magnitude spectra: each basis row meets all four overlapping frames at once.
func (s *Stream) analyse() {
	var re, im [spectra]float32
	basis := s.model.basis
	for b := range bins {
		dot4(&re, basis[b*fftSize:(b+1)*fftSize], s.input[:], fftHop)
		dot4(&im, basis[(bins+b)*fftSize:(bins+b+1)*fftSize], s.input[:], fftHop)
		for t := range spectra {
			s.spectrum[(t+1)*binsPad+b] = float32(math.Sqrt(float64(re[t]*re[t] + im[t]*im[t])))
		}
	}
}

// encode runs the four convolutions, 4 frames → 4 → 2 → 1 → 1, the last into the front half of joined.
func (s *Stream) encode() {
	m := s.model
	var acc [spectra]float32
	const row0 = kernel * binsPad
	for o := range chan0 {
		dot4(&acc, m.conv0[o*row0:(o+1)*row0], s.spectrum[:], binsPad)
		for t := range spectra {
			s.frames0[(t+1)*chan0+o] = max(0, acc[t]+m.bias0[o])
		}
	}
	for t := range spectra / 2 {
		from := 2 * t * chan0 // frame 2t−1, shifted by the zero frame in front
		layer(s.frames1[(t+1)*chan1:(t+2)*chan1], m.conv1, m.bias1, s.frames0[from:from+kernel*chan0])
		relu(s.frames1[(t+1)*chan1 : (t+2)*chan1])
	}
	layer(s.frame2[:], m.conv2, m.bias2, s.frames1[:kernel*chan1])
	relu(s.frame2[:])
	layer(s.joined[:chan3], m.conv3, m.bias3, s.frame2[:])
	relu(s.joined[:chan3])
}

// decide advances the LSTM and maps its state to a probability. The gates are in PyTorch's order: input, forget, cell, output.
func (s *Stream) decide() float32 {
	m := s.model
	layer(s.gate[:], m.lstm, m.lstmBias, s.joined[:])
	state := s.joined[chan3:]
	logit := m.outBias
	for i := range hidden {
		in, forget := sigmoid(s.gate[i]), sigmoid(s.gate[hidden+i])
		candidate, open := tanh(s.gate[2*hidden+i]), sigmoid(s.gate[3*hidden+i])
		s.cell[i] = forget*s.cell[i] + in*candidate
		state[i] = open * tanh(s.cell[i])
		logit += max(0, state[i]) * m.out[i]
	}
	return sigmoid(logit)
}

// layer computes dst = w·x + bias, four rows at a time; len(dst) is a multiple of 4.
func layer(dst, w, bias, x []float32) {
	k := len(x)
	var acc [4]float32
	for o := 0; o+4 <= len(dst); o += 4 {
		dot4(&acc, x, w[o*k:(o+4)*k], k)
		for j := range acc {
			dst[o+j] = acc[j] + bias[o+j]
		}
	}
}

func relu(x []float32) {
	for i := range x {
		x[i] = max(0, x[i])
	}
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// tanh by way of exp, which is several times faster than math.Tanh and good to the last float32 digit or two.
func tanh(x float32) float32 { return float32(1 - 2/(1+math.Exp(2*float64(x)))) }
