package cassette

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/vivavoice/viva/state"
)

// Limits of a file.
const (
	maxBytes     = 64 << 20
	maxExchanges = 50_000
	maxMessages  = 20_000 // of one request
)

// format names the layout and what hashes are made of. A change of either is a new one.
const format = "viva-cassette-1"

func load(path string) (*tape, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return read(f)
}

// read takes a file that anybody may have written.
func read(from io.Reader) (*tape, error) {
	content, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxBytes)
	}
	var w tape
	dec := json.NewDecoder(bytes.NewReader(content))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return nil, fmt.Errorf("it is no recording, or was changed by hand: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it goes on after its JSON object")
	}
	if w.Format != format {
		return nil, fmt.Errorf("its format is %q, and %q is read", w.Format, format)
	}
	return w.checked()
}

// checked is a tape that was read, if it is sound: everything stands under its own hash, and what exchanges name is there.
func (t *tape) checked() (*tape, error) {
	if len(t.Exchanges) > maxExchanges {
		return nil, fmt.Errorf("it has %d exchanges; at most %d are read", len(t.Exchanges), maxExchanges)
	}
	sound := newTape()
	maps.Copy(sound.Models, t.Models)
	for h, raw := range t.Schemas {
		if got, err := sound.schema(raw); err != nil || got != h {
			return nil, fmt.Errorf("the schema %s was changed (%w)", h, errors.Join(err, errHash))
		}
	}
	for h, m := range t.Messages {
		if got, err := hash(m); err != nil || got != h {
			return nil, fmt.Errorf("the message %s was changed (%w)", h, errors.Join(err, errHash))
		}
		sound.Messages[h] = m
	}
	for i, e := range t.Exchanges {
		if err := e.check(sound); err != nil {
			return nil, fmt.Errorf("exchange %d: %w", i+1, err)
		}
		sound.Exchanges = append(sound.Exchanges, e)
	}
	return sound, nil
}

var errHash = errors.New("its hash is another")

func (e *exchange) check(t *tape) error {
	if e == nil {
		return errors.New("it is empty")
	}
	messages := e.messages()
	if n := len(messages); n > maxMessages {
		return fmt.Errorf("it has %d messages; at most %d are read", n, maxMessages)
	}
	for _, h := range messages {
		if _, there := t.Messages[h]; !there {
			return fmt.Errorf("the message %s is not there", h)
		}
	}
	if _, there := t.Schemas[e.Schema]; e.Schema != "" && !there {
		return fmt.Errorf("the schema %s is not there", e.Schema)
	}
	e.at, e.Messages = notAsked, strings.Join(messages, " ")
	return e.sign()
}

// save lets the file appear whole, with the parts that its exchanges need.
func (t *tape) save(path string) error {
	content, err := t.encode()
	if err != nil {
		return err
	}
	return state.WriteFile(path, content)
}

func (t *tape) encode() ([]byte, error) {
	w := newTape()
	w.Models, w.Exchanges = t.Models, t.ordered()
	for _, e := range w.Exchanges {
		for _, h := range e.messages() {
			w.Messages[h] = t.Messages[h]
		}
		if e.Schema != "" {
			w.Schemas[e.Schema] = t.Schemas[e.Schema]
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(w)
	return b.Bytes(), err
}
