package engine

import (
	"strings"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// CodeEdited is a CodeChanged that tells only how the text differs from the one that the interview has: after Keep bytes, Text
// stands in the place of Cut bytes.
type CodeEdited struct {
	Keep     int    `json:"keep"`
	Cut      int    `json:"cut,omitempty"`
	Text     string `json:"text,omitempty"`
	Language string `json:"language,omitempty"`
}

func (CodeEdited) event() {}

// editWorth is how many bytes an edit has to save to be told in place of the text.
const editWorth = 256

// Shorten returns the event that says the same and takes less of the journal, in the state that it is about to happen in: an
// edit for an editor's whole text. Every other event is returned as it is.
func (iv *Interview) Shorten(u *state.UserData, ev Event) Event {
	e, is := ev.(CodeChanged)
	have, there := valueOf(u.Fields[expert.FieldCode]).(string)
	if !is || !there {
		return ev
	}
	text := editorText(e.Text)
	d := state.Difference(have, text)
	if len(d.Put)+editWorth > len(text) {
		return ev
	}
	return CodeEdited{Keep: d.Keep, Cut: len(d.Cut), Text: d.Put, Language: e.Language}
}

// editorText is an editor's text as it is kept.
func editorText(text string) string {
	return understand.Clip(strings.ToValidUTF8(text, "\uFFFD"), maxCode)
}

// codeEdited changes the text that is there.
func (s *step) codeEdited(e CodeEdited) {
	have, _ := valueOf(s.u.Fields[expert.FieldCode]).(string)
	if e.Keep < 0 || e.Cut < 0 || e.Keep > len(have) || e.Cut > len(have)-e.Keep {
		s.fact("code.ignored", field("error", "it is an edit of another text"))
		return
	}
	s.codeChanged(CodeChanged{Text: have[:e.Keep] + e.Text + have[e.Keep+e.Cut:], Language: e.Language})
}
