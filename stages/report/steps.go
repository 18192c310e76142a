package report

import "slices"

// steps tells what to practise, one step for each thing to improve, and which questions to try again.
func (b *builder) steps() {
	if b.r.Overall == nil {
		b.r.NextSteps = b.firstSteps()
		b.practise()
		return
	}
	for _, f := range b.r.Improvements {
		text := b.words.Say(b.stepFor(f), "name", f.Name, "n", number(f.Question))
		if slices.ContainsFunc(b.r.NextSteps, func(s Step) bool { return s.Text == text }) {
			continue
		}
		b.r.NextSteps = append(b.r.NextSteps, Step{Criterion: f.Criterion, Text: text, Questions: b.lowest(f)})
	}
	if gaps := b.gaps(); len(gaps) > 0 && len(b.r.NextSteps) <= most {
		b.r.NextSteps = append(b.r.NextSteps, Step{Text: b.words.Say("step.gaps", "gaps", b.words.List(gaps))})
	}
	b.practise()
}

// practise adds what is still to be done of the parts: what was wrong and stayed so, what was asked and not answered, what did not
// come up. Of what nobody asked for it says nothing.
func (b *builder) practise() {
	add := func(kind, key string) {
		for i := range b.r.Stages {
			for _, p := range b.r.Stages[i].Points {
				if p.Kind != kind || p.Mended != nil {
					continue
				}
				s := Step{Text: b.words.Say(key, "name", p.Name)}
				known := slices.ContainsFunc(b.r.NextSteps, func(o Step) bool { return o.Text == s.Text })
				if !known && len(b.r.NextSteps) <= most {
					b.r.NextSteps = append(b.r.NextSteps, s)
				}
			}
		}
	}
	for _, f := range b.r.Improvements {
		if b.r.Overall == nil && f.Basis == ByCheck && f.Criterion != "" && len(b.r.NextSteps) <= most {
			b.r.NextSteps = append(b.r.NextSteps, Step{Text: b.words.Say("step.touched", "name", f.Name)})
		}
	}
	add(PointWrong, "step.wrong")
	add(PointOpen, "step.open")
}

// stepFor finds the words of a next step. There is a better answer to compare with only where a judge wrote one.
func (b *builder) stepFor(f Finding) string {
	key := "step." + f.Criterion
	switch {
	case f.Basis == ByCheck && f.Criterion == "":
		return "step.wrong"
	case f.Criterion == wholeAnswer && f.Question == 0, !b.words.Has(key):
		return "step.other"
	case f.Criterion == wholeAnswer && b.r.Questions[f.Question-1].Improved == "":
		return "step.answer_alone"
	}
	return key
}

// firstSteps are for somebody of whom nothing could be assessed. They name no criterion: none was assessed (RM-31).
func (b *builder) firstSteps() []Step {
	switch {
	case b.r.Coverage.Answers == 0:
		return []Step{{Text: b.words.Say("step.whenever")}}
	case !b.r.Quality.OK:
		return []Step{{Text: b.words.Say("step.again")}}
	case len(b.items) > 0 && b.r.Quality.Words < shortAnswer*b.r.Coverage.Answers:
		return []Step{{Text: b.words.Say("step.retake")}}
	}
	return nil
}

// shortAnswer is how many words three sentences have at least.
const shortAnswer = 30

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

// gaps collects what was not covered, each once, a few of them.
func (b *builder) gaps() []string {
	var out []string
	for _, it := range b.items {
		for _, g := range it.a.Gaps {
			if !slices.Contains(out, g) && b.criterionID(g) == "" {
				out = append(out, g)
			}
		}
	}
	return out[:min(len(out), most)]
}

// criterionID returns the id of the criterion that is called so; judges name criteria among the gaps.
func (b *builder) criterionID(name string) string {
	for _, avg := range b.r.Averages {
		if avg.Name == name || avg.Criterion == name {
			return avg.Criterion
		}
	}
	return ""
}
