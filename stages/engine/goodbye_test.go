package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
)

const lastWordsYAML = `
kind: last_words
title: Last words
locales: [en]
voice: VOICE
stages:
  - {id: TALK, title: Talk, prompts: {open: open}, done: {turns: 1}, limits: {hard: 5m}, no_input: [{after: 10s, do: advance}]}
  - {id: DONE, title: Goodbye, final: true, prompts: {open: bye}}
`

// R001-16, R003-5: a goodbye that begins with somebody's long last words is heard to its end; one that is never heard still ends
// the session, and nothing waits for ever.
func TestGoodbyeHasTimeForItsWords(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) + "." }
	for _, c := range []struct {
		words int
		speed string
		want  time.Duration
	}{
		{3, "1", 20 * time.Second}, {100, "1", 70 * time.Second}, {100, "0.5", 130 * time.Second}, {100, "2", 40 * time.Second}, {5000, "1", 3 * time.Minute},
	} {
		iv := compile(t, strings.Replace(lastWordsYAML, "VOICE", "{speed: "+c.speed+"}", 1),
			"open: {say: [\"Well?\"]}\nbye: {say: [\""+words(c.words)+"\"]}\n")
		talk := newChat(t, iv).start(engine.Started{}).hear()
		talk.send(engine.UserTurn{Text: "That is all that I have to say about it.", Began: talk.now})
		timer, armed := talk.u.Timers[engine.TimerGoodbye]
		if !armed || timer.After.Duration() != c.want {
			t.Errorf("%d words at speed %s: %v, want %v", c.words, c.speed, timer.After.Duration(), c.want)
		}
		talk.now += timer.After
		talk.send(engine.TimerFired{Name: engine.TimerGoodbye, ID: timer.ID, Visit: timer.Visit})
		if talk.ended != "done" {
			t.Errorf("%d words: never heard, ended %q", c.words, talk.ended)
		}
	}
}
