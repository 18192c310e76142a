//go:build !amd64

package vad

func dot4Kernel(acc *[4]float32, a, b []float32, stride int) { dot4Generic(acc, a, b, stride) }
