package cassette

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/pipeline/llm"
)

// tape is the content of a file: exchanges, and tables of what their requests consist of, each thing once, by a short hash. Maps come
// out in the order of their keys.
type tape struct {
	Format    string                     `json:"format"`
	Models    map[string]string          `json:"models,omitempty"` // by role, for readers
	Exchanges []*exchange                `json:"exchanges"`
	Messages  map[string]message         `json:"messages,omitempty"`
	Schemas   map[string]json.RawMessage `json:"schemas,omitempty"`
}

func newTape() *tape {
	return &tape{
		Format: format, Models: make(map[string]string), Messages: make(map[string]message), Schemas: make(map[string]json.RawMessage),
	}
}

// exchange is a request and its reply.
type exchange struct {
	ask
	reply
	at int // among the requests of its role in this run, from 0; notAsked until then
}

const notAsked = -1

// ask is a request, by the hashes of its parts.
type ask struct {
	Role     string `json:"role"`
	Messages string `json:"messages"`         // one string, for a line each in the file
	Schema   string `json:"schema,omitempty"` // empty without a schema
	SchemaAs string `json:"schema_name,omitempty"`
	key      string // the hash of all of these
}

func (a *ask) messages() []string { return strings.Fields(a.Messages) }

// reply is what a model answered.
type reply struct {
	Text  text   `json:"text,omitempty"`
	Usage *usage `json:"usage,omitempty"`
	Cut   bool   `json:"cut,omitempty"` // its reader gave it up
}

// usage is an llm.Usage as the file holds it.
type usage struct {
	PromptTokens     int `json:"prompt"`
	CompletionTokens int `json:"completion"`
	CachedTokens     int `json:"cached,omitempty"`
}

// message is an llm.Message as the file holds it. Its hash is that of its JSON.
type message struct {
	Role string `json:"role"`
	Text text   `json:"text,omitempty"`
}

// ask puts the parts of a request into the tables.
func (t *tape) ask(role string, r llm.Request) (ask, error) {
	a := ask{Role: role}
	var hashes []string
	for _, m := range r.Messages {
		kept := message{Role: string(m.Role), Text: text(clean(m.Content))}
		h, err := hash(kept)
		if err != nil {
			return a, err
		}
		t.Messages[h] = kept
		hashes = append(hashes, h)
	}
	a.Messages = strings.Join(hashes, " ")
	var err error
	if a.Schema, err = t.schema(r.Schema); err != nil {
		return a, fmt.Errorf("the schema %s: %w", r.SchemaName, err)
	}
	if a.Schema != "" {
		a.SchemaAs = cmp.Or(r.SchemaName, "reply")
	}
	return a, a.sign()
}

func (t *tape) schema(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return "", fmt.Errorf("it is not JSON: %w", err)
	}
	h := short(b.Bytes())
	t.Schemas[h] = b.Bytes()
	return h, nil
}

// sign makes the key of a request.
func (a *ask) sign() (err error) {
	a.key, err = hash([]string{a.Role, a.Messages, a.Schema, a.SchemaAs})
	return err
}

// drop leaves out the exchanges that nobody asked for, and returns how many.
func (t *tape) drop() int {
	n := len(t.Exchanges)
	t.Exchanges = slices.DeleteFunc(t.Exchanges, func(e *exchange) bool { return e.at == notAsked })
	return n - len(t.Exchanges)
}

// ordered returns the exchanges as the file lists them: role by role, as they were asked for, and those that were not asked
// for after the others. So neither the order in which answers arrive shows in the file, nor how roles took turns.
func (t *tape) ordered() []*exchange {
	list := slices.Concat([]*exchange{}, t.Exchanges)
	slices.SortStableFunc(list, func(a, b *exchange) int {
		return cmp.Or(strings.Compare(a.Role, b.Role), cmp.Compare(uint(a.at), uint(b.at)))
	})
	return list
}

// clean makes text what JSON can hold.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func hash(v any) (string, error) {
	b, err := encode(v)
	if err != nil {
		return "", fmt.Errorf("identify a request: %w", err)
	}
	return short(b), nil
}

func short(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// encode is json.Marshal that leaves <, > and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// text is a string that JSON holds line by line where it has several, for the sake of who reads a difference.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if !strings.Contains(string(t), "\n") {
		return encode(string(t))
	}
	return encode(strings.Split(string(t), "\n"))
}

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var lines []string
		err := json.Unmarshal(b, &lines)
		*t = text(strings.Join(lines, "\n"))
		return err
	}
	return json.Unmarshal(b, (*string)(t))
}
