package calibration

import (
	"bufio"
	"bytes"
	_ "embed" // the labelled set
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// Shipped is the labelled set that comes with Viva.
//
//go:embed answers.jsonl
var Shipped []byte

// languages are those in which answers are judged.
var languages = []string{"en", "vi", "zh"}

// Levels are rated from 1 to Levels.
const Levels = 5

// Label is an answer with the levels that raters gave it.
type Label struct {
	ID        string `json:"id"`
	Rubric    string `json:"rubric"`
	Language  string `json:"language"`
	Question  string `json:"question"`
	Answer    string `json:"answer"`
	Manner    string `json:"manner,omitempty"`    // of speaking, such as fluent or nervous
	Reference string `json:"reference,omitempty"` // the right answer, for rubrics that compare with one
	// Levels are by rater and criterion; nil = the rater could not judge it.
	Levels map[string]map[string]*float64 `json:"levels"`
}

// item is the label as it is judged.
func (l *Label) item() evaluate.Item {
	return evaluate.Item{ID: l.ID, Rubric: l.Rubric, Locale: l.Language, Question: l.Question, Answer: l.Answer, Reference: l.Reference}
}

// judge is the evaluator that goes by the label's rubric.
func (l *Label) judge() string {
	if l.Rubric == twostage.Name {
		return twostage.Name
	}
	return evaluate.Checklist
}

// criteria are those of a rubric; none = it is unknown.
func criteria(rubric string) []string {
	if rubric == twostage.Name {
		return []string{twostage.ColumnConstruction, twostage.ColumnReasoning}
	}
	return slices.Sorted(maps.Keys(evaluate.CriterionNames(rubric, prompts.English)))
}

// rated are the levels of one criterion, by rater in the order of their names, where two at least gave one.
func (l *Label) rated(criterion string) []int {
	var out []int
	for _, rater := range slices.Sorted(maps.Keys(l.Levels)) {
		if level := l.Levels[rater][criterion]; level != nil {
			out = append(out, int(*level))
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// Halves of a set of labels: rules are bettered with one, and what is claimed of them is measured on the other.
const (
	HalfAll     = "all"
	HalfTuning  = "tuning"
	HalfHeldOut = "held-out"
)

// Half is that of an answer: its id alone decides.
func Half(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // it never fails
	if sum := h.Sum32(); (sum^sum>>16)&1 == 0 {
		return HalfHeldOut
	}
	return HalfTuning
}

const maxLine = 1 << 20

// Read reads labels in JSON Lines. All that is wrong is told at once, each with its line.
func Read(r io.Reader) ([]Label, error) {
	var out []Label
	var problems []error
	lines, at := bufio.NewScanner(r), make(map[string]int)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		l, wrong := readLine(lines.Bytes())
		if first := at[l.ID]; l.ID != "" && first > 0 {
			wrong = append(wrong, fmt.Sprintf("id %q is that of line %d", l.ID, first))
		}
		at[l.ID] = n
		for _, w := range wrong {
			problems = append(problems, fmt.Errorf("line %d: %s", n, w))
		}
		out = append(out, l)
	}
	if err := lines.Err(); err != nil {
		problems = append(problems, fmt.Errorf("line %d: %w", n+1, err))
	}
	if len(out) == 0 && len(problems) == 0 {
		problems = append(problems, errors.New("it holds no answer"))
	}
	return out, errors.Join(problems...)
}

func readLine(line []byte) (l Label, wrong []string) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, []string{strings.TrimPrefix(err.Error(), "json: ")}
	}
	if d.More() {
		wrong = append(wrong, "there is more than one object")
	}
	for name, value := range map[string]string{"id": l.ID, "question": l.Question, "answer": l.Answer} {
		if strings.TrimSpace(value) == "" {
			wrong = append(wrong, name+" is missing")
		}
	}
	if !slices.Contains(languages, l.Language) {
		wrong = append(wrong, fmt.Sprintf("language %q: known are %s", l.Language, strings.Join(languages, ", ")))
	}
	known := criteria(l.Rubric)
	if known == nil {
		rubrics := append(evaluate.RubricIDs(), twostage.Name)
		return l, sorted(append(wrong, fmt.Sprintf("rubric %q: known are %s", l.Rubric, strings.Join(rubrics, ", "))))
	}
	if len(l.Levels) < 2 {
		wrong = append(wrong, fmt.Sprintf("levels are of %d raters: two at least are needed", len(l.Levels)))
	}
	for rater, levels := range l.Levels {
		for c, level := range levels {
			switch {
			case !slices.Contains(known, c):
				wrong = append(wrong, fmt.Sprintf("rater %s: %s has no criterion %q, but %s", rater, l.Rubric, c, strings.Join(known, ", ")))
			case level != nil && (*level < 1 || *level > Levels || *level != float64(int(*level))):
				wrong = append(wrong, fmt.Sprintf("rater %s: %s is %v, which is no whole level from 1 to %d", rater, c, *level, Levels))
			}
		}
	}
	return l, sorted(wrong)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

// length tells how long an answer is; Chinese has some three letters to two words.
func (l *Label) length() string {
	han, words := 0, 0
	for _, field := range strings.FieldsFunc(l.Answer, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		n := 0
		for _, r := range field {
			if unicode.Is(unicode.Han, r) {
				n++
			}
		}
		if han += n; n == 0 {
			words++
		}
	}
	switch words += 2 * han / 3; {
	case words <= shortAnswer:
		return fmt.Sprintf("up to %d words", shortAnswer)
	case words <= middleAnswer:
		return fmt.Sprintf("up to %d words", middleAnswer)
	}
	return "longer"
}

const (
	shortAnswer  = 35
	middleAnswer = 90
)
