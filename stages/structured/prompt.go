package structured

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// Prompt is a file of templates: system and user are what a model is told, schema is the form of its answer. They put other
// people's words into fences by wrap, fence and escape.
type Prompt struct{ parts *template.Template }

// Shipped reads a prompt that is embedded in the program; it panics where that is broken.
func Shipped(files fs.FS, name string) Prompt {
	functions := template.FuncMap{"wrap": Wrap, "fence": Fence, "escape": Escape}
	return Prompt{template.Must(template.New(name).Funcs(functions).Option("missingkey=error").ParseFS(files, name))}
}

// Ask fills the prompt in: each part with its own values. Role, name and bound of the question are the caller's.
func (p Prompt) Ask(system, user, schema any) (q Question, err error) {
	if q.System, err = p.render("system", system); err != nil {
		return q, err
	}
	if q.User, err = p.render("user", user); err != nil {
		return q, err
	}
	q.Schema, err = p.Schema(schema)
	return q, err
}

// Schema fills in the form of the answer.
func (p Prompt) Schema(values any) (json.RawMessage, error) {
	text, err := p.render("schema", values)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return nil, fmt.Errorf("read the schema of a prompt: %w", err)
	}
	return b.Bytes(), nil
}

func (p Prompt) render(part string, values any) (string, error) {
	var b strings.Builder
	if err := p.parts.ExecuteTemplate(&b, part, values); err != nil {
		return "", fmt.Errorf("fill in a prompt: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// Decode reads an answer that follows a schema into v.
func Decode(schema, answer json.RawMessage, v any) error {
	if err := Check(schema, answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, v); err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	return nil
}
