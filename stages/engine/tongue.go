package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// choiceLanguage is the offer to go on in the language that the candidate speaks (RM-12).
const choiceLanguage = "language"

// surelyWords is how many words a turn needs to be sure of its language: names of people and companies are shorter.
var surelyWords = map[string]int{"en": 4, "zh": 3, "vi": 5}

// spokenHere returns the language that a turn is in where it is another than the interview's, or "". Code has none.
func (s *situation) spokenHere(text string) string {
	own := prompts.Language(s.iv.Words.Locale())
	language := understand.Language(text, own)
	if language == own || understand.Words(text) < max(tellingWords, surelyWords[language]) || prompts.Every(language) == nil || codeMarks.MatchString(text) {
		return ""
	}
	return language
}

// otherLanguage tells somebody who speaks another language than the interview's, once in a stage, in theirs. Where the interview has that
// language, their words wait for their choice, and that was the whole turn; else they are taken as far as they are understood. A model that
// leads sees to it itself (noticed).
func (s *replies) otherLanguage(v *state.StageVisit, text string) bool {
	language := s.spokenHere(text)
	if st := s.stage(); language == "" || s.u.Distress || s.toldLanguage(language) || s.u.Model && !s.ruled && v.Missed < missedLeads && st.Worded() {
		return false
	}
	if s.hurts(s.iv, text) {
		return false // the rules of the interview's language see to it
	}
	if other := s.began.languages[language]; other != nil && s.hurts(other, text) {
		s.iv = other
		s.distressed(v)
		return true
	}
	if !s.tellLanguage(v, language) {
		return false
	}
	v.Owed = true
	s.sayPreface(MoveAnswer)
	return true
}

// hurts reports whether the rules of an interview find distress in a text.
func (s *replies) hurts(iv *Interview, text string) bool {
	return slices.ContainsFunc(iv.Rules.Acts(text), func(a understand.Act) bool { return a.Kind == understand.ActDistress })
}

// toldLanguage reports whether the candidate was told of the language in this stage, or as often as there are words for it.
func (s *replies) toldLanguage(language string) bool {
	here := slices.ContainsFunc(s.u.Visits, func(v state.StageVisit) bool {
		return v.Stage == s.u.Stage && slices.Contains(v.Languages, language)
	})
	words, id := s.aboutLanguage(language)
	return here || s.timesTold(language) >= words.Variants(id, prompts.Say)
}

// timesTold counts in how many stages the candidate was told of the language.
func (s *replies) timesTold(language string) int {
	n := 0
	for i := range s.u.Visits {
		if slices.Contains(s.u.Visits[i].Languages, language) {
			n++
		}
	}
	return n
}

// aboutLanguage are the words about another language, in it: of the interview in that language, or the shipped ones.
func (s *replies) aboutLanguage(language string) (*prompts.Catalogue, string) {
	if other := s.began.languages[language]; other != nil {
		return other.Words, "every.own_language"
	}
	return prompts.Every(language), "every.other_language"
}

// tellLanguage puts the words about another language, in that language, before what is said next. It reports whether the interview can go on
// in it: then that was offered.
func (s *replies) tellLanguage(v *state.StageVisit, language string) bool {
	words, id := s.aboutLanguage(language)
	n := s.timesTold(language)
	offered := s.began.languages[language] != nil
	if offered {
		v.Choice = choiceLanguage
	}
	v.Languages = append(slices.Clone(v.Languages), language)
	s.fact("language.other", field("language", language), field("offered", offered))
	d := s.data()
	d.Languages = s.heldIn(words)
	text, err := words.Render(id, prompts.Say, n, d)
	if err != nil {
		s.fact("prompt.failed", field("prompt", id), field("error", err.Error()))
	}
	s.before(variant(id+"."+language, n), text)
	return offered
}

// heldIn names, in the words of a catalogue, the languages that the interview can be held in here.
func (s *replies) heldIn(words *prompts.Catalogue) string {
	if len(s.began.languages) > 1 {
		return s.languagesIn(words)
	}
	own := prompts.Language(s.iv.Words.Locale())
	name, err := words.Render("language."+own, prompts.Say, 0, prompts.Data{})
	if err != nil {
		return "" // the words do without
	}
	return name
}

// leastMeant is how many words after the offer of another language go on with the answer before it: fewer are an answer to the offer, whatever
// they mean.
const leastMeant = 3

// settleLanguage takes what follows the offer of another language. It returns what is to be answered now: the words that waited, and those
// of this turn unless they only choose; "" = the question that waits is to be put in the language chosen.
func (s *replies) settleLanguage(v *state.StageVisit, text string) string {
	waited, owed := v.Input, v.Owed
	v.Choice, v.Owed, v.Input = "", false, ""
	language := v.Languages[len(v.Languages)-1]
	other := s.began.languages[language]
	if !owed {
		v.InputTurns = nil
	}
	yes, no := s.chooses(other, text)
	switch {
	case yes:
		s.transcript.aside(v)
		s.transcript.latest().Over = language
		s.iv = s.iv.Speaking(s.u)
		s.meant = meaning{}
		s.fact("language.chosen", field("language", language))
		s.blackboard.shareChoice() // the name of who interviews
		switch {
		case !owed:
			return text
		case onlyAsksLanguage(s.iv, waited):
			return ""
		}
		return waited
	case owed && (no || understand.Words(text) < leastMeant):
		s.transcript.aside(v)
		return waited
	case owed:
		return strings.TrimSpace(waited + " " + text)
	}
	return text
}

// putAgain puts the question that waits in the language that was chosen.
func (s *replies) putAgain(v *state.StageVisit) {
	v.Held = nil
	s.clock.resetIdle()
	s.suspend("turn")
	s.stopFloor("turn")
	s.clock.breakOver()
	if !s.rephrase(v) {
		s.restate(v)
	}
}

// chooses reports whether a text is a plain yes or no, in the interview's language or the one that was offered. Who asks for a language after
// the offer takes it.
func (s *replies) chooses(other *Interview, text string) (yes, no bool) {
	if other == nil || understand.Words(text) > 2*maxYes {
		return false, false
	}
	for _, iv := range []*Interview{s.iv, other} {
		short := understand.Words(text) <= maxYes
		for _, part := range []string{text, beforeComma(text)} {
			intents := iv.Rules.Intents(part)
			no = no || short && slices.Contains(intents, understand.No)
			yes = yes || short && slices.Contains(intents, understand.Yes)
		}
		yes = yes || onlyAsksLanguage(iv, text)
	}
	return yes && !no, no
}

// beforeComma is the first clause of a text: politeness follows it.
func beforeComma(text string) string {
	if i := strings.IndexAny(text, ",，.。!！"); i > 0 {
		return text[:i]
	}
	return text
}

// onlyAsksLanguage reports whether a text does nothing but ask for a language.
func onlyAsksLanguage(iv *Interview, text string) bool {
	acts := iv.Rules.Acts(text)
	return len(acts) > 0 && !slices.ContainsFunc(acts, func(a understand.Act) bool { return a.Asks != understand.AskLanguage })
}

// noticed goes on after the words of a model that noticed another language: where they did not speak of it, they are followed by the same
// words as the rules have. It reports whether there are any.
func (s *replies) noticed(v *state.StageVisit, heard string) bool {
	language := v.Noticed
	v.Noticed = ""
	if language == "" || s.toldLanguage(language) {
		return false
	}
	offered := s.tellLanguage(v, language)
	if s.speaksOf(language, heard) {
		s.preface = nil
		return false
	}
	s.fact("language.told", field("language", language), field("offered", offered))
	s.sayPreface(MoveAnswer)
	return true
}

// speaksOf reports whether a text is in a language, or names it.
func (s *replies) speaksOf(language, text string) bool {
	own := prompts.Language(s.iv.Words.Locale())
	if understand.Language(text, own) == language && language != own {
		return true
	}
	for _, in := range []string{own, language} {
		words := prompts.Every(in)
		if words == nil {
			continue
		}
		if name, err := words.Render("language."+language, prompts.Say, 0, prompts.Data{}); err == nil && understand.Says(text, []string{name}) {
			return true
		}
	}
	return false
}
