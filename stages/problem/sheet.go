package problem

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/facts"
)

// The ids of facts that every problem has. asks.yaml has more, whose wordings problems share; a problem may have others of its own.
const (
	FactSize    = "size"    // how large the input gets
	FactExample = "example" // made of the worked examples
)

//go:embed asks.yaml
var asksFile embed.FS

// asks are the wordings in which the shared facts are asked for: by fact and language.
var asks = sync.OnceValue(func() map[string]map[string][]string {
	out := make(map[string]map[string][]string)
	if err := datafile.Read(asksFile, "asks.yaml", &out); err != nil {
		panic(fmt.Sprintf("problem: %v", err)) //nolint:forbidigo // it ships with the package; a test reads it
	}
	return out
})

// Sheet returns what may be asked about the problem, with what is hidden (RM-6): its facts, each with the wordings that problems
// share and those of its own, and a fact for the worked examples.
func (p *Problem) Sheet() []facts.Fact {
	out := make([]facts.Fact, 0, len(p.Facts)+1)
	for _, f := range p.Facts {
		f.Asks = p.asked(f)
		out = append(out, f)
	}
	if len(p.Examples) > 0 && !slices.ContainsFunc(p.Facts, func(f facts.Fact) bool { return f.ID == FactExample }) {
		f := facts.Fact{ID: FactExample, Say: p.Example()}
		f.Asks = p.asked(f)
		out = append(out, f)
	}
	return append(out, p.Hidden()...)
}

// asked joins the wordings of a fact with the shared ones, in the problem's languages.
func (p *Problem) asked(f facts.Fact) map[string][]string {
	out := make(map[string][]string)
	for lang := range p.Text {
		if list := slices.Concat(f.Asks[lang], asks()[f.ID][lang]); len(list) > 0 {
			out[lang] = list
		}
	}
	return out
}

var exampleWords = map[string]string{
	"en": "For example: %s. The result is %s, because %s.",
	"zh": "举个例子：%s。结果是%s，因为%s。",
	"vi": "Ví dụ: %s. Kết quả là %s, vì %s.",
}

// Example words the first of the worked examples in each language; it is empty where there is none.
func (p *Problem) Example() map[string]string {
	out := make(map[string]string)
	if len(p.Examples) == 0 {
		return out
	}
	for lang := range p.Text {
		if form := exampleWords[lang]; form != "" {
			e := &p.Examples[0]
			out[lang] = fmt.Sprintf(form, e.In[lang], e.Out[lang], e.Why[lang])
		}
	}
	return out
}

// Hidden returns what nobody may hear before the summary, for judging what is said and for the gate (RM-28): the pattern, the
// reference approaches and their cost. Asks are wordings that would give it away.
func (p *Problem) Hidden() []facts.Fact {
	out := []facts.Fact{{ID: "pattern", Asks: p.Synonyms, Say: p.Names, Tell: facts.Never}}
	for i := range p.Approaches {
		if a := &p.Approaches[i]; a.Quality == Best {
			out = append(out, facts.Fact{ID: "approach." + a.ID, Asks: p.paraphrases(a), Say: a.Names, Tell: facts.Never})
		}
	}
	cost := make(map[string]string)
	for lang := range p.Text {
		cost[lang] = p.Complexity.String()
	}
	return append(out, facts.Fact{ID: "reference_cost", Say: cost, Tell: facts.Never})
}

// maxParaphrases bounds how many wordings one entry with alternatives is spelled out to.
const maxParaphrases = 16

// paraphrases lists the wordings of an approach by language; keywords, which have none, count in each.
func (p *Problem) paraphrases(a *Approach) map[string][]string {
	out := make(map[string][]string)
	for lang := range p.Text {
		out[lang] = slices.Concat(a.Keywords, p.Wordings(a.ID, lang))
	}
	return out
}

// Wordings spells out how an approach, right or wrong, is put in plain words in a language.
func (p *Problem) Wordings(id, lang string) []string {
	var plain []string
	if a, there := p.Approach(id); there {
		plain = a.Plain[lang]
	} else if m, there := p.Wrong(id); there {
		plain = m.Plain[lang]
	}
	var out []string
	for _, text := range plain {
		out = append(out, spellOut(text)...)
	}
	return out
}

// spellOut returns the wordings that an entry of Plain stands for, the first maxParaphrases of them.
func spellOut(text string) []string {
	out := []string{""}
	for _, field := range strings.Fields(strings.ReplaceAll(text, "…", " ")) {
		var next []string
		for _, begun := range out {
			for alternative := range strings.SplitSeq(field, "/") {
				if len(next) < maxParaphrases {
					next = append(next, strings.TrimSpace(begun+" "+strings.ReplaceAll(alternative, "_", " ")))
				}
			}
		}
		out = next
	}
	return out
}

// Wrong returns the usual wrong approach with this id.
func (p *Problem) Wrong(id string) (*Mistake, bool) {
	for i := range p.Mistakes {
		if p.Mistakes[i].ID == id {
			return &p.Mistakes[i], true
		}
	}
	return nil, false
}

// Approach returns the approach with this id, which is right but need not be good.
func (p *Problem) Approach(id string) (*Approach, bool) {
	for i := range p.Approaches {
		if p.Approaches[i].ID == id {
			return &p.Approaches[i], true
		}
	}
	return nil, false
}

// HintsFor returns the hints for somebody who is stuck on an approach, weakest first: those for it, the general ones, and
// the first step worked out (RM-11). No id, or an unknown one, is general.
func (p *Problem) HintsFor(id, locale string) []string {
	var out []string
	for _, n := range p.Nudges {
		if n.StuckOn == id && id != "" {
			out = append(out, In(n.Say, locale))
		}
	}
	out = append(out, In(p.Hints, locale)...)
	if step := In(p.FirstStep, locale); step != "" {
		out = append(out, step)
	}
	return out
}

// Told is what somebody has told of a solution.
type Told struct {
	Named      []string // the approaches
	Cost, Code bool     // what a way costs; how it is written
}

// HintsLeft are those of HintsFor that what was told does not make idle: who has named a cost, or a better way than the slowest, need not
// count its steps, who has named the best way looks for no faster one, and who has written it down is not led to it.
func (p *Problem) HintsLeft(id, locale string, told Told) []string {
	list := p.HintsFor(id, locale)
	rise := In(p.Hints, locale)
	own := len(list) - len(rise)
	if In(p.FirstStep, locale) != "" {
		own--
	}
	better, best := told.Cost, false
	for _, name := range told.Named {
		if a, there := p.Approach(name); there {
			better, best = better || a.Quality != Brute, best || a.Quality == Best
		}
	}
	idle := 0
	switch {
	case best && told.Code:
		return list[:own]
	case best:
		idle = 2
	case better:
		idle = 1
	}
	return slices.Concat(list[:own], list[own+min(idle, len(rise)):])
}

// Languages lists the languages that the problem is there in.
func (p *Problem) Languages() []string { return slices.Sorted(maps.Keys(p.Text)) }
