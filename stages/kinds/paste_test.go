package kinds_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
)

const pastedCode = "seen = {}\nfor i, p in enumerate(prices):\n    if card - p not in seen:\n        seen[p] = i\n        continue\n    return [seen[card - p], i]\nreturn []"

// RM-5: code is code, whether it is typed into the editor, pasted into the chat or dictated: it is kept, read, and asks for nothing by the
// words in it.
func TestCodeIsCodeHoweverItIsEntered(t *testing.T) {
	chat := func(text string) func(b *bench) {
		return func(b *bench) {
			b.now += 1000
			b.send(engine.UserTurn{Text: text, Typed: true, Began: b.now, Reason: "typed"})
		}
	}
	for name, enter := range map[string]func(b *bench){
		"the chat":             chat(pastedCode),
		"the chat, with words": chat("This is what I would write:\n" + pastedCode + "\nDoes it have what it needs"),
		"a paste with a skip":  chat(strings.Replace(pastedCode, "continue", "skip(); stop(); continue", 1)),
		"the editor": func(b *bench) {
			b.send(engine.CodeChanged{Text: pastedCode})
			chat("I wrote the loop over the prices and what it returns.")(b)
		},
		"dictation, in one go": func(b *bench) {
			b.tell("for each price, if the card minus the price was seen, return both, else set seen at the price to i")
		},
		"the chat, as a window": chat(strings.ReplaceAll(pastedCode, "\n", "\r\n")),
	} {
		b := newBench(t, "algorithm_coach", "en", "pseudocode (gift_pair)")
		turns, stage := b.u.Current().Turns, b.u.Stage
		enter(b)
		code := string(b.u.Fields[expert.FieldCode].Value)
		if !strings.Contains(code, "seen") || !strings.Contains(code, "return") {
			t.Errorf("%s: the code is %s", name, code)
		}
		if name != "dictation, in one go" && !strings.Contains(code, `\n`) {
			t.Errorf("%s: the lines are gone: %s", name, code)
		}
		visit := b.u.Visits[len(b.u.Visits)-1]
		for i := range b.u.Visits {
			if b.u.Visits[i].Stage == stage {
				visit = b.u.Visits[i]
			}
		}
		if visit.Turns != turns+1 || visit.Skipped || b.u.Ended != "" {
			t.Errorf("%s: %+v, said %q", name, visit, b.said[len(b.said)-1])
		}
	}
}
