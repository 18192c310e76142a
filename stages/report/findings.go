package report

import (
	"cmp"
	"slices"
	"strings"
)

// How many strengths and things to improve a report names (R002-52, R002-53).
const (
	fewest = 2
	most   = 3
)

// flat is the spread of normalised means below which scores are even: then evidence decides, not rank (R002-57).
const flat = 0.05

// wholeAnswer stands for a criterion in a finding about one answer as such.
const wholeAnswer = "answer"

// choice is something that may become a finding: a criterion over all answers, or in one answer.
type choice struct {
	criterion, name string
	question        int // 0 = over all
	score           Score
	evidence        []Quote
	gap             string
}

// findings names two or three strengths and as many things to improve. Means beyond a threshold come first; then the best
// and the worst of those between, if they differ; then single answers, by score and by evidence. Nothing is both. With
// fewer than two assessed answers there is not enough to compare, and the report says so.
func (b *builder) findings() {
	if b.r.Overall == nil {
		return
	}
	p := picker{b: b}
	p.whole, p.marks, p.answers = b.choices()
	p.byThreshold()
	if b.r.Coverage.Assessed < fewest {
		b.r.Notes = append(b.r.Notes, b.note("few_answers"))
	} else {
		p.byRank()
		p.bySingle()
	}
	b.r.Strengths, b.r.Improvements = p.strong, p.weak
}

// choices lists the criteria over all answers, the marks of every answer, and the answers as such.
func (b *builder) choices() (whole, marks, answers []choice) {
	for _, it := range b.items {
		if !it.a.Assessed {
			continue
		}
		answer := choice{criterion: wholeAnswer, name: b.itemName(it), question: it.number, score: *it.a.Score, evidence: it.a.Evidence}
		if len(it.a.Gaps) > 0 {
			answer.gap = it.a.Gaps[0]
		}
		for _, m := range rows(it.a) {
			if m.Score == nil {
				continue
			}
			name := m.Name
			if it.number == 0 {
				name += " · " + b.itemName(it)
			}
			marks = append(marks, choice{criterion: m.Criterion, name: name, question: it.number, score: *m.Score, evidence: m.Evidence})
			answer.evidence = append(slices.Clip(answer.evidence), m.Evidence...)
		}
		answers = append(answers, answer)
	}
	for _, avg := range b.r.Averages {
		whole = append(whole, choice{criterion: avg.Criterion, name: avg.Name, score: avg.Score})
	}
	return whole, marks, answers
}

// itemName calls an answer by its question's number, or a stage by its title.
func (b *builder) itemName(it item) string {
	if it.number > 0 {
		return b.words.Say("question_n", "n", number(it.number))
	}
	for i := range b.r.Stages {
		if &b.r.Stages[i].Assessment == it.a {
			return b.r.Stages[i].Title
		}
	}
	return ""
}

// picker makes the choice.
type picker struct {
	b                     *builder
	whole, marks, answers []choice
	strong, weak          []Finding
}

func (p *picker) taken(c choice) bool {
	same := func(f Finding) bool {
		return f.Criterion == c.criterion && f.Question == c.question && f.Name == c.name
	}
	return slices.ContainsFunc(p.strong, same) || slices.ContainsFunc(p.weak, same)
}

func (p *picker) byThreshold() {
	t := p.b.src.Thresholds
	for _, c := range ranked(p.whole) {
		if c.score.Norm >= t.Strength-1e-9 && len(p.strong) < most {
			p.strong = append(p.strong, p.finding(c, "strength", ByThreshold))
		}
	}
	for _, c := range backwards(ranked(p.whole)) {
		if c.score.Norm <= t.Area+1e-9 && len(p.weak) < most && !p.taken(c) {
			p.weak = append(p.weak, p.finding(c, "area", ByThreshold))
		}
	}
}

// byRank fills up with the best and the worst criteria between the thresholds, in turns, if they differ at all.
func (p *picker) byRank() {
	t := p.b.src.Thresholds
	between := slices.DeleteFunc(ranked(p.whole), func(c choice) bool {
		return c.score.Norm >= t.Strength-1e-9 || c.score.Norm <= t.Area+1e-9
	})
	if n := len(p.whole); n > 0 && ranked(p.whole)[0].score.Norm-ranked(p.whole)[n-1].score.Norm < flat {
		return
	}
	for len(between) > 0 && (len(p.strong) < fewest || len(p.weak) < fewest) {
		if len(p.strong) < fewest {
			p.strong = append(p.strong, p.finding(between[0], "strength", ByRank))
			between = between[1:]
		}
		if n := len(between); n > 0 && len(p.weak) < fewest {
			p.weak = append(p.weak, p.finding(between[n-1], "area", ByRank))
			between = between[:n-1]
		}
	}
}

// bySingle fills up with marks in criteria that were not named, then with whole answers, then with any marks: the highest
// and those with the most words to show for them, and the lowest and those with the fewest.
func (p *picker) bySingle() {
	fresh := slices.DeleteFunc(slices.Clone(p.marks), func(c choice) bool { return named(p.strong, c) || named(p.weak, c) })
	for _, from := range [][]choice{fresh, p.answers, p.marks} {
		order := ranked(from)
		basis := ByRank
		if n := len(order); n > 0 && order[0].score.Norm-order[n-1].score.Norm < flat {
			basis = ByEvidence
		}
		for _, c := range order {
			if len(p.strong) < fewest && !p.taken(c) {
				p.strong = append(p.strong, p.finding(c, "strength", basis))
			}
		}
		for _, c := range backwards(order) {
			if len(p.weak) < fewest && !p.taken(c) {
				p.weak = append(p.weak, p.finding(c, "area", basis))
			}
		}
	}
}

// named reports whether the criterion is named already.
func named(in []Finding, c choice) bool {
	return slices.ContainsFunc(in, func(f Finding) bool { return f.Criterion == c.criterion })
}

// finding words a choice and gives it the words of the candidate that show it.
func (p *picker) finding(c choice, kind, basis string) Finding {
	f := Finding{Criterion: c.criterion, Name: c.name, Question: c.question, Score: c.score, Basis: basis}
	if kind == "strength" || c.score.Norm < middle {
		f.Evidence = clip(c.evidence, fewest)
	}
	if c.question == 0 && len(c.evidence) == 0 {
		f.Evidence = p.shown(c.criterion, kind == "strength")
	}
	where := "all"
	if c.criterion == wholeAnswer {
		where = "answer"
	} else if c.question > 0 {
		where = "one"
	}
	f.Text = p.b.words.Say("finding."+kind+"."+p.manner(kind, basis, c.score)+"."+where,
		"name", c.name, "score", p.b.words.Score(c.score), "n", number(c.question))
	if kind == "area" && c.gap != "" && c.criterion == wholeAnswer {
		f.Text += " " + p.b.words.Say("finding.gap", "gap", c.gap)
	}
	return f
}

// manner is how a finding is worded: one that is named because something has to be is not praised for a low score, nor blamed
// for a high one.
func (p *picker) manner(kind, basis string, s Score) string {
	switch {
	case basis == ByEvidence: // its words say that the scores are even
	case kind == "strength" && p.b.low(s):
		return "low"
	case kind == "area" && p.b.high(s):
		return "high"
	}
	return basis
}

func (b *builder) low(s Score) bool  { return s.Norm <= b.src.Thresholds.Area+1e-9 }
func (b *builder) high(s Score) bool { return s.Norm >= b.src.Thresholds.Strength-1e-9 }

// middle is the normalised level from which on a quote shows what is there, and not what is lacking: beneath a weakness it
// would puzzle.
const middle = 0.5

// shown returns the words behind a criterion's mean: of its best marks, or of its worst if they are low.
func (p *picker) shown(criterion string, best bool) []Quote {
	order := ranked(p.marks)
	if !best {
		order = backwards(order)
	}
	for _, c := range order {
		if c.criterion == criterion && len(c.evidence) > 0 && (best || c.score.Norm < middle) {
			return clip(c.evidence, fewest)
		}
	}
	return nil
}

// ranked orders by score, then by evidence, then as they came.
func ranked(from []choice) []choice {
	out := slices.Clone(from)
	slices.SortStableFunc(out, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.score.Norm, a.score.Norm), cmp.Compare(len(b.evidence), len(a.evidence)))
	})
	return out
}

func backwards(from []choice) []choice {
	out := slices.Clone(from)
	slices.Reverse(out)
	return out
}

// clip keeps the first n quotes that do not repeat one another.
func clip(from []Quote, n int) []Quote {
	var s shown
	fresh := s.fresh(from)
	return fresh[:min(len(fresh), n)]
}

// shown remembers the quotes that a reader has before them.
type shown struct{ quotes []Quote }

// fresh returns those that repeat nothing, and remembers them.
func (s *shown) fresh(from []Quote) []Quote {
	var out []Quote
	for _, q := range from {
		repeats := func(o Quote) bool {
			return o.Turn == q.Turn && (strings.Contains(o.Text, q.Text) || strings.Contains(q.Text, o.Text))
		}
		if !slices.ContainsFunc(s.quotes, repeats) {
			s.quotes, out = append(s.quotes, q), append(out, q)
		}
	}
	return out
}

// steps tells what to practise, one step for each thing to improve, and which questions to try again.
func (b *builder) steps() {
	if b.r.Overall == nil {
		b.r.NextSteps = b.firstSteps()
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
}

// stepFor finds the words of a next step. There is a better answer to compare with only where a judge wrote one.
func (b *builder) stepFor(f Finding) string {
	key := "step." + f.Criterion
	switch {
	case f.Criterion == wholeAnswer && f.Question == 0, !b.words.Has(key):
		return "step.other"
	case f.Criterion == wholeAnswer && b.r.Questions[f.Question-1].Improved == "":
		return "step.answer_alone"
	}
	return key
}

// firstSteps are for somebody of whom nothing could be assessed: what was looked for, where they were heard well enough.
func (b *builder) firstSteps() []Step {
	if !b.r.Quality.OK || b.r.Coverage.Answered == 0 {
		return []Step{{Text: b.words.Say("step.again")}}
	}
	var out []Step
	for _, j := range b.src.Judged {
		for _, m := range j.Evaluation.Marks {
			key := "step." + m.Criterion
			known := slices.ContainsFunc(out, func(s Step) bool { return s.Criterion == m.Criterion })
			if b.words.Has(key) && !known && len(out) < fewest {
				out = append(out, Step{Criterion: m.Criterion, Text: b.words.Say(key)})
			}
		}
	}
	return append(out, Step{Text: b.words.Say("step.retake")})
}

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
