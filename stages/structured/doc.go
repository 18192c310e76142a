// Package structured holds what every question to a model for data, not for speech, has in common: the question itself,
// the fence around other people's words, the check of the answer against its JSON Schema, and the one attempt to have a
// bad answer repaired. It asks nobody: whoever carries questions to a model lives elsewhere.
//
// Everything here is pure and may be called from any goroutine.
package structured
