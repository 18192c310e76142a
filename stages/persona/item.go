package persona

import (
	"fmt"

	"github.com/vivavoice/viva/stages/evaluate"
)

// Rubric is the id of the rubric that answers are judged by.
const Rubric = "clarity_specificity_confidence"

// Request is what is asked to be judged: one answer (R002-35, R002-36).
type Request struct {
	Session          string // whom the result is for: the address of the reply
	Number           int    // of the question, from 1
	Question, Answer string
	Turn             uint64 // the candidate's turn that the answer was given in
	Persona          *Persona
	Role, Locale     string
}

// Item is the request as evaluators take it. Its ID is the same for the same question of the same session, so that a
// result that comes late or twice goes where it belongs. Persona and role stand in the judge's prompt (R002-40).
func (r Request) Item() evaluate.Item {
	persona, role := r.Persona.Called("en"), Speakable(r.Role, maxRole)
	return evaluate.Item{
		ID: fmt.Sprintf("%s/question-%d", r.Session, r.Number), PhaseName: fmt.Sprintf("an interview for the role %s, held by %s", role, persona),
		Question: r.Question, Answer: r.Answer, Locale: r.Locale, Rubric: Rubric,
		Turns: []evaluate.Turn{{ID: r.Turn, Role: evaluate.RoleUser, Content: r.Answer}},
		Vars:  map[string]string{"persona": r.Persona.ID, "role": role, "session": r.Session, "question": fmt.Sprint(r.Number)},
	}
}
