// Package local speaks and listens on this machine, without a key or a network: Flite for the English voice, espeak-ng for
// those in Chinese and Vietnamese (each a tts.Synthesizer, and ByLanguage picks the one that knows a text), and PocketSphinx
// for recognition of English with partials (stt.Recognizer). Flite and PocketSphinx are C libraries, as
// Opus is, without which there is no build.
//
// Flite keeps state that all calls share, so one sentence is synthesised at a time in the whole process; at some 80 times
// real time that serves dozens of interviews. espeak-ng is a program, which is started for each text and gets it on its input;
// it knows no secrets, ends with the request, and writes at most maxSound of speech. PocketSphinx shares nothing: each decoder has its own copy of the models, some
// 95 MB, so decoders sit in a small pool and are leased for one segment at a time; segments wait their turn with their audio
// queued. A decoder is used by one goroutine at a time. It adapts its cepstral mean to what it hears, across segments.
package local

// provider is the name of these engines in errors.
const provider = "local"

// VoiceRate is the rate of Flite's voices, in Hz.
const VoiceRate = 16000

// DefaultVoice is the voice used when none is named.
const DefaultVoice = "slt"

// Voices lists the voices that can be named in FliteOptions, EspeakOptions and tts.Request: slt (female, US), rms (male, US), awb (male,
// Scottish) and kal16 (male, US, older and more mechanical).
func Voices() []string { return []string{"slt", "rms", "awb", "kal16"} }

// FliteOptions configures NewFlite.
type FliteOptions struct {
	// Voice is the default voice, one of Voices; empty means DefaultVoice.
	Voice string
	// MaxQueue bounds the requests that wait for their turn; 0 means 64. A request beyond it fails with
	// fault.RateLimited.
	MaxQueue int
}

// EspeakRate is the rate of espeak-ng's voices, in Hz.
const EspeakRate = 22050

// DefaultEspeak is the program that is looked for when EspeakOptions names none.
const DefaultEspeak = "espeak-ng"

// EspeakOptions configures NewEspeak.
type EspeakOptions struct {
	// Program is espeak-ng's name or path; empty means DefaultEspeak.
	Program string
	// Voice is the default voice, one of Voices: espeak-ng has a timbre for each. Empty means DefaultVoice.
	Voice string
	// MaxQueue bounds the requests that speak at the same time, a process of some 10 MB each; 0 means 64. A request beyond
	// it fails with fault.RateLimited.
	MaxQueue int
}

// DefaultModelDir is where Debian's pocketsphinx-en-us puts its models.
const DefaultModelDir = "/usr/share/pocketsphinx/model/en-us"

// DefaultDecoders is the size of the pool when SphinxOptions names none.
const DefaultDecoders = 2

// SphinxOptions configures NewSphinx.
type SphinxOptions struct {
	// ModelDir holds en-us (acoustic model), en-us.lm.bin and cmudict-en-us.dict; empty means DefaultModelDir.
	ModelDir string
	// Decoders bounds how many segments are recognised at once; each costs some 95 MB. 0 means DefaultDecoders.
	Decoders int
}
