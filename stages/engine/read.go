package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// What a model that leads may do with its words: the values of respond.Reading.Did that change anything.
const (
	didChallenge = "challenge" // takes up a claim

	didHint   = "hint"
	didWait   = "wait"
	didNext   = "next"   // the next numbered question
	didFinish = "finish" // and opens the next part in the same breath
	didGo     = "go"     // to another part
	didWord   = "word"   // on how it went: the last word
	didEnd    = "end"
)

// Bounds of what is kept of readings.
const (
	maxNotes  = 200
	maxClaims = 40
	maxCovers = 120
	maxNoted  = 160 // characters of a value
)

// allowed is what a model may do with its words now.
func (s *words) allowed() []respond.Allowance {
	st, v := s.stage(), s.u.Current()
	list := []respond.Allowance{
		{Did: "answer", How: "answer their question or grant their wish, and leave them room"},
		{Did: didChallenge, How: "take up a claim, a number or a choice that does not hold"},
		{Did: "support", How: "a human sentence and an offer"},
		{Did: "rephrase", How: "put the open question in other, simpler words"},
		{Did: didWait, How: "they want to think or pause: say that they have the time they need, and nothing else"},
	}
	if v.Closing {
		return append(list, s.ending()...)
	}
	list = append(list, respond.Allowance{Did: "ask", How: "ask for something that this part needs"})
	if !s.followedUp(st, v) {
		list = append(list, respond.Allowance{Did: "probe", How: "go deeper into what they just said"})
	}
	switch {
	case s.nextHint() != "":
		list = append(list, respond.Allowance{Did: didHint, How: "give the next hint, when they ask for one or are stuck"})
	case s.hints():
		list = append(list, respond.Allowance{Did: didHint, How: "a small hint of your own, when they ask for one or are stuck"})
	}
	if s.numbered(st) && v.Numbered < s.numberedTotal() {
		how := "react to the answer and put numbered question " + strconv.Itoa(v.Numbered+1)
		if v.Numbered > 0 && len(v.NumberedTurns) == 0 {
			how += "; only if they answered the one before with this turn, or want to leave it out"
		}
		list = append(list, respond.Allowance{Did: didNext, How: how})
	} else {
		list = append(list, respond.Allowance{Did: didFinish, How: s.finishing()})
	}
	if s.planned() > 0 {
		list = append(list, respond.Allowance{Did: didWord, How: s.sofar()})
	}
	if to := s.destinations(); len(to) > 0 {
		list = append(list, respond.Allowance{Did: didGo, To: to, How: "they want to go there: your words open it"})
	}
	bye := "only if they want to stop, and have said so clearly or confirmed it"
	if s.planned() > 0 && !s.wordDue() && s.nextPart() == nil {
		bye = "if they want to stop, or were told how it went and have no more questions"
	}
	return append(list, respond.Allowance{Did: didEnd, How: bye + ": say goodbye kindly; the interview ends with these words"})
}

// nextPart is what follows the part that is on, or nil where the end does.
func (s *situation) nextPart() *respond.Part {
	if e, v := s.u.SubPhases, s.u.Current(); v.Item != "" && v.Capped == "" {
		if i := s.nextItem(); i >= 0 {
			return &respond.Part{ID: e.Items[i].ID, Title: e.Items[i].Name, Purpose: e.Items[i].Description}
		}
	}
	next := s.following()
	if next == nil || next.Final || tells(next) {
		return nil
	}
	if next.Expand != "" && s.u.SubPhases != nil {
		if p := s.u.SubPhases.Current(); p != nil {
			return &respond.Part{ID: p.ID, Title: p.Name, Purpose: p.Description}
		}
	}
	return &respond.Part{ID: next.ID, Title: next.Title, Purpose: next.Goal}
}

// destinations are the parts that the candidate may go to: other sub-phases where the stage may be left for them, and stages that were on
// before.
func (s *situation) destinations() []string {
	st, v := s.stage(), s.u.Current()
	var out []string
	if e := s.u.SubPhases; v.Item != "" && e != nil && (st.Skip.Rule == definition.SkipForward || st.Skip.Reorder) {
		for i := range e.Items {
			if p := &e.Items[i]; p.ID != v.Item && !p.Irrelevant && !slices.Contains(e.Completed, p.ID) {
				out = append(out, p.ID)
			}
		}
		for _, behind := range s.iv.Def.Stages[s.iv.Def.Index(st.ID)+1:] { // who has had enough of the parts goes to the end of them
			if s.separate(&behind) {
				out = append(out, behind.ID)
			}
		}
		return out
	}
	here := s.iv.Def.Index(st.ID)
	for i := range s.iv.Def.Stages {
		other := &s.iv.Def.Stages[i]
		if s.separate(other) && (i < here && s.stageStatus(other) != "to come" || i != here && s.led(st)) {
			out = append(out, other.ID)
		}
	}
	return out
}

// separate reports whether a stage can be taken at any time: it waits for nothing, and nothing waits for it.
func (s *situation) separate(st *definition.Stage) bool {
	return st.Expand == "" && !s.numbered(st) && !s.atMenu(st) && st.Responder != definition.Scripted && !st.Final && !tells(st) && st.Gate == nil
}

// read takes what a model understood of the turn before its words, and keeps what it did with them until they were heard. What does not
// hold changes nothing, and is counted (RM-24, RM-25).
func (s *step) read(e Read) {
	v, f := s.u.Current(), &s.u.Floor
	if v == nil || e.Visit != s.u.Visit || e.Utterance == f.Withdrawn {
		s.fact("reading.late", field("asked_visit", e.Visit))
		return
	}
	r, refused, err := respond.Check(e.Reading, s.bounds())
	if err != nil {
		s.u.Voids++
		s.fact("reading.void", field("utterance", e.Utterance))
		return
	}
	s.u.Voids += len(refused)
	s.fact("reading.taken", field("utterance", e.Utterance), field("acts", len(r.Acts)), field("notes", len(r.Notes)),
		field("covered", len(r.Covered)), field("claims", len(r.Claims)), field("did", r.Did), field("refused", strings.Join(refused, " ")))
	s.understood(v, &r)
	if f.Utterance == e.Utterance && f.Utterance != 0 {
		f.Did, f.To, f.Wants = r.Did, r.To, r.Asked
	}
	if f.Utterance == 0 && v.Led == e.Utterance && v.Led != 0 && !f.Candidate {
		v.Led, v.Missed = 0, 0
		s.spoke(state.Reply{Did: r.Did, To: r.To, Wants: r.Asked}, s.lastHeard())
	}
}

// bounds are what a reading is held to now.
func (s *words) bounds() respond.Bounds {
	b := respond.Bounds{Allowed: s.allowed(), Said: s.submitted()}
	for _, c := range s.criteriaNow() {
		b.Criteria = append(b.Criteria, c.ID)
	}
	for _, p := range s.otherItems() {
		for _, k := range p.Keywords {
			b.Criteria = append(b.Criteria, k.Phrase)
		}
	}
	return b
}

// understood notes what the candidate's turn was. Only an answer counts as one (RM-2).
func (s *step) understood(v *state.StageVisit, r *respond.Reading) {
	turn := uint64(0)
	if n := len(v.InputTurns); n > 0 {
		turn = v.InputTurns[n-1]
	}
	answered := (r.Has("answer") || r.Has("correction")) && !v.Told
	v.Onward, v.Elsewhere = r.Has("request", "skip", "go_on", "go_to"), r.Has("request", "go_to")
	if v.Unread {
		v.Unread = false
		if answered {
			v.Turns++
			s.judgements.answerHeard(s.stage(), v, nil)
			if v.Numbered > 0 {
				v.NumberedTurns = append(v.NumberedTurns, v.InputTurns...)
			}
		} else {
			s.transcript.setAside(v.InputTurns)
		}
	}
	s.takeNotes(v, r, turn)
	if v.Told {
		r.Covered = nil // what they were told is not theirs
	}
	for _, c := range r.Covered[:min(len(r.Covered), maxCovers-min(maxCovers, len(s.u.Covered)))] {
		s.u.Covered = append(s.u.Covered, state.Cover{Criterion: c.Criterion, Level: c.Level, Quote: c.Quote, Turn: turn, Stage: v.Stage, Part: s.partOf(v, c.Criterion)})
	}
	s.takeClaims(v, r, turn)
	switch distress := slices.Contains(r.Flags, "distress") || r.Has("distress"); {
	case distress:
		s.worry(v)
	case s.u.Worried && (r.Has("answer") || r.Has("request")):
		s.u.Worried = false
		s.fact("distress.over")
	}
	if slices.Contains(r.Flags, "other_language") {
		v.Noticed = s.spokenHere(v.Input)
	}
}

// takeNotes keeps facts: in the notebook, in the slot or the field of their name. A correction takes the place of what was known (RM-20).
func (s *step) takeNotes(v *state.StageVisit, r *respond.Reading, turn uint64) {
	corrected := r.Has("correction")
	for _, n := range r.Notes {
		if len(s.u.Notebook) < maxNotes {
			s.u.Notebook = append(s.u.Notebook, state.Note{
				ID: understand.Clip(n.ID, maxReason), Value: understand.Clip(n.Value, maxNoted), Quote: understand.Clip(n.Quote, maxNoted), Turn: turn,
				Stage: v.Stage, Part: v.Item, Corrects: corrected,
			})
		}
		if material.Instructs(n.Value) {
			s.fact("note.unspoken", field("note", understand.Clip(n.ID, maxReason)))
			continue // as in track: it is said back to nobody as what they told of themselves
		}
		s.slots.noteSlot(n, corrected)
		if f, declared := s.iv.Def.Fields[n.ID]; declared && !f.Secret && (f.Type == "" || f.Type == "text") && f.From == "" {
			s.blackboard.apply("model", map[string]any{n.ID: n.Value})
		}
	}
}

func (s slots) noteSlot(n respond.Note, corrected bool) {
	known := slices.ContainsFunc(s.iv.Def.Stages, func(st definition.Stage) bool { return st.Slot(n.ID) != nil })
	if !known {
		return
	}
	to := state.Slot{Status: state.SlotFilled, Value: understand.Clip(n.Value, maxNoted), By: "model"}
	if was := s.u.Slots[n.ID]; corrected && was.Status == state.SlotFilled && s.mayConsent(n.ID, to) {
		to.Asked, to.Turn = was.Asked, uint64(len(s.u.Turns))
		s.u.Slots[n.ID] = to
		return
	}
	s.settle(n.ID, to)
}

// spoke acts on what a model did with words that were heard to their end. What was cut off was not done.
func (s *step) spoke(r state.Reply, heard string) {
	st, v := s.stage(), s.u.Current()
	asked := cmp.Or(lastQuestion(heard), r.Wants)
	v.Told = v.Told || s.partsOver() && s.givesUp(heard)
	s.takenUp(heard, r.Wants)
	switch r.Did {
	case didHint:
		s.hinted(v)
	case didWord:
		v.Assessed = v.Turns + 1
	case didWait:
		s.clock.leaveTime(st, v)
	case didNext:
		if v.Numbered < s.numberedTotal() && asked != "" {
			s.nextNumbered(v, asked)
		}
	case didFinish:
		if s.finish(st, v) {
			return
		}
	case didGo:
		if s.goTo(v, r.To) {
			return
		}
	case didEnd:
		s.sayGoodbye(v)
		return
	}
	if asked != "" {
		v.FollowUp++
	}
	if !s.noticed(v, heard) {
		s.clock.listen()
	}
}

// finish leaves the part where its guard holds: it was answered, or met, or its time is up, or the candidate wants to go on.
func (s *step) finish(st *definition.Stage, v *state.StageVisit) bool {
	if v.Closing {
		return false
	}
	met := s.met(v)
	if v.Turns == 0 && !met && !v.Soft && !v.Overtime && !s.wentOn(v) {
		s.fact("finish.refused", field("turns", v.Turns))
		return false
	}
	if s.numbered(st) {
		s.settleNumbered(v)
		s.flag("questions_answered")
	}
	if s.mayClose(ReasonComplete) {
		s.close(ReasonComplete)
		s.clock.listen()
		return true
	}
	s.opens = true
	reason := ReasonComplete
	switch early := !met && !v.Soft && !v.Overtime && s.wentOn(v); {
	case met && v.Item != "":
		reason = ReasonPassed
	case early && v.Elsewhere:
		reason = ReasonReordered
	case early:
		reason = ReasonIncomplete
	}
	return s.handoff(s.u.Visit, reason, "model")
}

// wentOn reports whether the candidate's latest words ask to go on, or to leave the part out.
func (s *situation) wentOn(v *state.StageVisit) bool {
	if v.Onward {
		return true
	}
	intents := s.latestIntents(v)
	return slices.Contains(intents, understand.Skip) || slices.Contains(intents, understand.Done) || slices.Contains(intents, understand.Refuse)
}

// goTo takes the part that the candidate wants.
func (s *step) goTo(v *state.StageVisit, to string) bool {
	if v.Closing || !slices.Contains(s.destinations(), to) {
		return false
	}
	s.opens = true
	if v.Item != "" && s.iv.Def.Stage(to) == nil {
		s.phases.reopen(to)
		s.wanted = to
		return s.handoff(s.u.Visit, ReasonReordered, "candidate")
	}
	s.target = s.iv.Def.Stage(to)
	return s.handoff(s.u.Visit, ReasonReordered, "candidate")
}

// reopen takes a sub-phase that was left out or not finished up again.
func (s phases) reopen(id string) {
	e := s.u.SubPhases
	is := func(x string) bool { return x == id }
	e.Skipped = slices.DeleteFunc(slices.Clone(e.Skipped), is)
	e.Unfinished = slices.DeleteFunc(slices.Clone(e.Unfinished), is)
}

// sayGoodbye ends the interview: the words that were heard were the goodbye.
func (s *step) sayGoodbye(v *state.StageVisit) {
	reason := ReasonCandidate
	if v.Closing {
		reason = ReasonComplete
	}
	if s.numbered(s.stage()) {
		s.settleNumbered(v)
	}
	s.opens, s.target = true, &s.iv.Def.Stages[len(s.iv.Def.Stages)-1]
	s.handoff(s.u.Visit, reason, "model")
}

// setAside notes that turns answer nothing: they are not judged.
func (s transcript) setAside(turns []uint64) {
	s.u.Turns = slices.Clone(s.u.Turns) // they are shared with the state before
	for i := range s.u.Turns {
		if t := &s.u.Turns[i]; slices.Contains(turns, t.ID) {
			t.Aside = true
		}
	}
}
