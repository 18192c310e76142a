package simulate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// maxSent is how much may be sent to be judged in one session.
const maxSent = 64

// silent: a judgement that comes changes nothing but what is known of it (R002-42, R002-44).
func (c *checker) silent(before *state.UserData, ev engine.Event, after *state.UserData) {
	done, is := ev.(engine.Judged)
	if !is {
		return
	}
	was := *before
	was.Now, was.Judgements = after.Now, after.Judgements
	if !same(&was, after) {
		c.report(Evaluation, after, "the judgement of %s changed the talk", done.Item)
	}
}

// judgements: they are listed once, and what was judged stays so. One that was not sent may be withdrawn.
func (c *checker) judgements(before, after *state.UserData) {
	for i := range before.Judgements {
		was := &before.Judgements[i]
		k := slices.IndexFunc(after.Judgements, func(j state.Judgement) bool { return j.Item == was.Item })
		switch {
		case k < 0 && !was.Held:
			c.report(Evaluation, after, "item %s was forgotten", was.Item)
		case k >= 0 && !was.Held && !was.Out() && (string(after.Judgements[k].Evaluation) != string(was.Evaluation) || after.Judgements[k].Missing != was.Missing):
			c.report(Evaluation, after, "the judgement of %s was rewritten", was.Item)
		}
	}
	if len(after.Judgements) == len(before.Judgements) && after.Ended == before.Ended {
		return
	}
	for i := range after.Judgements {
		j := &after.Judgements[i]
		if slices.ContainsFunc(after.Judgements[:i], func(o state.Judgement) bool { return o.Item == j.Item }) {
			c.report(Evaluation, after, "item %s is there twice", j.Item)
		}
		if after.Ended != "" && j.Held {
			c.report(Evaluation, after, "item %s was never sent", j.Item)
		}
	}
}

// sent: what is sent to be judged is in the books, and goes out once; none after the report was asked for (R002-60), and
// none in an interview that has nothing judged (RX-7).
func (c *checker) sent(before, after *state.UserData, e engine.Judge) {
	k := slices.IndexFunc(after.Judgements, func(j state.Judgement) bool { return j.Item == e.Item.ID })
	switch {
	case len(c.iv.Def.Evaluations) == 0:
		c.report(Evaluation, after, "%s is to be judged, and nothing is attached", e.Item.ID)
	case before.Ended != "" || c.reports > 0:
		c.report(Evaluation, after, "%s is to be judged after the report", e.Item.ID)
	case c.judged[e.Item.ID]:
		c.report(Evaluation, after, "%s is sent twice", e.Item.ID)
	case k < 0 || after.Judgements[k].Held:
		c.report(Evaluation, after, "%s is sent, and not in the books", e.Item.ID)
	case len(c.judged) >= maxSent:
		c.report(Evaluation, after, "more than %d items are judged", maxSent)
	case !slices.ContainsFunc(e.Item.Turns, func(t evaluate.Turn) bool { return t.Role == evaluate.RoleUser }):
		c.report(Evaluation, after, "%s is to be judged by nobody's words", e.Item.ID)
	case slices.Contains(definition.Comparing, e.By) && e.Item.Reference == "":
		c.report(Evaluation, after, "%s is compared with nothing", e.Item.ID)
	}
	c.answeredOnce(after, e)
	c.judged[e.Item.ID] = true
}

// answeredOnce: no turn answers two questions.
func (c *checker) answeredOnce(u *state.UserData, e engine.Judge) {
	for i := range u.Judgements {
		a := &u.Judgements[i]
		if a.Item != e.Item.ID || a.Question == "" {
			continue
		}
		for k := range u.Judgements {
			b := &u.Judgements[k]
			if k != i && b.Attachment == a.Attachment && slices.ContainsFunc(a.Turns, func(id uint64) bool { return slices.Contains(b.Turns, id) }) {
				c.report(Evaluation, u, "turns %v of %s are those of %s as well: %v", a.Turns, a.Item, b.Item, b.Turns)
			}
		}
	}
}

// reported: there is one report (R002-49).
func (c *checker) reported(u *state.UserData, r engine.Run) {
	if r.Kind != engine.TaskReport {
		return
	}
	if c.reports++; c.reports > 1 {
		c.report(Evaluation, u, "the report is asked for %d times", c.reports)
	}
	if r.State == nil {
		c.report(Evaluation, u, "the report is to be made of nothing")
	}
}

// summarised notes the words that the report itself has for the candidate: they may hold a score.
func (c *checker) summarised(before *state.UserData, ev engine.Event) {
	if done, is := ev.(engine.TaskDone); is && before.Tasks[done.Task].Kind == engine.TaskReport {
		c.summary = summaryOf(done.Result)
	}
}

// without the summary of the report, which the candidate is to hear.
func (c *checker) unreported(e engine.Say) string {
	if c.summary == "" || e.Move != engine.MoveReport {
		return e.Text
	}
	text := strings.ReplaceAll(e.Text, c.summary, "")
	for sentence := range strings.SplitAfterSeq(c.summary, ". ") { // what was heard before, such as a thank-you, is left out of it
		text = strings.ReplaceAll(text, strings.TrimSpace(sentence), "")
	}
	return text
}

// verdicts are the texts of judgements, for nobody's ear.
func verdicts(u *state.UserData) []string {
	var out []string
	add := func(raw json.RawMessage) {
		var e evaluate.Evaluation
		if len(raw) > 0 && json.Unmarshal(raw, &e) == nil {
			out = append(out, e.Feedback, e.Improved)
		}
	}
	for i := range u.Evaluations {
		add(u.Evaluations[i].Evaluation)
	}
	for i := range u.Judgements {
		add(u.Judgements[i].Evaluation)
	}
	return slices.DeleteFunc(out, func(text string) bool { return len(text) <= 20 })
}
