package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/calibration"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// thresholds decide what is named a strength or something to improve.
var thresholds = Thresholds{Strength: 0.75, Area: 0.5}

const (
	// sure is the confidence of a judge below which the reader is told; it decides nothing else.
	sure = 0.5
	// legible is the mean confidence of the recogniser, by words, from which on anybody is judged by a transcript. Recognisers give
	// around 0.9 for clear speech; below one half every other word may be wrong.
	legible = 0.5
	// fewestWords is how many words an answer has at least that shows anything.
	fewestWords = 3
)

func (s Score) low() bool  { return s.Norm <= thresholds.Area+1e-9 }
func (s Score) high() bool { return s.Norm >= thresholds.Strength-1e-9 }

// assess turns a judgement of these turns into what is reported: a score with its evidence, or the reason why there is
// none (RX-14). A poor transcript is noticed before any score is looked at.
func (b *builder) assess(j Judged, turns []state.Turn) Assessment {
	e := j.Evaluation
	a := Assessment{By: e.By, Rubric: e.Rubric, Degraded: e.Degraded, Flags: e.Flags}
	if code := b.unfit(j, turns); code != "" {
		return b.unassessed(a, code)
	}
	said := conversation(turns)
	for i, t := range turns {
		said[i].Content = b.fresh(t) // nothing else shows anything of them
	}
	a.Marks, a.Parts = b.marks(e.Marks, said, unsure(e)), b.parts(e.Parts, said)
	a.Evidence = b.quotes(evaluate.Verify(e.Evidence, said), a.Marks)
	a.Score = overall(e, a.Marks)
	switch assessed := len(scoresOf(a.Marks)); {
	case len(a.Marks) > 0 && assessed == 0:
		return b.unassessed(a, a.Marks[0].Reason.Code)
	case assessed < len(a.Marks):
		note := b.note(ReasonSomeMissing, "missing", number(len(a.Marks)-assessed), "of", number(len(a.Marks)))
		a.Reason = &note
	case len(a.Marks) == 0 && len(e.Evidence) > 0 && len(a.Evidence) == 0:
		return b.unassessed(a, ReasonUnquoted) // it rests on words that nobody said
	}
	if a.Score == nil {
		return b.unassessed(a, ReasonUnreadable)
	}
	a.Assessed = true
	a.unsure, a.uncalibrated = unsure(e), b.uncalibrated(e)
	a.Gaps = b.called(b.beyondMarks(e.Gaps, e))
	if !unsure(e) {
		a.Feedback, a.Improved = strings.TrimSpace(e.Feedback), strings.TrimSpace(e.Improved)
		a.Hits = b.called(b.beyondMarks(e.Hits, e))
	}
	return a
}

// unsure reports whether a judge was not sure. Its levels count where they rest on words; what it says of them is left out.
func unsure(e evaluate.Evaluation) bool { return e.Confidence > 0 && e.Confidence < sure }

// uncalibrated names the rubric if it is not known that it agrees with people, judged as it was here.
func (b *builder) uncalibrated(e evaluate.Evaluation) string {
	by := b.src.Provenance.Models[evaluators]
	if by == "" || e.Degraded != "" {
		by = calibration.Rules
	}
	if calibration.Reached(e.Rubric, by) {
		return ""
	}
	name, _, _ := strings.Cut(cmp.Or(e.Rubric, e.By), "@")
	if b.words.Has("rubric." + name) {
		name = b.words.Say("rubric." + name)
	}
	return name
}

// beyondMarks leaves out the names of criteria: their marks tell more, and one with a middling mark is not missing.
func (b *builder) beyondMarks(list []string, e evaluate.Evaluation) []string {
	names := make(map[string]bool)
	note := func(rubric string, marks []evaluate.Mark) {
		id, _, _ := strings.Cut(rubric, "@")
		for _, m := range marks {
			names[strings.ToLower(m.Criterion)], names[strings.ToLower(b.criterion(m.Criterion))] = true, true
			for _, locale := range append([]string{b.r.Locale}, b.def.Locales...) { // the talk may have changed its language since
				names[strings.ToLower(evaluate.CriterionNames(id, locale)[m.Criterion])] = true
			}
		}
	}
	note(e.Rubric, e.Marks)
	for _, p := range e.Parts {
		note(p.Rubric, p.Marks)
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return names[strings.ToLower(s)] })
}

// parts tells what each judge of a composite said. What was not assessed has no share.
func (b *builder) parts(from []evaluate.Part, said []evaluate.Turn) []Part {
	var full float64
	for _, p := range from {
		if partScore(p) != nil {
			full += max(p.Weight, 0)
		}
	}
	var out []Part
	for _, p := range from {
		part := Part{ID: p.ID, Name: b.criterion(p.ID), Score: partScore(p), By: p.By, Rubric: p.Rubric}
		if part.Score != nil {
			part.Marks = b.marks(p.Marks, said, false)
			if full > 0 {
				part.Share = round(max(p.Weight, 0) / full)
			}
		}
		out = append(out, part)
	}
	return out
}

func partScore(p evaluate.Part) *Score {
	if p.Missing != "" || p.Status != evaluate.StatusOK && p.Status != evaluate.StatusDegraded {
		return nil
	}
	return native(p.Score, p.Min, p.Max)
}

// unassessed keeps who judged and why it counts for nothing, and no score.
func (b *builder) unassessed(a Assessment, code string) Assessment {
	note := b.note(code)
	return Assessment{Reason: &note, By: a.By, Rubric: a.Rubric, Degraded: a.Degraded, Flags: a.Flags}
}

// unfit returns the reason for which the turns or their judgement cannot count; empty = they can.
func (b *builder) unfit(j Judged, turns []state.Turn) string {
	words, confidence := weigh(turns)
	switch {
	case len(turns) == 0:
		return ReasonUnanswered
	case !b.r.Quality.OK, confidence > 0 && confidence < legible:
		return ReasonPoor
	case j.Missing != "":
		return j.Missing
	case j.Evaluation.By == evaluate.KeywordCoverage: // words that are missing may have been said in others
		return ReasonNoJudge
	case j.Evaluation.Status == evaluate.StatusFailed:
		return ReasonFailed
	case j.Evaluation.Status == evaluate.StatusNotAssessed:
		return ReasonNothing
	case j.Evaluation.Status == "":
		return ReasonUnreadable
	case words < fewestWords:
		return ReasonShort
	}
	return ""
}

// marks keeps those levels whose quotes were really said. A mark that came without quotes keeps its level: the whole
// answer is its evidence, if its judge was sure. One whose quotes are all invented does not (RX-16).
func (b *builder) marks(from []evaluate.Mark, said []evaluate.Turn, unsure bool) []Mark {
	var out []Mark
	for _, m := range from {
		mark := Mark{Criterion: m.Criterion, Name: b.criterion(m.Criterion)}
		quotes := evaluate.Verify(m.Evidence, said)
		score := native(float64(m.Level), float64(m.Min), float64(m.Max))
		code := ""
		switch {
		case m.Status != evaluate.StatusOK, unsure && len(m.Evidence) == 0:
			code = ReasonNothing
		case score == nil:
			code = ReasonUnreadable
		case len(m.Evidence) > 0 && len(quotes) == 0:
			code = ReasonUnquoted
		}
		if code != "" {
			note := b.note(code)
			mark.Reason = &note
		} else {
			mark.Score, mark.Evidence = score, b.quotes(quotes, nil)
		}
		out = append(out, mark)
	}
	return out
}

// quotes times each quote, once each, without those that the marks show already.
func (b *builder) quotes(from []evaluate.Quote, shown []Mark) []Quote {
	var out []Quote
	for _, q := range from {
		same := func(o Quote) bool { return o.Turn == q.Turn && o.Text == q.Text }
		known := slices.ContainsFunc(out, same) ||
			slices.ContainsFunc(shown, func(m Mark) bool { return slices.ContainsFunc(m.Evidence, same) })
		if !known {
			out = append(out, Quote{Turn: q.Turn, Text: q.Text, At: b.spokenAt(q.Turn, q.Text)})
		}
	}
	return out
}

// spokenAt estimates when a quote was said: its place in the text is its place in the turn's time.
func (b *builder) spokenAt(turn uint64, quote string) Millis {
	for _, t := range b.r.Transcript {
		if t.ID != turn {
			continue
		}
		i := strings.Index(t.Text, quote)
		if i <= 0 {
			return t.At
		}
		return t.At + Millis(float64(t.To-t.At)*float64(i)/float64(len(t.Text)))
	}
	return 0
}

// scoresOf are those of the marks that were assessed.
func scoresOf(marks []Mark) (scores []Score) {
	for _, m := range marks {
		if m.Score != nil {
			scores = append(scores, *m.Score)
		}
	}
	return scores
}

// overall is the judge's own score, which weighs the marks as its rubric does, on their scale when they share one. Where the
// judge gave none that can be a mean of these marks, or some of its marks count for nothing here, it is their plain mean; for
// marks of equal weight the two are the same (R002-38).
func overall(e evaluate.Evaluation, marks []Mark) *Score {
	scores := scoresOf(marks)
	own := native(e.Score, e.Min, e.Max)
	plain, mixed := mean(scores)
	switch {
	case plain == nil:
		return own
	case own == nil || e.Score < e.Min || e.Score > e.Max || len(scores) < counted(e.Marks) || !between(own.Norm, scores):
		return plain
	case mixed:
		return own
	}
	least, most := scores[0].Min, scores[0].Max
	return &Score{Value: round(least + (e.Score-e.Min)/(e.Max-e.Min)*(most-least)), Min: least, Max: most, Norm: own.Norm}
}

// counted is how many marks a judge's own score rests on.
func counted(marks []evaluate.Mark) int {
	n := 0
	for _, m := range marks {
		if m.Status == evaluate.StatusOK {
			n++
		}
	}
	return n
}

// between reports whether a normalised score can be a weighted mean of scores: marks have whole levels, so half of one is
// granted on either side.
func between(norm float64, scores []Score) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range scores {
		half := 0.5 / (s.Max - s.Min)
		least, most = min(least, s.Norm-half), max(most, s.Norm+half)
	}
	return norm >= least-1e-9 && norm <= most+1e-9
}

// mean averages scores of one scale on that scale; those of several are averaged as normalised values, and mixed says so.
func mean(scores []Score) (s *Score, mixed bool) {
	if len(scores) == 0 {
		return nil, false
	}
	var value, norm float64
	for _, x := range scores {
		value, norm = value+x.Value, norm+x.Norm
		mixed = mixed || x.Min != scores[0].Min || x.Max != scores[0].Max
	}
	n := float64(len(scores))
	out := Score{Value: round(value / n), Min: scores[0].Min, Max: scores[0].Max, Norm: round(norm / n)}
	if mixed {
		out = Score{Value: out.Norm, Max: 1, Norm: out.Norm}
	}
	return &out, mixed
}

// native makes a score of a value on its scale, or nil where that is none.
func native(value, least, most float64) *Score {
	if most <= least || math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	value = min(max(value, least), most)
	return &Score{Value: round(value), Min: least, Max: most, Norm: round((value - least) / (most - least))}
}

// round keeps four decimals, so that a sum in another order is the same report.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// averages takes the mean of every criterion, and of all (R002-50). What was not assessed is in none.
func (b *builder) averages() {
	var order []string // of criteria
	names, scores := make(map[string]string), make(map[string][]Score)
	var all []Score
	for _, it := range b.items {
		if !it.a.Assessed {
			continue
		}
		all = append(all, *it.a.Score)
		for _, m := range rows(it.a) {
			if _, known := names[m.Criterion]; !known {
				names[m.Criterion], order = m.Name, append(order, m.Criterion)
			}
			if m.Score != nil {
				scores[m.Criterion] = append(scores[m.Criterion], *m.Score)
			}
		}
	}
	for _, id := range order {
		if avg := b.average(id, names[id], scores[id]); avg != nil {
			b.r.Averages = append(b.r.Averages, *avg)
		}
	}
	switch overall := b.average("overall", b.words.Say("overall"), all); {
	case overall == nil:
	case len(all) < min(fewest, len(b.items)), len(b.r.Averages) == 1 && b.incomplete():
		b.r.Notes = append(b.r.Notes, b.note("no_overall"))
	default:
		b.r.Overall = overall
		if overall.Mixed {
			b.r.Notes = append(b.r.Notes, b.note("mixed_scales"))
		}
	}
}

// average is the mean of these scores; nil of none.
func (b *builder) average(criterion, name string, of []Score) *Average {
	s, mixed := mean(of)
	if s == nil {
		return nil
	}
	return &Average{
		Criterion: criterion, Name: name, Score: *s, Count: len(of), Of: len(b.items), Mixed: mixed, Parts: len(b.r.Questions) == 0,
	}
}

// rows are what a score is made of: the marks, or the parts of a composite.
func rows(a *Assessment) []Mark {
	if len(a.Parts) == 0 {
		return a.Marks
	}
	out := slices.Clone(a.Marks)
	for _, p := range a.Parts {
		m := Mark{Criterion: p.ID, Name: p.Name, Score: p.Score}
		for _, k := range p.Marks {
			m.Evidence = append(m.Evidence, k.Evidence...)
		}
		out = append(out, m)
	}
	return out
}

// criterion names a criterion: as the source calls it, or the package's words, or a phrase of a plan in the report's language, or its id
// without underscores.
func (b *builder) criterion(id string) string {
	if name := b.src.Names[id]; name != "" {
		return name
	}
	if b.words.Has("criterion." + id) {
		return b.words.Say("criterion." + id)
	}
	if x := b.u.SubPhases; x != nil {
		for _, p := range x.Items {
			for _, k := range p.Keywords {
				if aliases := k.Aliases[b.words.Language]; k.Phrase == id && b.words.Language != fallbackLanguage && len(aliases) > 0 {
					return aliases[0]
				}
			}
		}
	}
	return spaced(id)
}

// called names what a judge listed by the criteria's ids.
func (b *builder) called(list []string) []string {
	var out []string
	for _, id := range list {
		out = append(out, b.criterion(id))
	}
	return out
}

// answered reports whether a question has an answer: silence, a refusal and a question back are none.
func answered(q Question) bool { return understand.Words(q.Answer) > 0 }
