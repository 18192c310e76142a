package problem

import (
	"fmt"

	"github.com/vivavoice/viva/stages/facts"
)

// text is something in words, with where it stands in the file.
type text struct {
	at       string
	words    map[string]string // by language
	hidden   bool              // the candidate hears it after the summary at the earliest, or never
	asks     bool              // it is a question
	optional bool              // nobody misses it
}

// texts lists what there is in words, once in each language, but for how candidates put things.
func (p *Problem) texts() []text {
	out := []text{
		{at: "title", words: p.Title}, {at: "text", words: p.Text}, {at: "names", words: p.Names, hidden: true},
		{at: "summary", words: p.Summary, hidden: true}, {at: "first_step", words: p.FirstStep, optional: len(p.FirstStep) == 0},
	}
	for i, f := range p.Facts {
		out = append(out, text{at: fmt.Sprintf("facts[%d].say", i), words: f.Say, hidden: f.Tell == facts.Never})
	}
	for i := range p.Examples {
		out = append(out, p.Examples[i].texts(fmt.Sprintf("examples[%d]", i), true)...)
	}
	for i := range p.Approaches {
		out = append(out, text{at: fmt.Sprintf("approaches[%d].names", i), words: p.Approaches[i].Names, hidden: true})
	}
	for i := range p.Mistakes {
		m, at := &p.Mistakes[i], fmt.Sprintf("wrong[%d]", i)
		out = append(out, text{at: at + ".names", words: m.Names, hidden: true}, text{at: at + ".counter.say", words: m.Counter.Say, asks: true})
		out = append(out, m.Counter.texts(at+".counter", false)...)
	}
	for i, n := range p.Nudges {
		out = append(out, text{at: fmt.Sprintf("nudges[%d].say", i), words: n.Say, asks: true})
	}
	for i := range p.EdgeCases {
		e, at := &p.EdgeCases[i], fmt.Sprintf("edge_cases[%d]", i)
		out = append(out, text{at: at + ".question", words: e.Question, asks: true})
		out = append(out, e.texts(at, false)...)
	}
	for i, q := range p.FollowUps {
		out = append(out, text{at: fmt.Sprintf("follow_ups[%d].question", i), words: q.Question, asks: true})
	}
	return out
}

// texts are those of an input with its result, which is explained or not.
func (c *Case) texts(at string, explained bool) []text {
	return []text{{at: at + ".in", words: c.In}, {at: at + ".out", words: c.Out}, {at: at + ".why", words: c.Why, optional: !explained}}
}

// open returns, by path, all words that reach the candidate before the summary.
func (p *Problem) open() map[string]string {
	out := make(map[string]string)
	for _, t := range p.texts() {
		for lang, words := range t.words {
			if !t.hidden {
				out[t.at+"."+lang] = words
			}
		}
	}
	for at, lists := range map[string]map[string][]string{"hints": p.Hints, "clues": p.Clues} {
		for lang, list := range lists {
			for i, words := range list {
				out[fmt.Sprintf("%s.%s[%d]", at, lang, i)] = words
			}
		}
	}
	for i, tag := range p.Tags {
		out[fmt.Sprintf("tags[%d]", i)] = tag
	}
	return out
}
