package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/vivavoice/viva/pipeline/fault"
)

// maxLine bounds a line of an event stream; a delta is a few hundred bytes.
const maxLine = 1 << 20

// doer stands between go-openai and the network, for one request. It is what the library does not do itself: an answer that is
// no success becomes a *fault.Error with its status and Retry-After, a web page is none, the reason for which a context ended is
// kept, and open makes of the body what the library can read without harm.
type doer struct {
	client *Client
	op     string
	open   func(*http.Response) (io.ReadCloser, error)
}

// Do implements HTTPDoer of go-openai. Its errors pass through the library unchanged.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.client.send(d.op, req)
	if err != nil {
		return nil, err
	}
	body, err := d.open(resp)
	if err != nil {
		closeBody(resp.Body)
		return nil, err
	}
	resp.Body = body
	return resp, nil
}

// openChat makes events of a reply. A server that ignores "stream" and answers in one piece is understood too.
func openChat(resp *http.Response) (io.ReadCloser, error) {
	because := func(err error) error { return transportError(opChat, because(resp.Request.Context(), err)) }
	body := resp.Body
	if mediaType(resp) == "application/json" {
		event, err := wholeReply(body, because)
		if err != nil {
			return nil, err
		}
		body = replaced{bytes.NewReader(event), resp.Body}
	}
	return newEvents(body, because), nil
}

// replaced is other content in place of a body, which is closed with it.
type replaced struct {
	io.Reader
	io.Closer
}

// openSpeech lets sound through.
func openSpeech(resp *http.Response) (io.ReadCloser, error) {
	if t := mediaType(resp); slices.Contains([]string{"application/json", "text/plain"}, t) {
		return nil, malformed(opSpeak, hintModel, fmt.Errorf("%s came instead of audio", t))
	}
	return resp.Body, nil
}

// errCut ends a stream without its end mark. Servers that leave it out have said before why they stopped.
var errCut = errors.New("the stream ended without its end mark")

// events passes on the data of server-sent events (WHATWG HTML §9.2), one line for each, as they come: the library reads lines
// of any length, and takes what else an event may hold for messages without content.
type events struct {
	body    io.ReadCloser
	because func(error) error // makes an error of one of the body
	in      *bufio.Scanner
	line    []byte // the line that is being read
	left    []byte // what of it is not yet read
	over    bool   // the end mark came, or the body's end
	err     error  // repeated once set
}

func newEvents(body io.ReadCloser, because func(error) error) *events {
	in := bufio.NewScanner(body)
	in.Buffer(make([]byte, 0, 4<<10), maxLine)
	return &events{body: body, because: because, in: in}
}

// Read implements io.Reader. It never waits for more than the line that it gives.
func (e *events) Read(p []byte) (int, error) {
	for len(e.left) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.err = e.next()
	}
	n := copy(p, e.left)
	e.left = e.left[n:]
	return n, nil
}

// next finds the next line of data.
func (e *events) next() error {
	for e.in.Scan() {
		line := e.in.Bytes()
		data, is := bytes.CutPrefix(line, []byte("data:"))
		switch data = bytes.TrimSpace(data); {
		case !is && len(line) > 0 && !isField(line):
			return malformed(opChat, hintURL, errors.New("the body is no event stream"))
		case !is || len(data) == 0:
			continue
		case bytes.Equal(data, []byte("[DONE]")):
			e.over = true
		default:
			if err := errorIn(data); err != nil {
				return err
			}
		}
		e.line = append(append(append(e.line[:0], "data: "...), data...), '\n')
		e.left = e.line
		return nil
	}
	return e.end(e.in.Err())
}

func (e *events) end(err error) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return malformed(opChat, "", fmt.Errorf("event stream: %w", fault.ErrTooMuch))
	case err != nil:
		return e.because(err)
	case e.over:
		return io.EOF
	}
	e.over = true
	return errCut
}

// Close gives the connection back where the stream was read to its end, and breaks it off where not.
func (e *events) Close() error {
	if e.over {
		closeBody(e.body)
		return nil
	}
	return e.body.Close()
}

// isField reports whether line is a comment or one of the fields that mean nothing here.
func isField(line []byte) bool {
	return slices.ContainsFunc([]string{":", "event", "id", "retry"}, func(name string) bool { return bytes.HasPrefix(line, []byte(name)) })
}

// errorIn is the error that came as an event, or as a whole reply, after a status that promised none; nil = it is none.
func errorIn(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	var found struct {
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(data, &found); err != nil || found.Error == nil {
		return nil //nolint:nilerr // who reads the data finds out
	}
	return streamError(found.Error)
}
