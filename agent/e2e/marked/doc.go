// Package marked makes a voice whose every sample can be found again at the other end of a LiveKit server, for the tests on the
// wire: which sentence a packet belongs to, and where in the sentence it lies.
//
// Voice speaks tones. Each sentence has a frequency of its own, its mark, around which the tone wanders at random, so that a piece
// of it fits in one place only. Tape hears packets, and knows mark and place of each; Locate finds the place to the sample, also
// behind an Opus codec, for low marks. Both are safe for concurrent use; the rest is pure.
package marked
