package cassette

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/vivavoice/viva/pipeline/llm"
)

// Limits of a file.
const (
	maxBytes     = 64 << 20
	maxExchanges = 50_000
	maxMessages  = 20_000 // of one request
)

// format names the layout and what hashes are made of. A change of either is a new one.
const format = "viva-cassette-1"

// file is a tape as it is written. Maps come out in the order of their keys.
type file struct {
	Format    string                     `json:"format"`
	Models    map[string]string          `json:"models,omitempty"`
	Exchanges []written                  `json:"exchanges"`
	Messages  map[string]message         `json:"messages,omitempty"`
	Schemas   map[string]json.RawMessage `json:"schemas,omitempty"`
}

// written is an exchange. Lists of hashes are one string, for a line each.
type written struct {
	Role     string `json:"role"`
	Messages string `json:"messages"`
	Schema   string `json:"schema,omitempty"`
	SchemaAs string `json:"schema_name,omitempty"`
	Text     text   `json:"text,omitempty"`
	Usage    *usage `json:"usage,omitempty"`
	Cut      bool   `json:"cut,omitempty"` // the reader gave it up here
}

type usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
}

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
	var w file
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
	return w.tape()
}

func (w *file) tape() (*tape, error) {
	if len(w.Exchanges) > maxExchanges {
		return nil, fmt.Errorf("it has %d exchanges; at most %d are read", len(w.Exchanges), maxExchanges)
	}
	t := newTape()
	for role, model := range w.Models {
		t.models[role] = model
	}
	if err := w.tables(t); err != nil {
		return nil, err
	}
	for i := range w.Exchanges {
		e, err := w.Exchanges[i].exchange(t)
		if err != nil {
			return nil, fmt.Errorf("exchange %d: %w", i+1, err)
		}
		t.exchanges = append(t.exchanges, e)
	}
	return t, nil
}

// tables takes the tables, and makes sure that everything stands under its own hash.
func (w *file) tables(t *tape) error {
	for h, raw := range w.Schemas {
		if got, err := t.schema(raw); err != nil || got != h {
			return fmt.Errorf("the schema %s was changed (%w)", h, errors.Join(err, errHash))
		}
	}
	for h, m := range w.Messages {
		if got, err := hash(m); err != nil || got != h {
			return fmt.Errorf("the message %s was changed (%w)", h, errors.Join(err, errHash))
		}
		t.messages[h] = m
	}
	return nil
}

var errHash = errors.New("its hash is another")

func (w *written) exchange(t *tape) (*exchange, error) {
	e := &exchange{at: notAsked, ask: ask{
		role: w.Role, messages: strings.Fields(w.Messages), schema: w.Schema, schemaAs: w.SchemaAs,
	}}
	if n := len(e.ask.messages); n > maxMessages {
		return nil, fmt.Errorf("it has %d messages; at most %d are read", n, maxMessages)
	}
	for _, h := range e.ask.messages {
		if _, there := t.messages[h]; !there {
			return nil, fmt.Errorf("the message %s is not there", h)
		}
	}
	if _, there := t.schemas[w.Schema]; w.Schema != "" && !there {
		return nil, fmt.Errorf("the schema %s is not there", w.Schema)
	}
	e.reply = reply{text: string(w.Text), cut: w.Cut}
	if u := w.Usage; u != nil {
		e.reply.usage = &llm.Usage{PromptTokens: u.Prompt, CompletionTokens: u.Completion, CachedTokens: u.Cached}
	}
	return e, e.ask.sign()
}

// save lets the file appear whole, with the parts that its exchanges need.
func (t *tape) save(path string) error {
	content, err := t.encode()
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".recording-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (t *tape) encode() ([]byte, error) {
	w := file{
		Format: format, Models: t.models, Exchanges: []written{}, Messages: make(map[string]message),
		Schemas: make(map[string]json.RawMessage),
	}
	for _, e := range t.ordered() {
		w.add(t, e)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(w); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (w *file) add(t *tape, e *exchange) {
	for _, h := range e.ask.messages {
		w.Messages[h] = t.messages[h]
	}
	if e.ask.schema != "" {
		w.Schemas[e.ask.schema] = t.schemas[e.ask.schema]
	}
	kept := written{
		Role: e.ask.role, Messages: strings.Join(e.ask.messages, " "),
		Schema: e.ask.schema, SchemaAs: e.ask.schemaAs, Text: text(e.reply.text), Cut: e.reply.cut,
	}
	if u := e.reply.usage; u != nil {
		kept.Usage = &usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens, Cached: u.CachedTokens}
	}
	w.Exchanges = append(w.Exchanges, kept)
}
