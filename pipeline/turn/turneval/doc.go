// Package turneval makes recorded conversations whose truth is known, lets the real chain of voice activity detection, recognition
// and turn policies hear them, and learns from and reports what it did. The sound comes from Flite and from the prompts that
// Debian's Asterisk package carries, cut, spaced and mixed with noise by this package; nothing recorded is kept in the repository.
//
// Everything is seeded: the same versions of the voices, the recogniser and this package give the same cases, weights and tables.
// Time is the position in the sound, so a run is as fast as the machine. A Studio and the functions that use it are for one
// goroutine.
package turneval
