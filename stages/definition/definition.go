// Package definition is an interview as data: YAML is decoded into a Definition, checked whole, and from then on
// never changed. Everything that is wrong with a file is reported at once, each problem with its line and column.
package definition

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/facts"
)

// Definition is one kind of interview. After Parse it is read-only and may be shared by any number of sessions.
type Definition struct {
	Kind        string `yaml:"kind"`        // the interview's id, which a job's metadata picks it by; also the file's name
	Version     string `yaml:"version"`     // for people; what is pinned is the hash of the text
	Title       string `yaml:"title"`       // what people choose it by
	Description string `yaml:"description"` // one or two sentences: what it is, how long it takes
	// Locales are the languages the interview can be held in; the first is the default.
	Locales []string `yaml:"locales"`
	// Prompts names the catalogue in prompts/ that holds the words; empty means the kind's own.
	Prompts string `yaml:"prompts"`
	// Vars are values that dispatch metadata may set and prompts may use, by name.
	Vars map[string]Var `yaml:"vars"`
	// Voice is how the interviewer sounds.
	Voice Voice `yaml:"voice"`
	// ListeningSignal says whether the interviewer may say softly that it listens ("mm-hm") while the candidate pauses in an account;
	// default true.
	ListeningSignal *bool `yaml:"listening_signal"`
	// Stages are those that can be on the floor, in order: after Parse, the leaves of what is written.
	Stages []Stage `yaml:"stages"`
	// Provider says where the phases of an expanded stage, the interview's question and a gate's judgement come from.
	Provider *Provider `yaml:"provider"`
	// Problems is the set of tasks that an algorithm interview picks from.
	Problems *Problems `yaml:"problems"`
	// Fields are the entries of the blackboard that experts share. Stages with responder: experts need them.
	Fields map[string]BoardField `yaml:"fields"`
	// Experts are the names of the experts that take part; those that come with Viva lie in stages/kinds.
	Experts []string `yaml:"experts"`
	// Input says what counts as an answer, and what happens when a turn is none.
	Input Input `yaml:"input"`
	// Recovery says what happens while somebody is waited for, and after errors.
	Recovery Recovery `yaml:"recovery"`
	// Budget bounds what models may use.
	Budget Budget `yaml:"budget"`
	// Evaluations are what is judged beside the talk: nobody waits for it, and the candidate does not learn of it before the
	// report (R002-30, R002-42, RX-7).
	Evaluations []Attachment `yaml:"evaluations"`
	// Report says that a report is made when the interview ends, and how; left out, there is none.
	Report *Report `yaml:"report"`
	// Recording says that the sound may be kept, and what the candidate must have agreed to; left out, it never is.
	Recording *Recording `yaml:"recording"`
	// Personas lets the candidate choose who interviews.
	Personas *Personas `yaml:"personas"`

	// Facts are what this kind of interview answers when it is asked, over what every interview does: one with the id of a
	// general one replaces it.
	Facts facts.Sheet `yaml:"facts"`

	// Subjects are what the interview is about, of those that Viva knows usual mistakes in (algorithms, data, figures, systems): by rules,
	// an answer that makes one is asked about.
	Subjects []string `yaml:"subjects"`

	// Tree is the stages as they are written, groups included; Parse flattens it into Stages.
	Tree []Stage

	hash   string
	places datafile.Places // where each path stands in the file
}

// Var is a value that dispatch metadata may set and prompts may use.
type Var struct {
	Default     string `yaml:"default"`     // the value when nobody sets one
	Description string `yaml:"description"` // for those who dispatch
	Page        bool   `yaml:"page"`        // whether candidates may set it, too, on the page; otherwise only dispatch does
}

// Voice is how the interviewer sounds.
type Voice struct {
	Name  string  `yaml:"name"`  // the engine's voice name; empty = the engine's default
	Speed float64 `yaml:"speed"` // 1 = normal; 0 = default
}

// Stage is one agent of the interview: what it wants to know, how it asks, and what ends it.
type Stage struct {
	ID    string `yaml:"id"`    // unique in the file
	Title string `yaml:"title"` // shown to the candidate
	// Titles are the title in other languages than English, by language, for what is said of the stage.
	Titles map[string]string `yaml:"titles"`
	// Named are other names that candidates may have for the stage, in any language: for who wants to go there.
	Named []string `yaml:"named"`
	// ItemNames are the same for the parts that the stage expands to: by what their ids hold.
	ItemNames map[string][]string `yaml:"item_names"`
	// Final marks the goodbye: the interview ends when its words have been heard.
	Final bool `yaml:"final"`
	// Goal is one sentence for the model: what this stage is for.
	Goal string `yaml:"goal"`
	// Slots are the facts that the stage wants to know.
	Slots []Slot `yaml:"slots"`
	// Prompts are what is said, by ids of the catalogue.
	Prompts Prompts `yaml:"prompts"`
	// Done is the guard that, once true after a candidate's turn, hands the floor to the next stage.
	Done Guard `yaml:"done"`
	// Limits bound the stage and its answers.
	Limits Limits `yaml:"limits"`
	// NoInput is what happens in silence, step by step.
	NoInput []Rung `yaml:"no_input"`
	// Turn is the manner of turn-taking: patient (default), brisk or manual.
	Turn string `yaml:"turn"`
	// ListeningSignal is the same for this stage; default as the interview's.
	ListeningSignal *bool `yaml:"listening_signal"`
	// Model says whether a model may lead the turns of this stage; default true.
	Model *bool `yaml:"model"`
	// Expect is the kind of answer the opening earns: story (patience, for every question of the stage whose words or slot do not ask
	// for less), yes_no or short (none of it); empty = open.
	Expect string `yaml:"expect"`

	// Stages are the stages inside this one. Such a stage is a group: it is never on the floor itself, and of its
	// own keys only id, title, limits.hard (a cap over all of them) and expand's company apply. Parse keeps the tree
	// in Tree and the leaves, in order, in Definition.Stages.
	Stages []Stage `yaml:"stages"`
	// Expand makes one sub-phase per item at run time: "phases" are those of the provider. With no items the stage is
	// held once, as written, with Single as its prompts (single-phase mode, R000-27, R000-70).
	Expand string `yaml:"expand"`
	// Single replaces Prompts when Expand gave nothing.
	Single *Prompts `yaml:"single"`
	// Responder is who makes the moves: conversational (default: a model, or by rules slots and topics), experts, scripted, or report
	// (the stage waits for the report, and tells it in short).
	Responder string `yaml:"responder"`
	// Criteria are what the candidate's words should cover; an expanded stage takes its item's.
	Criteria []Criterion `yaml:"criteria"`
	// Gate judges the stage before it is left.
	Gate *Gate `yaml:"gate"`
	// Skip says whether a candidate may leave the stage out.
	Skip Skip `yaml:"skip"`
	// Passing says that what is left open of the stage is not taken up again: who wants to go straight to the matter is not asked before the
	// end what they do.
	Passing bool `yaml:"passing"`
	// Hints are prompt ids of rising strength. One is given when the candidate is stuck, never the same twice.
	Hints []string `yaml:"hints"`
	// Support is the prompt id said once in a stage to somebody frustrated, before the stronger hint (R003-65, R003-69).
	Support string `yaml:"support"`
	// Fallback is the prompt id that stands in for an expert that cannot answer (R003-80 … R003-83).
	Fallback string `yaml:"fallback"`
	// NoAnswer is the prompt id that declines to give the answer away (R003-70).
	NoAnswer string `yaml:"no_answer"`
	// Lexicon are words that count as an answer although they are short, beyond those of the input policy (R003-74).
	Lexicon []string `yaml:"lexicon"`
	// Next are the ways out other than the following stage: the first whose guard holds is taken.
	Next []Edge `yaml:"next"`
	// Reference is the right answer, for evaluators that compare: a text, problem.complexity, or var.<name>.
	Reference string `yaml:"reference"`

	groups []string // ids of the groups the stage lies in, outermost first; set by Parse
}

// Slot is a fact that a stage wants to know.
type Slot struct {
	ID       string `yaml:"id"`       // prompts use its value as .Slot.<id>
	Required bool   `yaml:"required"` // the stage is not complete without it
	// Ask is the prompt id of the question for it. A slot without one is never asked for: it is noted when heard.
	Ask string `yaml:"ask"`
	// TakeUp is the prompt id of the same question put to a piece of what the candidate has just said (.Picked). It comes in place of
	// Ask where there is such a piece.
	TakeUp string `yaml:"take_up"`
	// Find names the rule in stages/understand that recognises it; empty means the slot's id.
	Find string `yaml:"find"`
	// Hint tells the model what counts.
	Hint string `yaml:"hint"`
	// Expect is the kind of answer its question earns: story, yes_no or short; empty = as the stage's.
	Expect string `yaml:"expect"`
	// Opening says that the stage's opening question already asks for it.
	Opening bool `yaml:"opening"`
	// MinWords is how many words an answer to Ask needs to count when no rule recognises it, OpeningWords the same
	// for an answer to the opening; 0 = it never does.
	MinWords     int `yaml:"min_words"`
	OpeningWords int `yaml:"opening_words"`
}

// Prompts are ids into the catalogue.
type Prompts struct {
	Open   string `yaml:"open"`   // the first words of the stage
	Bridge string `yaml:"bridge"` // the first words when another stage came before
	Forced string `yaml:"forced"` // as Bridge, when a limit or silence made the move
	// Known is said in place of Open when the candidate has told before what the stage asks for, by the rules of its opening slot and
	// of all that are required; the question for what is missing follows.
	Known string `yaml:"known"`
	// Topics are further questions, asked in order once no slot is left to ask for.
	Topics []string `yaml:"topics"`
	// More is a bank of questions for when nothing else is left to ask; without a model the stage ends when it is used up.
	More string `yaml:"more"`
	// TakeUp is a bank of questions about a piece of what the candidate has just said (.Picked). They come before Topics, Probes and More
	// wherever an answer has a piece that is worth it; each wording is heard once.
	TakeUp string `yaml:"take_up"`
	// Probes are banks of questions by id of the sub-phase; they come before More.
	Probes map[string]string `yaml:"probes"`
	// Summary renders what the stage has learnt in one sentence, for the next stage and for Forced.
	Summary string `yaml:"summary"`
	// StepIn is said when an answer goes on beyond the turn limits, Think when time to think was asked for,
	// Welcome when a lost connection came back. Each is followed by what the move needs.
	StepIn  string `yaml:"step_in"`
	Think   string `yaml:"think"`
	Welcome string `yaml:"welcome"`
	// Decline acknowledges that the candidate will not or cannot answer.
	Decline string `yaml:"decline"`
	// Ack is a short acknowledgement before a follow-up. It is a filler: at most one of five utterances has one.
	Ack string `yaml:"ack"`
	// Point is said in place of a question whose wordings are all used up: it gives the floor back, and asks nothing new.
	Point string `yaml:"point"`
}

// Guard is a predicate over the shared state: exactly one of its fields is set. The set of leaves is closed; there
// is no expression language.
type Guard struct {
	All []Guard `yaml:"all"` // every one of them holds
	Any []Guard `yaml:"any"` // at least one holds
	Not *Guard  `yaml:"not"` // it does not hold
	// Slots is "required" or "all": those slots of the stage are closed, and at least one of them is known.
	Slots string `yaml:"slots"`
	// Slot is filled.
	Slot string `yaml:"slot"`
	// Intent was recognised in the candidate's latest turn.
	Intent string `yaml:"intent"`
	// Turns of the candidate in this visit, at least.
	Turns int `yaml:"turns"`
	// FollowUps asked and answered in this visit, at least.
	FollowUps int `yaml:"followups"`
	// Elapsed since the stage was entered, at least.
	Elapsed Duration `yaml:"elapsed"`
	// Coverage of the stage's criteria by the candidate's words in this visit, at least; 0 to 1.
	Coverage float64 `yaml:"coverage"`
	// Field of the blackboard is not empty.
	Field string `yaml:"field"`
	// Mentions: the candidate's words in this stage match the named word list of stages/understand, or of Input.Lexicons.
	Mentions string `yaml:"mentions"`
	// QueueEmpty: every question queued in the named field was asked and answered or waived.
	QueueEmpty string `yaml:"queue_empty"`
	// Flag was set by an expert or a rule.
	Flag string `yaml:"flag"`
	// Decision is the gate's latest judgement: next_phase or continue.
	Decision string `yaml:"decision"`
	// Skipped: the stage was skipped with permission.
	Skipped bool `yaml:"skipped"`
}

// Zero reports whether nothing is set.
func (g Guard) Zero() bool { return reflect.ValueOf(g).IsZero() }

// Limits bound a stage. Zero means no limit, except where a default is given.
type Limits struct {
	Hard  Duration `yaml:"hard"`  // the stage's deadline T
	Grace Duration `yaml:"grace"` // how long speech may run past Hard; default 10 s
	// TurnTime and TurnWords bound one answer: beyond either, the interviewer steps in once.
	TurnTime  Duration `yaml:"turn_time"`
	TurnWords int      `yaml:"turn_words"`
	FollowUps int      `yaml:"followups"` // follow-up questions at most; default 10
	// Soft is when the interviewer steers to what is still missing; it changes no stage.
	Soft Duration `yaml:"soft"`
	// Turns of the candidate at most; 0 = no limit.
	Turns int `yaml:"turns"`
	// Hints at most; 0 = as many as there are.
	Hints int `yaml:"hints"`
	// Think is how long a "let me think" holds the silence ladder; default 30 s.
	Think Duration `yaml:"think"`
}

// Rung is one step of the no-input ladder.
type Rung struct {
	// After is silence since the interviewer's last words ended, in all: time during which either side speaks, or
	// the candidate is disconnected, does not count.
	After Duration `yaml:"after"`
	Do    string   `yaml:"do"` // reprompt, simplify or advance
	// NearDeadline replaces Do when the stage's deadline is close (a quarter of it, or 20 s, is left).
	NearDeadline string `yaml:"near_deadline"`
}

// What a rung does.
const (
	DoReprompt = "reprompt" // ask the same again, gently, in other words: once per question
	DoSimplify = "simplify" // ask something easier
	DoAdvance  = "advance"  // hand over to the next stage
)

// Duration is a time span written as "90s" or "1m30s".
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a time span such as 90s or 2m30s", b)
	}
	*d = Duration(v)
	return nil
}

// Std returns d as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Defaults for limits a definition leaves out (acceptance R001-62, R001-85).
const (
	DefaultGrace     = 10 * time.Second
	DefaultThink     = 30 * time.Second
	DefaultFollowUps = 10
)

// Hash identifies the exact text that the definition was parsed from: the first 16 hex digits of its SHA-256.
func (d *Definition) Hash() string { return d.hash }

// Index returns the position of the stage with this id, or -1.
func (d *Definition) Index(id string) int {
	return slices.IndexFunc(d.Stages, func(s Stage) bool { return s.ID == id })
}

// Led returns the ids of the stages that experts lead.
func (d *Definition) Led() []string {
	var out []string
	for i := range d.Stages {
		if d.Stages[i].Responder == ByExperts {
			out = append(out, d.Stages[i].ID)
		}
	}
	return out
}

// Stage returns the stage with this id, or nil.
func (d *Definition) Stage(id string) *Stage {
	if i := d.Index(id); i >= 0 {
		return &d.Stages[i]
	}
	return nil
}

// Catalogue returns the name of the prompt catalogue.
func (d *Definition) Catalogue() string { return cmp.Or(d.Prompts, d.Kind) }

// Signals reports whether a listening signal may be given in the stage with this id.
func (d *Definition) Signals(stage string) bool {
	st := d.Stage(stage)
	return st != nil && *cmp.Or(st.ListeningSignal, d.ListeningSignal, new(true))
}

// Worded reports whether a model may lead the turns of the stage.
func (s *Stage) Worded() bool { return s.Model == nil || *s.Model }

// Called returns the stage's title in the language of a locale, or as it is written.
func (s *Stage) Called(locale string) string {
	language := prompts.Language(locale)
	return cmp.Or(s.Titles[locale], s.Titles[language], s.Title)
}

// Slot returns the stage's slot with this id, or nil.
func (s *Stage) Slot(id string) *Slot {
	i := slices.IndexFunc(s.Slots, func(slot Slot) bool { return slot.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Slots[i]
}
