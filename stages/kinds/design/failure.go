package design

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// Kind says what went wrong with a company's service.
type Kind string

// The kinds of failure.
const (
	KindTimeout     Kind = "timeout"
	KindUnreachable Kind = "unreachable"
	KindNotAllowed  Kind = "not_allowed" // the host, its address, or a redirect
	KindStatus      Kind = "status"      // it answered with an error
	KindMalformed   Kind = "malformed"   // it answered something else than was asked for
	KindTooLarge    Kind = "too_large"
)

// Error is a failure of a company's service. It holds no words of the candidate.
type Error struct {
	Company string
	Call    string // get_phases, evaluate_phase, …
	Kind    Kind
	Status  int // of HTTP, with KindStatus
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("ask company %s (%s): %s: %v", e.Company, e.Call, e.Kind, e.Err)
}

// Unwrap returns what caused it.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same call may succeed a little later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindTimeout, KindUnreachable:
		return true
	case KindStatus:
		return e.Status >= 500 || e.Status == 429
	}
	return false
}

// Reason is a failure in a few words for a report: the company and the kind, nothing of what was said.
func Reason(err error) string {
	var failed *Error
	switch {
	case errors.As(err, &failed):
		return fmt.Sprintf("company %s: %s", failed.Company, failed.Kind)
	case errors.Is(err, context.DeadlineExceeded):
		return string(KindTimeout)
	}
	return "failed"
}

// kindOf classifies an error of an HTTP call.
func kindOf(err error) Kind {
	var network net.Error
	switch {
	case errors.Is(err, errNotAllowed):
		return KindNotAllowed
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return KindTimeout
	}
	return KindUnreachable
}
