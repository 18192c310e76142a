package engine

import (
	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Together joins the same interview in several languages: a candidate who changes over from one to another of them is answered
// there (R003-96). It is called once, before any of them is held; two in the same language, or of different definitions, are not
// joined.
func Together(interviews ...*Interview) {
	languages := make(map[string]*Interview, len(interviews))
	for _, iv := range interviews {
		language := prompts.Language(iv.Words.Locale())
		if languages[language] != nil || iv.Def.Hash() != interviews[0].Def.Hash() {
			return
		}
		languages[language] = iv
	}
	for _, iv := range interviews {
		iv.languages = languages
	}
}

// tellingWords is how long a turn has to be to tell a language: a name, a formula or a misheard noise is shorter.
const tellingWords = 3

// Speaking returns the interview in the language that the candidate speaks now: that of the last two turns in a row that tell
// one, where the interview has it. Turns that do not tell, such as a formula, change nothing. It looks at the turns only, so that
// every replay changes over at the same place.
func (iv *Interview) Speaking(u *state.UserData) *Interview {
	if len(iv.languages) < 2 {
		return iv
	}
	after := "" // the language of the next telling turn
	for i := len(u.Turns) - 1; i >= 0; i-- {
		t := &u.Turns[i]
		if other := iv.languages[t.Over]; other != nil {
			return other // it was chosen (RM-12)
		}
		if t.Speaker != state.SpeakerCandidate || understand.Words(t.Text) < tellingWords {
			continue
		}
		language := understand.Language(t.Text, "")
		if other := iv.languages[language]; other != nil && language == after {
			return other
		}
		if language != "" {
			after = language
		}
	}
	return iv
}
