package problem

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/understand"
)

// findings collects what is wrong with one file, each thing with its place.
type findings struct{ *datafile.File }

// Parse decodes and checks one file. The error is a *datafile.Error that lists everything that is wrong.
func Parse(file string, text []byte) (*Problem, error) {
	f := findings{datafile.Open(file, text)}
	var p Problem
	if f.Decode(&p) {
		f.check(&p, file)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	p.ears = p.listen()
	return &p, nil
}

var (
	idPattern   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	costPattern = regexp.MustCompile(`^O\([^()]+\)$`)
)

// hintLevels is how many hints a problem has (R003-33).
const hintLevels = 3

// check finds what is wrong beyond the shape.
func (f findings) check(p *Problem, file string) {
	if !idPattern.MatchString(p.ID) {
		f.Add("id", "%q must be a lower-case name", p.ID)
	} else if name := strings.TrimSuffix(path.Base(file), ".yaml"); name != p.ID {
		f.Add("id", "the file %s.yaml holds problem %q: name both alike", name, p.ID)
	}
	f.OneOf("difficulty", "difficulty", p.Difficulty, []string{"easy", "medium", "hard"})
	if p.Pattern == "" {
		f.Add("pattern", "name the pattern that solves it")
	}
	f.cost(p.Complexity, "complexity")
	f.languages(p)
	f.approaches(p)
	f.sheet(p)
	f.mistakes(p)
	f.edgeCases(p)
	f.followUps(p)
	f.secrecy(p)
}

func (f findings) cost(c Cost, at string) {
	if !costPattern.MatchString(c.Time) {
		f.Add(at+".time", "%q is not a cost such as O(n)", c.Time)
	}
	if !costPattern.MatchString(c.Space) {
		f.Add(at+".space", "%q is not a cost such as O(1)", c.Space)
	}
}

// languages checks that everything there is in words is there in every language of the text.
func (f findings) languages(p *Problem) {
	if len(p.Text) == 0 {
		f.Add("text", "write the task in at least one language")
		return
	}
	for _, t := range p.texts() {
		f.text(p, t)
	}
	for _, lang := range p.Languages() {
		for at, need := range map[string]struct {
			lists map[string][]string
			least int
		}{
			"synonyms": {p.Synonyms, 1}, "terms": {p.Terms, 3}, "clues": {p.Clues, 1}, "related": {p.Related, 1},
		} {
			if len(need.lists[lang]) < need.least {
				f.Add(at, "language %q needs at least %d of them", lang, need.least)
			}
		}
		if n := len(p.Hints[lang]); n != hintLevels {
			f.Add("hints", "there are %d hints in language %q: there must be %d, of rising strength", n, lang, hintLevels)
		}
	}
	for at, lists := range map[string]map[string][]string{"hints": p.Hints, "clues": p.Clues} {
		for lang, list := range lists {
			for i, text := range list {
				f.question(fmt.Sprintf("%s.%s[%d]", at, lang, i), text)
			}
		}
	}
}

// text checks that something is there in every language of the problem, and that a question is one.
func (f findings) text(p *Problem, t text) {
	for _, lang := range p.Languages() {
		if !t.optional && strings.TrimSpace(t.words[lang]) == "" {
			f.Add(t.at, "the words in language %q are missing", lang)
		}
	}
	for lang, words := range t.words {
		if t.asks {
			f.question(t.at+"."+lang, words)
		}
	}
}

func (f findings) question(at, text string) {
	if n := understand.QuestionMarks(text); n != 1 {
		f.Add(at, "it asks %d questions: ask exactly one", n)
	}
}

func (f findings) approaches(p *Problem) {
	f.Distinct("approaches", ".id", "approach", p.approachIDs())
	qualities := make(map[string]bool)
	for i, a := range p.Approaches {
		at := fmt.Sprintf("approaches[%d]", i)
		if a.ID == "" {
			f.Add(at, "give the approach an id")
		}
		qualities[a.Quality] = true
		f.OneOf(at+".quality", "quality", a.Quality, []string{Brute, Better, Best})
		if len(a.Keywords) == 0 {
			f.Add(at, "list the words that a candidate uses for it under keywords")
		}
		f.cost(a.Cost, at+".cost")
	}
	if !qualities[Brute] || !qualities[Best] {
		f.Add("approaches", "give at least one brute and one best approach")
	}
}

func (f findings) edgeCases(p *Problem) {
	if len(p.EdgeCases) < leastEdgeCases {
		f.Add("edge_cases", "problem %s needs at least %d edge cases, each with in and out", p.ID, leastEdgeCases)
	}
	for i, c := range p.EdgeCases {
		at := fmt.Sprintf("edge_cases[%d]", i)
		if c.ID == "" || len(c.Keywords) == 0 {
			f.Add(at, "an edge case needs an id, and keywords by which a candidate's mention is heard")
		}
		f.data(at, &c.Case)
	}
}

func (f findings) followUps(p *Problem) {
	if len(p.FollowUps) < 2 {
		f.Add("follow_ups", "give at least two, the easiest first")
	}
	for i, q := range p.FollowUps {
		at := fmt.Sprintf("follow_ups[%d]", i)
		if q.ID == "" {
			f.Add(at, "a follow-up needs an id")
		}
		f.OneOf(at+".aim", "aim", q.Aim, []string{AimSpace, AimVariant, AimSpecial, AimInput})
	}
}

// secrecy checks that nothing the candidate sees or hears before the summary gives the pattern away (R003-30).
func (f findings) secrecy(p *Problem) {
	secrets := p.Secrets()
	for at, text := range p.open() {
		if word := understand.Which(text, secrets); word != "" {
			f.Add(at, "the words %q give the pattern away", word)
		}
	}
}
