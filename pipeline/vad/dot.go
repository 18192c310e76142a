package vad

// dot4 is the one hot loop of the model: it sets acc[j] = Σ a[i]·b[j·stride+i] for four vectors in b that start stride ≥ 0 elements
// apart and may overlap. It is fast if len(a) is a multiple of 8. That b holds all four vectors is checked by the language.
func dot4(acc *[4]float32, a, b []float32, stride int) {
	b = b[:3*stride+len(a)]
	dot4Kernel(acc, a, b, stride)
}

// dot4Generic is the kernel for processors without a faster one, and the reference for the others.
func dot4Generic(acc *[4]float32, a, b []float32, stride int) {
	n := len(a)
	b0, b1, b2, b3 := b[:n], b[stride:stride+n], b[2*stride:2*stride+n], b[3*stride:3*stride+n]
	var s0, s1, s2, s3 float32
	for i, v := range a {
		s0 += v * b0[i]
		s1 += v * b1[i]
		s2 += v * b2[i]
		s3 += v * b3[i]
	}
	*acc = [4]float32{s0, s1, s2, s3}
}
