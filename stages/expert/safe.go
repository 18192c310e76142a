package expert

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vivavoice/viva/state"
)

// The kinds of an expert's failure; match with errors.Is.
var (
	// ErrState: the context does not fit the expert; the engine repairs it or goes back (R003-87, R003-90).
	ErrState = errors.New("the context is inconsistent")
	// ErrMalformed: the response cannot be used (R003-88).
	ErrMalformed = errors.New("the response is malformed")
	// ErrOther is everything else, panics too (R003-91, R003-92).
	ErrOther = errors.New("the expert failed")
)

// Error is a failed call of an expert: where, which, of which kind.
type Error struct {
	Stage, Expert string
	Kind          error // ErrState, ErrMalformed or ErrOther
	Err           error // the cause
}

func (e *Error) Error() string {
	return fmt.Sprintf("expert %s in stage %s: %v: %v", e.Expert, e.Stage, e.Kind, e.Err)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Kind names the kind of an error for logs: state, malformed or other (R003-93).
func Kind(err error) string {
	switch {
	case errors.Is(err, ErrState):
		return "state"
	case errors.Is(err, ErrMalformed):
		return "malformed"
	}
	return "other"
}

// Safe calls an expert the one way it may be called (R003-86): with the context validated before, a panic contained, and the response
// checked after. known are the ids of the stages there are,
// in order. Every error is an *Error.
func Safe(e Expert, b Board, known []string) (r Response, err error) {
	name := "unknown"
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: panic: %v", ErrOther, p)
		}
		if err != nil {
			r, err = Response{}, &Error{Stage: b.CurrentStage, Expert: name, Kind: kindOf(err), Err: err}
		}
	}()
	name = e.Name()
	if err := e.ValidateContext(b); err != nil {
		return Response{}, fmt.Errorf("%w: %w", ErrState, err)
	}
	if r, err = e.Process(b); err != nil {
		return Response{}, err
	}
	if at := slices.Index(known, b.CurrentStage); r.NextStage == Onward && at >= 0 && at+1 < len(known) {
		r.NextStage = known[at+1]
	}
	return checked(r, b.fieldTypes(), known, r.Queue != nil || b.queued())
}

func kindOf(err error) error {
	for _, kind := range []error{ErrState, ErrMalformed} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return ErrOther
}

// queued reports whether a question waits to be asked: then an expert need not say anything before it.
func (b *Board) queued() bool {
	return slices.ContainsFunc(b.Queue, func(q state.Queued) bool { return q.Status == state.Waiting })
}

// checked returns the response if it can be acted on, with what no field takes moved to the extra field. asked says that a
// question follows that the message need not lead to.
func checked(r Response, types map[string]string, known []string, asked bool) (Response, error) {
	switch {
	case !r.Success:
		return r, fmt.Errorf("%w: it reports no success", ErrOther)
	case r.Message == "" && !asked:
		return r, fmt.Errorf("%w: no message", ErrMalformed)
	case r.NextStage != "" && !slices.Contains(known, r.NextStage):
		return r, fmt.Errorf("%w: unknown next stage %q", ErrMalformed, r.NextStage)
	}
	updates := make(map[string]any, len(r.Updates))
	extra := make(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(r.Updates)) {
		value := r.Updates[field]
		kind, there := types[field]
		if !there {
			extra[field] = value
			continue
		}
		if !fits(kind, value) {
			return r, fmt.Errorf("%w: field %s holds %s, not %T", ErrMalformed, field, kind, value)
		}
		updates[field] = value
	}
	if len(extra) > 0 {
		updates[FieldExtra] = extra
	}
	if r.Updates = updates; len(updates) == 0 {
		r.Updates = nil
	}
	return r, nil
}

// fieldTypes returns the types of the board's fields.
func (b *Board) fieldTypes() map[string]string {
	if b.Types != nil {
		return b.Types
	}
	return map[string]string{
		FieldPattern: "text", FieldComplexity: "text", FieldApproach: "text", FieldCode: "text", FieldIssues: "list",
	}
}

func fits(kind string, v any) bool {
	switch kind {
	case "list":
		switch v.(type) {
		case []string, []any:
			return true
		}
		return false
	case "number":
		switch v.(type) {
		case int, int64, uint64, float64:
			return true
		}
		return false
	case "flag":
		_, is := v.(bool)
		return is
	default:
		_, is := v.(string)
		return is
	}
}
