package state

// StageVisit is one stay in one stage: what it is, and by subject what has become of it.
type StageVisit struct {
	Stage   string `json:"stage"`
	Visit   uint64 `json:"visit"`
	Group   string `json:"group,omitempty"`  // id of the outermost group that the stage lies in
	Item    string `json:"item,omitempty"`   // id of the sub-phase, in a stage that is held as several
	Single  bool   `json:"single,omitempty"` // a stage of sub-phases that is held as one, for want of them
	Entered Millis `json:"entered"`
	Left    Millis `json:"left,omitempty"`
	Reason  string `json:"reason,omitempty"` // why it was left
	Source  string `json:"source,omitempty"` // who asked for it: tool, rule, timer …
	Summary string `json:"summary,omitempty"`
	Turns   int    `json:"turns"` // candidate turns in this visit

	Course
	Pending
	Answer
	Silence
	Absence
	Overrun
	Help
	Offered
	Judging
	Leading
	Numbering
	Tongues
}

// Course is how far a visit has come.
type Course struct {
	Opened   bool `json:"opened,omitempty"` // the opening was audible
	Spoken   bool `json:"spoken,omitempty"` // the words that led here opened the stage
	FollowUp int  `json:"follow_ups"`       // follow-up questions asked
	BargeIns int  `json:"barge_ins"`
	Skipped  bool `json:"skipped,omitempty"` // left out: the candidate wished it, or somebody who looks on
	Lingers  int  `json:"lingers,omitempty"` // turns in a row in which the stage could have been left, and its expert stayed
	// Closing says that the last part is over: what is left is a word on how it went, a last question and the goodbye.
	Closing bool `json:"closing,omitempty"`
	// Told says that the candidate was told the solution, after all parts were over: what they say of it from then on is not judged.
	Told bool `json:"told,omitempty"`
	// Assessed is one more than the turns there were when the candidate was told how it went; 0 = they were not.
	Assessed int `json:"assessed,omitempty"`
}

// Pending is what waits: a question for its answer, a reply for the floor.
type Pending struct {
	Prompt   string `json:"prompt,omitempty"`   // the question's id
	Target   string `json:"target,omitempty"`   // the slot that it asks for
	Gap      string `json:"gap,omitempty"`      // the missing topic that it is about
	Thinking bool   `json:"thinking,omitempty"` // "let me think" has been granted for it
	Held     *Reply `json:"held,omitempty"`     // a reply that waits for the candidate to finish speaking, or to return
}

// Answer is what the candidate said last, and what is owed to it.
type Answer struct {
	Input      string   `json:"input,omitempty"`       // what was said and has not been answered yet
	InputTurns []uint64 `json:"input_turns,omitempty"` // the turns that Input was said in
	Owed       bool     `json:"owed,omitempty"`        // it waits for an answer that the candidate's own voice cut off
	Unread     bool     `json:"unread,omitempty"`      // it was not understood yet: the reading of it, or the rules, will say what it was
	Onward     bool     `json:"onward,omitempty"`      // it asked to go on, or to leave the part out
	Elsewhere  bool     `json:"elsewhere,omitempty"`   // it asked for another part first
}

// Silence is the no-input ladder.
type Silence struct {
	Rung      int    `json:"rung"`            // the next step
	Idle      Millis `json:"idle"`            // the silence already counted towards it
	Given     Millis `json:"given,omitempty"` // the silence that they were given to think, before it counts
	Reprompts int    `json:"reprompts"`
}

// Absence is how long the candidate was away: limits do not run meanwhile.
type Absence struct {
	Absent    Millis `json:"absent,omitempty"`
	AwaySince Millis `json:"away_since,omitempty"` // 0 = they are there
}

// Leave says that the candidate is away from now on.
func (a *Absence) Leave(now Millis) { a.AwaySince = max(1, now) }

// Return says that they are back, if they were away.
func (a *Absence) Return(now Millis) {
	if a.AwaySince > 0 {
		a.Absent, a.AwaySince = a.Absent+now-a.AwaySince, 0
	}
}

// Overrun is which limits have passed, and what came of it.
type Overrun struct {
	Soft      bool   `json:"soft,omitempty"`       // the soft limit: what is missing is asked for first
	Overtime  bool   `json:"overtime,omitempty"`   // the hard limit, while somebody spoke
	Extended  bool   `json:"extended,omitempty"`   // the grace was, for words that were being said
	Capped    string `json:"capped,omitempty"`     // the group whose limit has passed
	SteppedIn bool   `json:"stepped_in,omitempty"` // the stage's one polite interruption of a rambling answer is spent
	Stepping  bool   `json:"stepping,omitempty"`   // that interruption waits for the words heard so far
}

// Help is what help was given.
type Help struct {
	HintLevel int  `json:"hint_level,omitempty"`
	HelpMode  bool `json:"help_mode,omitempty"`
	Supported bool `json:"supported,omitempty"` // frustration was answered with support; that is done once
}

// Offered is what the candidate may choose from, and wanted to leave out.
type Offered struct {
	Choice    string `json:"choice,omitempty"`  // what was offered last
	Offer     string `json:"offer,omitempty"`   // the part that was offered to be taken up, empty for a question
	Leaving   string `json:"leaving,omitempty"` // why the stage is about to be left otherwise
	Added     int    `json:"added,omitempty"`   // what was added in the room before the goodbye
	SkipAsked int    `json:"skip_asked,omitempty"`
}

// Judging is how often answers were judged.
type Judging struct {
	Judged   int `json:"judged,omitempty"`
	JudgedAt int `json:"judged_at,omitempty"` // the turns there were at the latest judgement
	Attempts int `json:"attempts,omitempty"`  // judgements that were not passed
	Doubts   int `json:"doubts,omitempty"`    // mistakes of the candidate that were asked about
}

// Leading is what became of the turns that a model was to lead.
type Leading struct {
	// Led is the utterance that it led with last and that was heard to its end, until the candidate goes on: its reading may come late.
	Led    uint64 `json:"led,omitempty"`
	Missed int    `json:"missed,omitempty"` // the replies in a row that it did not give
}

// Numbering is the numbered question that is being answered.
type Numbering struct {
	Numbered      int      `json:"numbered,omitempty"` // its number, from 1
	NumberedAsked string   `json:"numbered_asked,omitempty"`
	NumberedTurns []uint64 `json:"numbered_turns,omitempty"` // the turns that answer it
}

// Tongues are languages other than the interview's.
type Tongues struct {
	Languages []string `json:"languages,omitempty"` // those that the candidate was told they speak
	Noticed   string   `json:"noticed,omitempty"`   // one that a model noticed in the latest turn, and that was not spoken of yet
}

// Current returns the visit on the floor, or nil before the first stage.
func (u *UserData) Current() *StageVisit {
	if len(u.Visits) == 0 {
		return nil
	}
	return &u.Visits[len(u.Visits)-1]
}
