package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/definition"
)

// Limits of a job's metadata.
const (
	maxMetadata = 64 << 10 // bytes
	maxName     = 80       // characters
	maxResume   = 200
	maxVars     = 64
	maxVar      = 4 << 10 // bytes of one value
	maxQuoted   = 80      // characters of a name in an error, which goes to logs
)

// Metadata is what a dispatch says about the interview: JSON in the job's metadata field. Nothing in it is required. A scenario of an
// eval has the same in YAML, but for the ticket, which is the page's own.
type Metadata struct {
	Interview string `json:"interview,omitempty" yaml:"interview"` // kind; empty = the worker's default
	Candidate Person `json:"candidate,omitzero" yaml:"candidate"`
	Locale    string `json:"locale,omitempty" yaml:"locale"` // empty = the interview's first
	// Vars are values for variables that the interview declares, such as company, problem or difficulty.
	Vars map[string]string `json:"vars,omitempty" yaml:"vars"`
	// Consent is what the candidate agreed to before; nil = nothing.
	Consent *Consent `json:"consent,omitempty" yaml:"consent"`
	// Resume is the session to go on with, should its worker have died; empty = the one that was left in this room.
	Resume string `json:"resume,omitempty" yaml:"resume"`
	// Ticket limits what the page's tokens may start; nil = nothing does, as for those who dispatch.
	Ticket *Ticket `json:"ticket,omitempty"`
	// Materials are what the questions may take up, as plain text: read as data, never as instructions.
	Materials Materials `json:"materials,omitzero" yaml:"materials"`
}

// Materials are documents for an interview that reads them.
type Materials struct {
	Resume         string `json:"resume,omitempty" yaml:"resume"`
	JobDescription string `json:"job_description,omitempty" yaml:"job_description"`
}

// Person is who is expected.
type Person struct {
	Name     string `json:"name,omitempty" yaml:"name"`
	Identity string `json:"identity,omitempty" yaml:"identity"` // the participant to listen to; empty = the first to come
}

// ParseMetadata reads a job's metadata; the empty string stands for the defaults. The error names every problem and
// never quotes a value.
func ParseMetadata(text string) (Metadata, error) {
	var m Metadata
	if strings.TrimSpace(text) == "" {
		return m, nil
	}
	if len(text) > maxMetadata {
		return m, fmt.Errorf("the job's metadata has %d bytes; at most %d are taken", len(text), maxMetadata)
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return Metadata{}, fmt.Errorf(`the job's metadata must be JSON such as {"interview":"two_stage","candidate":{"name":"Ada"}}: %w`, explain(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Metadata{}, errors.New("the job's metadata goes on after its JSON object")
	}
	return m, m.check()
}

func explain(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it breaks off")
	case errors.As(err, &syntax):
		return fmt.Errorf("it goes wrong at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%.*s must be %s, not %s", maxQuoted, kind.Field, kind.Type, kind.Value)
	}
	return fmt.Errorf("%.*s", maxQuoted, err)
}

// unknownTo are the variables that the interview does not declare, and so does without.
func (m *Metadata) unknownTo(def *definition.Definition) (names []string) {
	for name := range m.Vars {
		if _, declared := def.Vars[name]; !declared {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *Metadata) check() error {
	var problems []error
	if utf8.RuneCountInString(m.Candidate.Name) > maxName {
		problems = append(problems, fmt.Errorf("candidate.name has more than %d characters", maxName))
	}
	if strings.ContainsFunc(m.Candidate.Name, func(r rune) bool { return r < ' ' }) {
		problems = append(problems, errors.New("candidate.name has control characters"))
	}
	if len(m.Resume) > maxResume {
		problems = append(problems, fmt.Errorf("resume has more than %d bytes", maxResume))
	}
	if len(m.Vars) > maxVars {
		problems = append(problems, fmt.Errorf("there are %d vars; at most %d are taken", len(m.Vars), maxVars))
	}
	for name, v := range m.Vars {
		if len(v) > maxVar {
			problems = append(problems, fmt.Errorf("the value of var %.*q has %d bytes; at most %d are taken", maxQuoted, name, len(v), maxVar))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(problems...)
}
