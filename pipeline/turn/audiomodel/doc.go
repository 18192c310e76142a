// Package audiomodel judges by its sound alone whether a turn is over: a listen.AudioModel of some 67,000 weights over the melody and the
// spectrum of the last 2.6 s, in plain Go. Its weights are learned by package turneval's train.py from recordings of people, none of which is kept
// here.
//
// A Model is safe for concurrent use, and answers within three milliseconds or so; it starts no goroutine. Computing a question
// allocates nothing after the first.
package audiomodel
