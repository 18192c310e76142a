package simulate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// said checks an utterance that was put on the floor.
func (c *checker) said(before, after *state.UserData, e engine.Say) {
	c.says[e.Utterance] = e
	switch f := after.Floor; {
	case before.Ended != "":
		c.report(OneSpeaker, after, "something is said after the end: %s", e.Text)
	case e.Visit != after.Visit:
		c.report(OneSpeaker, after, "visit %d speaks while %d is on the floor", e.Visit, after.Visit)
	case after.Floor.Away:
		c.report(OneSpeaker, after, "something is said to a candidate who is away: %s", e.Text)
	case f.Candidate && !e.Uninterruptible:
		c.report(OneSpeaker, after, "the interviewer begins while the candidate speaks: %s", e.Text)
	case after.Ended == "" && f.Utterance != e.Utterance:
		c.report(OneSpeaker, after, "utterance %d is issued, but %d has the floor", e.Utterance, f.Utterance)
	case strings.TrimSpace(e.Text) == "" && e.Lead == nil: // a model that leads the turn has its own words
		c.report(OneSpeaker, after, "utterance %d has no words", e.Utterance)
	}
	if f := after.Floor; f.Utterance == e.Utterance && f.Slot != "" && e.Lead == nil {
		if s := after.Slots[f.Slot].Status; s == state.SlotRefused || s == state.SlotWaived {
			c.report(Refused, after, "%s asks for %s, which is %s", e.Move, f.Slot, s)
		}
	}
	c.secret(after, e.Text, "say")
	if e.Lead != nil {
		c.secret(after, e.Lead.Must, "must")
	}
	c.unjudged(after, c.unreported(e))
}

// audible: a prompt that was heard is not heard again, neither is a question of the model's.
func (c *checker) audible(before *state.UserData, ev engine.Event, after *state.UserData) {
	switch e := ev.(type) {
	case engine.VoiceStarted:
		if before.Floor.Audible || e.Utterance != before.Floor.Utterance {
			return
		}
		for _, id := range c.says[e.Utterance].Prompts {
			if c.heard[id] != 0 && !strings.HasPrefix(id, "fact.") { // who asks again is told again
				c.report(NoRepeats, after, "prompt %s is said in utterances %d and %d", id, c.heard[id], e.Utterance)
			}
			c.heard[id] = e.Utterance
		}
	case engine.BargeIn:
		if after.Floor.Withdrawn == e.Utterance { // it cut in on the candidate, and counts for nothing
			for _, id := range c.says[e.Utterance].Prompts {
				delete(c.heard, id)
			}
		}
	case engine.VoiceEnded:
		if !e.Worded {
			return
		}
		question := strings.ToLower(e.Heard)
		if strings.Contains(question, "?") && slices.Contains(c.asked, question) && !c.wanted(e) {
			c.report(NoRepeats, after, "the model asks once more: %s", e.Heard)
		}
		c.asked = append(c.asked, question)
	}
	for id, n := range after.Ledger.Reprompts {
		if n > 1 || n < 0 {
			c.report(NoRepeats, after, "%s was reprompted %d times", id, n)
		}
	}
}

// secret: until the interview sums up, the words that give the solution away are the candidate's to say first (R003-30, RX-20).
func (c *checker) secret(u *state.UserData, text, where string) {
	if text == "" || u.Problem == "" || c.iv.Def.Index(u.Stage) >= len(c.iv.Def.Stages)-2 {
		return
	}
	p := problemOf(c.iv, u)
	if p == nil {
		return
	}
	if word := understand.Which(text, p.Secrets()); word != "" && !revealed(u, p, word) {
		c.report(Secrecy, u, "a %s in stage %s gives %q away: %s", where, u.Stage, word, text)
	}
}

// problemOf is the task that the interview is about, or nil.
func problemOf(iv *engine.Interview, u *state.UserData) *problem.Problem {
	if iv.Problems == nil || u.Problem == "" {
		return nil
	}
	p, _ := iv.Problems.Find(u.Problem)
	return p
}

// revealed reports whether the candidate has said the word, or the task itself does.
func revealed(u *state.UserData, p *problem.Problem, word string) bool {
	for _, text := range p.Text {
		if understand.Says(text, []string{word}) {
			return true
		}
	}
	return slices.ContainsFunc(u.Turns, func(t state.Turn) bool {
		return t.Speaker == state.SpeakerCandidate && understand.Says(t.Text, []string{word})
	})
}

var scoreWords = regexp.MustCompile(`(?i)\b\d+(\.\d+)?\s*(/|out of)\s*(10|ten)\b|\bscore\b`)

// unjudged: no judgement reaches speech.
func (c *checker) unjudged(u *state.UserData, text string) {
	if scoreWords.MatchString(text) {
		c.report(Evaluation, u, "a score is spoken: %s", text)
	}
	for _, f := range verdicts(u) {
		if strings.Contains(text, f) {
			c.report(Evaluation, u, "feedback is spoken: %s", text)
		}
	}
}

// wanted reports whether the candidate had asked a model that leads for the question once more.
func (c *checker) wanted(e engine.VoiceEnded) bool {
	ask := c.says[e.Utterance].Lead
	_, question, _ := strings.Cut(strings.TrimSuffix(e.Heard, "?"), ". ")
	return ask != nil && !ask.Repeats(question)
}
