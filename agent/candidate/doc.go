// Package candidate holds synthetic candidates: participants who join a LiveKit room like a person with a browser, speak, listen,
// interrupt, and measure what they hear. Run is the engine of the load test: many candidates who say prepared clips. Converse holds one
// talk with a candidate whose words a Partner makes up as it goes on. Both work against any LiveKit agent, because they use nothing of
// the agent but its participant kind, its audio and, to converse, its transcripts; two of its attributes are read where there are any.
//
// The parts, from pure to impure:
//
//   - Meter turns what was sent and heard into measures. It is pure: fed with times, RTP positions and levels, it never asks a clock.
//   - conversation decides when to speak, interrupt and leave. It is pure too.
//   - Speech is the set of utterances, encoded once and shared by all candidates of a run, read-only.
//   - minutes keeps who said what and when, from transcripts and what is known of the voice. It is pure.
//   - body is one participant's ears and mouth. One goroutine owns its meter, decoders, recorder and sending schedule; the connection's
//     goroutines only hand packets and events to it through bounded queues.
//   - candidate and talker are what moves a body, on its goroutine: the load test's conversation, and a Partner's replies.
//   - Run drives many candidates and makes the Report; Converse one talker, and makes the Conversation.
//
// # Concurrency
//
// Run starts one goroutine per room and, when processes are watched, one sampler; it returns after all of them have ended. Converse
// works on its caller's goroutine and starts one more, which asks the partner and makes the sound of its words; it waits for that, too.
// So a partner may take its time while silence is sent and the room is heard.
//
// Packets that find the queue of a candidate full are dropped and counted (the count is in the report, because such a run measured the
// tool and not the agent); events wait for the candidate.
//
// # Where the numbers come from
//
// All times are taken at the candidate: a packet counts at the moment the connection's reader hands it over, before any jitter buffer,
// and an own frame counts at the moment before it is written. A frame is voice when its RMS level is above a threshold (−45 dBFS), on the sending and on the hearing side alike.
package candidate
