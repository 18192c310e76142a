package expert

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors of For; match with errors.Is.
var (
	ErrNone    = errors.New("no expert is active")
	ErrSeveral = errors.New("several experts are active")
)

// Registry is the experts there are, in order of registration. Fill it before it is shared.
type Registry struct {
	experts []Expert
}

// NewRegistry returns a registry of these experts. It fails when a name is empty or there twice.
func NewRegistry(experts ...Expert) (*Registry, error) {
	var r Registry
	for _, e := range experts {
		if err := r.Register(e); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// Register adds an expert. It fails when the name is empty or taken.
func (r *Registry) Register(e Expert) error {
	name := e.Name()
	if name == "" {
		return errors.New("register expert: it has no name")
	}
	if _, taken := r.Find(name); taken {
		return fmt.Errorf("register expert: the name %q is taken", name)
	}
	r.experts = append(r.experts, e)
	return nil
}

// Find returns the expert of this name.
func (r *Registry) Find(name string) (Expert, bool) {
	i := slices.IndexFunc(r.experts, func(e Expert) bool { return e.Name() == name })
	if i < 0 {
		return nil, false
	}
	return r.experts[i], true
}

// Names lists the experts in order.
func (r *Registry) Names() []string {
	names := make([]string, len(r.experts))
	for i, e := range r.experts {
		names[i] = e.Name()
	}
	return names
}

// Only returns a registry of the named experts, or of all when none is named. The error lists the unknown names.
func (r *Registry) Only(names []string) (*Registry, error) {
	if len(names) == 0 {
		return r, nil
	}
	var some Registry
	var problems []error
	for _, name := range names {
		e, there := r.Find(name)
		if !there {
			problems = append(problems, fmt.Errorf("there is no expert %q: there are %s", name, strings.Join(r.Names(), ", ")))
			continue
		}
		problems = append(problems, some.Register(e))
	}
	return &some, errors.Join(problems...)
}

// For returns the one expert whose turn it is: none or several are an error (R003-10).
func (r *Registry) For(b Board) (Expert, error) {
	var active []Expert
	for _, e := range r.experts {
		if e.ShouldActivate(b) {
			active = append(active, e)
		}
	}
	switch len(active) {
	case 1:
		return active[0], nil
	case 0:
		return nil, fmt.Errorf("stage %s: %w", b.CurrentStage, ErrNone)
	}
	names := make([]string, len(active))
	for i, e := range active {
		names[i] = e.Name()
	}
	return nil, fmt.Errorf("stage %s: %w: %s", b.CurrentStage, ErrSeveral, strings.Join(names, ", "))
}

// Check reports every stage of those given that has no active expert, or several: the check at load time.
func (r *Registry) Check(stages []string) error {
	problems := make([]error, 0, len(stages))
	for _, stage := range stages {
		_, err := r.For(Board{CurrentStage: stage})
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
