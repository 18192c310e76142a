package stt

import (
	"testing"
	"time"
)

func TestWatchdogJudges(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	partials := watchdog{answer: 3 * time.Second, quiet: 4 * time.Second, life: at(-60)}
	silent := watchdog{answer: 3 * time.Second, life: at(-60)}
	heard := func(d watchdog, s float64) watchdog { d.heard(at(s), true); return d }
	renewed := func(d watchdog, s float64, quiet bool) watchdog { d.replaced(at(s), quiet); return d }
	spoken, ended := watch{started: start}, watch{started: start, ended: at(5)}
	blamed := func(w watch) watch { w.blamed = true; return w }
	failed := func(w watch) watch { w.failed = true; return w }
	orphan := func(w watch) watch { w.orphan = true; return w }
	tests := []struct {
		name string
		dog  watchdog
		w    watch
		now  float64
		want verdict
		left float64 // s
	}{
		{"speech has just begun", partials, spoken, 1, wait, 3},
		{"speech without an event", partials, spoken, 4, replace, 0},
		{"speech with one", heard(partials, 3), spoken, 4, wait, 3},
		{"speech long after the last one", heard(partials, 3), spoken, 7, replace, 0},
		{"speech, and a new stream already", renewed(partials, 4, true), blamed(spoken), 60, wait, 0},
		{"the next speech after a useless replacement", renewed(partials, -9, true), spoken, 4, wait, 4},
		{"and later", renewed(partials, -9, true), spoken, 8, replace, 0},
		{"once more after a partial", heard(renewed(partials, -9, true), -8), spoken, 4, replace, 0},
		{"speech, and an engine without partials", silent, spoken, 600, wait, 0},
		{"the end", silent, ended, 5, wait, 3},
		{"the end and nothing after it", silent, ended, 8, replace, 0},
		{"the end and a sign of life", heard(silent, 7), ended, 8, wait, 2},
		{"the end, on a new stream", renewed(silent, 8, false), blamed(ended), 9, wait, 2},
		{"the end, on two dumb streams", renewed(silent, 8, false), blamed(ended), 11, giveUp, 0},
		{"lost", silent, failed(spoken), 1, replace, 0},
		{"lost twice", silent, failed(blamed(ended)), 6, giveUp, 0},
		{"without a stream", silent, orphan(spoken), 0, replace, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, left := tt.dog.judge(tt.w, at(tt.now))
			if got != tt.want || left.Seconds() != tt.left {
				t.Errorf("verdict %d, %v left; want %d, %v s", got, left, tt.want, tt.left)
			}
		})
	}
}

func TestPatienceIsBounded(t *testing.T) {
	d := watchdog{quiet: time.Second}
	now := time.Unix(1000, 0)
	for range 100 {
		d.replaced(now, true)
	}
	if verdict, _ := d.judge(watch{started: now}, now.Add(8*time.Second)); verdict != replace {
		t.Errorf("after 100 useless replacements, and 8 s of speech: verdict %d", verdict)
	}
}
