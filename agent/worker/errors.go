package worker

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/gorilla/websocket"
)

// Causes for which a job's context is cancelled.
var (
	// ErrTerminated means the server ended the job: its dispatch was deleted or the agent left the room.
	ErrTerminated = errors.New("job terminated by the server")
	// ErrStopped means the worker was stopped while the job ran.
	ErrStopped = errors.New("worker stopped before the job ended")
	// ErrDrainTimeout means the job outlasted the time a draining worker lets it go on.
	ErrDrainTimeout = errors.New("job outlasted the worker's drain timeout")
)

// Reasons why Run could not connect; its error wraps one of them.
var (
	// ErrUnauthorized means the server refused the API key or secret.
	ErrUnauthorized = errors.New("the server refused the API key or secret")
	// ErrNameLookup means the host name in the server's URL could not be resolved.
	ErrNameLookup = errors.New("the server's host name cannot be resolved")
	// ErrUnreachable means nothing answered at the server's URL.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrNotLiveKit means something answered that is not LiveKit's worker endpoint.
	ErrNotLiveKit = errors.New("what answers is not a LiveKit server")
)

var (
	// ErrAlreadyRun is returned by a second call of Run.
	ErrAlreadyRun = errors.New("worker has been run before: make a new one")
	// ErrStuckJobs means jobs did not leave within Options.StopTimeout after their contexts were cancelled.
	ErrStuckJobs = errors.New("jobs did not end after they were cancelled")
)

// Ends of a connection.
var (
	errRegisterTimeout = errors.New("no answer to the registration")
	errLinkClosed      = errors.New("connection to the server is closed")
)

// Reasons why an offer is refused without asking the handler.
var (
	errFull      = errors.New("worker is full")
	errDraining  = errors.New("worker is draining")
	errDuplicate = errors.New("job is already here")
	errNoJobID   = errors.New("job has no id")
)

// connectError says in the operator's words why the server at endpoint could not be used. The response may be nil.
func connectError(endpoint *url.URL, resp *http.Response, err error) error {
	var dns *net.DNSError
	switch {
	case resp != nil && errors.Is(err, websocket.ErrBadHandshake):
		return handshakeError(endpoint, resp.StatusCode)
	case errors.As(err, &dns):
		return fmt.Errorf("%w: check the spelling of LIVEKIT_URL and this machine's DNS: %w", ErrNameLookup, err)
	default:
		return fmt.Errorf("%w at %s: is it running, and does LIVEKIT_URL name the right host and port? %w", ErrUnreachable, endpoint.Host, err)
	}
}

func handshakeError(endpoint *url.URL, status int) error {
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return fmt.Errorf("%w (HTTP %d from %s): LIVEKIT_API_KEY and LIVEKIT_API_SECRET must be a pair the server knows, "+
			"and this machine's clock must be right", ErrUnauthorized, status, endpoint.Host)
	}
	return fmt.Errorf("%w (HTTP %d from %s): LIVEKIT_URL must lead to LiveKit itself, not to a web page, and proxies "+
		"must pass WebSocket upgrades of %s", ErrNotLiveKit, status, endpoint.Host, endpoint.Path)
}
