// Package room is one participant's seat in a LiveKit room: it brings the candidate's microphone in and carries the
// agent's voice, transcripts, state and text out. It is the only package that uses the LiveKit SDK's room.
//
// # Order and concurrency
//
// Events reach Options.Handler one at a time from one goroutine, in the order in which this package learned of them; the
// handler must not block. Audio callbacks (Options.Audio, OnMicrophone) run on the reading goroutine of their track, at
// most one call at a time per track. Everything sent as data (transcripts, text, user packets) leaves in the order of the
// calls, from one goroutine; attributes leave in order from another. All methods of Room are safe for concurrent use and
// none of those that send waits for the network; a Segment belongs to one goroutine.
//
// # Leaving
//
// Leave returns once the server has answered, or a second later: livekit-server loses a leave whose connection ends right
// behind it, and others would see the participant for another twenty seconds (see goodbye.go).
//
// # Limits
//
// What participants other than the candidate send is dropped as it comes in, before any of it waits (Options.Everybody), and
// Options.Admit may refuse more. Every queue is bounded. Facts about the connection and participants are never lost: should their queue (1024) overflow,
// the room compares its state with the SDK's and reports the difference. Incoming text, data and transcripts are dropped and
// counted beyond 256 waiting; outgoing data beyond 512 packets is refused with ErrBusy. A text stream may have 64 KiB, a
// sender 16 open streams; other data packets may have 64 KiB. A file (a byte stream, on topics that are asked for) may have
// 2 MiB, a sender 2 of them at a time and 16 in all.
//
// # What participants send
//
// The SDK's own decoding of data streams can be made to panic by any participant (a trailer with attributes after a header
// without), on a goroutine on which nobody can recover, once a stream handler is registered. This package therefore
// registers none. It takes the data channels over as they open (see tap.go) and decodes packets itself, within limits and
// with a recover around each packet, so that no packet can bring the process down.
package room
