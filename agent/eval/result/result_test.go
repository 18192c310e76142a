package result_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent/eval/result"
	"github.com/vivavoice/viva/agent/eval/talk"
)

func TestFigures(t *testing.T) {
	all := result.Figures(run())
	want := []result.ByInterview{
		{Interview: "algorithm_coach", Scenarios: 1, Met: 1, Failed: 1, NotShown: 1, Checks: 3, ChecksFailed: 1, Reactions: 5, Low: 1, Rating: 4.2,
			PlainReactions: 2, PlainRating: 4, Untrue: 1, Slips: 2, TakenUp: 1, Compared: 1, Wins: 0.5,
			Responses: []time.Duration{620 * time.Millisecond, 710 * time.Millisecond, 1400 * time.Millisecond}, Overlaps: 1},
		{Interview: "persona_interview", Scenarios: 3, Errors: 1, Met: 2, Checks: 4, Reactions: 2, Rating: 5, Compared: 1, Wins: 1},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
	total := result.Total(all)
	if total.Scenarios != 4 || total.Met != 3 || math.Abs(total.Rating-31.0/7) > 1e-9 || total.Preference() != 0.75 || total.LowShare() != 1.0/7 {
		t.Errorf("all together: %+v", total)
	}
	if none := result.Total(nil); none.Preference() != 0 || none.LowShare() != 0 || none.Rating != 0 {
		t.Errorf("of nothing: %+v", none)
	}
}

func TestTable(t *testing.T) {
	const want = `interview          scenarios  met  not shown  rating  ≤ 2   untrue  slips taken up  over plain  plain's rating
algorithm_coach    1          1/2  1          4.20    20 %  1       1/2             50 %        4.00
persona_interview  3          2/2  0          5.00    0 %   0       –               100 %       –
all                4          3/4  1          4.43    14 %  1       1/2             75 %        4.00
algorithm_coach aloud: 3 answers, half of them within 710 ms, 95 % within 1400 ms; both audible at once: 1; turns without an answer: 0

algorithm_coach/sliding-window
  check praise has a reason, line 6, 0:34: “Great” without a reason
  failed: does not praise the wrong cost
    line 6, 0:34: “Great, quadratic it is”. Quadratic is wrong for one pass with a map, and it is praised.

persona_interview/leaves-early
  error: hold the talk: ask the model: the service did not answer in 60 s
`
	var b strings.Builder
	if err := result.Table(&b, run()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// What was said cannot move the cursor, ring a bell or turn the line round.
func TestTerminalIsSafe(t *testing.T) {
	r := run()
	const attack = "a\x1b[2Jb\r\nfake line\u202ec\u009b"
	o := &r.Outcomes[0]
	o.Grade.Expectations[1].Quote, o.Grade.Expectations[1].Text, o.Scenario, o.Error, o.Interview = attack, attack, attack, attack, attack
	o.Talk.Checks[2].Detail, o.Talk.Checks[2].Name = attack, attack
	var b strings.Builder
	p := result.NewProgress(&b, 1)
	p.Started(attack)
	p.Finished(*o)
	if err := result.Table(&b, r); err != nil {
		t.Fatal(err)
	}
	b.WriteString(result.Compare(talk.Run{}, r))
	if strings.ContainsAny(b.String(), "\x1b\r\u202e\u009b") || strings.Contains(b.String(), "\nfake") {
		t.Errorf("%q", b.String())
	}
}

func TestProgress(t *testing.T) {
	var b strings.Builder
	r := run()
	p := result.NewProgress(&b, 4)
	p.Started(r.Outcomes[0].Scenario)
	p.Started(r.Outcomes[2].Scenario)
	p.Finished(r.Outcomes[2])
	p.Finished(r.Outcomes[0])
	const want = `started 1/4  algorithm_coach/sliding-window
started 2/4  persona_interview/leaves-early
done    1/4  persona_interview/leaves-early: error: hold the talk: ask the model: the service did not answer in 60 s
done    2/4  algorithm_coach/sliding-window: 1/2 met, 1 not shown, rating 4.2 of 5 reactions, 2/3 checks, talk of 1:07
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// A run is the same after it was written and read, and is always written in the same bytes.
func TestJSON(t *testing.T) {
	var one, two bytes.Buffer
	if err := errors.Join(result.JSON(&one, run()), result.JSON(&two, run())); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) || !bytes.HasSuffix(one.Bytes(), []byte("}\n")) {
		t.Error("the bytes differ")
	}
	got, err := result.Read(&one)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run(), got); diff != "" {
		t.Error(diff)
	}
	var named map[string]any
	if err := json.Unmarshal(two.Bytes(), &named); err != nil || named["outcomes"] == nil {
		t.Error("names are not those of the format")
	}
	if _, err := result.Read(strings.NewReader("no")); err == nil {
		t.Error("anything is read as a run")
	}
}

// The elements and attributes that Jenkins reads, and the counts that it believes.
func TestJUnit(t *testing.T) {
	r := run()
	r.Outcomes[0].Grade.Expectations[1].Quote = "<b>\x00]]>&\""
	var b bytes.Buffer
	if err := result.JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	type fault struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var got struct {
		XMLName xml.Name `xml:"testsuites"`
		Tests   int      `xml:"tests,attr"`
		Suites  []struct {
			Name      string `xml:"name,attr"`
			Tests     int    `xml:"tests,attr"`
			Failures  int    `xml:"failures,attr"`
			Errors    int    `xml:"errors,attr"`
			Skipped   int    `xml:"skipped,attr"`
			Timestamp string `xml:"timestamp,attr"`
			Cases     []struct {
				Name    string  `xml:"name,attr"`
				Class   string  `xml:"classname,attr"`
				Time    float64 `xml:"time,attr"`
				Failure *fault  `xml:"failure"`
				Error   *fault  `xml:"error"`
				Skipped *fault  `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	if got.Tests != 9 || len(got.Suites) != 2 {
		t.Fatalf("%+v", got)
	}
	coach, persona := got.Suites[0], got.Suites[1]
	if coach.Name != "algorithm_coach" || coach.Tests != 4 || coach.Failures != 2 || coach.Skipped != 1 || coach.Errors != 0 || coach.Timestamp != "2026-08-22T09:30:00" {
		t.Errorf("%+v", coach)
	}
	if persona.Tests != 5 || persona.Errors != 1 || persona.Failures != 0 || persona.Cases[3].Error == nil {
		t.Errorf("%+v", persona)
	}
	bad := coach.Cases[1]
	if bad.Name != "does not praise the wrong cost" || bad.Class != "algorithm_coach/sliding-window" || bad.Failure == nil ||
		!strings.HasPrefix(bad.Failure.Message, "Quadratic is wrong") || !strings.Contains(bad.Failure.Text, "<b>\uFFFD]]>&\"") {
		t.Errorf("%+v", bad)
	}
	if checks := coach.Cases[3]; checks.Name != "checks" || checks.Failure == nil || !strings.Contains(checks.Failure.Text, "line 6, 0:34: “Great”") || checks.Time < 60 {
		t.Errorf("%+v", checks)
	}
}

func TestCompare(t *testing.T) {
	old, is := run(), run()
	if got := result.Compare(old, is); got != "Every expectation, check and scenario stands as it did.\n" {
		t.Errorf("nothing changed: %q", got)
	}
	if !result.Failed(is, nil) || result.Failed(is, &old) {
		t.Error("what failed before makes nothing worse, but is a failure")
	}
	is.Outcomes[0].Grade.Expectations[1].Verdict = talk.Pass
	is.Outcomes[0].Grade.Reactions[1].Level = 5
	is.Outcomes[0].Talk.Checks[2].Passed = true
	is.Outcomes[2] = unjudged()
	is.Outcomes[2].Scenario = "persona_interview/fresh"
	is.Outcomes[2].Error = "judge: late"
	is.Outcomes[1].Grade.Expectations[0].Verdict = talk.NotShown
	if result.Failed(is, &old) {
		t.Error("new failures and what is no longer shown make nothing worse")
	}
	is.Outcomes[1].Grade.Expectations[1].Verdict = talk.Fail
	const want = `Worse:
  persona_interview/asks-back: a question back uses up no question: failed, was met
Better:
  algorithm_coach/sliding-window: does not praise the wrong cost: met, was failed
  algorithm_coach/sliding-window: check praise has a reason: passed, was failed
New, and failing:
  persona_interview/fresh: error: judge: late
No longer there:
  persona_interview/leaves-early
algorithm_coach: expectations met 1/2 → 2/2; rating 4.20 → 4.80 (+0.60); ratings of 2 and less 20 % → 0 %; failed checks 1 → 0
persona_interview: expectations met 2/2 → 0/1
`
	if diff := cmp.Diff(want, result.Compare(old, is)); diff != "" {
		t.Error(diff)
	}
	if !result.Failed(is, &old) {
		t.Error("an expectation that was met fails, and the run does not")
	}
}

// Each of the three fails a run, and each makes it worse.
func TestFailed(t *testing.T) {
	fine := func() talk.Run { return talk.Run{Outcomes: []talk.Outcome{quiet()}} }
	old := fine()
	if r := fine(); result.Failed(r, nil) || result.Failed(r, &old) || result.Failed(talk.Run{}, nil) {
		t.Error("nothing is wrong, and it fails")
	}
	for name, spoil := range map[string]func(*talk.Outcome){
		"expectation": func(o *talk.Outcome) { o.Grade.Expectations[0].Verdict = talk.Fail },
		"check":       func(o *talk.Outcome) { o.Talk.Checks[1].Passed = false },
		"error":       func(o *talk.Outcome) { *o = talk.Outcome{Scenario: o.Scenario, Error: "late"} },
	} {
		r := fine()
		spoil(&r.Outcomes[0])
		if !result.Failed(r, nil) || !result.Failed(r, &old) {
			t.Errorf("%s: it does not fail", name)
		}
		if result.Failed(fine(), &r) || !strings.Contains(result.Compare(r, fine()), "Better:") {
			t.Errorf("%s: it is not better", name)
		}
	}
}
