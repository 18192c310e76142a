package worker

import (
	"testing"
	"testing/synctest"
	"time"
)

// answerFor has answers come, one a second, and tells for how many of the samples meanwhile they were slow.
func answerFor(a *Answers, lasting, took time.Duration, calm bool) (slow int) {
	for range lasting / time.Second {
		a.Took(took)
		for range time.Second / loadInterval {
			time.Sleep(loadInterval)
			if a.slow(time.Now(), calm) {
				slow++
			}
		}
	}
	return slow
}

func TestSlowAnswers(t *testing.T) {
	const quick, slow = 2 * time.Millisecond, 60 * time.Millisecond
	tests := map[string]struct {
		run  func(*Answers) int
		slow bool
	}{
		"none":            {func(a *Answers) int { return answerFor(a, 0, quick, false) }, false},
		"quick ones":      {func(a *Answers) int { return answerFor(a, 10*time.Minute, quick, false) }, false},
		"slow ones":       {func(a *Answers) int { return answerFor(a, 2*time.Minute, slow, false) }, true},
		"too few to tell": {func(a *Answers) int { return answerFor(a, (answersNeeded-1)*time.Second, slow, false) }, false},
		"slow as it ever was": {func(a *Answers) int {
			answerFor(a, 2*time.Minute, slow, true)
			return answerFor(a, 5*time.Minute, slow+slowBy, false)
		}, false},
		"slower than that": {func(a *Answers) int {
			answerFor(a, 2*time.Minute, slow, true)
			return answerFor(a, 2*time.Minute, slow+slowBy+1, false)
		}, true},
		"slow with little to do, a neighbour's fault": {func(a *Answers) int {
			answerFor(a, 2*time.Minute, quick, true)
			return answerFor(a, 5*time.Minute, slow, true)
		}, true},
		"but for so long that it is usual": {func(a *Answers) int {
			answerFor(a, 2*time.Minute, quick, true)
			answerFor(a, 30*time.Minute, slow, true)
			return answerFor(a, 5*time.Minute, slow, true)
		}, false},
		"one in thirty": {func(a *Answers) (found int) {
			for range 10 {
				found += answerFor(a, 29*time.Second, quick, false) + answerFor(a, time.Second, slow, false)
			}
			return found
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := test.run(new(Answers)); (got > 0) != test.slow {
					t.Errorf("slow in %d samples, want some: %v", got, test.slow)
				}
			})
		})
	}
}

// What lies further back than the window is forgotten, and more answers than are kept do no harm.
func TestAnswersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := new(Answers)
		for range 3 * answersKept {
			a.Took(time.Second)
		}
		if !a.slow(time.Now(), false) {
			t.Error("answers of a second are not slow")
		}
		time.Sleep(answersWindow)
		if a.slow(time.Now(), false) {
			t.Error("answers of more than a minute ago are slow")
		}
	})
}

func TestSlowAllocatesNothing(t *testing.T) {
	a := new(Answers)
	for range answersKept {
		a.Took(time.Millisecond)
	}
	if n := testing.AllocsPerRun(10, func() { a.slow(time.Now(), true) }); n > 0 {
		t.Errorf("%v allocations per sample", n)
	}
}
