package persona

import (
	"testing"

	"github.com/vivavoice/viva/stages/expert"
)

// RM-13: nothing is said back of an answer that is between the two who talk, and no sentence that was told with feeling.
func TestNothingIsTakenUpThatWasTrusted(t *testing.T) {
	const told = "I repainted forty lighthouse doors in one summer."
	b := &expert.Board{Locale: "en"}
	var e questioner
	if e.pieceOf(b, told) == "" {
		t.Fatal("nothing of a plain answer is taken up")
	}
	if piece := e.pieceOf(b, "This is confidential. "+told); piece != "" {
		t.Errorf("%q was said in confidence", piece)
	}
	if piece := e.pieceOf(b, "My father died last winter."); piece != "" {
		t.Errorf("%q was told with feeling", piece)
	}
}
