// Package playout is the one gate between synthesised speech and the outgoing track. A Gate paces 20 ms frames on an
// absolute schedule, knows to the sample what was handed to the track, and lets nothing pass that was cancelled.
//
// An utterance is one piece of speech with a generation number. Generations only grow; opening one cancels the one before
// it, so two voices never overlap. A listening signal (Gate.Signal) is no utterance, and is heard only while none is. Sound is
// 16-bit mono at 24 kHz throughout, and all sample counts are at that rate.
//
// Ordering: frames reach the FrameWriter in order from one goroutine, the Gate's own. For every utterance Started is called at
// most once, and then it ends, exactly once, before a later one starts.
//
// Concurrency: all methods of Gate and Utterance are safe for concurrent use. After Cancel or Open returned, no frame of an
// older generation is handed to the writer. The gate keeps no queue behind the encoder: a late tick is made good by at most
// three frames (60 ms), the rest of the lost time becomes a gap.
package playout
