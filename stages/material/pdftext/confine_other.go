//go:build pdf && !linux

package pdftext

// confine does nothing where the limits are not known: there the time limit and the bounds of Extract stand alone.
func confine() error { return nil }
