package engine

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/misconception"
	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Interview is a definition joined with its words and rules in one language. It is read-only: any number of sessions
// may step through it at once.
type Interview struct {
	Def   *definition.Definition
	Words *prompts.Catalogue
	Rules *understand.Rules
	// Experts are those who lead the stages that have them; Problems what an algorithm interview picks from.
	Experts  *expert.Registry
	Problems *problem.Set
	// Personas are those who may interview, where candidates choose; else nil. Roles is what is known of a role; nil = nothing.
	Personas *cast.Cast
	Roles    Roles

	// Sheets is what is known of companies and their questions; nil = nothing.
	Sheets Sheets

	subject *misconception.Subject // what people get wrong about what the definition says it is about
	known   []string               // ids of the stages
	// languages are this interview in all of its languages, by name; see Together.
	languages map[string]*Interview
}

// Option is a part of an interview that need not be the shipped one.
type Option func(*Interview)

// WithExperts gives an interview those who may lead its stages. The definition names those that take part.
func WithExperts(r *expert.Registry) Option { return func(iv *Interview) { iv.Experts = r } }

// WithProblems replaces the shipped problems of the definition's set.
func WithProblems(set *problem.Set) Option { return func(iv *Interview) { iv.Problems = set } }

// WithPersonas gives an interview those who may hold it. It counts only where the definition lets candidates choose.
func WithPersonas(c *cast.Cast) Option { return func(iv *Interview) { iv.Personas = c } }

// New joins the parts and checks that they fit. The error lists every prompt that is named and not there, and every stage
// that its experts do not lead.
func New(def *definition.Definition, words *prompts.Catalogue, rules *understand.Rules, options ...Option) (*Interview, error) {
	iv := &Interview{Def: def, Words: words, Rules: rules}
	for _, option := range options {
		option(iv)
	}
	for i := range def.Stages {
		iv.known = append(iv.known, def.Stages[i].ID)
	}
	var err error
	if iv.subject, err = misconception.Of(def.Subjects...); err != nil {
		return nil, fmt.Errorf("subjects of interview %s: %w", def.Kind, err)
	}
	if err := errors.Join(iv.missingPrompts(), iv.castExperts(), iv.castProblems(), iv.castPersonas()); err != nil {
		return nil, err
	}
	return iv, nil
}

func (iv *Interview) missingPrompts() error {
	var problems []error
	for _, id := range iv.Def.PromptIDs() {
		if !iv.Words.Has(id, prompts.Say) {
			problems = append(problems, fmt.Errorf("interview %s names prompt %q, which has no %s in prompts/%s/%s.yaml",
				iv.Def.Kind, id, prompts.Say, iv.Def.Catalogue(), iv.Words.Locale()))
		}
	}
	return errors.Join(problems...)
}

// Step folds one event, which happened at the given time of the session, into the state. The state given is left as
// it was; the one returned is a copy.
func (iv *Interview) Step(u *state.UserData, at state.Millis, ev Event) (*state.UserData, []Effect) {
	s := iv.stepping(u.Fork())
	if e, ok := ev.(Judged); ok && s.u.Ended != "" {
		s.judgements.judgedBeside(e) // for the report, which may wait for it; the talk was over before
		return s.u, s.out
	}
	s.u.Now = max(s.u.Now, at)
	if s.u.Ended != "" {
		s.fact("event.late", field("event", Name(ev)))
		if e, ok := ev.(VoiceEnded); ok {
			s.transcript.heard(e) // the end cut it short; what reached the candidate is part of the talk
		}
		return s.u, s.out
	}
	s.handle(ev)
	s.seal()
	return s.u, s.out
}

// situation is where an interview stands: what is told of it here changes nothing.
type situation struct {
	iv    *Interview // in the language that is spoken now
	began *Interview // in the one that it began in
	u     *state.UserData

	ruled  bool              // the rules take this turn, whoever would lead it
	target *definition.Stage // the stage to take next; nil = the one that follows
	wanted string            // the sub-phase to take next; empty = the one that follows

	// What takes long to find out is found out once in a step.
	meant    meaning
	lacks    lacking
	picked   picking
	due      dueHint
	readText string
	readActs []understand.Act
	// What sayable was asked for last, in which language, and its answer.
	sayableOf, said string
	sayableIn       *Interview

	recalled bool
	named    bool     // the pieces were said a moment ago, so the goodbye does not say them again
	pieces   []string // of the whole talk, once recalled
}

// change is a situation that is being changed, and the effects so far.
type change struct {
	situation
	out []Effect
}

// words are found for what is said next.
type words struct {
	change
	preface []part   // words that come before whatever is said next
	gap     string   // the missing topic that is being asked for
	list    []string // what is listed in the words being made
	lacked  string   // what was not heard yet, in the words being made
}

// step is one call of Step: it takes an event, and answers what the candidate says.
type step struct{ course }

// stepping returns a step in a state, which is changed in place.
func (iv *Interview) stepping(u *state.UserData) *step {
	s := &step{}
	s.iv, s.began, s.u = iv.Speaking(u), iv, u
	c := &s.change
	s.clock, s.transcript, s.blackboard, s.queue = clock{c}, transcript{c}, blackboard{c}, queue{c}
	s.judgements, s.runs, s.phases = judgements{c}, runs{c}, phases{c}
	s.consent.change, s.slots.consent = c, &s.consent
	return s
}

func (s *step) handle(ev Event) {
	switch e := ev.(type) {
	case Started:
		s.start(e)
	case SpeechStarted:
		s.speechStarted()
	case SpeechStopped:
		s.speechStopped()
	case UserTurn:
		s.userTurn(e)
	case NoWords:
		s.noWords(e)
	case LongSpeech:
		s.longSpeech(e)
	case BargeIn:
		s.bargeIn(e)
	case VoiceStarted:
		s.voiceStarted(e)
	case VoiceEnded:
		s.voiceEnded(e)
	case Read:
		s.read(e)
	case TimerFired:
		s.timerFired(e)
	case Away:
		s.away()
	case Back:
		s.back()
	case Gone:
		s.end("candidate_left", field("cause", e.Reason))
	case Stop:
		s.end(e.Reason)
	default:
		s.handleMore(ev)
	}
}

// handleMore takes the events of interviews that ask others, show code, or are steered from outside.
func (s *step) handleMore(ev Event) {
	switch e := ev.(type) {
	case TaskDone:
		s.taskDone(e)
	case CodeChanged:
		s.codeChanged(e)
	case CodeEdited:
		s.codeEdited(e)
	case Operator:
		s.operator(e)
	case Judged:
		s.judgements.judgedBeside(e)
	case Chosen:
		s.personaChosen(e)
	case Material:
		s.blackboard.material(e)
	case Resumed:
		s.resumed(e)
	case Consent:
		s.consent.consented(e)
	}
}

func (s *course) start(e Started) {
	if s.u.Stage != "" {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	s.u.Session, s.u.Kind, s.u.DefHash = e.Session, s.iv.Def.Kind, s.iv.Def.Hash()
	s.u.Helplines = maps.Clone(e.Helplines)
	s.u.Locale, s.u.Candidate, s.u.Model = e.Locale, e.Candidate, e.Model
	s.u.Vars = make(map[string]string, len(s.iv.Def.Vars))
	for name, v := range s.iv.Def.Vars {
		s.u.Vars[name] = v.Default
	}
	for name, v := range e.Vars {
		if _, declared := s.iv.Def.Vars[name]; declared {
			s.u.Vars[name] = v
		}
	}
	s.u.Slots = make(map[string]state.Slot)
	s.u.Timers = make(map[string]state.Timer)
	s.u.Ledger.Asked = make(map[string][]string)
	s.u.Ledger.Reprompts = make(map[string]int)
	s.u.LastActivity = s.u.Now
	if p := s.iv.Def.Provider; p != nil && e.Vars[p.Question] != "" {
		s.flag(flagQuestion)
	}
	s.blackboard.setOut()
	s.consent.agreedBefore(e.Recording)
	s.blackboard.presetPersona()
	s.enter(&s.iv.Def.Stages[0], "")
}

func (s *floor) end(reason string, fields ...Field) {
	s.stopFloor(reason)
	s.judgements.judgeLeft("")
	for _, t := range s.tasks(func(state.Task) bool { return true }) {
		s.runs.cancel(t, "end")
	}
	s.clock.cancelTimers()
	if v := s.u.Current(); v != nil && v.Left == 0 {
		s.leave(v, reason, "end")
	}
	s.u.Ended = reason
	s.fact("session.end", append([]Field{field("reason", reason)}, fields...)...)
	s.out = append(s.out, End{Reason: reason})
}

func (s *change) fact(name string, fields ...Field) {
	base := []Field{field("stage", s.u.Stage), field("visit", s.u.Visit)}
	s.out = append(s.out, Fact{Name: name, Fields: append(base, fields...)})
}

func field(key string, value any) Field { return Field{Key: key, Value: value} }

// stage returns the definition of the stage on the floor.
func (s *situation) stage() *definition.Stage { return s.iv.Def.Stage(s.u.Stage) }

func (s *words) data() prompts.Data {
	values := make(map[string]string, len(s.u.Slots))
	for id, slot := range s.u.Slots {
		values[id] = slot.Value
	}
	d := prompts.Data{Name: s.u.Candidate.Name, Slot: values, Var: s.u.Vars, Title: s.iv.Def.Title, Minutes: s.planned(), Told: s.hasTold}
	if d.Name == "" {
		d.Name = values["name"]
	}
	d.Name, _, _ = strings.Cut(d.Name, " ")
	d.Said, d.Answers = s.answers()
	d.Picked, d.Percent, d.Own = s.picked.piece, phrase.Percent(s.picked.piece), s.phrases().Own(s.picked.piece)
	if st := s.stage(); st != nil && st.Final && !s.u.Model {
		if d.Quotes = s.recall(); s.named {
			d.Quotes = nil
		}
		if s.u.SubPhases != nil {
			d.Gap = s.leastSpokenOf()
		}
	}
	s.phaseData(&d)
	for i := len(s.u.Visits) - 1; i >= 0 && d.Summary == ""; i-- {
		d.Summary = s.u.Visits[i].Summary
	}
	return d
}

// answers counts the answers in the stage that is being left, or was left last, and in the interview: words about what was said
// claim no more than that (RM-17).
func (s *words) answers() (last, all int) {
	at := len(s.u.Visits) - 1
	if !s.u.HandoffDone {
		at--
	}
	for i := range s.u.Visits {
		all += s.u.Visits[i].Turns
		if i == at {
			last = s.u.Visits[i].Turns
		}
	}
	return last, all
}

// render returns the words of a prompt. Catalogues are checked when the interview is made, so that a failure here
// can only come from data; the interview goes on without those words, and the log says so.
func (s *words) render(id string, form prompts.Form, n int) string {
	d := s.data()
	if strings.HasPrefix(id, "every.") {
		s.everyData(&d)
	}
	text, err := s.iv.Words.Render(id, form, n, d)
	if err != nil {
		s.fact("prompt.failed", field("prompt", id), field("error", err.Error()))
	}
	return text
}
