package local

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// typographic maps signs that Flite does not know to those it does.
var typographic = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", ", ", "—", ", ", "…", ". ", "&", " and ", "%", " percent ")

// speakable turns text into what Flite can say: ASCII on one line, accents taken off. Text without a letter or digit gives "".
func speakable(text string) string {
	text = norm.NFD.String(typographic.Replace(text))
	var b strings.Builder
	b.Grow(len(text))
	spoken := false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r > unicode.MaxASCII || r < ' ':
			b.WriteByte(' ')
		default:
			spoken = spoken || unicode.IsLetter(r) || unicode.IsDigit(r)
			b.WriteRune(r)
		}
	}
	if !spoken {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// maxPiece bounds what is synthesised at once, in bytes (some 12 s of speech), where a comma or a space allows.
const maxPiece = 200

// sentences cuts speakable text where a voice may pause: after sentences, and inside very long ones. Flite plans a whole
// piece before its first sample, so short pieces are heard sooner, stop sooner and let others in.
func sentences(text string) []string {
	var out []string
	for text != "" {
		n := sentenceEnd(text)
		if n > maxPiece {
			n = breakBefore(text, maxPiece)
		}
		if piece := strings.TrimSpace(text[:n]); speakable(piece) != "" {
			out = append(out, piece)
		}
		text = text[n:]
	}
	return out
}

// sentenceEnd is the length of the first sentence of text. A mark ends one only before a space and a capital, so that "3.5"
// and "e.g. this" stay whole.
func sentenceEnd(text string) int {
	for i := 0; i+2 < len(text); i++ {
		if strings.IndexByte(".?!", text[i]) >= 0 && text[i+1] == ' ' && startsSentence(text[i+2:]) {
			return i + 2
		}
	}
	return len(text)
}

func startsSentence(text string) bool {
	c := text[0]
	return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '"' || c == '\''
}

// breakBefore is the best place to cut text at or before limit: after a comma, else at a space, else anywhere.
func breakBefore(text string, limit int) int {
	if i := strings.LastIndex(text[:limit], ", "); i > 0 {
		return i + 2
	}
	if i := strings.LastIndexByte(text[:limit], ' '); i > 0 {
		return i + 1
	}
	return limit
}
