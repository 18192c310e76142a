package engine

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Reveals reports whether a text that is about to reach the candidate gives away what is hidden at this point of the
// interview: the pattern of the problem or a word for it, the value of a secret field, or the code of a solution
// (R003-30, R003-31, R003-95). Words that the candidate has said are no secret any more.
func (iv *Interview) Reveals(u *state.UserData, text string) bool {
	s := &situation{iv: iv, u: u}
	return s.reveals(text)
}

func (s *situation) reveals(text string) bool { return !s.partsOver() && s.givesUp(text) }

// partsOver reports whether all parts are over: a candidate who wants to know the best way may be told then. What they say once they were
// (StageVisit.Told) is not judged.
func (s *situation) partsOver() bool {
	v := s.u.Current()
	return v != nil && v.Closing
}

// givesUp reports whether a text says what is hidden.
func (s *situation) givesUp(text string) bool {
	if text == "" {
		return false
	}
	words := s.references()
	if !s.disclosed() {
		if code(text) || s.givesAway(text) {
			return true
		}
		words = append(words, s.secrets()...)
	}
	// Hardly ever is one of them in the text; only then the candidate's turns are looked through.
	return understand.Reveals(text, words) && slices.ContainsFunc(words, func(word string) bool {
		return understand.Reveals(text, []string{word}) && !s.saidByCandidate(word)
	})
}

// disclosed reports whether there is nothing to hide: in interviews without secrets, and from the last stage before the
// goodbye on, which sums up.
func (s *situation) disclosed() bool {
	hides := s.u.Problem != ""
	for _, f := range s.iv.Def.Fields {
		hides = hides || f.Secret
	}
	return !hides || s.iv.Def.Index(s.u.Stage) >= len(s.iv.Def.Stages)-2 && s.u.Stage != ""
}

// secrets are the words that nobody may say yet.
func (s *situation) secrets() []string {
	var out []string
	if p := s.problem(); p != nil {
		out = append(out, p.Secrets()...)
		out = append(out, strings.ReplaceAll(p.Pattern, "_", " "))
		for _, name := range p.Names {
			out = append(out, name)
		}
	}
	for id, f := range s.iv.Def.Fields {
		text, ok := valueOf(s.u.Fields[id]).(string)
		if f.Secret && ok && !strings.HasPrefix(text, "O(") && text != "" {
			out = append(out, strings.ReplaceAll(text, "_", " "))
		}
	}
	return slices.DeleteFunc(out, func(word string) bool { return strings.TrimSpace(word) == "" })
}

// references are the right answers that were not asked for yet, as far as they are phrases: a single word, or a formula as
// short as "on", stands in many sentences that give nothing away (RX-20).
func (s *situation) references() []string {
	var out []string
	add := func(from string) {
		if text := s.reference(from); len(strings.Fields(normalise(text))) > 1 && utf8.RuneCountInString(text) > 4 {
			out = append(out, text)
		}
	}
	for i := max(0, s.iv.Def.Index(s.u.Stage)); i < len(s.iv.Def.Stages); i++ {
		st := &s.iv.Def.Stages[i]
		add(st.Reference)
		for k := range s.iv.Def.Evaluations {
			if a := &s.iv.Def.Evaluations[k]; a.Reference != "" && (len(a.Stages) == 0 && !st.Final && !tells(st) || slices.Contains(a.Stages, st.ID)) {
				add(a.Reference)
			}
		}
	}
	return out
}

func (s *situation) saidByCandidate(word string) bool {
	return slices.ContainsFunc(s.u.Turns, func(t state.Turn) bool {
		return t.Speaker == state.SpeakerCandidate && understand.Says(t.Text, []string{word})
	})
}

// safe returns the text, or what is said in place of one that would give something away.
func (s *words) safe(text string) string {
	if !s.reveals(text) {
		return text
	}
	s.fact("secret.kept")
	return s.instead(text)
}

// instead is what is said when the words meant to be said are not there, or must not be heard.
func (s *words) instead(text string) string {
	st := s.stage()
	for _, id := range []string{st.Fallback, s.iv.Def.Recovery.Sorry, s.lines().Open} {
		if id == "" {
			continue
		}
		if _, other := s.worded(id); other != "" && !s.reveals(other) {
			return other
		}
	}
	return harmless(text, s.reveals)
}

// harmless leaves out the sentences that give something away.
func harmless(text string, reveals func(string) bool) string {
	var kept []string
	for _, sentence := range sentences(text) {
		if !reveals(sentence) {
			kept = append(kept, sentence)
		}
	}
	if out := strings.Join(kept, " "); out != "" && !reveals(out) {
		return out
	}
	return "…" // an utterance has some text; this one is silence
}

// codeMarks are signs of program code that spoken sentences do not have.
var codeMarks = regexp.MustCompile("(?m)```|\\b(def|func|function|class|public|static|void|int|var|let|const) +\\w+ *[(=:]|\\b(for|while|if) *\\([^)]*[;=<>]" +
	"|^ *(for|while|if|elif|else)\\b[^.?!]*: *$|\\w+ *(\\+=|:=|==|!=|<=|>=|=) *\\w+|\\breturn +[\\w\\[(]|\\w+\\[\\w+\\]|[{};]\\s*$|\\w+\\.\\w+\\(")

// manyMarks is how many make a solution of it: one may stand in a question about the candidate's own code.
const manyMarks = 3

// code reports whether a text holds program code at the length of a solution (R003-95).
func code(text string) bool {
	return strings.Contains(text, "```") || len(codeMarks.FindAllString(text, manyMarks)) >= manyMarks
}
