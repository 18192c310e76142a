// Package listen is the ears of one session: it takes the microphone's frames and reports whose turn it is and what was said.
// A Listener joins voice activity detection, speech recognition and the policies of package turn in one goroutine.
//
// Ordering: Handle receives all events of a Listener from its one goroutine, in order. A turn may span several segments of
// speech; speech that resumes before the turn was reported belongs to it. What is said while the agent is audible belongs to
// the turn that follows; backchannels and noises that interrupted nothing are dropped.
//
// Positions are samples of the incoming audio at 16 kHz since New. Frames that were dropped, and pauses of the track of a
// second or more, count as time passed, so that positions stay close to the wall clock.
//
// Limits: two seconds of audio may wait, then the oldest is dropped and counted. No turn waits for the recogniser longer than
// a second and a half. When no frames arrive for a second, speech under way is over.
package listen
