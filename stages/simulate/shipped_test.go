package simulate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/simulate"
)

// seeds are how many interviews each candidate has of each kind: without the race detector, which finds nothing in code
// that starts no goroutine, a hundred.
func seeds() uint64 {
	if raceDetector || testing.Short() {
		return 2
	}
	return 100
}

// RX-5, RX-10, RX-11, R000-73, R003-5: every shipped kind with every candidate, a hundred times each, in its languages by turns, and
// every fourth time with a model that fails, stalls and lies: the interview ends, its stages come in their order, and every
// invariant holds after every event. No key, no network, no sleep.
func TestEveryKindWithEveryCandidate(t *testing.T) {
	defs, err := definition.LoadAll(kinds.FS())
	if err != nil {
		t.Fatal(err)
	}
	for kind, def := range defs {
		interviews := make([]*engine.Interview, 0, len(def.Locales))
		for _, locale := range def.Locales {
			interviews = append(interviews, join(t, def, locale))
		}
		for _, c := range simulate.Candidates() {
			t.Run(kind+"/"+string(c), func(t *testing.T) {
				t.Parallel()
				all(t, interviews, c)
			})
		}
	}
}

func all(t *testing.T, interviews []*engine.Interview, c simulate.Candidate) {
	results := make([]*simulate.Result, 0, seeds())
	for seed := range seeds() {
		iv := interviews[int(seed)%len(interviews)]
		r := simulate.Run(iv, simulate.Options{Candidate: c, Seed: seed, Model: seed/2%4 == 1, Probe: seed/2%5 == 0, Replay: seed/2%5 == 1})
		for _, v := range r.Violations {
			t.Errorf("%s, seed %d: %s", r.Locale, seed, v)
		}
		if r.State.Ended == "" {
			t.Errorf("%s, seed %d does not end", r.Locale, seed)
		}
		inOrder(t, iv.Def, r)
		results = append(results, r)
	}
	s := simulate.Summarise(results)
	t.Logf("%d interviews, ended %v, median %s, longest %s, %d turns, %d utterances (%d in words heard before), %d barge-ins",
		s.Runs, s.Ended, s.Median.Round(time.Second), s.Longest.Round(time.Second), s.Turns, s.Utterances, s.Repeated, s.BargeIns)
	if c == simulate.Hostile && s.BargeIns == 0 {
		t.Error("nobody interrupted")
	}
}

// inOrder: a stage is never entered before one that comes later, but for a problem begun anew, a state repaired, and who wants to go back; and
// but for a part that somebody left for a later one, or went past, which comes back once (RM-10).
func inOrder(t *testing.T, def *definition.Definition, r *simulate.Result) {
	t.Helper()
	for i := 1; i < len(r.State.Visits); i++ {
		was, is := r.State.Visits[i-1], r.State.Visits[i]
		if def.Index(is.Stage) >= def.Index(was.Stage) || slices.Contains([]string{"easier", "rollback", "reordered"}, was.Reason) {
			continue
		}
		times, passed := 0, false
		for _, v := range r.State.Visits[:i] {
			if v.Stage == is.Stage && v.Item == is.Item {
				times++
			}
			passed = passed || v.Reason == "reordered" && def.Index(v.Stage) <= def.Index(is.Stage)
		}
		if !passed || times > 1 {
			t.Errorf("seed %d: %s after %s, which was left as %s", r.Seed, is.Stage, was.Stage, was.Reason)
		}
	}
}
