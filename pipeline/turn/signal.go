package turn

import "time"

// A listening signal ("mm-hm") tells somebody who pauses in an account that they are heard and may go on, where it is uncertain whether
// they have finished and a question would take the floor from them. People give it at the end of a sentence, within the first second of
// the silence: later it would be taken for the answer.

// SignalAfter is the silence, in samples, after which a listening signal may be given: 450 ms, longer than most pauses inside a sentence.
const SignalAfter = 45 * Rate / 100

const (
	// signalLatest is the silence after which none is given any more, and signalRest what has to be left of the wait for the turn's end then,
	// for the signal to be over and the candidate to go on: where that wait is shorter than a second or so, the turn is surely over.
	signalLatest = 800 * time.Millisecond
	signalRest   = 500 * time.Millisecond
	// signalSpeech is how long an answer is before it can be an account: a sentence.
	signalSpeech = 5 * time.Second
	// signalApart is the least time between two.
	signalApart = 15 * time.Second
)

// Signal says whether a listening signal is to be given at now: after what could be the end of a sentence in an account, where patience
// waits on. last is the position of the one before, 0 for none: 15 s have passed since, and the candidate has spoken.
func (s State) Signal(now, last int64) bool {
	silence := Duration(now - s.End)
	switch {
	case s.Speaking || s.Asked || s.Text == "" || s.Expect.Mode == Brisk || s.Expect.Mode == Manual:
		return false
	case now < s.End+SignalAfter || silence > signalLatest:
		return false
	case last > 0 && now-last < Samples(signalApart):
		return false
	}
	a := s.answer()
	if a.spoke < signalSpeech || !account(s.Expect.Kind, a) || AsksForTime(s.Text) || !s.sentenceEnd() {
		return false
	}
	delay, _ := s.Delay()
	return silence+signalRest <= delay
}

// sentenceEnd says that the last words could end a sentence: where the recogniser writes punctuation, it has to say so.
func (s State) sentenceEnd() bool {
	f := Read(s)
	return (s.Bare || f[Terminal] > 0) && !f.callsForMore() && f[Comma]+f[Question]+f[Dictation] == 0
}
