// Package diskcache keeps the speech of fixed sentences in a directory, so that a worker that starts again, or another one on
// the same machine, need not have them synthesised and paid for once more. Only requests marked tts.Request.Fixed are looked
// up and stored: nothing that holds a candidate's words or name ever reaches the disk, and file names are digests.
//
// # Files
//
// One file holds the sound of one request, as
//
//	bytes  0–7   "vivapcm1"
//	bytes  8–11  sample rate in Hz, uint32 little-endian
//	bytes 12–15  number of samples, uint32 little-endian
//	bytes 16–47  SHA-256 of bytes 0–15, of the request's digest, and of the samples
//	bytes 48–    16-bit mono samples, little-endian
//
// and is named after the request's digest, SHA-256 of engine, model, voice, language, speed, rate and text. A file that is not
// exactly that is removed and counts as absent.
//
// # Ordering and concurrency
//
// A Cache is safe for concurrent use and starts no goroutine. Any number of processes may share a directory: a file appears
// whole, by renaming, or not at all, and one that another process removed is just absent. Sound is stored when the caller
// closes it, after it was read to its end; whatever fails on the disk is logged and never fails the speech. The directory should
// be on a local disk, for it is read before the first sample of a kept sentence.
//
// After each store the files used least recently go, by modification time, which every use renews, until all fit the limit.
package diskcache
