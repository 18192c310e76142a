package understand_test

import (
	"testing"

	"github.com/vivavoice/viva/stages/understand"
)

// RM-1: what sounds like a wish or a feeling and is told, and what asks although it begins otherwise.
func TestWhatIsOnlyTold(t *testing.T) {
	for locale, list := range map[string]map[string]understand.Act{
		"en": {
			"I cope with angry guests quite well":            {Kind: understand.ActAnswer},
			"I was so excited when the first boat floated":   {Kind: understand.ActAnswer},
			"it was half the weight, if you see what I mean": {Kind: understand.ActAnswer},
			"may I think about that for a minute?":           {Kind: understand.ActRequest, Asks: understand.AskThink},
			"could I talk to a human being instead of this?": {Kind: understand.ActRequest, Asks: understand.AskHuman},
			"besides, how long is this going to take?":       {Kind: understand.ActQuestion, Fact: "how_long"},
		},
		"vi": {"Thêm nữa, buổi này mất khoảng bao lâu ạ?": {Kind: understand.ActQuestion, Fact: "how_long"}},
	} {
		r, err := understand.Load(understand.Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range list {
			acts := r.Acts(text)
			got := acts[len(acts)-1]
			if got.Kind != want.Kind || got.Asks != want.Asks || want.Fact != "" && got.Fact != want.Fact {
				t.Errorf("%q is read as %+v", text, acts)
			}
		}
	}
}

// RM-19: people are counted as "of us", and things by what was named just before.
func TestCountsOfUsAndOfThem(t *testing.T) {
	for text, want := range map[string]understand.Count{
		"the five of us carried it up":                {N: 5, Thing: "of us", Whole: true, Text: "five people"},
		"I feed the herons. Seventeen of them, daily": {N: 17, Thing: "heron", Text: "seventeen herons"},
	} {
		if got := understand.Counts(text, "en"); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
