package composite

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/evaluate"
)

// Composite judges an item by several evaluators.
type Composite struct {
	rubric rubric
	find   func(name string) any
	words  map[string]*words
}

var (
	_ evaluate.Evaluator = (*Composite)(nil)
	_ evaluate.Judge     = (*Composite)(nil)
)

// Name implements evaluate.Evaluator and evaluate.Judge.
func (*Composite) Name() string { return Name }

// Evaluate implements evaluate.Evaluator: every part judges by its rules. One that has none is excluded and named, and the
// evaluation is degraded then; one that does not apply to the item is excluded and named.
func (c *Composite) Evaluate(it evaluate.Item) (evaluate.Evaluation, error) {
	if err := c.applies(it); err != nil {
		return evaluate.Evaluation{}, err
	}
	parts := make([]outcome, len(c.rubric.Parts))
	for i := range c.rubric.Parts {
		parts[i] = c.byRules(&c.rubric.Parts[i], it)
	}
	return c.joined(it, parts), nil
}

func (c *Composite) applies(it evaluate.Item) error {
	if it.Rubric != "" && it.Rubric != c.rubric.ID {
		return fmt.Errorf("there is no composite %q; known are %s", it.Rubric, c.rubric.ID)
	}
	return nil
}

// outcome is what came of one part.
type outcome struct {
	part       *part
	evaluation evaluate.Evaluation
	missing    string // why there is none
	degraded   bool   // it should have been judged, but could not be
}

func (c *Composite) byRules(p *part, it evaluate.Item) outcome {
	it.Rubric = p.Rubric
	out := outcome{part: p, evaluation: evaluate.Unassessed(p.By, "")}
	if rules, there := c.find(p.By).(evaluate.Evaluator); there {
		e, err := rules.Evaluate(it)
		if err == nil {
			return out.with(e)
		}
		out.missing = err.Error()
	} else if judge, is := c.find(p.By).(evaluate.Judge); is {
		out.missing, out.degraded = "there is no model to ask", true
		if _, err := judge.Ask(it); err != nil {
			out.missing, out.degraded = err.Error(), false // it does not apply to the item
		}
	}
	return out
}

// with takes a part's evaluation.
func (o outcome) with(e evaluate.Evaluation) outcome {
	o.evaluation = evaluate.Sanitize(e)
	switch o.evaluation.Status {
	case evaluate.StatusNotAssessed:
		o.missing = "there was nothing to judge"
	case evaluate.StatusFailed:
		o.missing, o.degraded = "its judgement failed", true
	case evaluate.StatusDegraded:
		o.degraded = true
	}
	return o
}

func (o outcome) assessed() bool { return o.missing == "" && o.evaluation.Assessed() }

// joined is the weighted mean of what was assessed (RX-14).
func (c *Composite) joined(it evaluate.Item, parts []outcome) evaluate.Evaluation {
	e := evaluate.Unassessed(Name, c.rubric.pin)
	var full, assessed, sum float64
	var degraded []string
	for _, o := range parts {
		w := o.part.Weight
		full += w
		if o.degraded {
			degraded = append(degraded, o.part.ID+": "+cmp.Or(o.missing, o.evaluation.Degraded))
		}
		if o.assessed() {
			assessed += w
			sum += w * o.evaluation.Norm
		}
		add(&e, o)
	}
	if assessed > 0 {
		e.Status, e.Score = evaluate.StatusOK, sum/assessed*evaluate.ScaleMax
		if it.Passes(sum/assessed) && assessed >= c.rubric.Assessed*full-1e-9 {
			e.Decision = evaluate.DecisionNext
		}
	}
	e.Feedback = c.feedback(it, parts)
	e = evaluate.Sanitize(e)
	if len(degraded) > 0 {
		e = evaluate.Degrade(e, strings.Join(degraded, "; "))
	}
	return e
}

// add takes a part into an evaluation: on its own scale with its own marks, and with its quotes, hits, gaps and flags. The
// evaluation itself has no marks: whoever takes their plain mean would lose the weights.
func add(e *evaluate.Evaluation, o outcome) {
	p, x := o.part, o.evaluation
	part := evaluate.Part{
		ID: p.ID, By: p.By, Rubric: x.Rubric, Weight: p.Weight, Status: evaluate.StatusNotAssessed, Min: x.Min, Max: x.Max, Missing: o.missing,
	}
	if o.assessed() {
		part.Status, part.Score, part.Norm = x.Status, x.Score, x.Norm
		part.Feedback, part.Marks = x.Feedback, x.Marks
		e.Hits, e.Gaps = union(e.Hits, x.Hits), union(e.Gaps, x.Gaps)
		e.Evidence = append(e.Evidence, x.Evidence...)
		if x.Confidence > 0 && (e.Confidence == 0 || x.Confidence < e.Confidence) {
			e.Confidence = x.Confidence
		}
		if e.Improved == "" {
			e.Improved = x.Improved
		}
	}
	e.Flags = union(e.Flags, x.Flags)
	e.Parts = append(e.Parts, part)
}

// union appends what is not there yet, in order.
func union(list, more []string) []string {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// feedback tells each part's score on its own scale, and names those that were not assessed.
func (c *Composite) feedback(it evaluate.Item, parts []outcome) string {
	w := prompts.In(c.words, it.Locale)
	var said, missing []string
	for _, o := range parts {
		name := prompts.In(o.part.Name, it.Locale)
		if !o.assessed() {
			missing = append(missing, name)
			continue
		}
		e := o.evaluation
		said = append(said, strings.NewReplacer("{name}", name, "{score}", number(e.Score), "{max}", number(e.Max), "{feedback}", e.Feedback).Replace(w.Part))
	}
	if len(said) == 0 {
		return w.Nothing
	}
	if len(missing) > 0 {
		said = append(said, strings.ReplaceAll(w.Missing, "{list}", strings.Join(missing, w.And)))
	}
	return strings.Join(said, " ")
}

// number writes a score with at most one decimal.
func number(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
