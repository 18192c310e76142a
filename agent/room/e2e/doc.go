// Package e2e holds the tests of package room against a real LiveKit server. They live apart because they link the server,
// which takes long and leaves goroutines behind; the tests next to the code check for leaks.
package e2e
