// Package fault says what went wrong with a speech or model provider, and what to do about it: it classifies errors, puts
// them in words that name the setting to change, retries by class within a budget, limits waits, and remembers for a while
// which engine of a chain has failed.
//
// An *Error is immutable once returned. Cooldown is safe for concurrent use; a Watch belongs to the goroutine that reads
// the stream it guards.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Kind is the class of a provider's failure.
type Kind uint8

// The kinds of failure.
const (
	// Unknown is an error nobody classified. It is not retried.
	Unknown Kind = iota
	// Auth is a refused or missing key.
	Auth
	// BadRequest is a request the provider will never accept: an unknown model, a bad parameter.
	BadRequest
	// RateLimited is too much traffic for now.
	RateLimited
	// Quota is an account without credit. Waiting does not help.
	Quota
	// Server is a failure on the provider's side.
	Server
	// Timeout is an answer that did not come, or did not go on, within a limit.
	Timeout
	// Connection is a server that cannot be reached, or a connection that broke.
	Connection
	// Malformed is an answer that is not what the protocol says: HTML, no JSON, no audio.
	Malformed
	// Canceled is a request that the caller gave up.
	Canceled
	// Empty is a well-formed answer with nothing in it.
	Empty
)

// ErrTooMuch is wrapped by the error that ends a stream exceeding its limit of bytes, tokens or samples.
var ErrTooMuch = errors.New("more than the limit was sent")

var kindWords = [...]string{
	Unknown:     "failed",
	Auth:        "the key was refused",
	BadRequest:  "the request was refused",
	RateLimited: "too many requests",
	Quota:       "the account has no credit left",
	Server:      "the provider failed",
	Timeout:     "no answer in time",
	Connection:  "the connection failed",
	Malformed:   "the answer makes no sense",
	Canceled:    "canceled",
	Empty:       "the answer is empty",
}

// String gives the kind in words.
func (k Kind) String() string {
	if int(k) >= len(kindWords) {
		return kindWords[Unknown]
	}
	return kindWords[k]
}

// Retryable reports whether the same request may succeed a moment later.
func (k Kind) Retryable() bool {
	switch k {
	case RateLimited, Server, Timeout, Connection, Empty:
		return true
	default:
		return false
	}
}

// Error is a failure of a provider.
type Error struct {
	// Op is what was being done: "transcribe", "chat", "speak".
	Op string
	// Provider names the engine: "openai", "local".
	Provider string
	// Kind is the class of the failure.
	Kind Kind
	// Form is set with BadRequest where the request was refused for its form, whatever was said in it: so would be the next one.
	Form bool
	// Err is the cause; it may be nil.
	Err error
	// RetryAfter is how long the provider asked to wait; 0 when it did not say.
	RetryAfter time.Duration
	// Hint tells the operator what to do, for example which setting to check; it may be empty.
	Hint string
}

// Error puts the failure into one line: who, what, why, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s", e.Provider, e.Op, e.Kind)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed a moment later.
func (e *Error) Retryable() bool { return e.Kind.Retryable() }

// From classifies err, which arose in op of provider. An error that already holds an *Error is returned as that *Error; nil
// gives nil.
func From(op, provider string, err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Op: op, Provider: provider, Kind: KindOf(err), Err: err}
}

// KindOf classifies err, which may be any error.
func KindOf(err error) Kind {
	if known, ok := errors.AsType[*Error](err); ok {
		return known.Kind
	}
	switch {
	case err == nil:
		return Unknown
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, ErrTooMuch):
		return Malformed
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return Connection
	}
	return netKind(err)
}

// Form reports whether err is a refusal of a request's form (Error.Form).
func Form(err error) bool {
	known, is := errors.AsType[*Error](err)
	return is && known.Form
}

func netKind(err error) Kind {
	var n net.Error
	if !errors.As(err, &n) {
		return Unknown
	}
	if n.Timeout() {
		return Timeout
	}
	return Connection
}

// Retryable reports whether the same request may succeed a moment later: by the error's own method of that name, or else by its
// kind (R003-85).
func Retryable(err error) bool {
	var known interface{ Retryable() bool }
	if errors.As(err, &known) {
		return known.Retryable()
	}
	return KindOf(err).Retryable()
}
