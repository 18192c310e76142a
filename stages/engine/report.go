package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

const (
	promptSummary = "report.spoken" // what the summary is entered as in the ledger
	maxSummary    = 1500            // characters; 45 s of speech are some 700
	// reportPatience is how long a candidate may go on in one turn while there is a report to tell; also the least for which
	// long speech is reported at all.
	reportPatience = 30 * time.Second
)

// telling reports whether the stage on the floor waits for the report and tells it.
func (s *situation) telling() bool {
	st := s.stage()
	return st != nil && tells(st)
}

func tells(st *definition.Stage) bool { return st.Responder == definition.ByReport && !st.Final }

// reportAsked reports whether the report was asked for: nothing more is judged then (R002-60).
func (s judgements) reportAsked() bool {
	return slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool {
		st := s.iv.Def.Stage(v.Stage)
		return st != nil && tells(st)
	})
}

// report returns the task of the report while it is not told.
func (s *situation) report() (state.Task, bool) { return s.taskOf(TaskReport) }

// reporting reports whether the report is still being made.
func (s *situation) reporting() bool {
	t, is := s.report()
	return is && !t.Waiting
}

// askReport has the report made as soon as its stage is entered, once in a session (R002-46, R002-49). The candidate is told
// meanwhile that it is being made (R002-33).
func (s *replies) askReport() {
	if s.revisited() {
		return
	}
	r := Run{Kind: TaskReport, Budget: s.iv.Def.Report.Budget(), State: s.u.Clone(), Attempt: 1}
	s.runs.launch(r, state.Task{})
	s.clock.arm(TimerTask, r.Budget)
}

// reportAgain asks for the report once more, for a session whose task was lost with its worker.
func (s runs) reportAgain() {
	t, is := s.report()
	if !is || t.Waiting {
		return
	}
	s.cancel(t, "resumed")
	s.launch(Run{Kind: TaskReport, Budget: s.iv.Def.Report.Budget(), State: s.u.Clone(), Attempt: t.Attempt + 1}, state.Task{})
}

// busy reports whether the floor is not free for the report: somebody speaks, or nobody is there.
func (s *situation) busy() bool {
	f := &s.u.Floor
	return f.Utterance != 0 || f.Away || s.owed() || s.u.Current().Held != nil
}

// reportDone tells the report in short, or that it will follow; where there is nothing to tell, the interview goes on.
func (s *step) reportDone(e TaskDone) {
	var done ReportDone
	failed := e.Failed
	if failed == "" && json.Unmarshal(e.Result, &done) != nil {
		failed = "it cannot be read"
	}
	s.fact("report.done", field("status", understand.Clip(done.Status, maxReason)), field("failed", understand.Clip(failed, maxFailure)))
	summary := understand.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(done.Spoken, "")), " "), maxSummary)
	r := state.Reply{Move: string(MoveReport), Aside: true}
	switch {
	case failed != "":
		s.addFresh(&r, s.stage().Fallback)
	case s.iv.Def.Report.Tells() && summary != "":
		add(&r, s.fresh(promptSummary), s.withWork(&r, summary))
	default:
		s.tellReport()
		return
	}
	s.say(r)
}

// withWork puts what holds of the work at a problem behind the thanks that a summary begins with: a score alone names nothing of it.
func (s *replies) withWork(r *state.Reply, summary string) string {
	first := sentences(summary)
	if p := s.problem(); p == nil || s.u.Model || len(first) == 0 || s.times("every.worked") > 0 || !s.worked(p) {
		return summary
	}
	add(r, s.fresh("report.thanks"), first[0])
	s.addFresh(r, s.worth("every.worked"))
	return strings.TrimSpace(strings.TrimPrefix(summary, first[0]))
}

// tellReport does what comes next in the report's stage, once the floor is free: says what was held back, tells the report
// if it is there, and goes on when it was heard or cut.
func (s *step) tellReport() {
	v := s.u.Current()
	t, is := s.report()
	if s.u.Floor.Utterance != 0 || s.u.Floor.Away || s.owed() {
		return
	}
	v.Stepping = false
	switch {
	case v.Held != nil:
		s.resume(v)
	case is && t.Waiting:
		s.settleKept(t)
	case !is:
		s.handoff(s.u.Visit, ReasonComplete, "report")
	}
}

// duringReport: words of the candidate while the report is made or told. They are kept, and ask for no move of their own but
// one word of patience. Typed into the summary, they end it, as an interruption does.
func (s *step) duringReport() {
	if f := &s.u.Floor; f.Audible && Move(f.Move) == MoveReport {
		s.stopFloor("turn")
	}
	s.tellReport()
	if s.telling() && s.reporting() && s.timesHere(s.iv.Def.Recovery.HoldPrompt) == 0 {
		s.holdOn()
	}
}

// talkedOver: the candidate goes on and on while there is something to tell. Their turn is taken once, and they hear it then.
// Who goes on all the same when it was told, or cut by them, is let go: the report is on the page.
func (s *step) talkedOver(e LongSpeech) {
	v, f := s.u.Current(), &s.u.Floor
	t, untold := s.report()
	switch {
	case e.Lasted < ms(reportPatience) || v.Stepping || f.Utterance != 0 || f.Away:
	case untold && !t.Waiting: // it is still being made
	case !v.SteppedIn:
		v.SteppedIn, v.Stepping = true, true
		s.fact("turn.limit", field("lasted", e.Lasted.Duration()), field("words", e.Words))
		s.out = append(s.out, TakeTurn{Reason: "turn_limit"})
	case !untold:
		s.out = append(s.out, TakeTurn{Reason: "turn_limit"})
		s.handoff(s.u.Visit, ReasonComplete, "report")
	}
}

// finishTelling lets the summary come to its end although the time of its stage is over, and reports whether it goes on. It is
// bounded as well: a voice that does not end by then is cut, and the report said to follow.
func (s *replies) finishTelling() bool {
	if f := &s.u.Floor; !s.telling() || f.Utterance == 0 || Move(f.Move) != MoveReport {
		return false
	}
	v := s.u.Current()
	end := v.Entered + v.Absent + ms(s.iv.Def.Hard(s.stage())+definition.DefaultGrace+definition.ReportTold)
	if left := end - s.u.Now; left > 0 {
		s.clock.arm(TimerGrace, left.Duration())
		return true
	}
	s.beforePrompt(s.stage().Fallback)
	return false
}

// leaveReport: the stage is left before the report was told. The candidate hears that it will follow.
func (s *replies) leaveReport() {
	if !s.telling() {
		return
	}
	t, untold := s.report()
	if untold {
		s.runs.cancel(t, "handoff")
	}
	if held := s.u.Current().Held; untold || held != nil && Move(held.Move) == MoveReport {
		s.beforePrompt(s.stage().Fallback)
	}
}
