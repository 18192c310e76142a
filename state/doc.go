// Package state holds what an interview knows: UserData, the one struct that all stages of a session share, and the
// journal of everything that happened to it. It is plain data that survives a JSON round trip byte for byte; only
// stages/engine changes it, and nothing here starts a goroutine or reads a clock.
package state
