// Package speak turns text into voice on the track: a Chunker cuts streamed text into clauses, a Speaker synthesises them one
// ahead and writes them to a playout.Gate, and a Cache keeps fixed sentences ready. It knows which words were heard.
//
// Ordering: clauses are spoken in the order of the source; OnWords reports words in that order, never before their sound was
// handed to the track, and never after Speak returned.
package speak
