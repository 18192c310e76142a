package evaluate

import (
	"strings"
	"testing"
)

// RX-16: a quote is whole sentences, or phrases of one that is long; it never stops in the middle of one that ends nearby, and
// it is what was said, letter by letter.
func TestQuotesAreCutAtPhrases(t *testing.T) {
	const run = "so we had this job that ran every night and it took almost six hours because it read the whole table " +
		"and I rewrote it to load only the new rows in two days every week we then had the reports before anybody came in " +
		"and nobody had to wait for them any more which the sales people liked a lot"
	for name, c := range map[string]struct{ content, shows, want string }{
		"a short turn": {"I cut the time by half.", "half", "I cut the time by half."},
		"a whole sentence": {
			"First I looked. It used to take two days every week, with four people, until I wrote a script that did it in an hour. They were glad.",
			"two days", "It used to take two days every week, with four people, until I wrote a script that did it in an hour.",
		},
		"signs": {
			"When I came there, nobody had looked at the numbers for years, so I sat down with the three teams that used them, asked what they needed, " +
				"wrote it all down, built a first version within two weeks, showed it to everybody who wanted to see it, and changed what they did not like.",
			"first version",
			"so I sat down with the three teams that used them, asked what they needed, wrote it all down, built a first version within two weeks, " +
				"showed it to everybody who wanted to see it",
		},
		"speech without signs": {run, "rewrote", "and it took almost six hours because it read the whole table and I rewrote it " +
			"to load only the new rows in two days every week we then had the reports before anybody came in"},
		"no phrase at all": {strings.Repeat("data ", 40) + "rewrote " + strings.Repeat("rows ", 40), "rewrote",
			strings.Repeat("data ", 12) + "rewrote" + strings.Repeat(" rows", 12)},
		"Chinese": {
			strings.Repeat("我们每天都要处理很多的数据", 4) + "，后来我用两周时间把它改成增量加载，" + strings.Repeat("大家都觉得比以前方便得多", 5) + "。",
			"增量加载", "后来我用两周时间把它改成增量加载",
		},
	} {
		at := strings.Index(c.content, c.shows)
		got := around(Turn{ID: 1, Content: c.content}, at, at+len(c.shows)).Text
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if !strings.Contains(c.content, got) || !strings.Contains(got, c.shows) {
			t.Errorf("%s: %q was not said so", name, got)
		}
	}
}

// RX-16: whatever is quoted from whatever turn, the quote stands in it, holds what it shows and is bounded.
func FuzzAround(f *testing.F) {
	f.Add("I did it, and then I went on because it was good to go on", uint16(3), uint16(6))
	f.Add(strings.Repeat("我 a, ", 200), uint16(300), uint16(9))
	f.Fuzz(func(t *testing.T, content string, start, length uint16) {
		content = strings.ToValidUTF8(content, "")
		words := tokens(content)
		if len(words) == 0 {
			return
		}
		from := words[int(start)%len(words)]
		to := words[min(int(start)%len(words)+int(length)%4, len(words)-1)]
		shows := content[from.start:to.end]
		got := around(Turn{Content: content}, from.start, to.end).Text
		if !strings.Contains(content, got) || !strings.Contains(got, shows) {
			t.Errorf("%q does not hold %q of %q", got, shows, content)
		}
		if len(got) > len(shows)+2*wholeQuote {
			t.Errorf("%d bytes to show %d", len(got), len(shows))
		}
	})
}

// RX-16: a quote takes in the brackets that it opens.
func TestQuotesCloseTheirBrackets(t *testing.T) {
	for said, want := range map[string]string{"Time is O(n), space O(1).": "space O(1)", "时间上是O(n log n)。": "时间上是O(n log n)", "It is (as I said) quick": "It is (as I said) quick"} {
		got := Verify([]Quote{{Turn: 1, Text: want}}, []Turn{{ID: 1, Role: RoleUser, Content: said}})
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("%q: %+v", said, got)
		}
	}
}

// What is said by the way shows nothing: neither that something is kept in mind, nor that something is looked at.
func TestWordsByTheWayShowNothing(t *testing.T) {
	if got := Telling("It was a rainy day, I remember, and it hangs together if you look at it long enough, in the middle of everything, which nobody had expected. I remember each badge."); strings.Contains(got, "look at it") ||
		strings.Contains(got, "middle") || strings.Contains(got, "nobody") ||
		strings.Contains(got, "I remember,") || !strings.Contains(got, "I remember each badge") {
		t.Errorf("%q", got)
	}
}
