package coach

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// reviewer reads the candidate's code, which it cannot run, and asks about what the code does not deal with.
type reviewer struct{ *kit }

// process answers a turn.
func (e reviewer) process(b *expert.Board) expert.Response {
	if b.CurrentStage == EdgeCases {
		return e.edges(b)
	}
	return e.review(b)
}

const (
	codeMax   = 5 // turns after which the code is taken as it is
	askTurns  = 3 // turns up to which a missing part is asked for
	issuesMax = 3 // questions about edge cases
	issuesMin = 2 // questions that make up for no case named by the candidate (R003-56)
)

// review answers a turn in which code is written or dictated.
func (e reviewer) review(b *expert.Board) expert.Response {
	code, dictated := b.Pseudocode(), false
	if code == "" {
		code = e.dictatedBefore(b)
		dictated = code != ""
	}
	if added := e.codeOf(b.Input); e.dictates(b, code) && !strings.Contains(code, added) {
		code, dictated = strings.TrimSpace(code+"\n"+added), true
	}
	reading := e.read(code)
	var r expert.Response
	switch {
	case code == "" && stuck(b):
		r = e.hint(b)
	case code == "" && b.Turns > codeMax:
		r = expert.Success(e.say(b, "code.taken"), EdgeCases, expert.Update{Field: expert.FieldCode, Value: understand.Clip(b.Input, approachMax)})
	case code == "":
		r = expert.Success(e.say(b, "code.ask"), "")
	case !reading.Complete() && stuck(b):
		r = e.hint(b)
	case !reading.Complete() && b.Turns <= askTurns:
		r = e.missing(b, reading)
	default:
		r = e.approve(b, reading)
	}
	if dictated {
		update(&r, expert.FieldCode, code)
	}
	if code != "" {
		update(&r, expert.FieldIssues, e.open(b, reading, code))
		r.Metadata["reading"], r.Metadata["confidence"] = reading, 0.5
	}
	return r
}

func update(r *expert.Response, field string, value any) {
	if r.Updates == nil {
		r.Updates = make(map[string]any)
	}
	r.Updates[field] = value
}

// missing asks about the one thing that the main logic lacks.
func (e reviewer) missing(b *expert.Board, reading Reading) expert.Response {
	if reading.Loops == 0 && !reading.Recursion {
		return expert.Success(e.say(b, "code.loop"), "")
	}
	return expert.Success(e.say(b, "code.result"), "")
}

// approve says what reading has found, and that nothing was run (R003-40, RM-19), or goes on with code that reading cannot make
// whole.
func (e reviewer) approve(b *expert.Board, reading Reading) expert.Response {
	if !reading.Complete() {
		return expert.Success(e.say(b, "code.taken"), EdgeCases)
	}
	shape := []string{"0", "1", "2", "3"}[min(reading.Depth, 3)]
	if reading.Recursion {
		shape = "recursion"
	}
	return expert.Success(e.say(b, "code.good", "shape", e.say(b, "code.shape."+shape)), EdgeCases)
}

// issue is a case that the code may get wrong.
type issue struct {
	id, question string
}

// ranks order cases: what breaks the code outright comes first, and a wrong type, which rarely does, last.
var ranks = map[string]int{IssueResult: -3, IssueEmpty: -2, IssueIndex: -1, IssueNull: 1}

// cases lists what to ask about: what reading found, and the problem's own edge cases, which know better what to ask.
func (e reviewer) cases(b *expert.Board, reading Reading, code string) []issue {
	lang := e.language(b)
	var out []issue
	if p := b.Secret.Problem; p != nil {
		for _, c := range p.EdgeCases {
			handled := slices.ContainsFunc(c.Code, func(mark string) bool { return strings.Contains(code, mark) })
			if handled || c.ID == IssueEmpty && code != "" && !slices.Contains(reading.Issues, IssueEmpty) {
				continue
			}
			out = append(out, issue{c.ID, problem.In(c.Question, lang)})
		}
	}
	for _, id := range reading.Issues {
		if !slices.ContainsFunc(out, func(i issue) bool { return i.id == id }) {
			out = append(out, issue{id, e.words[lang].Issues[id]})
		}
	}
	slices.SortStableFunc(out, func(x, y issue) int { return cmp.Compare(ranks[x.id], ranks[y.id]) })
	return out
}

// open returns the ids of the cases that nobody has dealt with.
func (e reviewer) open(b *expert.Board, reading Reading, code string) []string {
	var ids []string
	for _, c := range e.cases(b, reading, code) {
		ids = append(ids, c.id)
	}
	return ids
}

// edges answers a turn about edge cases: first what the candidate names, then one question per turn about the rest.
func (e reviewer) edges(b *expert.Board) expert.Response {
	asked, waiting := e.asked(b)
	switch {
	case asked > 0 && b.HintLevel < hintLevels && b.Wants(understand.Hint, understand.Answer):
		return e.hint(b)
	case waiting > 0:
		return e.react(b)
	case asked == 0:
		return e.begin(b)
	}
	r := expert.Success(e.say(b, "edge.done"), FollowUp)
	r.Flags = append(r.Flags, FlagEdgesDone)
	if asked >= issuesMin || len(e.namedCases(b, b.Input)) > 0 {
		r.Flags = append(r.Flags, FlagCase)
	}
	return r
}

// asked counts the expert's questions that were put to the candidate, and those that wait.
func (e reviewer) asked(b *expert.Board) (asked, waiting int) {
	for _, q := range b.Queue {
		switch {
		case q.Source != NameReviewer && q.Field != expert.FieldIssues:
		case q.Status == state.Waiting:
			waiting++
		default:
			asked++
		}
	}
	return asked, waiting
}

// react lets a question go that the candidate has no answer to. Any other answer was not checked: nothing is said about it, and
// the next question follows (RM-16).
func (e reviewer) react(b *expert.Board) expert.Response {
	if stuck(b) {
		return expert.Success(e.say(b, "edge.let_go"), "")
	}
	return expert.Success("", "")
}

// begin takes the cases that the candidate named and queues questions about the others (R003-40, R003-41).
func (e reviewer) begin(b *expert.Board) expert.Response {
	named := e.namedCases(b, b.Input)
	if stuck(b) && len(named) == 0 && b.HintLevel == 0 {
		return e.hint(b)
	}
	code := b.Pseudocode()
	before := e.namedCases(b, strings.Join(said(b), "\n")) // whenever they were named
	rest := slices.DeleteFunc(e.cases(b, e.read(code), code), func(c issue) bool { return slices.Contains(before, c.id) })
	limit := issuesMax
	key := "edge.works"
	if len(named) > 0 {
		limit, key = issuesMin, "edge.named"
	}
	r := expert.Success(e.say(b, key), "")
	ids := make([]string, 0, len(rest))
	for i, c := range rest {
		ids = append(ids, c.id)
		if i < limit {
			r.Queue = append(r.Queue, c.question)
		}
	}
	r.QueueField = expert.FieldIssues
	update(&r, expert.FieldIssues, ids)
	r.Metadata["named"] = named
	if len(named) > 0 {
		r.Flags = append(r.Flags, FlagCase)
	}
	if len(r.Queue) == 0 {
		r.NextStage, r.Flags = FollowUp, append(r.Flags, FlagEdgesDone, FlagCase)
	} else if len(r.Queue) >= issuesMin {
		r.Flags = append(r.Flags, FlagCase)
	}
	return r
}

// namedCases returns the cases that a text of the candidate's names.
func (e reviewer) namedCases(b *expert.Board, text string) []string {
	var out []string
	if p := b.Secret.Problem; p != nil {
		for _, c := range p.EdgeCases {
			if understand.Which(text, c.Keywords) != "" {
				out = append(out, c.ID)
			}
		}
	}
	for _, generic := range []struct{ id, mark string }{{IssueEmpty, "guard"}, {IssueNull, "kind"}, {IssueIndex, "bounds"}} {
		if !slices.Contains(out, generic.id) && e.code[generic.mark].MatchString(text) {
			out = append(out, generic.id)
		}
	}
	return out
}
