package room

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/pion/rtp"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/guard"
)

// DefaultReconnectGrace is how long a candidate who dropped out may take to come back.
const DefaultReconnectGrace = 20 * time.Second

// Options configures Join.
type Options struct {
	// URL of the LiveKit server, ws(s):// or http(s)://. Required.
	URL string
	// Token to join with; it decides room, identity, kind and permissions. Required. It is never logged.
	Token string
	// Guard is the interview's; nil: a panic in one of the room's goroutines ends the process.
	Guard *guard.Guard
	// Logger receives the events of this package and, at debug or warn, the SDK's about this room; nil discards. See LogSDK
	// for the rest.
	Logger *zap.Logger
	// Handler receives all events, see the package comment. It may be called before Join returns. Nil discards.
	Handler func(Event)
	// Audio, if set, receives every RTP packet of every subscribed audio track as it arrives, with its arrival time. The
	// packet and its payload are valid during the call only. It runs on the track's reading goroutine and must not block.
	Audio func(Track, *rtp.Packet, time.Time)
	// Everybody receives every audio track of every participant, and accepts what everybody sends: for synthetic candidates, which
	// listen to agents. Else it is the linked candidate's microphone and nothing else, and what others send as text, data or files is
	// dropped as it comes in.
	Everybody bool
	// CandidateIdentity is the participant to interview; empty means the first one of kind STANDARD, SIP or CONNECTOR
	// that does not publish on behalf of somebody else.
	CandidateIdentity string
	// ReconnectGrace is how long a candidate who dropped out may take to come back; 0 means DefaultReconnectGrace.
	ReconnectGrace time.Duration
	// Admit, if set, is asked about each Text, Data and File before it waits to be handled: what it does not admit is dropped.
	// It is called on the goroutines that read the data channels, must be safe for concurrent use, and must not block.
	Admit func(Event) bool
	// Files are the topics of byte streams that are received, as File events; none = no file is.
	Files []string
	// Transcripts asks for TranscriptReceived events: other participants' lk.transcription streams.
	Transcripts bool
}

func (o *Options) complete() error {
	u, err := url.Parse(o.URL)
	switch {
	case o.URL == "":
		return errors.New("no server address: set LIVEKIT_URL")
	case err != nil:
		return fmt.Errorf("server address %q cannot be read: correct LIVEKIT_URL: %w", o.URL, err)
	case u.Host == "" || !knownScheme(u.Scheme):
		return fmt.Errorf("server address %q: LIVEKIT_URL must look like ws://host:port or wss://host", o.URL)
	case o.Token == "":
		return errors.New("no token to join with")
	case o.ReconnectGrace < 0:
		return fmt.Errorf("negative reconnect grace %v", o.ReconnectGrace)
	}
	if o.ReconnectGrace == 0 {
		o.ReconnectGrace = DefaultReconnectGrace
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Handler == nil {
		o.Handler = func(Event) {}
	}
	return nil
}

func knownScheme(s string) bool {
	return s == "ws" || s == "wss" || s == "http" || s == "https"
}
