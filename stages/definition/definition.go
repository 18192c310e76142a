// Package definition is an interview as data: YAML is decoded into a Definition, checked whole, and from then on
// never changed. Everything that is wrong with a file is reported at once, each problem with its line and column.
package definition

import (
	"fmt"
	"time"
)

// Definition is one kind of interview. After Parse it is read-only and may be shared by any number of sessions.
type Definition struct {
	Kind        string `yaml:"kind"`
	Version     string `yaml:"version"`
	Title       string `yaml:"title"`
	Description string `yaml:"description"`
	// Locales are the languages the interview can be held in; the first is the default.
	Locales []string `yaml:"locales"`
	// Prompts names the catalogue in prompts/ that holds the words; empty means the kind's own.
	Prompts string         `yaml:"prompts"`
	Vars    map[string]Var `yaml:"vars"`
	Voice   Voice          `yaml:"voice"`
	// System is the prompt id of what a model is told about its role, rules and tone.
	System string  `yaml:"system"`
	Stages []Stage `yaml:"stages"`

	hash string
}

// Var is a value that dispatch metadata may set and prompts may use.
type Var struct {
	Default     string `yaml:"default"`
	Description string `yaml:"description"`
}

// Voice is how the interviewer sounds.
type Voice struct {
	Name  string  `yaml:"name"`  // the engine's voice name; empty = the engine's default
	Speed float64 `yaml:"speed"` // 1 = normal; 0 = default
}

// Stage is one agent of the interview: what it wants to know, how it asks, and what ends it.
type Stage struct {
	ID    string `yaml:"id"`
	Title string `yaml:"title"`
	// Final marks the goodbye: the interview ends when its words have been heard.
	Final bool `yaml:"final"`
	// Goal is one sentence for the model: what this stage is for.
	Goal    string    `yaml:"goal"`
	Slots   []Slot    `yaml:"slots"`
	Prompts Prompts   `yaml:"prompts"`
	Tools   []ToolRef `yaml:"tools"`
	// Done is the guard that, once true after a candidate's turn, hands the floor to the next stage.
	Done    Guard  `yaml:"done"`
	Limits  Limits `yaml:"limits"`
	NoInput []Rung `yaml:"no_input"`
	// Turn is the manner of turn-taking: patient (default), brisk or manual.
	Turn string `yaml:"turn"`
	// Model says whether a model may word the follow-ups of this stage; default true.
	Model *bool `yaml:"model"`
}

// Slot is a fact that a stage wants to know.
type Slot struct {
	ID       string `yaml:"id"`
	Required bool   `yaml:"required"`
	// Ask is the prompt id of the question for it. A slot without one is never asked for: it is noted when heard.
	Ask string `yaml:"ask"`
	// Find names the rule in stages/understand that recognises it; empty means the slot's id.
	Find string `yaml:"find"`
	// Hint tells the model what counts.
	Hint string `yaml:"hint"`
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
	// Topics are further questions, asked in order once no slot is left to ask for.
	Topics []string `yaml:"topics"`
	// More is a question that may be asked any number of times when a model words it; its variants are a bank, and
	// without a model the stage ends when the bank is used up.
	More string `yaml:"more"`
	// Summary renders what the stage has learnt in one sentence, for the next stage and for Forced.
	Summary string `yaml:"summary"`
	// StepIn is said when an answer goes on beyond the turn limits, Think when time to think was asked for,
	// Welcome when a lost connection came back. Each is followed by what the move needs.
	StepIn  string `yaml:"step_in"`
	Think   string `yaml:"think"`
	Welcome string `yaml:"welcome"`
	// Decline acknowledges that the candidate will not or cannot answer.
	Decline string `yaml:"decline"`
	// Ack is a short acknowledgement before a follow-up.
	Ack string `yaml:"ack"`
}

// ToolRef offers one of the engine's tools to the model under a name of the definition's choice.
type ToolRef struct {
	Use string `yaml:"use"` // complete_stage or note_facts
	As  string `yaml:"as"`
	// Description tells the model when to call it.
	Description string `yaml:"description"`
}

// The engine's tools.
const (
	ToolComplete = "complete_stage" // proposes that the stage is complete, with what was learnt
	ToolNote     = "note_facts"     // proposes values of slots
)

// Guard is a predicate over the shared state: exactly one of its fields is set. The set of leaves is closed; there
// is no expression language.
type Guard struct {
	All []Guard `yaml:"all"`
	Any []Guard `yaml:"any"`
	Not *Guard  `yaml:"not"`
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
}

// Zero reports whether nothing is set.
func (g Guard) Zero() bool {
	return g.All == nil && g.Any == nil && g.Not == nil && g.Slots == "" && g.Slot == "" && g.Intent == "" &&
		g.Turns == 0 && g.FollowUps == 0 && g.Elapsed == 0
}

// Limits bound a stage. Zero means no limit, except where a default is given.
type Limits struct {
	Hard  Duration `yaml:"hard"`  // the stage's deadline T
	Grace Duration `yaml:"grace"` // how long speech may run past Hard; default 10 s
	// TurnTime and TurnWords bound one answer: beyond either, the interviewer steps in once.
	TurnTime  Duration `yaml:"turn_time"`
	TurnWords int      `yaml:"turn_words"`
	FollowUps int      `yaml:"followups"` // follow-up questions at most; default 10
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
	for i := range d.Stages {
		if d.Stages[i].ID == id {
			return i
		}
	}
	return -1
}

// Stage returns the stage with this id, or nil.
func (d *Definition) Stage(id string) *Stage {
	if i := d.Index(id); i >= 0 {
		return &d.Stages[i]
	}
	return nil
}

// Catalogue returns the name of the prompt catalogue.
func (d *Definition) Catalogue() string {
	if d.Prompts != "" {
		return d.Prompts
	}
	return d.Kind
}

// PromptIDs lists every prompt id that the definition names, in order of appearance.
func (d *Definition) PromptIDs() []string {
	ids := []string{d.System}
	for i := range d.Stages {
		s := &d.Stages[i]
		p := s.Prompts
		ids = append(ids, p.Open, p.Bridge, p.Forced, p.StepIn, p.Think, p.Welcome, p.Decline, p.Ack, p.More,
			p.Summary)
		ids = append(ids, p.Topics...)
		for _, slot := range s.Slots {
			ids = append(ids, slot.Ask)
		}
	}
	return compact(ids)
}

// Worded reports whether a model may word the follow-ups of the stage.
func (s *Stage) Worded() bool { return s.Model == nil || *s.Model }

// Slot returns the stage's slot with this id, or nil.
func (s *Stage) Slot(id string) *Slot {
	for i := range s.Slots {
		if s.Slots[i].ID == id {
			return &s.Slots[i]
		}
	}
	return nil
}

// Tool returns the stage's tool that the model knows by this name, or nil.
func (s *Stage) Tool(as string) *ToolRef {
	for i := range s.Tools {
		if s.Tools[i].As == as {
			return &s.Tools[i]
		}
	}
	return nil
}

func compact(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	out := ids[:0]
	for _, id := range ids {
		if id != "" && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
