// Package deepgram recognises speech with Deepgram's streaming interface (/v1/listen, the Nova models), with partials while
// the candidate speaks. The stream itself, its goroutines, queues and limits are those of pipeline/stt/socket.
//
// Only speech is sent. Deepgram's own endpointing is off: Finalize, sent at SpeechEnded, asks for the rest of the text.
// Deepgram does not promise an answer to it; the segment is then complete when the results reach to the end of the audio, or
// when nothing has come for Limits.Settle.
package deepgram
