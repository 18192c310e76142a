package kinds_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/state"
)

// RM-19: what cannot be so is asked about once, before the talk goes on, and stands in the notebook with its quote; the answer still counts.
func TestWhatCannotBeIsAskedAbout(t *testing.T) {
	for _, test := range []struct{ kind, at string }{{"two_stage", "project"}, {"persona_interview", "second question"}} {
		b := newBench(t, test.kind, "en", test.at)
		b.tell("I rebuilt the stock list of the shop, and the time to find a part went down by three hundred percent.")
		if got := b.said[len(b.said)-1]; !strings.Contains(got, "From how much to how much") {
			t.Fatalf("%s: %q", test.kind, got)
		}
		if c := b.u.Claims; len(c) != 1 || c[0].Verdict != state.ClaimWrong || !strings.Contains(c[0].Quote, "three hundred percent") || !c[0].Taken {
			t.Errorf("%s: %+v", test.kind, b.u.Claims)
		}
		b.tell("From an hour to a quarter of an hour, so what I mean is that it went down by three hundred percent of the new time.")
		if got := b.said[len(b.said)-1]; strings.Contains(got, "From how much to how much") || len(b.u.Claims) != 1 {
			t.Errorf("%s: it is asked again: %q, %+v", test.kind, got, b.u.Claims)
		}
	}
}

// RM-19: each interview listens to what people get wrong in its subjects, and leaves in peace who is right.
func TestEachInterviewKnowsItsSubjects(t *testing.T) {
	for _, test := range []struct{ kind, at, wrong, right string }{
		{"evaluation", "the problem (door_log)", "I keep the badges in a hash map, and in a hash map two keys never collide.", "I keep the badges in a hash map, where two keys may collide."},
		{"system_design", "clarification", "A queue takes the clicks, and Kafka guarantees that each event is processed exactly once.", "A queue takes the clicks at least once, so the consumer throws away what it has seen."},
		{"persona_interview", "second question", "I reported the mean of the waiting times, because outliers do not affect the mean.", "I reported the median of the waiting times, because outliers do affect the mean."},
	} {
		b := newBench(t, test.kind, "en", test.at)
		b.tell(test.right)
		if len(b.u.Claims) > 0 {
			t.Errorf("%s: %q is doubted: %+v", test.kind, test.right, b.u.Claims)
		}
		b.tell(test.wrong)
		if len(b.u.Claims) != 1 || b.u.Claims[0].Verdict != state.ClaimWrong {
			t.Errorf("%s: %q, %+v", test.kind, b.said[len(b.said)-1], b.u.Claims)
		}
	}
}

// RM-19: a usual wrong way of the task is met with its counter-example in the evaluation, too.
func TestTheEvaluationMeetsWrongWays(t *testing.T) {
	b := newBench(t, "evaluation", "en", "the problem (door_log)")
	b.tell("I go along the list and compare each badge with the one right before it, since the same ones stand side by side.")
	if len(b.u.Claims) > 0 || !strings.Contains(b.said[len(b.said)-1], "seven, three, seven") { // it is asked about, and held against nobody: words may name a way to turn it down
		t.Errorf("%q, %+v", b.said[len(b.said)-1], b.u.Claims)
	}
}

// "End to end." within an answer ends nothing (RM-15).
func TestEndToEndEndsNothing(t *testing.T) {
	b := newBench(t, "two_stage", "en", "project")
	b.tell("We rebuilt the supply chain of a big player. End to end. The replies came down from nine days to three.")
	if b.u.Current().Stage != "PAST_EXPERIENCE" || b.u.Ended != "" {
		t.Errorf("in %s, said %q", b.u.Current().Stage, b.said[len(b.said)-1])
	}
}

// RM-18: a part of which the candidate has spoken already is not opened as if nothing had been said.
func TestAPartThatWasSpokenOfIsNotBegunAnew(t *testing.T) {
	for text, again := range map[string]bool{
		"There are two REST endpoints: a POST request that takes the long address and returns the short code, and a GET that answers with a redirect over HTTP.": true,
		"I would like to know who uses it and how often.": false,
	} {
		b := newBench(t, "system_design", "en", "clarification")
		b.u.SubPhases.Item("api_design").Keywords = []state.Keyword{{Phrase: "endpoint", Weight: 1}}
		b.tell(text)
		b.names = nil
		b.tell("Let's go to the API design.")
		if b.u.Current().Item != "api_design" || b.issued("design.known") != again || b.issued("design.open") == again {
			t.Errorf("%q leads to %s by %v", text, b.u.Current().Item, b.names)
		}
	}
}

// RM-18: the load that somebody has named is not asked for.
func TestALoadThatWasNamedIsNotAskedFor(t *testing.T) {
	for text, named := range map[string]bool{
		"Say a hundred million links a month, so some forty writes a second, and a hundred reads for each.": true,
		"I would first like to say who the users are: it is people who send links by text message.":         false,
	} {
		b := newBench(t, "system_design", "en", "clarification")
		for range 5 {
			b.tell(text)
			text = "The people who run the shops would notice first, since they lose their customers."
		}
		if strings.Contains(strings.Join(b.said, " "), "lost my thread") {
			t.Errorf("a wording that has nothing to say leaves a hole:\n%s", strings.Join(b.said, "\n"))
		}
		if asked := strings.Contains(strings.Join(b.said, " "), "How much of it is there"); asked == named {
			t.Errorf("asked: %v, after the load was named: %v\n%s", asked, named, strings.Join(b.said, "\n"))
		}
	}
}

// RM-20: a number that does not fit an earlier one is asked about, once; who corrects it is not asked.
func TestANumberThatChanges(t *testing.T) {
	for _, test := range []struct {
		locale, first, then string
		asked               bool
	}{
		{"en", "I made a sheet that warns when the pots run out, and it is in forty shops now.", "And since then the fourteen shops call me directly, which is nice but a lot.", true},
		{"en", "I made a sheet that warns when the pots run out, and it is in forty shops now.", "And since then the forty shops call me directly, which is nice but a lot.", false},
		{"en", "I made a sheet that warns when the pots run out, and it is in forty shops now.", "Sorry, no, that was wrong: it's the fourteen shops in the north that use it.", false},
		{"zh", "我做了一张表，现在四十家店都在用，缺货的时候会提醒。", "后来那十四家店都直接打电话给我，有点忙不过来。", true},
		{"vi", "Em làm một bảng báo khi sắp hết hàng, bây giờ bốn mươi cửa hàng đang dùng.", "Từ đó mười bốn cửa hàng đó gọi thẳng cho em, cũng vui mà hơi nhiều.", true},
	} {
		b := newBench(t, "persona_interview", test.locale, "second question")
		b.tell(test.first)
		b.tell(test.then)
		if b.issued("every.two_numbers") != test.asked {
			t.Errorf("%s %q: %q", test.locale, test.then, b.said[len(b.said)-1])
		}
		before := len(b.u.Claims)
		b.tell(test.then)
		if test.asked && (before != 1 || len(b.u.Claims) != 1 || b.u.Claims[0].Verdict != state.ClaimContradicts) {
			t.Errorf("%s: %+v", test.locale, b.u.Claims)
		}
	}
}
