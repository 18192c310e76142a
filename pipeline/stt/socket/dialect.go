package socket

import (
	"cmp"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/stt"
)

// Dialect is what one provider's protocol adds. The functions are called from several goroutines.
type Dialect struct {
	// Provider is the name used in errors.
	Provider string
	// HintReach tells what to check when the server cannot be reached.
	HintReach string
	// Request gives the address (ws or wss) and the headers of a connection for a BCP 47 language, which may be empty.
	Request func(language string) (address string, header http.Header)
	// Refused explains a handshake that was answered, but not with a WebSocket. The body holds at most 1 kB.
	Refused func(*http.Response) *fault.Error
	// Hello, if not nil, gives the first message. The connection is usable when an Update with Ready has come.
	Hello func(language string) ([]byte, error)
	// Binary says that audio goes in binary messages.
	Binary bool
	// End asks for the rest of the text after the last audio of a segment.
	End []byte
	// EndUnmarked says that the engine may leave End without an answer; Limits.Settle is then what ends a segment.
	EndUnmarked bool
	// KeepAlive is sent every Limits.KeepAlive between segments; nil sends none.
	KeepAlive []byte
	// Farewell is sent before closing; nil sends none.
	Farewell []byte
	// NewEncoder makes the state of one connection's outgoing audio.
	NewEncoder func() (Encoder, error)
	// Read interprets one text message and does not keep it. An error ends the connection.
	Read func(message []byte) (Update, error)
}

// Encoder makes messages of audio. It belongs to one goroutine.
type Encoder interface {
	// Append appends a message that holds pcm (16 kHz mono) to dst; nothing if there is nothing to send yet.
	Append(dst []byte, pcm []int16) []byte
	// Flush appends a message with what Append has held back of the segment; nothing if there is none.
	Flush(dst []byte) []byte
}

// Update is what a message says.
type Update struct {
	// Ready says that the session is as Hello asked for.
	Ready bool
	// Heard says that the message is about the audio, and the fields below valid.
	Heard bool
	// Text follows the fixed text of the segment, as it is: a space between them is part of it.
	Text string
	// Fixed makes Text part of the fixed text; otherwise the next Text takes its place.
	Fixed bool
	// Whole says that Text is the text of the whole segment instead.
	Whole bool
	// End says that this is the answer to Dialect.End: nothing more comes for the segment.
	End bool
	// Confidence of Text is between 0 and 1; 0 means that the engine does not say.
	Confidence float64
	// Settled is the audio of the connection, from its beginning, about which nothing will change any more; 0 if not said.
	Settled time.Duration
}

// Limits bounds the waits. A zero field takes the value of a live conversation.
type Limits struct {
	// Connect bounds dialling with its handshakes, and separately the wait for Ready: 5 s.
	Connect time.Duration
	// Write bounds the sending of one message: 2 s.
	Write time.Duration
	// Ping is the time between pings, 5 s; a connection from which nothing has come for two of them is dead.
	Ping time.Duration
	// KeepAlive is the time between messages that keep an idle session: 4 s.
	KeepAlive time.Duration
	// Settle is the wait, after End and after each news, when Dialect.EndUnmarked: if the engine has said anything in this
	// segment, the text so far is then taken for the whole. 1 s.
	Settle time.Duration
	// Backoff is the longest wait between attempts to connect while nobody speaks: 30 s.
	Backoff time.Duration
	// Segment bounds the work on a segment. Its Start bounds the wait for a connection, 6 s, its Finish that for the final text: 5 s,
	// three times the slowest p99 published for a streaming recogniser (1.66 s). Its MaxSegment is 5 minutes.
	Segment stt.Limits
}

func (l Limits) orDefault() Limits {
	l.Connect, l.Write = cmp.Or(l.Connect, 5*time.Second), cmp.Or(l.Write, 2*time.Second)
	l.Ping, l.KeepAlive = cmp.Or(l.Ping, 5*time.Second), cmp.Or(l.KeepAlive, 4*time.Second)
	l.Settle, l.Backoff = cmp.Or(l.Settle, time.Second), cmp.Or(l.Backoff, 30*time.Second)
	s := &l.Segment
	s.Start, s.Finish = cmp.Or(s.Start, 6*time.Second), cmp.Or(s.Finish, 5*time.Second)
	s.MaxSegment = cmp.Or(s.MaxSegment, 5*time.Minute)
	return l
}

const opTranscribe = "transcribe"

func (d *Dialect) audioKind() int {
	if d.Binary {
		return websocket.BinaryMessage
	}
	return websocket.TextMessage
}

// explain classifies an error of a connection and says what to check.
func (d *Dialect) explain(err error) *fault.Error {
	e := fault.From(opTranscribe, d.Provider, err)
	if closed, ok := asClosed(err); ok {
		e.Kind = closeKind(closed.Code)
	}
	if e.Kind == fault.Unknown {
		e.Kind = fault.Connection
	}
	if e.Kind == fault.Connection && e.Hint == "" {
		e.Hint = d.HintReach
	}
	return e
}

// closeKind maps a close code (RFC 6455 §7.4.1 and its registry) to a kind of failure.
func closeKind(code int) fault.Kind {
	switch code {
	case websocket.CloseInternalServerErr, websocket.CloseServiceRestart, websocket.CloseTryAgainLater:
		return fault.Server
	case websocket.ClosePolicyViolation, websocket.CloseUnsupportedData, websocket.CloseInvalidFramePayloadData:
		return fault.BadRequest
	case closeUnauthorized:
		return fault.Auth
	default:
		return fault.Connection
	}
}

// closeUnauthorized is the registered close code for a refused key.
const closeUnauthorized = 3000
