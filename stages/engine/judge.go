package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Bounds of what is judged beside the talk.
const (
	maxJudgements = 64  // in one session
	maxQuoted     = 600 // characters of a question
	maxTold       = 12  // values that a judge is told besides
	maxValue      = 400 // characters of one
	maxReason     = 40  // characters of the reason why something was not judged
)

// Reasons for which something is not judged, as reports know them.
const (
	missingUnanswered = "unanswered" // the candidate would not say
	missingFailed     = "failed"     // nobody said why
	missingUnreadable = "unreadable"
)

// substance is how many words an answer needs to be judged although it says that there is none yet, or will not be.
const substance = 12

// judgements are what is judged beside the talk.
type judgements struct{ *change }

// answerHeard notes the turn as an answer to the question that waited, in a stage without experts. An answer that goes on is
// still the same one (R002-34).
func (s judgements) answerHeard(st *definition.Stage, v *state.StageVisit, intents []understand.Intent) {
	if st.Responder == definition.ByExperts || len(s.iv.Def.Attached(definition.OnAnswer, st)) == 0 {
		return
	}
	question := s.askedLast(v)
	short := understand.Words(v.Input) < substance
	if question == "" || slices.Contains(intents, understand.Repeat) || short && slices.Contains(intents, understand.Think) {
		return
	}
	missing := ""
	if short && slices.Contains(intents, understand.Refuse) {
		missing = missingUnanswered
	}
	s.noteAnswer(st, expert.Answered{Question: question, Turns: v.InputTurns}, missing)
}

// askedLast is the question that waits, as it was heard: the opening, or the latest words that ask something.
func (s judgements) askedLast(v *state.StageVisit) string {
	var first, last, asking string
	for i := range s.u.Turns {
		t := &s.u.Turns[i]
		if t.Visit != v.Visit || t.Speaker != state.SpeakerAgent || t.Aside {
			continue
		}
		if first == "" {
			first = t.Text
		}
		last = t.Text
		if q := lastQuestion(t.Text); q != "" {
			asking = q
		}
	}
	if id := base(v.Prompt); id != "" && id == s.lines().Open {
		return quoted(cmp.Or(lastQuestion(first), first))
	}
	return quoted(cmp.Or(asking, last))
}

func quoted(text string) string {
	return understand.Clip(strings.Join(strings.Fields(text), " "), maxQuoted)
}

// answerTaken notes what an expert took for the answer to its question.
func (s judgements) answerTaken(a *expert.Answered) {
	if a == nil {
		return
	}
	taken, missing := *a, ""
	taken.Question = quoted(a.Question)
	switch {
	case a.Refused:
		missing = missingUnanswered
	case len(a.Turns) == 0:
		taken.Turns = s.u.Current().InputTurns
	}
	s.noteAnswer(s.stage(), taken, missing)
}

// noteAnswer enters an answer with everything that judges it. It is sent when the reply to it is heard: until then it may go
// on (R002-34).
func (s judgements) noteAnswer(st *definition.Stage, a expert.Answered, missing string) {
	for _, at := range s.iv.Def.Attached(definition.OnAnswer, st) {
		if i := s.heldItem(at.ID); i >= 0 && (a.Number == 0 || a.Number == s.u.Judgements[i].Number) {
			s.extend(&s.u.Judgements[i], a, missing)
			continue
		}
		s.enlist(at, st, a, missing)
	}
}

// heldItem is the judgement of this visit that was not sent yet, or -1.
func (s judgements) heldItem(attachment string) int {
	return slices.IndexFunc(s.u.Judgements, func(j state.Judgement) bool {
		return j.Held && j.Attachment == attachment && j.Visit == s.u.Visit
	})
}

// extend lets an answer go on.
func (s judgements) extend(j *state.Judgement, a expert.Answered, missing string) {
	j.Turns = slices.Clip(j.Turns)
	for _, id := range a.Turns {
		if !s.taken(j.Attachment, id) {
			j.Turns = append(j.Turns, id)
		}
	}
	j.Missing = missing
	if len(a.Vars) > 0 {
		j.Vars = s.told(a.Vars)
	}
}

// goOn lets the answers that were not sent yet go on with the latest turn.
func (s judgements) goOn(v *state.StageVisit) {
	for i := range s.u.Judgements {
		if j := &s.u.Judgements[i]; j.Held && j.Visit == v.Visit {
			s.extend(j, expert.Answered{Turns: []uint64{s.u.Turns[len(s.u.Turns)-1].ID}}, j.Missing)
		}
	}
}

// going reports whether the latest turn belongs to an answer that was not sent yet.
func (s judgements) going(v *state.StageVisit) bool {
	latest := s.u.Turns[len(s.u.Turns)-1].ID
	return slices.ContainsFunc(s.u.Judgements, func(j state.Judgement) bool {
		return j.Held && j.Visit == v.Visit && slices.Contains(j.Turns, latest)
	})
}

// enlist keeps a new item in the books, at most maxJudgements of them, each once, and none after the report was asked for
// (R002-44, R002-60).
func (s judgements) enlist(at *definition.Attachment, st *definition.Stage, a expert.Answered, missing string) {
	n := a.Number
	if n == 0 {
		n = 1
		for i := range s.u.Judgements {
			if j := &s.u.Judgements[i]; j.Attachment == at.ID {
				n = max(n, j.Number+1)
			}
		}
	}
	j := state.Judgement{
		Item: fmt.Sprintf("%s/%s/%d", at.ID, st.ID, n), Attachment: at.ID, Stage: st.ID, Visit: s.u.Visit, At: s.u.Now,
		Question: a.Question, Number: n, Turns: s.unspent(at.ID, a), Vars: s.told(a.Vars), Missing: missing, Held: true,
	}
	why := ""
	switch {
	case len(j.Turns) == 0 && missing == "":
		why = "its words answered another question"
	case s.reportAsked():
		why = "the report was asked for"
	case len(s.u.Judgements) >= maxJudgements:
		why = "there are too many"
	case s.judgement(j.Item) >= 0:
		why = "it is there already"
	}
	if why != "" {
		s.fact("evaluation.refused", field("item", j.Item), field("why", why))
		return
	}
	s.u.Judgements = append(s.u.Judgements, j)
}

// unspent are the turns that answer no other question: each turn is one answer at most.
func (s judgements) unspent(attachment string, a expert.Answered) []uint64 {
	turns := slices.Clone(a.Turns)
	if a.Question == "" {
		return turns // a whole stage
	}
	return slices.DeleteFunc(turns, func(id uint64) bool { return s.taken(attachment, id) })
}

func (s judgements) taken(attachment string, turn uint64) bool {
	return slices.ContainsFunc(s.u.Judgements, func(j state.Judgement) bool {
		return j.Attachment == attachment && slices.Contains(j.Turns, turn)
	})
}

func (s judgements) judgement(item string) int {
	return slices.IndexFunc(s.u.Judgements, func(j state.Judgement) bool { return j.Item == item })
}

// told is what a judge should know besides: for whom the candidate is interviewed by whom, and what the expert adds.
func (s judgements) told(vars map[string]string) map[string]string {
	out := make(map[string]string)
	put := func(name, value string) {
		if value != "" && len(out) < maxTold {
			out[name] = understand.Clip(value, maxValue)
		}
	}
	for _, name := range []string{"role", "persona", VarCompany} {
		put(name, cmp.Or(vars[name], s.u.Vars[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		put(name, vars[name])
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// sendHeld sends the answers that are complete now.
func (s judgements) sendHeld() {
	for i := range s.u.Judgements {
		if j := &s.u.Judgements[i]; j.Held {
			j.Held = false
			s.send(j)
		}
	}
}

// send has an item judged. Nobody waits for it.
func (s judgements) send(j *state.Judgement) {
	at := s.iv.attachment(j.Attachment)
	st := s.iv.Def.Stage(j.Stage)
	if !j.Out() || at == nil || st == nil {
		return
	}
	item := s.judgedItem(at, st, j)
	if len(item.Turns) == 0 {
		j.Missing = missingUnanswered // all that was said were questions and wishes (RM-2)
		return
	}
	s.fact("evaluation.sent", field("item", j.Item), field("by", at.By))
	s.out = append(s.out, Judge{
		Attachment: at.ID, By: at.By, Item: item, Visit: j.Visit, Budget: at.Timeout(), Attempts: at.Tries(),
	})
}

// sendAgain sends what is out once more, for a session whose judges were lost with its worker.
func (s judgements) sendAgain() {
	for i := range s.u.Judgements {
		if j := &s.u.Judgements[i]; !j.Held {
			s.send(j)
		}
	}
}

func (iv *Interview) attachment(id string) *definition.Attachment {
	i := slices.IndexFunc(iv.Def.Evaluations, func(a definition.Attachment) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &iv.Def.Evaluations[i]
}

// judgedItem is what the judge is shown: the question and the turns that answer it, or all that was said in a stage. It follows
// from the state alone.
func (s *situation) judgedItem(at *definition.Attachment, st *definition.Stage, j *state.Judgement) evaluate.Item {
	it := evaluate.Item{
		ID: j.Item, PhaseID: st.ID, PhaseName: st.Title, Question: j.Question, Criteria: keywords(st.Criteria), Locale: s.iv.Words.Locale(),
		Reference: s.reference(at.From(st)), Rubric: at.Rubric, Vars: maps.Clone(j.Vars),
	}
	var visits []uint64
	for _, t := range s.u.Turns {
		if !slices.Contains(j.Turns, t.ID) {
			continue
		}
		visits = append(visits, t.Visit)
		if j.Question != "" {
			it.Turns = append(it.Turns, evaluate.Slice([]state.Turn{t}, t.Visit)...)
		}
	}
	if j.Question == "" {
		it.Turns = evaluate.Slice(s.u.Turns, visits...)
		it.Question = cmp.Or(s.interviewQuestion(), s.task())
	}
	for i := range s.u.Visits {
		if v := &s.u.Visits[i]; v.Visit == j.Visit && v.Item != "" {
			if p := s.u.SubPhases.Item(v.Item); p != nil {
				s.about(&it, p)
			}
		}
	}
	if at.Pass > 0 {
		it.Pass = at.Pass
	}
	return it
}

// task is the text of the problem, or "".
func (s *situation) task() string {
	if p := s.problem(); p != nil {
		return problem.In(p.Text, s.iv.Words.Locale())
	}
	return ""
}

// reference is a right answer, from where the definition says (R004-65).
func (s *situation) reference(from string) string {
	if name, is := strings.CutPrefix(from, definition.ReferenceVar); is {
		return s.u.Vars[name]
	}
	if from != definition.ReferenceComplexity {
		return from
	}
	if p := s.problem(); p != nil {
		return p.Complexity.String()
	}
	return ""
}

// judgeLeft sends what is complete because the stage on the floor is left, and has the stage itself judged where that is
// attached: not one in which nothing was said, nor one that was left out or begins anew. reason is empty at the end of the
// interview.
func (s judgements) judgeLeft(reason string) {
	s.sendHeld()
	st, v := s.stage(), s.u.Current()
	if st == nil || v == nil || v.Left > 0 || v.Skipped || s.reportAsked() {
		return
	}
	switch reason {
	case ReasonSkipped, ReasonReordered, ReasonEasier, ReasonRollback:
		return
	}
	attached := s.iv.Def.Attached(definition.OnStage, st)
	if len(attached) == 0 {
		return
	}
	var said []uint64
	visits := s.visitsOf(v)
	for _, t := range s.u.Turns {
		if t.Speaker == state.SpeakerCandidate && !t.Private && !t.Aside && slices.Contains(visits, t.Visit) {
			said = append(said, t.ID)
		}
	}
	if len(said) == 0 {
		return
	}
	for _, at := range attached {
		s.enlist(at, st, expert.Answered{Turns: said}, "")
	}
	s.sendHeld()
}

// judgedBeside keeps a result, once. It changes nothing else: not the floor, not a timer, not what is said (R002-42,
// R002-44).
func (s judgements) judgedBeside(e Judged) {
	i := s.judgement(e.Item)
	if i < 0 || s.u.Judgements[i].Held || !s.u.Judgements[i].Out() {
		s.fact("evaluation.ignored", field("item", understand.Clip(e.Item, maxReason)))
		return
	}
	j := &s.u.Judgements[i]
	j.Missing = cmp.Or(understand.Clip(strings.ToValidUTF8(e.Missing, ""), maxReason), missingFailed)
	var done evaluate.Evaluation
	if e.Evaluation != nil {
		done = evaluate.Sanitize(*e.Evaluation)
		j.Missing = missingUnreadable
		if raw, err := json.Marshal(done); err == nil { // no number is none, in JSON
			j.Evaluation, j.Missing = raw, ""
		}
	}
	s.fact("evaluation.done", field("item", j.Item), field("attachment", j.Attachment), field("question", j.Number), field("decision", done.Decision),
		field("score", done.Score), field("status", done.Status), field("by", done.By), field("degraded", done.Degraded), field("missing", j.Missing))
}

// withLatest adds the newest turn to those that an answer was given in.
func (s transcript) withLatest(turns []uint64) []uint64 {
	return append(slices.Clip(turns), s.u.Turns[len(s.u.Turns)-1].ID)
}

// takeBack undoes what an expert found out with a reply that nobody has heard: the candidate goes on, so that it answered
// half a turn. It is asked again about all of it, and neither skips a question nor counts an answer twice.
func (s *step) takeBack(st *definition.Stage, v *state.StageVisit) {
	if st.Responder != definition.ByExperts || !s.unheard(v) {
		return
	}
	if v.Closing { // the expert is not asked any more: what the candidate goes on with belongs to the answer
		s.judgements.goOn(v)
		return
	}
	r := &s.u.Floor.Reply
	if v.Held != nil {
		r = v.Held
	}
	s.blackboard.undo(r.Patches)
	s.u.Judgements = slices.DeleteFunc(s.u.Judgements, func(j state.Judgement) bool { return j.Held && j.Visit == v.Visit })
}

// undo takes changes of fields back, the latest first, as far as nobody has changed them since.
func (s blackboard) undo(patches []uint64) {
	if len(patches) == 0 {
		return
	}
	s.u.Patches = slices.Clone(s.u.Patches) // they are shared with the state before
	for i := len(s.u.Patches) - 1; i >= 0; i-- {
		p := &s.u.Patches[i]
		if !slices.Contains(patches, p.ID) || p.Undone || s.changedSince(i) {
			continue
		}
		before, ok := p.Was(s.u.Fields[p.Field].Value)
		if !ok {
			continue
		}
		p.Undone = true
		s.fact("field.rolled_back", field("patch", p.ID))
		if before == nil {
			delete(s.u.Fields, p.Field)
			continue
		}
		s.u.Fields[p.Field] = state.Field{Value: before, By: "rollback", Visit: s.u.Visit}
	}
}

// changedSince reports whether a field holds something else than the patch with this index made of it.
func (s blackboard) changedSince(at int) bool {
	p := &s.u.Patches[at]
	if p.Delta == nil {
		return string(s.u.Fields[p.Field].Value) != string(p.After)
	}
	return slices.ContainsFunc(s.u.Patches[at+1:], func(later state.Patch) bool { return later.Field == p.Field && !later.Undone })
}
