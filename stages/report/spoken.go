package report

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/understand"
)

// sentence is one of the spoken summary; what need not be said is left out where time is short.
type sentence struct {
	text string
	must bool
}

// spoken makes the summary for the voice. Sentences that do not fit into 45 s are left out (R002-56).
func (b *builder) spoken() string {
	all, left := b.summary(), b.words.Spoken
	for _, s := range all {
		if s.must {
			left -= understand.Words(s.text)
		}
	}
	var out []string
	for _, s := range all {
		n := understand.Words(s.text)
		if s.text == "" || !s.must && n > left {
			continue
		}
		if !s.must {
			left -= n
		}
		out = append(out, s.text)
	}
	return strings.Join(out, b.words.Say("sentence.join"))
}

// summary tells what was assessed, the overall score, what stood out, what to work on, one next step, and where the rest is if
// there is a page. Where there is a score it quotes nobody; where there is none, it names what was told.
func (b *builder) summary() (all []sentence) {
	must := func(key string, pairs ...string) { all = append(all, sentence{b.words.Say(key, pairs...), true}) }
	may := func(text string) { all = append(all, sentence{text, false}) }

	if name := b.addressed(); name == "" {
		must("spoken.thanks_nameless")
	} else {
		must("spoken.thanks", "name", name)
	}
	if b.r.Coverage.Answers > 0 {
		may(b.covered())
	}
	switch {
	case b.r.Quality.Words == 0:
		must("spoken.nothing")
	case b.r.Coverage.Answers == 0:
		must("spoken.nothing_taken")
	case !b.scored() && len(b.items) > 0:
		may(b.quoted())
		must("spoken.unscored")
	case !b.scored():
		may(b.topics())
		may(b.named("spoken.strengths", criteria(b.r.Strengths)))
		may(b.named("spoken.areas", criteria(b.r.Improvements)))
		may(b.checks())
	default:
		if o := b.r.Overall; o != nil {
			must("spoken.overall", "score", b.words.Score(o.Score))
		} else {
			must("spoken.no_overall")
		}
		may(b.stood(b.r.Strengths, "spoken.strengths", "spoken.best", Score.low))
		may(b.stood(b.r.Improvements, "spoken.areas", "spoken.least", Score.high))
		if missing := len(b.items) - b.r.Coverage.Assessed; missing > 0 {
			may(b.words.Say(b.unit("spoken.partial"), "missing", number(missing)))
		}
	}
	if len(b.r.NextSteps) > 0 {
		may(b.r.NextSteps[0].Text)
	}
	switch {
	case b.src.Page:
		must("spoken.full")
	case b.r.Coverage.Answers > 0:
		must("spoken.short")
	}
	return all
}

// criteria are the findings about a criterion: a claim is a quote, and nobody is quoted aloud.
func criteria(of []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(of), func(f Finding) bool { return f.Criterion == "" })
}

// topics names what was told, as far as it was asked for.
func (b *builder) topics() string {
	var names []string
	for _, s := range b.r.Stages {
		for _, p := range s.Points {
			if p.Kind == PointTold && p.Name != "" {
				names = add(names, p.Name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return b.words.Say("spoken.topics", "names", b.words.List(names[:min(len(names), spokenTopics)]))
}

// spokenTopics is how many facts are named aloud.
const spokenTopics = 4

// checks counts the claims that were checked.
func (b *builder) checks() string {
	right, mended, wrong := b.tally.right, b.tally.mended, b.tally.wrong
	if right+mended+wrong == 0 {
		return ""
	}
	return b.words.Say("spoken.checks", "right", number(right), "mended", number(mended), "wrong", number(wrong))
}

// longestName bounds the part of a name that is said.
const longestName = 24

// addressed is the candidate's name as far as it is said.
func (b *builder) addressed() string {
	name, _, _ := strings.Cut(strings.TrimSpace(b.r.Candidate), "\n")
	if r := []rune(name); len(r) > longestName {
		name, _, _ = strings.Cut(string(r[:longestName]), " ")
	}
	return name
}

// covered says how much took place; of an interview of one part that goes without saying.
func (b *builder) covered() string {
	c, held := b.r.Coverage, 0
	for _, s := range b.r.Stages {
		if s.Answers > 0 {
			held++
		}
	}
	switch expected := max(c.Expected, c.Asked); {
	case expected == 0 && c.Stages < 2:
		return ""
	case expected == 0:
		return b.words.Say("spoken.stages", "held", number(held), "of", number(c.Stages))
	case c.Answered == expected:
		return b.words.Say("spoken.all", "n", number(expected))
	default:
		return b.words.Say("spoken.some", "n", number(c.Answered), "of", number(expected))
	}
}

// stood names the findings of a list that have a score; those that are not what the list says only where there are no others, and
// as what they are.
func (b *builder) stood(list []Finding, key, otherwise string, not func(Score) bool) string {
	scored := slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return f.Basis == ByCheck })
	is := slices.DeleteFunc(slices.Clone(scored), func(f Finding) bool { return not(f.Score) })
	if len(is) == 0 {
		return b.named(otherwise, scored)
	}
	return b.named(key, is)
}

// named says which findings, each once.
func (b *builder) named(key string, findings []Finding) string {
	var names []string
	for _, f := range findings {
		name := f.Name
		switch {
		case f.Question > 0 && f.Criterion == wholeAnswer:
			name = b.words.Say("spoken.answer", "n", number(f.Question))
		case f.Question > 0:
			name = b.words.Say("spoken.one", "name", f.Name, "n", number(f.Question))
		}
		names = add(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return b.words.Say(key, "names", b.words.List(names))
}
