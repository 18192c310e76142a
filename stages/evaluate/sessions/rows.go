package sessions

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/twostage"
	"github.com/vivavoice/viva/state"
)

// Row is one answer of one session.
type Row struct {
	Session string `json:"session"`
	Item    string `json:"item"`  // the stage, or the judgement that the answer was sent for
	Turns   string `json:"turns"` // the candidate's, by their ids in the transcript, apart by spaces
	Locale  string `json:"locale"`
	twostage.Sample
}

// columns are the names of a row's fields, in order.
var columns = []string{
	"session", "item", "turns", "locale", twostage.ColumnInput, twostage.ColumnPrediction, twostage.ColumnGroundtruth,
	twostage.ColumnConstruction, twostage.ColumnReasoning, twostage.ColumnAnswer,
}

func (r *Row) fields() []string {
	return []string{r.Session, r.Item, r.Turns, r.Locale, r.InputText, r.Prediction, r.Groundtruth, r.Construction, r.Reasoning, r.Answer}
}

// Rows folds a journal and returns its answers: the conclusion as prediction, the framing as XML, what was said as reasoning.
// further gives stages a right answer, as engine.Interview.Answers takes them.
func Rows(e *twostage.Evaluator, iv *engine.Interview, session string, journal []state.Entry, further map[string]string) ([]Row, error) {
	u, err := iv.Fold(journal)
	if err != nil {
		return nil, err
	}
	var out []Row
	for _, it := range iv.Answers(u, further) {
		row, err := rowOf(e, session, it)
		if err != nil {
			return nil, fmt.Errorf("item %s: %w", it.ID, err)
		}
		out = append(out, row)
	}
	return out, nil
}

func rowOf(e *twostage.Evaluator, session string, it evaluate.Item) (Row, error) {
	row := Row{Session: session, Item: it.ID, Locale: it.Locale}
	var said, turns []string
	for _, t := range it.Turns {
		if t.Role == evaluate.RoleUser {
			said, turns = append(said, t.Content), append(turns, strconv.FormatUint(t.ID, 10))
		}
	}
	answer := strings.Join(said, "\n")
	f := e.Frame(it.Question, answer, it.Reference)
	row.Turns = strings.Join(turns, " ")
	row.InputText, row.Prediction, row.Groundtruth = it.Question, f.Conclusion, it.Reference
	if strings.TrimSpace(row.InputText) == "" {
		row.InputText = it.PhaseName
	}
	if row.Prediction == "" {
		row.Answer = answer // a row without a conclusion is judged by what was said
	} else {
		row.Reasoning = answer
	}
	var err error
	row.Construction, err = written(f)
	return row, err
}

// written is a framing as XML: one element for each sentence, in the sections that it serves.
func written(f twostage.Framing) (string, error) {
	var b strings.Builder
	for _, section := range twostage.Sections() {
		if len(f.Sections[section]) == 0 {
			continue
		}
		b.WriteString("<" + section + ">")
		for _, sentence := range f.Sections[section] {
			b.WriteString("<item>")
			if err := xml.EscapeText(&b, []byte(sentence)); err != nil {
				return "", fmt.Errorf("write the construction: %w", err)
			}
			b.WriteString("</item>")
		}
		b.WriteString("</" + section + ">")
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "<construction>" + b.String() + "</construction>", nil
}
