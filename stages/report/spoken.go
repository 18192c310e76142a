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
	if b.r.Overall == nil {
		all = append(all, sentence{b.words.Say("spoken.unscored"), true})
	} else {
		all = append(all, sentence{b.words.Say("spoken.overall", "score", b.words.Score(b.r.Overall.Score)), true},
			sentence{b.strong(), false}, sentence{b.weak(), false})
		if missing := len(b.items) - b.r.Coverage.Assessed; missing > 0 {
			all = append(all, sentence{b.words.Say("spoken.partial", "missing", number(missing)), false})
		}
	}
	if len(b.r.NextSteps) > 0 {
		all = append(all, sentence{b.r.NextSteps[0].Text, false})
	}
	last := "spoken.short"
	if b.src.Page {
		last = "spoken.full"
	}
	all = append(all, sentence{b.words.Say(last), true})

	left := b.words.limit
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
		return b.words.Say("spoken.stages", "held", number(c.Held), "of", number(c.Stages))
	case c.Answered == expected:
		return b.words.Say("spoken.all", "n", number(expected))
	default:
		return b.words.Say("spoken.some", "n", number(c.Answered), "of", number(expected))
	}
}

// strong names the strengths; those that are none on the scale only where there are no others, and as what they are.
func (b *builder) strong() string {
	is := slices.DeleteFunc(slices.Clone(b.r.Strengths), func(f Finding) bool { return b.low(f.Score) })
	if len(is) == 0 {
		return b.named("spoken.best", b.r.Strengths)
	}
	return b.named("spoken.strengths", is)
}

// weak names what to work on; what is good already only where there is nothing else.
func (b *builder) weak() string {
	is := slices.DeleteFunc(slices.Clone(b.r.Improvements), func(f Finding) bool { return b.high(f.Score) })
	if len(is) == 0 {
		return b.named("spoken.least", b.r.Improvements)
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
