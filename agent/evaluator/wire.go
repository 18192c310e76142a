package evaluator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/stages/evaluate"
)

// Bounds of a request and its answer.
const (
	MaxBody       = 1 << 20 // bytes of a request
	maxWords      = 1 << 18 // bytes that were said or written: rules, which cannot be interrupted, take about a second for them
	maxCriteria   = 500
	maxAnswer     = 1 << 18 // bytes of an answer
	defaultBudget = 30 * time.Second
	// MaxBudget bounds a judgement.
	MaxBudget = 2 * time.Minute
)

const pathJudge = "/v1/judge"

// Request is what POST /v1/judge takes.
type Request struct {
	Item      evaluate.Item `json:"item"`
	Evaluator string        `json:"evaluator"`
	// BudgetMS is how long the judgement may take, in ms; 0 = 30 s, at most 2 min.
	BudgetMS int64 `json:"budget_ms,omitempty"`
}

func (r *Request) budget() time.Duration {
	if r.BudgetMS == 0 {
		return defaultBudget
	}
	return min(time.Duration(r.BudgetMS)*time.Millisecond, MaxBudget)
}

// check says what is wrong with a request; nil = nothing.
func (r *Request) check() error {
	switch {
	case r.Evaluator == "":
		return errors.New("evaluator must be set")
	case r.Item.ID == "":
		return errors.New("item.id must be set")
	case r.BudgetMS < 0 || r.BudgetMS > int64(24*time.Hour/time.Millisecond):
		return errors.New("budget_ms must lie between 0 and a day")
	case words(r.Item) > maxWords:
		return fmt.Errorf("the item holds more than %d bytes of words", maxWords)
	case len(r.Item.Criteria) > maxCriteria:
		return fmt.Errorf("the item has more than %d criteria", maxCriteria)
	}
	return nil
}

// words is how much there is to judge, in bytes.
func words(it evaluate.Item) int {
	n := len(it.Answer) + len(it.Question) + len(it.Reference)
	for _, t := range it.Turns {
		n += len(t.Content)
	}
	for _, v := range it.Vars {
		n += len(v)
	}
	return n
}

// Failure is the answer where nothing was judged.
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Kinds of a Failure.
const (
	KindRefused = "refused"     // the key is missing or wrong
	KindRequest = "bad_request" // the request itself makes no sense
	KindLarge   = "too_large"   // it has more than MaxBody bytes
	KindItem    = "item"        // ErrItem
	KindUnknown = "unknown"     // ErrUnknown
	KindNoModel = "no_model"    // ErrNoModel
	KindBusy    = "busy"        // too many at a time, here or at the model's provider: try again
	KindTimeout = "timeout"     // the budget is used up
	KindModel   = "model"       // the model's provider failed, or its answer could not be used
	KindBroken  = "broken"      // the evaluator broke
)

// failure is an error as it is answered.
func failure(err error) (status int, kind string) {
	switch {
	case errors.Is(err, ErrUnknown):
		return http.StatusNotFound, KindUnknown
	case errors.Is(err, ErrItem):
		return http.StatusUnprocessableEntity, KindItem
	case errors.Is(err, ErrNoModel):
		return http.StatusNotImplemented, KindNoModel
	case errors.Is(err, ErrBroken):
		return http.StatusInternalServerError, KindBroken
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusGatewayTimeout, KindTimeout
	}
	switch fault.KindOf(err) {
	case fault.RateLimited:
		return http.StatusTooManyRequests, KindBusy
	case fault.Timeout:
		return http.StatusGatewayTimeout, KindTimeout
	default:
		return http.StatusBadGateway, KindModel
	}
}

// accept reads a service's answer: what is no evaluation is an error; scores off their scale are brought back to it and
// flagged, and quotes that the candidate did not say are dropped (RX-13, RX-16).
func accept(text []byte, it evaluate.Item) (evaluate.Evaluation, error) {
	var e evaluate.Evaluation
	if err := json.Unmarshal(text, &e); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not an evaluation in JSON: %w", err)
	}
	if err := complete(e); err != nil {
		return evaluate.Evaluation{}, fmt.Errorf("the answer is not an evaluation: %w", err)
	}
	return evaluate.Verified(e, it), nil
}

// complete reports what an evaluation needs at least: JSON of any other shape decodes too.
func complete(e evaluate.Evaluation) error {
	known := []string{evaluate.StatusOK, evaluate.StatusDegraded, evaluate.StatusFailed, evaluate.StatusNotAssessed}
	switch {
	case !slices.Contains(known, e.Status):
		return fmt.Errorf("status %.40q is unknown", e.Status)
	case e.By == "":
		return errors.New("by is missing")
	case e.Max <= e.Min:
		return fmt.Errorf("the scale from %v to %v is none", e.Min, e.Max)
	}
	return nil
}
