package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/respond"
)

// finishing tells what it takes to finish the part that is on.
func (s *words) finishing() string {
	if next := s.nextPart(); next != nil {
		return "this part has what it needs, its time is up, or they want to go on. React to the last answer and open " + next.ID + " (" + next.Title + ": " + next.Purpose + ") with one question, from what you know already"
	}
	how := "the last part has what it needs, or its time is up. "
	if names := slices.DeleteFunc(s.leftParts(), func(id string) bool { return !slices.Contains(s.destinations(), id) }); len(names) > 0 && s.unspent() > 0 {
		how = "Not before you have offered once to take up " + strings.Join(names, ", ") + " (go). " + how
	}
	how += "If the last answer holds an error, or a question that takes more than a sentence, that comes first, and this with the next; so does what you promised to come back to. React to the last answer, and ask whether they want to ask you something"
	if s.wordDue() {
		how += " before you tell them how it went (not in this turn)"
	}
	return how
}

// lastWord is what is said of how it went, when it is asked for or at the end.
const lastWord = "three to five short plain sentences, understood at first hearing, as from a friend who knows the work: one thing that they did well, and what it was " +
	"good for, with a few of their words; one thing to work on, by its name: a claim or a number of theirs that had to change comes before what stayed thin, and " +
	"two slips with one cause are that cause; what stayed open, where a part did; one small exercise that trains just this; nothing that was not quite so (\"at once\", \"the first\", " +
	"\"always\", \"only\"), find each thing that you say happened in the talk first, who said it and when: nothing is theirs that you did, brought back or told; with little said, say so kindly"

// sofar is what they may do who ask in the middle how they do.
func (s *words) sofar() string {
	return "they ask how they did: an honest answer in two or three short sentences: one thing that holds so far, with a few of their words, and one to work on. " +
		"If something is still to come, say in half a sentence what, and go on to it in the same breath, with one easy question, unless they want to end; who asks whether " +
		"they are through gets a straight answer"
}

// ending is what a model may do at the end: their last questions, the last word unless it was said, the goodbye.
func (s *situation) ending() []respond.Allowance {
	bye := "say goodbye, in one or two short sentences that are for them, without praise or advice; the interview ends with these words. Not before they " +
		"had the chance of a last question, and it was answered"
	list := []respond.Allowance{{Did: "ask", How: "ask whether they have a question for you"}}
	if s.problem() != nil {
		list[0].How += ". They have said all that counts: who wants to know the best way, or what it costs, is told, in two plain sentences"
	}
	switch {
	case s.planned() == 0:
		bye += ". Name one thing that you take from the talk, something that they really told"
	case s.wordDue():
		list = append(list, respond.Allowance{Did: didWord, How: "how it went, after your answer to their question where that is one sentence, else alone, with the next turn: " + lastWord})
		bye += ". Not before you have told them how it went, here or before, unless they have to go; not in the same turn"
	}
	return append(list, respond.Allowance{Did: didEnd, How: bye})
}

// wordDue reports whether the last word is still to be said: it was not, or long ago.
func (s *situation) wordDue() bool {
	if s.planned() == 0 {
		return false
	}
	since := 0
	for i := range slices.Backward(s.u.Visits) {
		v := &s.u.Visits[i]
		if since += v.Turns; v.Assessed > 0 {
			return since >= v.Assessed+wordHolds
		}
	}
	return true
}

// wordHolds is after how many answers what was said of how it went is due again.
const wordHolds = 3
