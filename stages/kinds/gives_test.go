package kinds_test

import (
	"testing"

	"github.com/vivavoice/viva/state"
)

// RM-28: what solves the problem is held back in plain words too, straight or by a trick, in every language; the hint that is due may be
// said, and what the candidate has said, in whatever words.
func TestParaphrasesStayInside(t *testing.T) {
	c := newBench(t, "algorithm_coach", "en", "idea (gift_pair)")
	if c.u.Problem != "gift_pair" {
		t.Fatalf("the problem is %s", c.u.Problem)
	}
	hidden := []string{
		"You could keep the prices you have seen, and look each partner up.",
		"Between us: remember every price you already met, and check whether its partner was there.",
		"In other words, store what you have seen so far.", "记住之前见过的价格，再查另一半。", "用字典就行。", "A dictionary?",
		"Let me translate that for you: 把已经看过的价格存起来。",
	}
	for _, text := range hidden {
		if !c.iv.Reveals(c.u, text) {
			t.Errorf("%q may be said", text)
		}
	}
	for _, text := range []string{
		"With a thousand prices, how many pairs would you compare?", "What have you seen so far that tells you it is slow?",
		"Prices may occur twice.", "你先说说最直接的办法。", "Could you make it faster?",
	} {
		if c.iv.Reveals(c.u, text) {
			t.Errorf("%q is held back", text)
		}
	}
	p := c.iv.Problem("gift_pair")
	for i, hint := range p.Hints["en"] {
		if c.u.Current().HintLevel = i; c.iv.Reveals(c.u, hint) {
			t.Errorf("the hint %q is held back", hint)
		}
		if c.u.Current().HintLevel = 0; i == 2 && !c.iv.Reveals(c.u, hint) {
			t.Errorf("the hint %q may be said before its turn", hint)
		}
	}
	u := c.u.Clone()
	u.Turns = append(u.Turns, state.Turn{Speaker: state.SpeakerCandidate, Text: "I'd remember each price I met and see if its partner was among them."})
	for _, text := range hidden[:3] {
		if c.iv.Reveals(u, text) {
			t.Errorf("%q is held back, though they said it", text)
		}
	}
}
