package design

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/evaluate"
)

// check collects the problems of one file.
type check struct{ *datafile.File }

func (c *check) bank(b *bank) {
	if b.Bank == "" {
		c.Add("bank", "the name of the bank is missing")
	}
	c.questions(b.Questions, "questions")
}

// questions checks what can be said of questions alone.
func (c *check) questions(list []question, at string) {
	c.Distinct(at, ".id", "id", datafile.Names(list, func(q *question) string { return q.ID }))
	for i, q := range list {
		here := fmt.Sprintf("%s[%d]", at, i)
		if q.ID == "" {
			c.Add(here, "give the question an id")
		}
		if strings.TrimSpace(q.Text["en"]) == "" {
			c.Add(here+".text", "the question needs a text in English (en)")
		}
		q.Facts.Check(here+".facts", c.Add)
	}
}

func (c *check) company(co *company, banks map[string]*bank) {
	if co.Company == "" || co.Company != datafile.ID(co.Company) {
		c.Add("company", "%q is no name; use small letters, digits and _", co.Company)
	}
	co.Facts.Check("facts", c.Add)
	if len(co.Interviews) == 0 {
		c.Add("interviews", "there is no interview; name at least one type, such as system_design")
	}
	for name, i := range co.Interviews {
		at := "interviews." + name
		if i == nil {
			c.Add(at, "the interview is empty")
			continue
		}
		if i.Bank != "" && banks[i.Bank] == nil {
			c.Add(at+".bank", "there is no bank %q", i.Bank)
		}
		c.interview(i, at)
	}
}

func (c *check) interview(i *interview, at string) {
	c.Share(at+".pass", i.Pass)
	c.choice(at+".words", i.Words, evaluate.WordsCandidate, evaluate.WordsBoth)
	c.choice(at+".match", i.Match, evaluate.MatchToken, evaluate.MatchSubstring)
	if len(i.Phases) > maxPhases {
		c.Add(at+".phases", "there are %d sub-phases; at most %d can be held", len(i.Phases), maxPhases)
	}
	ids := datafile.Names(i.Phases, func(p *phase) string { return p.ID })
	c.Distinct(at+".phases", ".id", "id", ids)
	for n := range i.Phases {
		c.phase(&i.Phases[n], fmt.Sprintf("%s.phases[%d]", at, n))
	}
	c.questions(i.Questions, at+".questions")
	for n, q := range i.Questions {
		for _, id := range q.Irrelevant {
			if !slices.Contains(ids, id) {
				c.Add(fmt.Sprintf("%s.questions[%d].irrelevant", at, n), "there is no sub-phase %q", id)
			}
		}
	}
	if i.Remote != nil {
		c.remote(i.Remote, at+".remote")
	}
}

// phase checks one sub-phase: id, name, description and keywords are told to the model, so none may be empty (R000-9, R000-29).
func (c *check) phase(p *phase, at string) {
	if !phaseID.MatchString(p.ID) {
		c.Add(at+".id", "%q is no id; use letters, digits, _ and -, at most 64", p.ID)
	}
	if strings.TrimSpace(p.Name) == "" {
		c.Add(at+".name", "the name is missing")
	}
	if strings.TrimSpace(p.Description) == "" {
		c.Add(at+".description", "the description is missing")
	}
	if len(p.Keywords) == 0 {
		c.Add(at+".keywords", "there are no keywords")
	}
	for n, k := range p.Keywords {
		if strings.TrimSpace(k.Phrase) == "" || k.Weight < 0 {
			c.Add(fmt.Sprintf("%s.keywords[%d]", at, n), "a keyword needs a phrase, and no negative weight")
		}
	}
	c.Share(at+".pass", p.Pass)
	if p.Soft < 0 || p.Hard < 0 || p.Hard > 0 && p.Soft > p.Hard {
		c.Add(at+".soft", "soft and hard must not be negative, and soft not be later than hard")
	}
}

func (c *check) remote(r *remote, at string) {
	if (r.URL == "") == (r.Card == "") {
		c.Add(at, "set url (where the service is) or card (where its agent card is), one of them")
	}
	for key, text := range map[string]string{"url": r.URL, "card": r.Card} {
		if text == "" {
			continue
		}
		if u, err := url.Parse(text); err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
			c.Add(at+"."+key, "%q is no http address without user and password", text)
		}
	}
	if r.Wait < 0 {
		c.Add(at+".wait", "the wait must not be negative")
	}
}

// choice notes a word that is given and not among those there are.
func (c *check) choice(at, got string, known ...string) {
	if got != "" {
		c.OneOf(at, "choice", got, known)
	}
}
