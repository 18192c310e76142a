package report

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/state"
)

// steps tells what to practise, one step for each thing to improve, and which questions to try again.
func (b *builder) steps() {
	if !b.scored() {
		b.r.NextSteps = b.firstSteps()
	} else {
		for _, f := range b.r.Improvements {
			if f.Basis == ByCheck {
				continue // practise tells of what was wrong
			}
			if len(b.items) == 1 && len(b.items[0].a.Gaps) > 0 && !b.words.Has("step."+f.Criterion) {
				continue // what is missing says it better
			}
			text := b.words.Say(b.stepFor(f), "name", f.Name, "n", number(f.Question), "gaps", b.words.List(b.gapsOf(f.Name)))
			b.step(Step{Criterion: f.Criterion, Text: text, Questions: b.lowest(f)})
		}
		if gaps := b.gaps(); len(gaps) > 0 {
			b.step(Step{Text: b.words.Say("step.gaps", "gaps", b.words.List(gaps))})
		}
	}
	b.practise()
}

// step adds a step that is not there yet, if there are few.
func (b *builder) step(s Step) {
	known := slices.ContainsFunc(b.r.NextSteps, func(o Step) bool { return o.Text == s.Text })
	if !known && len(b.r.NextSteps) <= most {
		b.r.NextSteps = append(b.r.NextSteps, s)
	}
}

// practise adds what is still to be done of the parts: what was only touched, what was wrong and stayed so, what was asked and not
// answered, what did not come up. Of what nobody asked for it says nothing.
func (b *builder) practise() {
	for _, f := range b.r.Improvements {
		if !b.scored() && f.Criterion != "" {
			b.step(Step{Text: b.words.Say("step.touched", "name", f.Name)})
		}
	}
	for _, to := range []struct{ kind, key string }{{PointWrong, "step.wrong"}, {PointOpen, "step.open"}} {
		for i := range b.r.Stages {
			for _, p := range b.r.Stages[i].Points {
				key := to.key
				switch {
				case p.Why != "" && p.Text == b.words.Say("point."+state.ClaimContradicts+".why", "why", p.Why):
					key = "step.conflict"
				case p.Why != "":
					key += ".why"
				}
				if p.Kind == to.kind && !p.Settled {
					b.step(Step{Text: b.words.Say(key, "name", p.Name, "why", p.Why, "part", b.r.Stages[i].Title)})
				}
			}
		}
	}
}

// stepFor finds the words of a next step. There is a better answer to compare with only where a judge wrote one.
func (b *builder) stepFor(f Finding) string {
	key := "step." + f.Criterion
	switch {
	case f.Criterion == wholeAnswer && f.Question == 0 && len(b.gapsOf(f.Name)) > 0:
		return "step.part"
	case f.Criterion == wholeAnswer && f.Question == 0, !b.words.Has(key):
		return "step.other"
	case f.Criterion == wholeAnswer && b.r.Questions[f.Question-1].Improved == "":
		return "step.answer_alone"
	}
	return key
}

// gapsOf are the gaps of the part of this name.
func (b *builder) gapsOf(part string) []string {
	for _, it := range b.items {
		if it.number == 0 && it.name == part {
			return it.a.Gaps[:min(len(it.a.Gaps), most)]
		}
	}
	return nil
}

// firstSteps are for somebody of whom nothing could be assessed. They name no criterion: none was assessed (RM-31).
func (b *builder) firstSteps() []Step {
	switch {
	case b.r.Quality.Words == 0:
		return []Step{{Text: b.words.Say("step.whenever")}}
	case b.r.Coverage.Answers == 0:
		return []Step{{Text: b.words.Say("step.whenever_spoke")}}
	case !b.r.Quality.OK:
		return []Step{{Text: b.words.Say("step.again")}}
	case len(b.items) > 0 && !slices.ContainsFunc(b.items, unjudged):
		return []Step{{Text: b.words.Say("step.retake")}}
	}
	return nil
}

// unjudged reports whether there was nobody to judge something, however long it was.
func unjudged(it item) bool { return it.a.Reason != nil && it.a.Reason.Code == ReasonNoJudge }

// lowest returns the numbers of the answers that were weakest in what the finding is about, in order.
func (b *builder) lowest(f Finding) []int {
	if f.Question > 0 {
		return []int{f.Question}
	}
	least, numbers := 2.0, []int(nil)
	for _, it := range b.items {
		for _, m := range rows(it.a) {
			if m.Criterion != f.Criterion || m.Score == nil || it.number == 0 {
				continue
			}
			if m.Score.Norm < least-1e-9 {
				least, numbers = m.Score.Norm, nil
			}
			if m.Score.Norm <= least+1e-9 {
				numbers = append(numbers, it.number)
			}
		}
	}
	return numbers[:min(len(numbers), most)]
}

// gaps collects what was not covered, each once, a few of them. Judges name criteria among the gaps: those have a score.
func (b *builder) gaps() []string {
	var out []string
	for _, it := range b.items {
		for _, g := range it.a.Gaps {
			scored := slices.ContainsFunc(b.r.Averages, func(a Average) bool { return a.Name == g || a.Criterion == g })
			told := slices.ContainsFunc(b.r.NextSteps, func(s Step) bool { return strings.Contains(s.Text, g) })
			if !scored && !told {
				out = add(out, g)
			}
		}
	}
	return out[:min(len(out), most)]
}
