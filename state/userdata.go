package state

import (
	"slices"
	"time"
)

// Millis is an instant or a span on the session's own clock: milliseconds since the session began. Wall time is
// kept once, in Header.Began, so that a replay on another day gives the same bytes.
type Millis int64

// Duration converts m to a time.Duration.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }

// FromDuration converts d to Millis, rounding towards zero.
func FromDuration(d time.Duration) Millis { return Millis(d / time.Millisecond) }

// UserData is the shared state of one interview: every stage agent reads it, and Step alone writes it.
type UserData struct {
	Session   string            `json:"session"`
	Kind      string            `json:"kind"`
	DefHash   string            `json:"def_hash"`
	Locale    string            `json:"locale"`
	Candidate Candidate         `json:"candidate"`
	Vars      map[string]string `json:"vars,omitempty"`
	Model     bool              `json:"model"` // a language model takes part; false = rules only

	Stage string `json:"stage"` // id of the stage on the floor; empty before the interview starts
	Visit uint64 `json:"visit"` // the fencing token: grows by one on every stage entry
	// HandoffDone is the exactly-once flag of the current visit: whoever sets it makes the handoff, everybody else
	// finds it set (or finds a newer Visit) and does nothing.
	HandoffDone  bool   `json:"handoff_done"`
	StageStart   Millis `json:"stage_start"`   // when the current stage was entered
	LastActivity Millis `json:"last_activity"` // the candidate's last word, key or reconnection
	Now          Millis `json:"now"`           // time of the newest event folded in

	Visits []StageVisit     `json:"visits,omitempty"` // in order; the last one is current
	Slots  map[string]Slot  `json:"slots,omitempty"`
	Ledger Ledger           `json:"ledger"`
	Turns  []Turn           `json:"turns,omitempty"`
	Timers map[string]Timer `json:"timers,omitempty"` // armed timers by name
	Floor  Floor            `json:"floor"`
	NextID uint64           `json:"next_id"` // source of utterance and timer ids
	Ended  string           `json:"ended,omitempty"`

	// Problem is the id of the task that an algorithm interview is about.
	Problem string `json:"problem,omitempty"`
	// SubPhases is the stage that is held as sub-phases; nil = none, or it is held as one.
	SubPhases   *SubPhases         `json:"expansion,omitempty"`
	Fields      map[string]Field   `json:"fields,omitempty"`      // the blackboard
	Patches     []Patch            `json:"patches,omitempty"`     // every change of a field, in order
	Queue       []Queued           `json:"queue,omitempty"`       // questions asked one at a time
	Evaluations []EvaluationRecord `json:"evaluations,omitempty"` // every judgement, in order
	Flags       map[string]bool    `json:"flags,omitempty"`
	Tasks       map[uint64]Task    `json:"tasks,omitempty"`      // asynchronous work under way
	Invalid     int                `json:"invalid,omitempty"`    // turns in a row that were no answers
	Judgements  []Judgement        `json:"judgements,omitempty"` // what was sent to be judged beside the talk, in order
	Notebook    []Note             `json:"notebook,omitempty"`   // what the candidate told, in order
	Covered     []Cover            `json:"covered,omitempty"`    // how well criteria were met, in order
	Claims      []Claim            `json:"claims,omitempty"`     // what the candidate held to be so, in order
	// Recording says how the candidate agreed to being recorded; empty = nothing is kept.
	Recording string `json:"recording,omitempty"`
	// Hinted holds the hints that a model gave.
	Hinted []string `json:"hinted,omitempty"`
	// Voids counts what was left out of models' readings because it did not hold.
	Voids int `json:"voids,omitempty"`
	// Open is the first question that the candidate left out; Offered says that what was left out was offered again.
	Open    *Open `json:"open,omitempty"`
	Offered bool  `json:"offered,omitempty"`

	// Distress says that the candidate spoke of harming themselves: nothing is asked until they want to go on.
	Distress bool `json:"distress,omitempty"`
	// Worried says that a model took words for distress in which the rules heard none: it leads with care until the candidate goes on.
	Worried bool `json:"worried,omitempty"`
	// Helplines say by language whom the operator has somebody in distress turn to; for others the words of the language do.
	Helplines map[string]string `json:"helplines,omitempty"`
	// Tokens are those that the talk has used of models, for a worker that takes it up.
	Tokens int `json:"tokens,omitempty"`
}

// Candidate is who is interviewed.
type Candidate struct {
	Identity string `json:"identity,omitempty"`
	Name     string `json:"name,omitempty"`
}

// SlotStatus says what is known about a slot.
type SlotStatus string

// The states of a slot. Refused and waived are final: such a slot is never asked for again (R001-54).
const (
	SlotEmpty   SlotStatus = ""
	SlotFilled  SlotStatus = "filled"
	SlotRefused SlotStatus = "refused" // the candidate will not or cannot say
	SlotWaived  SlotStatus = "waived"  // asked for as often as allowed, without success
)

// Slot is one fact about the candidate.
type Slot struct {
	Status SlotStatus `json:"status"`
	Value  string     `json:"value,omitempty"`
	Turn   uint64     `json:"turn,omitempty"` // the turn it was heard in
	By     string     `json:"by,omitempty"`   // rules, model or metadata
	Asked  int        `json:"asked,omitempty"`
}

// Closed reports whether nothing more is to be asked about the slot.
func (s Slot) Closed() bool { return s.Status != SlotEmpty }

// Ledger remembers every prompt that was issued, so that none is issued twice.
type Ledger struct {
	// Asked lists prompt ids by stage, in order. A variant other than the first is written id#n.
	Asked map[string][]string `json:"asked,omitempty"`
	// Reprompts counts the silence reprompts of a prompt id; one is allowed.
	Reprompts map[string]int `json:"reprompts,omitempty"`
	// Said holds the normalised questions that were heard, model-written ones included (R001-53).
	Said []string `json:"said,omitempty"`
	// Told holds the normalised sentences that were heard and ask nothing.
	Told []string `json:"told,omitempty"`
	// Filled numbers the latest utterance of ours that held a filler, counted by those heard from 1; 0 = none did.
	Filled int `json:"filled,omitempty"`
	// Left is what the candidate asked not to be asked about, in their words.
	Left []string `json:"left,omitempty"`
}

// Has reports whether id was issued in any stage.
func (l Ledger) Has(id string) bool {
	for _, ids := range l.Asked {
		if slices.Contains(ids, id) {
			return true
		}
	}
	return false
}

// Speaker is a side of the talk.
type Speaker string

// The two sides.
const (
	SpeakerCandidate Speaker = "candidate"
	SpeakerAgent     Speaker = "agent"
)

// Turn is one contribution as it was heard: an agent's turn holds only the words that reached the track.
type Turn struct {
	ID          uint64  `json:"id"`
	Speaker     Speaker `json:"speaker"`
	Stage       string  `json:"stage"`
	Visit       uint64  `json:"visit"`
	At          Millis  `json:"at"`
	Text        string  `json:"text"`
	Typed       bool    `json:"typed,omitempty"`
	Interrupted bool    `json:"interrupted,omitempty"`
	Confidence  float64 `json:"confidence,omitempty"` // 0 = the recogniser gave none
	// Aside says that it answers nothing: it asks, wishes or remarks. It is not judged.
	Aside bool `json:"aside,omitempty"`
	// Private says that it is nobody's business: it is neither judged nor printed.
	Private bool `json:"private,omitempty"`
	// Misheard says that the recogniser got it wrong: the candidate wrote what they said, in the turn after it.
	Misheard bool `json:"misheard,omitempty"`
	// Over is the language that the candidate chose with it to go on in.
	Over string `json:"over,omitempty"`
}

// Open is a question that was left out.
type Open struct {
	Question string `json:"question"`
	Prompt   string `json:"prompt,omitempty"`
	Slot     string `json:"slot,omitempty"`
	Stage    string `json:"stage"`
}

// Timer is one armed timer.
type Timer struct {
	ID    uint64 `json:"id"`
	Visit uint64 `json:"visit"`
	Armed Millis `json:"armed"`
	After Millis `json:"after"`
}

// Left returns how much of the timer remains at now, never below zero.
func (t Timer) Left(now Millis) Millis { return max(0, t.Armed+t.After-now) }

// Reply is an utterance as it was decided on: all it takes to issue it once more when nobody has heard it.
type Reply struct {
	Move     string   `json:"move,omitempty"`
	Prompts  []string `json:"prompts,omitempty"`  // ids it issues
	Text     string   `json:"text,omitempty"`     // the scripted wording
	Question string   `json:"question,omitempty"` // the prompt id that waits for an answer afterwards
	Slot     string   `json:"slot,omitempty"`     // the slot it asks for
	Gap      string   `json:"gap,omitempty"`      // the missing topic it is about
	Again    bool     `json:"again,omitempty"`    // in other words: the slot was asked for before
	Opening  bool     `json:"opening,omitempty"`  // it opens the stage
	FollowUp bool     `json:"follow_up,omitempty"`
	Firm     bool     `json:"firm,omitempty"`   // goes on although the candidate speaks
	Last     bool     `json:"last,omitempty"`   // the goodbye: the session ends after it
	Aside    bool     `json:"aside,omitempty"`  // it asks nothing: the question before it still waits
	Hint     bool     `json:"hint,omitempty"`   // it is the next hint
	Before   int      `json:"before,omitempty"` // words that stand before the hint
	Queued   uint64   `json:"queued,omitempty"` // the queued question that it asks
	Wished   bool     `json:"wished,omitempty"` // the candidate asked for these words, so that they may have been heard before
	// Occasion is why a model is to lead this turn; empty = it is not. Must is what its words have to do then, and Did, To and Wants what
	// they did, as their reading says.
	Occasion string `json:"occasion,omitempty"`
	Must     string `json:"must,omitempty"`
	Did      string `json:"did,omitempty"`
	To       string `json:"to,omitempty"`
	Wants    string `json:"wants,omitempty"`
	// Patches are the changes of fields that its expert made with it: they are undone where nobody heard it and the candidate goes on.
	Patches []uint64 `json:"patches,omitempty"`
	// CutIn says that it had hardly begun when the candidate went on: it waits, and nothing of it counts as heard.
	CutIn bool `json:"cut_in,omitempty"`
}

// CutHint is a hint that was stopped, how many words it has with what stands before it, and how many that are.
type CutHint struct {
	Utterance uint64 `json:"utterance"`
	Words     int    `json:"words"`
	Before    int    `json:"before,omitempty"`
}

// Over is a reply that was heard, and the question that waited before it.
type Over struct {
	Reply
	Prompt string `json:"was_prompt,omitempty"`
	Slot   string `json:"was_slot,omitempty"`
	Gap    string `json:"was_gap,omitempty"`
}

// Floor is who speaks. Utterance 0 means that the agent neither speaks nor prepares to.
type Floor struct {
	Utterance uint64 `json:"utterance,omitempty"` // the agent's utterance in preparation or in the air
	Visit     uint64 `json:"visit,omitempty"`     // the visit that issued it
	Reply            // what it says
	Audible   bool   `json:"audible,omitempty"` // its first frame has been sent
	Began     Millis `json:"began,omitempty"`   // when that was
	// Withdrawn is the latest utterance that cut in on the candidate: what comes of it later changes nothing.
	Withdrawn uint64 `json:"withdrawn,omitempty"`
	// CutHint is the hint that was stopped in the air last: it counts if the better part of it was heard.
	CutHint CutHint `json:"cut_hint,omitzero"`
	// WasPrompt, WasSlot and WasGap are the question that waited before it, in case nobody hears it.
	WasPrompt string `json:"was_prompt,omitempty"`
	WasSlot   string `json:"was_slot,omitempty"`
	WasGap    string `json:"was_gap,omitempty"`
	// Over is the reply to the candidate's latest turn, once it was heard: that turn may have been misheard.
	Over      *Over  `json:"over,omitempty"`
	Candidate bool   `json:"candidate,omitempty"` // the candidate speaks
	Stopped   Millis `json:"stopped,omitempty"`   // when the candidate fell silent; 0 = their turn has been taken
	Away      bool   `json:"away,omitempty"`      // the candidate's connection is lost
	// Break says that the candidate takes a break: nothing is said until they speak, or it is over.
	Break bool `json:"break,omitempty"`
	// Paused keeps what remained of timers while the candidate is away, or takes a break.
	Paused map[string]Millis `json:"paused,omitempty"`
}
