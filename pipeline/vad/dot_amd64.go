package vad

import "golang.org/x/sys/cpu"

// hasAVX2 is decided once, by the processor and the operating system.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

func dot4Kernel(acc *[4]float32, a, b []float32, stride int) {
	if !hasAVX2 || len(a) == 0 || len(a)%8 != 0 {
		dot4Generic(acc, a, b, stride)
		return
	}
	dot4AVX2(acc, &a[0], &b[0], stride, len(a))
}

// dot4AVX2 is dot4 with n = len(a), a positive multiple of 8; the caller has checked the bounds.
//
//go:noescape
func dot4AVX2(acc *[4]float32, a, b *float32, stride, n int)
