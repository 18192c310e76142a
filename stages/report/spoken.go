package report

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/understand"
)

// spoken makes the summary for the voice: what was assessed, the overall score, what stood out, what to work on, one next
// step, and where the rest is if there is a page. Sentences that do not fit into 45 s are left out, the least important first (R002-56). It
// quotes nobody.
func (b *builder) spoken() string {
	type sentence struct {
		text string
		must bool
	}
	all := []sentence{{b.thanks(), true}, {b.covered(), false}}
	switch {
	case b.r.Coverage.Answers == 0:
		all = []sentence{{b.thanks(), true}, {b.words.Say("spoken.nothing"), true}}
	case b.r.Overall == nil && len(b.items) > 0:
		all = append(all, sentence{b.words.Say("spoken.unscored"), true})
	case b.r.Overall == nil:
		all = append(all, sentence{b.topics(), false}, sentence{b.named("spoken.strengths", criteria(b.r.Strengths)), false},
			sentence{b.named("spoken.areas", criteria(b.r.Improvements)), false}, sentence{b.checks(), false})
	default:
		all = append(all, sentence{b.words.Say("spoken.overall", "score", b.words.Score(b.r.Overall.Score)), true},
			sentence{b.strong(), false}, sentence{b.weak(), false})
		if missing := len(b.items) - b.r.Coverage.Assessed; missing > 0 {
			all = append(all, sentence{b.words.Say(b.unit("spoken.partial"), "missing", number(missing)), false})
		}
	}
	if len(b.r.NextSteps) > 0 {
		all = append(all, sentence{b.r.NextSteps[0].Text, false})
	}
	switch {
	case b.src.Page:
		all = append(all, sentence{b.words.Say("spoken.full"), true})
	case b.r.Coverage.Answers > 0:
		all = append(all, sentence{b.words.Say("spoken.short"), true})
	}

	left := b.words.Spoken
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

// criteria are the findings about a criterion: a claim is a quote, and nobody is quoted aloud.
func criteria(of []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(of), func(f Finding) bool { return f.Criterion == "" })
}

// topics names what was told, as far as it was asked for.
func (b *builder) topics() string {
	var names []string
	for _, s := range b.r.Stages {
		for _, p := range s.Points {
			if p.Kind == PointTold && p.Name != b.words.Say("point.longest") {
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
	right, mended, wrong := 0, 0, 0
	for _, s := range b.r.Stages {
		for _, p := range s.Points {
			switch {
			case p.Kind == PointRight:
				right++
			case p.Kind == PointWrong && p.Mended != nil:
				mended++
			case p.Kind == PointWrong:
				wrong++
			}
		}
	}
	if right+mended+wrong == 0 {
		return ""
	}
	return b.words.Say("spoken.checks", "right", number(right), "mended", number(mended), "wrong", number(wrong))
}

// longestName bounds the part of a name that is said.
const longestName = 24

func (b *builder) thanks() string {
	name, _, _ := strings.Cut(strings.TrimSpace(b.r.Candidate), "\n")
	if r := []rune(name); len(r) > longestName {
		name, _, _ = strings.Cut(string(r[:longestName]), " ")
	}
	if name == "" {
		return b.words.Say("spoken.thanks_nameless")
	}
	return b.words.Say("spoken.thanks", "name", name)
}

// covered says how much took place; of an interview of one part that goes without saying.
func (b *builder) covered() string {
	c := b.r.Coverage
	switch expected := max(c.Expected, c.Asked); {
	case expected == 0 && c.Stages < 2:
		return ""
	case expected == 0:
		return b.words.Say("spoken.stages", "held", number(b.spokenIn()), "of", number(c.Stages))
	case c.Answered == expected:
		return b.words.Say("spoken.all", "n", number(expected))
	default:
		return b.words.Say("spoken.some", "n", number(c.Answered), "of", number(expected))
	}
}

// spokenIn is in how many parts something was answered.
func (b *builder) spokenIn() int {
	n := 0
	for _, s := range b.r.Stages {
		if s.Answers > 0 {
			n++
		}
	}
	return n
}

// strong names the strengths; those that are none on the scale only where there are no others, and as what they are.
func (b *builder) strong() string {
	is := slices.DeleteFunc(scored(b.r.Strengths), func(f Finding) bool { return f.Score.low() })
	if len(is) == 0 {
		return b.named("spoken.best", scored(b.r.Strengths))
	}
	return b.named("spoken.strengths", is)
}

// scored are the findings with a score.
func scored(of []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(of), func(f Finding) bool { return f.Basis == ByCheck })
}

// weak names what to work on; what is good already only where there is nothing else.
func (b *builder) weak() string {
	is := slices.DeleteFunc(scored(b.r.Improvements), func(f Finding) bool { return f.Score.high() })
	if len(is) == 0 {
		return b.named("spoken.least", scored(b.r.Improvements))
	}
	return b.named("spoken.areas", is)
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
