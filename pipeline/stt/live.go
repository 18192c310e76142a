package stt

import "context"

// LiveDecoder is a Decoder whose engine reports text of its own accord, over a connection that outlives segments. The calls
// come from the same goroutine as a Decoder's.
type LiveDecoder interface {
	Decoder
	// Changed is signalled when Poll has something to do or to tell. It is never closed; a signal too many does no harm.
	Changed() <-chan struct{}
	// Poll does what is due on the connection and gives the text of the segment so far, or "" if there is none.
	Poll(ctx context.Context) string
	// Close is the last call. It ends the connection and waits for the decoder's goroutines.
	Close()
}

// NewLive makes a recognizer that asks newDecoder for one decoder per stream, when the stream is opened: the time to connect.
// That must not block; ctx is the stream's. During Finish, and only then, the decoder may call report with the text so far;
// at other times Poll is asked. The name is used in errors.
func NewLive(name string, newDecoder func(ctx context.Context, language string, report func(text string)) LiveDecoder, l Limits) *Segmented {
	open := func(ctx context.Context, language string, report func(string)) Decoder {
		return newDecoder(ctx, language, report)
	}
	return &Segmented{name: name, make: open, limits: l.orDefault()}
}
