package vad

import "errors"

// Sizes of the network's layers (16 kHz branch of Silero VAD v5).
const (
	fftSize  = 256 // samples per short-time spectrum
	fftHop   = 128 // samples between spectra
	padded   = 64  // samples mirrored at the end of a window
	inputLen = contextSamples + Window + padded
	spectra  = (inputLen-fftSize)/fftHop + 1
	bins     = fftSize/2 + 1
	binsPad  = 136 // bins rounded up to a multiple of 8, as the kernel wants it
	kernel   = 3   // taps of every convolution

	chan0 = 128 // channels after encoder layers 0 … 3
	chan1 = 64
	chan2 = 64
	chan3 = 128

	hidden = 128 // LSTM cells
	gates  = 4   // input, forget, cell, output
)

// Model is the network's weights, arranged for speed. It is read-only and safe for concurrent use.
//
// Every layer is a matrix product over rows of contiguous weights. A convolution row holds its taps one after the other, each with all
// input channels, which is the order in which the frames lie in memory: a frame and its neighbours are one slice.
type Model struct {
	basis []float32 // [2·bins][fftSize] windowed cosines, then sines

	conv0, bias0 []float32 // [chan0][kernel][binsPad], step 1
	conv1, bias1 []float32 // [chan1][kernel][chan0], step 2
	conv2, bias2 []float32 // [chan2][kernel][chan1], step 2
	conv3, bias3 []float32 // [chan3][chan2]: with one frame left only the middle tap meets data

	lstm, lstmBias []float32 // [gates·hidden][chan3+hidden]: weights of input and state side by side; both biases summed

	out     []float32 // [hidden]
	outBias float32
}

func newModel(t tensors) (*Model, error) {
	var errs []error
	take := func(name string, dims ...int) []float32 {
		data, err := t.take(name, dims...)
		if err != nil {
			errs = append(errs, err)
			size := 1
			for _, d := range dims {
				size *= d
			}
			data = make([]float32, size)
		}
		return data
	}
	conv := func(layer string, out, in, inPad int) (w, bias []float32) {
		w = take("encoder."+layer+".reparam_conv.weight", out, in, kernel)
		return tapsFirst(w, out, in, inPad), take("encoder."+layer+".reparam_conv.bias", out)
	}

	m := &Model{basis: take("stft.forward_basis_buffer", 2*bins, 1, fftSize)}
	m.conv0, m.bias0 = conv("0", chan0, bins, binsPad)
	m.conv1, m.bias1 = conv("1", chan1, chan0, chan0)
	m.conv2, m.bias2 = conv("2", chan2, chan1, chan1)
	m.conv3, m.bias3 = conv("3", chan3, chan2, chan2)
	m.conv3 = middleTap(m.conv3, chan3, chan2)
	m.lstm = sideBySide(
		take("decoder.rnn.weight_ih", gates*hidden, chan3),
		take("decoder.rnn.weight_hh", gates*hidden, hidden),
		gates*hidden)
	m.lstmBias = sum(take("decoder.rnn.bias_ih", gates*hidden), take("decoder.rnn.bias_hh", gates*hidden))
	m.out = take("decoder.decoder.2.weight", 1, hidden, 1)
	m.outBias = take("decoder.decoder.2.bias", 1)[0]
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return m, nil
}

// tapsFirst turns [out][in][kernel] into [out][kernel][inPad], with zeros in the padding.
func tapsFirst(w []float32, out, in, inPad int) []float32 {
	r := make([]float32, out*kernel*inPad)
	for o := range out {
		for i := range in {
			for k := range kernel {
				r[(o*kernel+k)*inPad+i] = w[(o*in+i)*kernel+k]
			}
		}
	}
	return r
}

// middleTap keeps tap 1 of [out][kernel][in].
func middleTap(w []float32, out, in int) []float32 {
	r := make([]float32, 0, out*in)
	for o := range out {
		from := (o*kernel + 1) * in
		r = append(r, w[from:from+in]...)
	}
	return r
}

// sideBySide joins the rows of two matrices.
func sideBySide(a, b []float32, rows int) []float32 {
	ca, cb := len(a)/rows, len(b)/rows
	r := make([]float32, 0, len(a)+len(b))
	for i := range rows {
		r = append(r, a[i*ca:(i+1)*ca]...)
		r = append(r, b[i*cb:(i+1)*cb]...)
	}
	return r
}

func sum(a, b []float32) []float32 {
	r := make([]float32, len(a))
	for i := range r {
		r[i] = a[i] + b[i]
	}
	return r
}
