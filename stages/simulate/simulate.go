// Package simulate holds whole interviews in virtual time, without sound: a discrete-event loop around engine.Step plays
// the voice, the timers, the model, the provider and a candidate of a chosen manner. The same options give the same
// interview, event by event; after every event the invariants that every interview has to keep are checked.
//
// Nothing here sleeps, starts a goroutine, reads a clock or opens a connection, so that runs may go side by side.
package simulate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// Candidate is a manner of being interviewed.
type Candidate string

// The candidates.
const (
	Strong    Candidate = "strong"         // covers what is asked for, bit by bit
	Weak      Candidate = "weak"           // knows some of it, and is stuck at times
	Silent    Candidate = "silent"         // says nothing
	Rambling  Candidate = "rambling"       // does not stop
	Hostile   Candidate = "hostile"        // interrupts, wants to skip, wants the answer, instructs the interviewer
	MixedTalk Candidate = "mixed-language" // knows it, in English and Chinese by turns
)

// Candidates lists all of them.
func Candidates() []Candidate { return []Candidate{Strong, Weak, Silent, Rambling, Hostile, MixedTalk} }

// ParseCandidate returns the candidate of this name. The error says what there is.
func ParseCandidate(name string) (Candidate, error) {
	if c := Candidate(name); slices.Contains(Candidates(), c) {
		return c, nil
	}
	var names []string
	for _, c := range Candidates() {
		names = append(names, string(c))
	}
	return "", fmt.Errorf("there is no candidate %.32q: there are %s", name, strings.Join(names, ", "))
}

// Options say who is interviewed, and under which circumstances. The zero value is a strong candidate with seed 0.
type Options struct {
	Candidate Candidate // empty = Strong
	Seed      uint64
	Session   string            // id of the session; empty = made of kind, candidate and seed
	Name      string            // the candidate's
	Vars      map[string]string // as dispatch would set them
	// Model plays a language model that words follow-ups and answers tasks: now well, now late, wrong, twice or never.
	Model bool
	// Person is interviewed, Interviewer words what the engine lets a model word, and Runner answers tasks and judges beside the
	// talk; nil = each is played: the candidate in the manner of Candidate, the others as Model says.
	Person      Person
	Interviewer Interviewer
	Runner      Runner
	// Opening happens right after the start, such as documents that came with dispatch.
	Opening []engine.Event
	// Honest has judgements and the report made by rules, from what was said, as whoever reads them needs it (RM-31). Without it
	// they are noise: what is checked then is that they reach nobody.
	Honest bool
	// Steady leaves out what chance does: latencies are middling, and nothing comes late that was called off.
	Steady bool
	// Limit bounds the interview in virtual time; 0 = 4 h.
	Limit time.Duration
	// Probe continues from every stage entered, on a copy, with time alone: the end has to be reached that way too.
	Probe bool
	// Replay folds the journal once more at the end: the state has to come out byte by byte.
	Replay bool
	// Observe is called with every step; nil = nobody looks.
	Observe func(Step)
}

// Result is one interview that was held.
type Result struct {
	Kind, Locale, Session string
	Candidate             Candidate
	Seed                  uint64
	// State is that after the last event. It holds secrets.
	State *state.UserData
	// Journal is every event, as a worker would have kept it.
	Journal    []state.Entry
	Scorecard  []StageScore
	Violations []Violation
	Heard      Heard
	// Report is that of the interview, whole; nil = it makes none, or the interview was not Honest.
	Report *report.Report
}

// Heard is what the candidate got to hear.
type Heard struct {
	Utterances int // that were audible
	Cut        int // that were stopped on the way
	BargeIns   int // that the candidate stopped
	Repeated   int // whose words, six or more, had been heard before in the interview
}

// Duration is how long the interview took, in virtual time.
func (r *Result) Duration() time.Duration { return r.State.Now.Duration() }

// DefaultLimit bounds an interview in virtual time.
const DefaultLimit = 4 * time.Hour

// maxEvents bounds an interview that goes in circles.
const maxEvents = 60_000

// Run holds one interview to its end. It never fails: what is wrong is among the violations.
func Run(iv *engine.Interview, o Options) *Result {
	o = o.complete(iv)
	w := newWorld(iv, o)
	w.run(engine.Started{
		Session: o.Session, Locale: iv.Words.Locale(), Candidate: state.Candidate{Name: o.Name}, Vars: o.Vars,
		Model: o.Model || o.Interviewer != nil,
	}, o.Opening...)
	w.check.means(w.u)
	if o.Replay {
		w.check.replay(w.u, w.entries)
	}
	r := &Result{
		Kind: iv.Def.Kind, Locale: iv.Words.Locale(), Session: o.Session, Candidate: o.Candidate, Seed: o.Seed, State: w.u, Journal: w.entries,
		Scorecard: Scorecard(iv, w.u), Heard: w.heard, Report: w.lastReport(),
	}
	r.Violations = w.check.found
	return r
}

func (o Options) complete(iv *engine.Interview) Options {
	if o.Candidate == "" {
		o.Candidate = Strong
	}
	if o.Session == "" {
		o.Session = fmt.Sprintf("sim-%s-%s-%s-%d", iv.Def.Kind, iv.Words.Locale(), o.Candidate, o.Seed)
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	return o
}

// Person is a candidate. The calls come one at a time, in the order of the talk, and may take their time: the interview's
// clock stands still meanwhile.
type Person interface {
	// React decides what to do now that the interviewer's words were heard to their end.
	React(s Situation) Action
	// Interrupt decides whether to speak into words that have just become audible; the action's Wait counts from their
	// beginning.
	Interrupt(s Situation) (Action, bool)
}

// Situation is what a candidate reacts to.
type Situation struct {
	State *state.UserData // for candidates who are played; a person knows only the words
	Say   engine.Say
	Text  string // the words heard
	At    state.Millis
	Lasts time.Duration // how long the words take; Interrupt only
}

// Action is what a candidate does next. The zero value is silence.
type Action struct {
	Wait     time.Duration // after the interviewer's words
	Text     string        // "" = silence
	Code     string        // written into the editor before speaking
	Language string        // of the code; empty = pseudocode
	Typed    bool          // Text is typed, not spoken
	Noise    bool          // a sound without words
	Lost     bool          // the recogniser does not understand it
	GoOn     int           // goes on so often after having been stopped
	Away     time.Duration // the connection is lost for so long
	Gone     bool          // leaves for good
	Reason   string        // why, with Gone; empty = hung up
}

// Interviewer words what the engine lets a model word.
type Interviewer interface {
	Word(u *state.UserData, e engine.Say) Wording
}

// Wording is how an utterance comes out.
type Wording struct {
	Text     string
	Latency  time.Duration // until its first frame
	Worded   bool          // by a model
	Degraded string        // why a script stands in
	// Reading is what a model that leads the turn understood; nil: it did not say.
	Reading json.RawMessage
}

// Runner does what an interview asks of others. The calls may take their time; what they return comes after the given time on the
// interview's clock.
type Runner interface {
	Do(r engine.Run) (engine.TaskDone, time.Duration)
	Judge(e engine.Judge) (engine.Judged, time.Duration)
}
