package engine

import (
	"strconv"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/state"
)

// scope is where the prompts of the current visit are entered: the stage, or in an expanded stage the sub-phase, or the
// visit when the stage was on the floor before. Everything is asked once in a scope.
func (s *situation) scope() string {
	v := s.u.Current()
	switch {
	case v == nil:
		return s.u.Stage
	case v.Item != "":
		return v.Stage + "/" + v.Item
	case s.revisited():
		return v.Stage + "@" + strconv.FormatUint(v.Visit, 10)
	}
	return v.Stage
}

// revisited reports whether the stage on the floor was there before.
func (s *situation) revisited() bool {
	v := s.u.Current()
	for i := range len(s.u.Visits) - 1 {
		if s.u.Visits[i].Stage == v.Stage {
			return true
		}
	}
	return false
}

// anew reports whether prompts that were asked before may be asked in this visit once more, in other words.
func (s *words) anew() bool { return s.u.Current().Item != "" || s.revisited() }

// used reports whether a prompt, in a form, was issued where it may be issued once.
func (s *words) used(issue string) bool {
	if !s.anew() {
		return s.u.Ledger.Has(issue)
	}
	return s.timesHere(issue) > 0
}

// timesHere counts the issues of a prompt, in a form, in this scope.
func (s *words) timesHere(issue string) int {
	id, _, _ := strings.Cut(issue, "#")
	n := 0
	for _, issued := range s.u.Ledger.Asked[s.scope()] {
		if known, _, _ := strings.Cut(issued, "#"); known == id {
			n++
		}
	}
	return n
}

// reprompts is the entry of a question in the count of reprompts.
func (s *words) reprompts(id string) string {
	if !s.anew() {
		return id
	}
	return s.scope() + ":" + id
}

// times counts how often a prompt was issued, in any form.
func (s *situation) times(id string) int {
	n := 0
	for _, ids := range s.u.Ledger.Asked {
		for _, issued := range ids {
			if base(issued) == id {
				n++
			}
		}
	}
	return n
}

// fresh names the next issue of a prompt.
func (s *words) fresh(id string) string { return variant(id, s.wordingOf(id)) }

// worded returns the next issue of a prompt, and its words: those of a wording that was not heard, or else of one that has
// something new to say. Where all was heard, there are no words.
func (s *words) worded(id string) (issue, text string) {
	n := s.wordingOf(id)
	partly := ""
	for range s.iv.Words.Variants(id, prompts.Say) {
		words := s.render(id, prompts.Say, n)
		fresh := s.unheardOf(words)
		if words != "" && fresh == words {
			return variant(id, n), words
		}
		if partly == "" && fresh != "" {
			issue, partly = variant(id, n), words
		}
		if n++; s.u.Ledger.Has(variant(id, n)) {
			break
		}
	}
	if partly == "" {
		return s.fresh(id), ""
	}
	return issue, partly
}

// wordingOf numbers the next wording of a prompt, so that its issue is one that was not made before.
func (s *situation) wordingOf(id string) int {
	n := s.times(id)
	for s.u.Ledger.Has(variant(id, n)) {
		n++
	}
	return n
}

// issueOf names the next issue of a prompt in a form: where the form's own id is taken, with a number behind it.
func (s *words) issueOf(id string) string {
	if !s.u.Ledger.Has(id) {
		return id
	}
	for n := 1; ; n++ {
		if issue := variant(id, n); !s.u.Ledger.Has(issue) {
			return issue
		}
	}
}

// addFresh puts a prompt's next wording into a reply.
func (s *words) addFresh(r *state.Reply, id string) {
	if id == "" {
		return
	}
	issue, text := s.worded(id)
	add(r, issue, text)
}

// lines are the prompts of the stage on the floor: its own, or those for want of sub-phases.
func (s *situation) lines() definition.Prompts {
	st := s.stage()
	if v := s.u.Current(); v != nil && v.Single && st.Single != nil {
		return *st.Single
	}
	return st.Prompts
}

// addForm puts a prompt in one of its other forms into a reply.
func (s *words) addForm(r *state.Reply, id string, form prompts.Form) {
	issue := s.issueOf(id + "." + string(form))
	_, n, _ := strings.Cut(issue, "#")
	k, err := strconv.Atoi(n)
	if err != nil {
		k = 1
	}
	add(r, issue, s.render(id, form, k-1))
}

// variant names the issue of a prompt in its n-th wording, counted from 0.
func variant(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n+1)
}

// base returns the prompt id of an issue: without variant and form.
func base(issue string) string {
	id, _, _ := strings.Cut(issue, "#")
	for _, form := range []prompts.Form{prompts.Reprompt, prompts.Simple} {
		id = strings.TrimSuffix(id, "."+string(form))
	}
	return id
}
