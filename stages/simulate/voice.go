package simulate

import (
	"strings"
	"time"
	"unicode"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// perWord is how long a word takes: 150 words a minute, the middle of what conversation measures.
const perWord = 400 * time.Millisecond

// pause is what comes before the first word.
const pause = 200 * time.Millisecond

// Speaking is how long it takes to say a text.
func Speaking(text string) time.Duration {
	return pause + time.Duration(max(1, understand.Words(text)))*perWord
}

// voice is the interviewer's: at most one utterance is in the air.
type voice struct {
	open  map[uint64]engine.Say  // issued and not reported as ended
	cut   map[uint64]string      // of those, the ones that were stopped, with what was heard
	read  map[uint64]engine.Read // what a model understood that leads the turn, and has not told yet
	air   uint64                 // audible now; 0 = silence
	text  string                 // its words
	began state.Millis
}

func (w *world) say(e engine.Say) {
	w.voice.open[e.Utterance] = e
	words := Wording{Text: e.Text, Latency: w.between(150*time.Millisecond, 600*time.Millisecond)}
	if e.Lead != nil && w.words != nil {
		words = w.words.Word(w.u, e)
	} else if e.Lead != nil {
		words.Degraded = "there is no model"
	}
	if words.Reading != nil {
		w.voice.read[e.Utterance] = engine.Read{Utterance: e.Utterance, Visit: e.Visit, Reading: words.Reading}
	}
	w.after(words.Latency, func() { w.begin(e, words) })
}

// begin makes the utterance audible, unless it was called off while it was prepared.
func (w *world) begin(e engine.Say, words Wording) {
	if !w.wanted(e.Utterance) {
		return
	}
	if words.Text == "" {
		w.tell(e.Utterance)
		w.ending(engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Degraded: words.Degraded})
		return
	}
	w.audible(e, words)
	w.after(Speaking(words.Text), func() {
		if w.voice.air == e.Utterance {
			w.voice.air = 0
			w.tell(e.Utterance)
			w.ending(engine.VoiceEnded{
				Utterance: e.Utterance, Visit: e.Visit, Heard: words.Text, Worded: words.Worded, Degraded: words.Degraded,
			})
			w.prompted(e, words.Text)
		}
	})
}

// wanted reports whether the utterance is still to be said.
func (w *world) wanted(utterance uint64) bool {
	return w.u.Floor.Utterance == utterance && w.ended == ""
}

func (w *world) audible(e engine.Say, words Wording) {
	if w.voice.air != 0 {
		w.check.report(OneSpeaker, w.u, "utterance %d begins while %d is audible", e.Utterance, w.voice.air)
	}
	w.voice.air, w.voice.text, w.voice.began = e.Utterance, words.Text, w.now
	w.heard.Utterances++
	key := strings.ToLower(strings.Join(strings.Fields(words.Text), " "))
	if w.said[key] && understand.Words(key) >= 6 {
		w.heard.Repeated++
	}
	w.said[key] = true
	w.send(engine.VoiceStarted{Utterance: e.Utterance})
	w.mayInterrupt(e)
}

// tell sends the reading of an utterance, once.
func (w *world) tell(utterance uint64) {
	reading, is := w.voice.read[utterance]
	delete(w.voice.read, utterance)
	if is && w.ended == "" {
		w.send(reading)
	}
}

// ending reports the end of an utterance, once.
func (w *world) ending(ev engine.VoiceEnded) {
	if _, open := w.voice.open[ev.Utterance]; !open {
		return
	}
	delete(w.voice.open, ev.Utterance)
	delete(w.voice.cut, ev.Utterance)
	w.send(ev)
}

// stop silences an utterance at once; the report of it follows.
func (w *world) stop(utterance uint64) {
	if _, open := w.voice.open[utterance]; !open {
		return
	}
	w.cutShort(utterance)
	w.after(w.between(0, 40*time.Millisecond), func() { w.stopped(utterance) })
}

// cutShort takes the utterance out of the air and keeps the words that were heard of it.
func (w *world) cutShort(utterance uint64) {
	if w.voice.air != utterance {
		return
	}
	w.voice.air = 0
	w.heard.Cut++
	w.voice.cut[utterance] = portion(w.voice.text, float64((w.now-w.voice.began).Duration())/float64(Speaking(w.voice.text)))
}

func (w *world) stopped(utterance uint64) {
	if _, is := w.voice.read[utterance]; is { // it is on its way still, and counts
		w.after(w.between(0, 2*time.Second), func() { w.tell(utterance) })
	}
	w.ending(engine.VoiceEnded{Utterance: utterance, Visit: w.voice.open[utterance].Visit, Heard: w.voice.cut[utterance], Cut: true})
}

// portion returns the first part of a text: whole words, or characters where there are no spaces.
func portion(text string, share float64) string {
	if share >= 1 {
		return text
	}
	if words := strings.Fields(text); !ideographic(text) {
		return strings.Join(words[:int(share*float64(len(words)))], " ")
	}
	runes := []rune(text)
	return string(runes[:int(share*float64(len(runes)))])
}

// ideographic reports whether most of a text is in a script without spaces.
func ideographic(text string) bool {
	han, other := 0, 0
	for _, c := range text {
		switch {
		case unicode.Is(unicode.Han, c):
			han++
		case unicode.IsLetter(c):
			other++
		}
	}
	return han > 0 && 3*han > other
}
