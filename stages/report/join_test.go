package report_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/report"
)

// R002-46, R002-47: the report comes with whatever is last, the end of the interview or the last evaluation.
func TestJoinWaitsForBoth(t *testing.T) {
	var j report.Join
	j.Expect("q1")
	j.Expect("q2")
	if keep, now := j.Arrived("q1"); !keep || now {
		t.Errorf("before the end: keep %v, build %v", keep, now)
	}
	if j.Finish(1000, report.DefaultWait) {
		t.Error("built while q2 is out")
	}
	if j.Due(30_999) {
		t.Error("the wait was cut short")
	}
	if keep, now := j.Arrived("q2"); !keep || !now {
		t.Errorf("the last one: keep %v, build %v", keep, now)
	}
	if j.Due(31_000) {
		t.Error("built twice")
	}
	var early report.Join
	early.Expect("q1")
	early.Arrived("q1")
	if !early.Finish(5, report.DefaultWait) {
		t.Error("everything was there, and nothing was built")
	}
}

// R002-48, R002-60: the wait is bounded; what comes after the report is not taken.
func TestJoinGivesUp(t *testing.T) {
	var j report.Join
	j.Expect("q1")
	j.Finish(1000, report.DefaultWait)
	if !j.Due(31_000) || j.Due(31_001) {
		t.Error("the wait does not end once")
	}
	if keep, now := j.Arrived("q1"); keep || now {
		t.Error("a late result was taken")
	}
	if j.Expect("q6") {
		t.Error("another item was accepted after the report")
	}
}

// R002-44, R002-49: in whatever order results, duplicates, the end and the deadline come, the report is built exactly once
// and each result is kept at most once.
func TestJoinBuildsOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var j report.Join
		n := rapid.IntRange(0, 5).Draw(r, "items")
		for i := range n {
			j.Expect(fmt.Sprint("q", i))
		}
		built, kept := 0, make(map[string]int)
		count := func(now bool) {
			if now {
				built++
			}
		}
		for range rapid.IntRange(0, 30).Draw(r, "events") {
			switch rapid.IntRange(0, 3).Draw(r, "event") {
			case 0:
				count(j.Finish(0, report.DefaultWait))
			case 1:
				count(j.Due(40_000))
			default:
				item := fmt.Sprint("q", rapid.IntRange(0, 6).Draw(r, "item"))
				keep, now := j.Arrived(item)
				if keep {
					kept[item]++
				}
				count(now)
			}
		}
		count(j.Finish(0, report.DefaultWait))
		count(j.Due(40_000))
		if built != 1 {
			r.Fatalf("built %d times", built)
		}
		for item, n := range kept {
			if n > 1 {
				r.Fatalf("%s was kept %d times", item, n)
			}
		}
	})
}
