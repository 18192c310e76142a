package report

import (
	"cmp"
	"slices"

	"github.com/vivavoice/viva/stages/understand"
)

// How many strengths and things to improve a report names (R002-52, R002-53).
const (
	fewest = 2
	most   = 3
)

// quarter is the normalised score below which nothing is called a strength, even if it is the best there is.
const quarter = 0.25

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
	hits, gaps      []string
	least           *Mark // of an answer: the lowest of several marks that differ
}

// pick is a choice that was made, and on what.
type pick struct {
	choice
	basis string
}

// findings names two or three strengths and as many things to improve. Means beyond a threshold come first; then the best
// and the worst of those between, if they differ; then single answers, by score and by evidence. No criterion is both, so that there
// may be fewer (RM-31). Means that are even and middling name nobody's weakness: then only answers and evidence choose (R002-57). The
// report says so, and also that with fewer than two assessed answers there is not enough to compare.
func (b *builder) findings() {
	if !b.scored() {
		b.r.Strengths, b.r.Improvements = b.checked(true)
		return
	}
	var p picker
	p.whole, p.marks, p.answers = b.choices()
	typical := 2*b.r.Coverage.Assessed >= len(b.items) // one good answer of five is no strength of the talk
	switch {
	case b.r.Coverage.Assessed < fewest:
		if typical {
			p.byThreshold()
		}
		if b.r.Overall != nil { // else it is said already
			b.r.Notes = append(b.r.Notes, b.say("few_answers"))
		}
	case b.r.Overall == nil: // of a single criterion: there is nothing to rank
		if typical {
			p.byThreshold()
		}
	default:
		if p.even = even(p.whole); p.even {
			b.r.Notes = append(b.r.Notes, b.note("even", "score", b.words.Score(b.r.Overall.Score)))
		}
		p.byThreshold()
		p.byRank()
		p.byGaps()
		p.bySingle()
	}
	p.strong = slices.DeleteFunc(p.strong, func(c pick) bool { return c.score.Norm < quarter })
	w := wording{b: b, marks: p.marks}
	b.r.Strengths, b.r.Improvements = w.findings("strength", p.strong), w.findings("area", p.weak)
	right, wrong := b.checked(false)
	b.r.Strengths, b.r.Improvements = topUp(b.r.Strengths, right), topUp(b.r.Improvements, wrong)
}

// topUp adds to a list as long as it is short.
func topUp(to, more []Finding) []Finding {
	return append(to, more[:min(len(more), max(0, most-len(to)))]...)
}

// checked are findings without a score: right claims with their reason and, with criteria, those as they were met in the end; of each part
// the one whose words tell the most, and few in all. A wrong claim that did not stay so is progress: its part tells of it.
func (b *builder) checked(criteria bool) (strong, weak []Finding) {
	var good []Point
	about := make(map[string]Finding) // by the text of the point
	latest := make(map[string]Point)
	for i := range b.r.Stages {
		s := &b.r.Stages[i]
		for _, p := range s.Points {
			if p.Kind == PointCovered && latest[p.Name].at() <= p.at() {
				latest[p.Name] = p
			}
		}
	}
	for i := range b.r.Stages {
		s := &b.r.Stages[i]
		var here []Point
		for _, p := range s.Points {
			if p.Quote == nil {
				continue
			}
			f := Finding{Name: p.Name, Basis: ByCheck, Text: b.words.Say("finding.checked", "text", p.Text, "part", s.Title), Evidence: []Quote{*p.Quote}}
			covered := p.Kind == PointCovered && criteria && latest[p.Name] == p
			if covered {
				f.Criterion = p.Name
			}
			about[p.key()] = f
			switch {
			case p.Kind == PointRight, covered && p.Level > 1:
				if understand.Words(p.Quote.Text) >= fewestPraised {
					here = append(here, p)
				}
			case (p.Kind == PointWrong || covered) && !p.Settled:
				weak = append(weak, f)
			}
		}
		good = append(good, b.best(here, 1)...)
	}
	for _, p := range b.best(good, most) {
		strong = append(strong, about[p.key()])
	}
	return strong, weak[:min(len(weak), most)]
}

// at is when the words of a point were said.
func (p Point) at() Millis {
	if p.Quote == nil {
		return 0
	}
	return p.Quote.At
}

func (p Point) key() string { return p.Text + p.Quote.Text }

// level reports whether scores are alike.
func level(of []choice) bool {
	order := ranked(of)
	return len(order) > 0 && order[0].score.Norm-order[len(order)-1].score.Norm < flat
}

// even reports whether the means of several criteria are alike, and neither strong nor low.
func even(whole []choice) bool {
	if len(whole) < fewest || !level(whole) {
		return false
	}
	order := ranked(whole)
	return !order[0].score.high() && order[len(order)-1].score.Norm >= middle-flat
}

// choices lists the criteria over all answers, the marks of every answer, and the answers as such.
func (b *builder) choices() (whole, marks, answers []choice) {
	for _, it := range b.items {
		if !it.a.Assessed {
			continue
		}
		answer := choice{
			criterion: wholeAnswer, name: it.name, question: it.number, score: *it.a.Score,
			evidence: it.a.Evidence, hits: it.a.Hits, gaps: it.a.Gaps,
		}
		for _, m := range rows(it.a) {
			if m.Score == nil {
				continue
			}
			name := m.Name
			if it.number == 0 {
				name += " · " + it.name
			}
			marks = append(marks, choice{criterion: m.Criterion, name: name, question: it.number, score: *m.Score, evidence: m.Evidence})
			answer.evidence = append(slices.Clip(answer.evidence), m.Evidence...)
		}
		answer.least = least(rows(it.a))
		answers = append(answers, answer)
	}
	for _, avg := range b.r.Averages {
		c := choice{criterion: avg.Criterion, name: avg.Name, score: avg.Score}
		if len(b.items) == 1 { // all there is to show was said in it
			for _, m := range marks {
				if m.criterion == avg.Criterion {
					c.evidence = m.evidence
				}
			}
			if len(b.r.Averages) == 1 { // and all that is missing is missing for it
				c.gaps = b.items[0].a.Gaps
			}
		}
		whole = append(whole, c)
	}
	return whole, marks, answers
}

// least is the mark that is lower than all others; nil where there is none.
func least(of []Mark) *Mark {
	order := slices.DeleteFunc(slices.Clone(of), func(m Mark) bool { return m.Score == nil })
	slices.SortStableFunc(order, func(a, b Mark) int { return cmp.Compare(a.Score.Norm, b.Score.Norm) })
	if len(order) < 2 || order[0].Score.Norm == order[1].Score.Norm {
		return nil
	}
	return &order[0]
}

// picker makes the choice.
type picker struct {
	whole, marks, answers []choice
	strong, weak          []pick
	even                  bool // the means tell nothing apart
}

// same reports whether a pick is this choice.
func (c choice) same(o pick) bool {
	return o.criterion == c.criterion && o.question == c.question && o.name == c.name
}

func (p *picker) taken(c choice) bool {
	return slices.ContainsFunc(p.strong, c.same) || slices.ContainsFunc(p.weak, c.same)
}

func (p *picker) byThreshold() {
	for _, c := range ranked(p.whole) {
		if c.score.high() && len(p.strong) < most {
			p.strong = append(p.strong, pick{c, ByThreshold})
		}
	}
	for _, c := range backwards(ranked(p.whole)) {
		if c.score.low() && len(p.weak) < most && !p.even {
			p.weak = append(p.weak, pick{c, ByThreshold})
		}
	}
}

// byRank fills up with the best and the worst criteria between the thresholds, in turns, if they differ at all.
func (p *picker) byRank() {
	between := slices.DeleteFunc(ranked(p.whole), func(c choice) bool { return c.score.high() || c.score.low() })
	if level(p.whole) {
		return
	}
	for len(between) > 0 && (len(p.strong) < fewest || len(p.weak) < fewest) {
		if len(p.strong) < fewest {
			p.strong = append(p.strong, pick{between[0], ByRank})
			between = between[1:]
		}
		if n := len(between); n > 0 && len(p.weak) < fewest {
			p.weak = append(p.weak, pick{between[n-1], ByRank})
			between = between[:n-1]
		}
	}
}

// byGaps names the answers that left out the most, where neither means nor marks tell anything apart.
func (p *picker) byGaps() {
	if !p.even || !level(p.marks) {
		return
	}
	order := slices.Clone(p.answers)
	slices.SortStableFunc(order, func(a, b choice) int { return cmp.Compare(len(b.gaps), len(a.gaps)) })
	for _, c := range order {
		if len(c.gaps) > 0 && len(p.weak) < fewest {
			p.weak = append(p.weak, pick{c, ByEvidence})
		}
	}
}

// bySingle fills up with marks in criteria that were not named, then with whole answers, then with any marks: the highest
// and those with the most words to show for them, and the lowest and those with the fewest. Where it is words that choose,
// those of another criterion come before more of the same.
func (p *picker) bySingle() {
	fresh := slices.DeleteFunc(slices.Clone(p.marks), func(c choice) bool { return named(p.strong, c) || named(p.weak, c) })
	for _, from := range [][]choice{fresh, p.answers, p.marks} {
		order, basis := ranked(from), ByRank
		if level(from) {
			basis = ByEvidence
			p.fill(&p.strong, p.weak, order, basis, true)
			p.fill(&p.weak, p.strong, backwards(order), basis, true)
		}
		p.fill(&p.strong, p.weak, order, basis, false)
		p.fill(&p.weak, p.strong, backwards(order), basis, false)
	}
}

// fill picks the first choices that were not made until there are enough; other leaves out criteria that the list names. No
// criterion is both a strength and a weakness (RM-31).
func (p *picker) fill(list *[]pick, opposite []pick, order []choice, basis string, other bool) {
	for _, c := range order {
		both := c.criterion != wholeAnswer && named(opposite, c)
		again := other && named(*list, c)
		if len(*list) < fewest && !p.taken(c) && !both && !again {
			*list = append(*list, pick{c, basis})
		}
	}
}

// named reports whether the criterion is named already.
func named(in []pick, c choice) bool {
	return slices.ContainsFunc(in, func(o pick) bool { return o.criterion == c.criterion })
}

// middle is the normalised level from which on a quote shows what is there, and not what is lacking: beneath a weakness it
// would puzzle.
const middle = 0.5

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
