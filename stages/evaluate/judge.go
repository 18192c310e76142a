package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/structured"
)

// Ids of shipped rubrics that stand in where an item names none.
const (
	defaultRubric = "design"
	starRubric    = "star"
	itemRubric    = "item"
)

// rubricJudge asks a model for a level and quotes per criterion, all criteria of one rubric in one compact question.
type rubricJudge struct{ name string }

var _ Judge = rubricJudge{}

// Name implements Judge.
func (j rubricJudge) Name() string { return j.name }

// rubric returns the item's rubric with the criteria that apply.
func (j rubricJudge) rubric(it Item) (*Rubric, error) {
	id := it.Rubric
	switch {
	case id != "":
	case j.name == Checklist && len(it.Criteria) > 0:
		id = itemRubric
	case j.name == Checklist:
		id = starRubric
	default:
		id = defaultRubric
	}
	r, ok := shipped().rubrics[id]
	if !ok {
		return nil, fmt.Errorf("there is no rubric %q; known are %s", id, strings.Join(RubricIDs(), ", "))
	}
	if id == itemRubric {
		return r.of(it.Criteria), nil
	}
	if r = r.during(it.PhaseID); len(r.Criteria) == 0 {
		return nil, fmt.Errorf("rubric %q has no criterion for the sub-phase %q", id, it.PhaseID)
	}
	return r, nil
}

// How long an answer may be: two quotes and a level per criterion, and the feedback with an improved answer.
const (
	tokensPerCriterion = 160
	tokensOfFeedback   = 400
)

// Ask implements Judge. What anybody said or wrote is fenced; sentences of the candidate that instruct the judge are not
// shown to it at all.
func (j rubricJudge) Ask(it Item) (structured.Question, error) {
	r, err := j.rubric(it)
	if err != nil {
		return structured.Question{}, err
	}
	turns, _ := Screen(it.Conversation())
	q, err := prompt.Ask(r, map[string]any{"Item": it, "Rubric": r, "Turns": turns, "Language": it.language()}, r)
	q.Role, q.Name, q.MaxTokens = j.name, "levels", tokensOfFeedback+tokensPerCriterion*len(r.Criteria)
	return q, err
}

// answer is what a judge says. Evidence stands before the level, so that a model finds it first.
type answer struct {
	Levels []struct {
		Criterion string   `json:"criterion"`
		Evidence  []Quote  `json:"evidence"`
		Level     *float64 `json:"level"` // a whole one, if the judge keeps to the rubric
	} `json:"levels"`
	Feedback   string  `json:"feedback"`
	Improved   string  `json:"improved"`
	Confidence float64 `json:"confidence"`
}

// How long a judge's texts may be, in characters.
const (
	MaxQuote   = 400
	maxComment = 600
)

// short says which text of an answer is too long, in words for structured.Repair.
func (a *answer) short() error {
	errs := []error{structured.AtMost("feedback", a.Feedback, maxComment), structured.AtMost("improved", a.Improved, maxComment)}
	for _, l := range a.Levels {
		for _, q := range l.Evidence {
			errs = append(errs, structured.AtMost("evidence of "+l.Criterion, q.Text, MaxQuote))
		}
	}
	return errors.Join(errs...)
}

// Read implements Judge: the answer is levels and quotes; score, gaps and decision are computed from those levels whose
// quotes the candidate really said.
func (j rubricJudge) Read(it Item, raw json.RawMessage) (Evaluation, error) {
	r, err := j.rubric(it)
	if err != nil {
		return Evaluation{}, err
	}
	schema, err := prompt.Schema(r)
	if err != nil {
		return Evaluation{}, err
	}
	var a answer
	if err := structured.Decode(schema, raw, &a); err != nil {
		return Evaluation{}, err
	}
	if err := a.short(); err != nil {
		return Evaluation{}, err
	}
	turns, instructed := Screen(it.Conversation())
	s := newSheet(it, r, turns)
	changed := false
	for _, l := range a.Levels {
		level, off := r.Scale.whole(l.Level)
		changed = changed || off
		s.mark(l.Criterion, level, l.Evidence)
	}
	e := s.evaluation(j)
	if changed {
		e.flag(FlagClamped)
	}
	e.Confidence, e.Improved = a.Confidence, a.Improved
	if a.Feedback != "" && e.Assessed() {
		e.Feedback = a.Feedback
	}
	if instructed {
		e.flag(FlagInstructs)
	}
	return Sanitize(e), nil
}

// sheet collects the levels of one item.
type sheet struct {
	item       Item
	rubric     *Rubric
	turns      []Turn
	told       []string // what of each turn may show something
	marks      map[string]Mark
	unverified bool
	byRules    bool // levels were found by patterns
	hits       map[string][]hit
}

func newSheet(it Item, r *Rubric, turns []Turn) *sheet {
	s := &sheet{item: it, rubric: r, turns: turns, marks: make(map[string]Mark), hits: make(map[string][]hit)}
	for _, t := range turns {
		s.told = append(s.told, Telling(t.Content))
	}
	return s
}

// mark notes a level for a criterion, if it was not marked before; nil, or a level without a quote that was said, is
// "not assessed". The level is capped where the candidate's own part cannot be heard.
func (s *sheet) mark(id string, level *int, quotes []Quote) {
	if _, done := s.marks[id]; done {
		return
	}
	scale := s.rubric.Scale
	m := Mark{Criterion: id, Status: StatusNotAssessed, Min: scale.Min, Max: scale.Max}
	verified := Verify(quotes, s.turns)
	s.unverified = s.unverified || len(verified) < len(quotes)
	if level != nil && len(verified) > 0 {
		m.Status, m.Evidence = StatusOK, verified
		m.Level = s.capped(id, min(max(*level, scale.Min), scale.Max))
		m.Norm = scale.norm(m.Level)
	}
	s.marks[id] = m
}

// settle marks a criterion without a quote: the candidate was asked and had nothing to say.
func (s *sheet) settle(id string, level int) {
	scale := s.rubric.Scale
	s.marks[id] = Mark{Criterion: id, Status: StatusOK, Level: level, Min: scale.Min, Max: scale.Max, Norm: scale.norm(level)}
}

func (s *sheet) capped(id string, level int) int {
	i := slices.IndexFunc(s.rubric.Criteria, func(c RubricCriterion) bool { return c.ID == id })
	if i < 0 || s.rubric.Criteria[i].Own == "" || len(s.found(s.rubric.Criteria[i].Own)) > 0 {
		return level
	}
	return min(level, s.rubric.Criteria[i].Cap)
}

// borderline is how near to the mark that passes a score may lie, in points of ten, without a second judgement.
const borderline = 0.5

// evaluation computes score and decision. What was not assessed is in no mean (RX-14), but it is a gap, and with too much
// of it nothing is passed.
func (s *sheet) evaluation(j rubricJudge) Evaluation {
	e := Unassessed(j.name, s.rubric.Pin())
	var full, assessed, sum float64
	for i := range s.rubric.Criteria {
		c := &s.rubric.Criteria[i]
		m, marked := s.marks[c.ID]
		if !marked {
			m = Mark{Criterion: c.ID, Status: StatusNotAssessed, Min: s.rubric.Scale.Min, Max: s.rubric.Scale.Max}
		}
		full += c.weight()
		if m.Status == StatusOK {
			assessed += c.weight()
			sum += c.weight() * m.Norm
		}
		if m.Status == StatusOK && s.item.Passes(m.Norm) {
			e.Hits = append(e.Hits, prompts.In(c.Name, s.item.Locale))
		} else {
			e.Gaps = append(e.Gaps, prompts.In(c.Name, s.item.Locale))
		}
		e.Marks, e.Evidence = append(e.Marks, m), append(e.Evidence, m.Evidence...)
	}
	if s.unverified {
		e.flag(FlagUnverified)
	}
	if assessed > 0 {
		e.Status, e.Norm = StatusOK, sum/assessed
		e.Score = e.Norm * ScaleMax
		if math.Abs(e.Score-s.item.mark()*ScaleMax) <= borderline {
			e.flag(FlagBorderline)
		}
		if s.item.Passes(e.Norm) && assessed >= s.rubric.assessed()*full-1e-9 {
			e.Decision, e.Gaps = DecisionNext, nil
		}
	}
	e.Feedback = s.feedback(e)
	return e
}

// assessed is the share of the weight that must have been assessed for a pass.
func (r *Rubric) assessed() float64 {
	if r.Assessed == 0 {
		return DefaultAssessed
	}
	return r.Assessed
}
