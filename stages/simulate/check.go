package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Invariant names what every interview has to keep, whoever is interviewed and whatever goes wrong.
type Invariant string

// The invariants.
const (
	OneSpeaker Invariant = "one speaker"      // utterances never overlap; only the visit on the floor says anything
	Fence      Invariant = "fence"            // what belongs to another visit changes nothing; a visit is left once
	Progress   Invariant = "progress"         // time alone leads to the end, and limits hold
	NoRepeats  Invariant = "no repeats"       // nothing is asked twice
	Refused    Invariant = "refused is final" // what was refused or waived is not asked for again
	Evaluation Invariant = "evaluation"       // judgements are kept once, and reach nobody's ear
	Replay     Invariant = "replay"           // the journal gives the same bytes
	Secrecy    Invariant = "secrecy"          // what is hidden stays hidden
	Hygiene    Invariant = "score hygiene"    // scores lie on their scale; what was not assessed is no score
)

// Invariants lists all of them.
func Invariants() []Invariant {
	return []Invariant{OneSpeaker, Fence, Progress, NoRepeats, Refused, Evaluation, Replay, Secrecy, Hygiene}
}

// Violation is an invariant that did not hold.
type Violation struct {
	Invariant Invariant    `json:"invariant"`
	At        state.Millis `json:"at"`
	What      string       `json:"what"`
}

func (v Violation) String() string {
	return fmt.Sprintf("%s at %s: %s", v.Invariant, v.At.Duration(), v.What)
}

// maxViolations bounds what is kept of an interview that is wrong all over.
const maxViolations = 20

// checker watches one interview. It knows nothing but what a session knows: events, effects and the states between.
type checker struct {
	iv    *engine.Interview
	found []Violation
	says  map[uint64]engine.Say // issued
	heard map[string]uint64     // prompts that were audible, with the utterance
	left  map[uint64]bool       // visits that were handed over
	asked []string              // questions of the model that were heard

	judged  map[string]bool // items that were sent to be judged
	reports int             // how often the report was asked for
	summary string          // what the report has for the candidate's ear
}

func newChecker(iv *engine.Interview) *checker {
	return &checker{
		iv: iv, says: make(map[uint64]engine.Say), heard: make(map[string]uint64), left: make(map[uint64]bool), judged: make(map[string]bool),
	}
}

func (c *checker) report(i Invariant, u *state.UserData, format string, args ...any) {
	if len(c.found) < maxViolations {
		c.found = append(c.found, Violation{Invariant: i, At: u.Now, What: fmt.Sprintf(format, args...)})
	}
}

// step checks one event with all that came of it.
func (c *checker) step(before *state.UserData, ev engine.Event, after *state.UserData, effects []engine.Effect) {
	c.fence(before, ev, after)
	c.visits(before, after)
	c.alive(after)
	c.audible(before, ev, after)
	c.lists(before, after)
	c.silent(before, ev, after)
	c.judgements(before, after)
	c.summarised(before, ev)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Say:
			c.said(before, after, e)
		case engine.Publish:
			c.secret(after, e.Title, "publish")
			c.secret(after, e.Item, "publish")
		case engine.Fact:
			c.fact(after, e)
		case engine.Judge:
			c.sent(before, after, e)
		case engine.Run:
			c.reported(after, e)
		}
	}
}

func (c *checker) fact(u *state.UserData, f engine.Fact) {
	if f.Name != "handoff.done" {
		return
	}
	visit, _ := Note(f).Value("visit").(uint64)
	if c.left[visit] {
		c.report(Fence, u, "visit %d was left twice", visit)
	}
	c.left[visit] = true
}

// fence: what carries another visit, or a timer or task that is not under way, changes nothing.
func (c *checker) fence(before *state.UserData, ev engine.Event, after *state.UserData) {
	if !stale(before, ev) {
		return
	}
	was := *before
	was.Now = after.Now
	if !same(&was, after) {
		c.report(Fence, after, "a stale %s changed the state", engine.Name(ev))
	}
}

func stale(u *state.UserData, ev engine.Event) bool {
	switch e := ev.(type) {
	case engine.TimerFired:
		t, armed := u.Timers[e.Name]
		return !armed || t.ID != e.ID || e.Visit != u.Visit
	case engine.TaskDone:
		t, known := u.Tasks[e.Task]
		return !known || t.Visit != e.Visit || t.Waiting
	case engine.VoiceStarted:
		return e.Utterance != u.Floor.Utterance
	case engine.BargeIn:
		return e.Utterance != u.Floor.Utterance
	case engine.Judged:
		return !slices.ContainsFunc(u.Judgements, func(j state.Judgement) bool { return j.Item == e.Item && j.Out() && !j.Held })
	}
	return false
}

// same compares two states. Nearly always they share most of their memory, so that this is quick; what differs in memory only
// is the same all the same.
func same(a, b *state.UserData) bool {
	return reflect.DeepEqual(a, b) || bytes.Equal(encode(a), encode(b))
}

func encode(u *state.UserData) []byte {
	raw, err := json.Marshal(u)
	if err != nil {
		return []byte(err.Error()) // plain data always marshals
	}
	return raw
}

// visits: they are numbered without a gap, and left one at a time.
func (c *checker) visits(before, after *state.UserData) {
	if after.Visit > before.Visit+1 || after.Visit < before.Visit {
		c.report(Fence, after, "one event led from visit %d to %d", before.Visit, after.Visit)
	}
	if n := len(after.Visits); n > 0 && after.Visits[n-1].Visit != after.Visit {
		c.report(Fence, after, "visit %d is on the floor, but %d is the last one", after.Visit, after.Visits[n-1].Visit)
	}
}

// settling is what may come on top of a visit's limits: the wait for a provider, and one tick of the clock.
const settling = 9 * time.Second

// alive: something will happen again, and limits hold.
func (c *checker) alive(u *state.UserData) {
	if u.Stage == "" || u.Ended != "" {
		return
	}
	if f := u.Floor; f.Utterance == 0 && !f.Candidate && !f.Away && len(u.Timers) == 0 {
		c.report(Progress, u, "nobody speaks and no timer runs in stage %s", u.Stage)
	}
	st, v := c.iv.Def.Stage(u.Stage), u.Current()
	hard := c.iv.Def.Hard(st)
	if u.SubPhases != nil {
		if p := u.SubPhases.Item(v.Item); p != nil && p.Hard > 0 {
			hard = p.Hard.Duration()
		}
	}
	if hard == 0 || u.Floor.Away || v.AwaySince > 0 {
		return
	}
	grace := st.Limits.Grace.Std()
	if grace == 0 {
		grace = definition.DefaultGrace
	}
	if v.Extended {
		grace += engine.LeadGrace
	}
	if v.Closing {
		grace += grace + engine.ClosingMost
	}
	if spent := (u.Now - v.Entered - v.Absent).Duration(); spent > hard+grace+settling {
		c.report(Progress, u, "stage %s %s lasts %s, although %s and %s grace are its limits", u.Stage, v.Item, spent, hard, grace)
	}
	if most := 4 * (len(c.iv.Def.Stages) + 16); len(u.Visits) > most {
		c.report(Progress, u, "there have been %d visits", len(u.Visits))
	}
}

// replay folds the journal and compares.
func (c *checker) replay(u *state.UserData, journal []state.Entry) {
	folded, err := c.iv.Fold(journal)
	if err != nil {
		c.report(Replay, u, "the journal cannot be folded: %v", err)
		return
	}
	if !bytes.Equal(encode(folded), encode(u)) {
		c.report(Replay, u, "the journal gives another state")
	}
}
