package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/agent/room"
)

const (
	chatTopic  = "lk.chat"   // where LiveKit's front ends send what is typed
	stateReady = "listening" // in stateAttribute: it is the candidate's turn

	// synthesisLimit bounds the making of one utterance's sound.
	synthesisLimit = 30 * time.Second
)

// ErrTurns says that a conversation had more turns than it may have.
var ErrTurns = errors.New("the conversation had more turns than its limit")

// pace is where a talker stands.
type pace int

const (
	paceExpect  pace = iota // waits for the interviewer to begin
	paceListen              // until the interviewer has finished
	paceAsk                 // waits for the partner
	paceReady               // has a move, and waits for its time
	paceSpeak               // is speaking
	paceSilence             // says nothing on purpose
	paceLeave               // has spoken its last words
)

// talker is a candidate who says what a partner thinks of. The body's goroutine owns it; the partner is asked by another one, which
// takes from asks and answers in replies. Each has one slot, and at most one question is open, so that neither ever waits.
type talker struct {
	body

	call    Call
	asks    chan Heard
	replies chan reply

	minutes minutes
	state   string // what the agent says it does; "" when it says nothing
	pace    pace
	since   time.Time // beginning of the pace
	turns   int       // questions to the partner
	missing int       // turns nobody answered
	asked   time.Time // when the interviewer had fallen silent before the question
	next    reply     // the move being made
}

var _ mind = (*talker)(nil)

func newTalker(call Call, silence []byte, deps Deps) *talker {
	t := &talker{
		body: newBody(call.attendance(), NewMeter(call.Silence), silence, deps),
		call: call, asks: make(chan Heard, 1), replies: make(chan reply, 1), minutes: newMinutes(),
	}
	t.mind = t
	return t
}

// consult asks the partner until ctx ends.
func (t *talker) consult(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case heard := <-t.asks:
			r := t.think(ctx, heard)
			if ctx.Err() != nil { // nobody takes it any more
				return
			}
			t.replies <- r
		}
	}
}

// think asks the partner for a move and makes the sound of its words.
func (t *talker) think(ctx context.Context, heard Heard) reply {
	move, err := t.call.Partner.Next(ctx, heard)
	if err != nil {
		return reply{err: fmt.Errorf("ask the partner: %w", err)}
	}
	if move.Say == "" {
		return reply{move: move}
	}
	ctx, cancel := context.WithTimeout(ctx, synthesisLimit)
	defer cancel()
	pcm, rate, err := t.call.Voice.Synthesize(ctx, move.Say)
	if err != nil {
		return reply{err: fmt.Errorf("speak the candidate's words: %w", err)}
	}
	clip, err := newClip(pcm, rate)
	if errors.Is(err, ErrNoVoice) { // dots and dashes, which are silence aloud
		move.Say = ""
		return reply{move: move}
	}
	if err != nil {
		return reply{err: fmt.Errorf("speak the candidate's words: %w", err)}
	}
	return reply{move: move, clip: clip}
}

func (t *talker) enter(p pace, now time.Time) { t.pace, t.since = p, now }

func (t *talker) meet(at time.Time) {
	t.minutes.began = t.began
	t.enter(paceExpect, at)
}

func (t *talker) told(changed map[string]string) {
	if state, ok := changed[stateAttribute]; ok {
		t.state = state
	}
	if stage := changed[t.stageAttribute]; stage != "" {
		t.minutes.stage = stage
	}
}

func (t *talker) heed(words room.TranscriptReceived, at time.Time) {
	t.minutes.interviewer(words, at, t.meter.Ear(at))
}

func (t *talker) done() bool { return t.pace == paceLeave }

func (t *talker) spoken(now time.Time) {
	t.minutes.spoken(now)
	if t.next.move.Leave {
		t.enter(paceLeave, now)
		return
	}
	t.enter(paceExpect, now)
}

func (t *talker) decide(now time.Time) (Outcome, error) {
	if len(t.agents) == 0 { // nobody to talk to; the body waits a little, and leaves
		return "", nil
	}
	ear := t.meter.Ear(now)
	switch t.pace {
	case paceExpect:
		return t.expect(now, ear)
	case paceListen:
		if t.finished(now, ear) {
			return t.ask(now, ear, false)
		}
	case paceAsk:
		return t.take(now)
	case paceReady:
		return t.act(now, ear)
	case paceSilence:
		return t.hush(now, ear)
	case paceLeave:
		if now.Sub(t.since) >= t.call.Silence { // so that the last words are heard as complete
			return OutcomeCompleted, nil
		}
	case paceSpeak: // the body does
	}
	return "", nil
}

// expect waits for the interviewer to begin, but not for ever.
func (t *talker) expect(now time.Time, ear Ear) (Outcome, error) {
	if t.begun(now, ear) {
		t.enter(paceListen, now)
		return "", nil
	}
	if now.Sub(t.since) < t.call.AnswerTimeout {
		return "", nil
	}
	t.missing++
	if ear.Awaiting || !ear.Heard {
		t.meter.GiveUp()
	}
	return t.ask(now, ear, true)
}

// begun says whether the interviewer has reacted, by voice or in writing. What it said during the candidate's words is no reaction to
// them, unless it goes on with it: the meter knows.
func (t *talker) begun(now time.Time, ear Ear) bool {
	if t.minutes.opened.After(t.since) {
		return true
	}
	if t.next.clip != nil { // words were spoken, and the meter awaits the answer
		return ear.Heard && !ear.Awaiting
	}
	return ear.Heard && now.Add(-ear.Voice).After(t.since)
}

// finished says whether the interviewer has said something to its end, as far as the candidate can know. A transcript that has not even
// begun is waited for as one that is open.
func (t *talker) finished(now time.Time, ear Ear) bool {
	worded := t.minutes.unheeded() || t.quiet(now, ear) >= max(settle, t.call.Silence)
	return worded && t.mayTalk(now, ear)
}

// mayTalk says whether nobody would be talked over: the interviewer's voice has been silent for long enough, what it said is final, and
// it does not say that it thinks or speaks. The last two are not waited for without end.
func (t *talker) mayTalk(now time.Time, ear Ear) bool {
	quiet := t.quiet(now, ear)
	switch {
	case quiet < t.call.Silence:
		return false
	case len(t.minutes.open) > 0 && quiet < max(settle, t.call.Silence):
		return false
	case t.state != "" && t.state != stateReady && quiet < t.call.AnswerTimeout:
		return false
	default:
		return true
	}
}

// quiet is how long the interviewer has said nothing.
func (t *talker) quiet(now time.Time, ear Ear) time.Duration { return now.Sub(t.lastHeard(now, ear)) }

// lastHeard is when the interviewer last said something; a line that is only shown counts from when it appeared.
func (t *talker) lastHeard(now time.Time, ear Ear) time.Time {
	last := t.minutes.opened
	if voice := now.Add(-ear.Silence); ear.Heard && voice.After(last) {
		last = voice
	}
	return last
}

// ask puts the next question to the partner.
func (t *talker) ask(now time.Time, ear Ear, missing bool) (Outcome, error) {
	if t.turns++; t.turns > t.call.Turns {
		return OutcomeFailed, fmt.Errorf("%d turns: %w", t.call.Turns, ErrTurns)
	}
	if !missing && t.pace == paceListen && !t.minutes.unheeded() {
		t.minutes.wordless(now.Add(-ear.Voice), now.Add(-ear.Silence))
	}
	t.asked = now
	if last := t.lastHeard(now, ear); last.After(t.since) {
		t.asked = last
	}
	t.asks <- Heard{Lines: t.minutes.heed(), Missing: missing, At: t.minutes.since(now)}
	t.enter(paceAsk, now)
	return "", nil
}

// take takes the partner's reply, once it is there.
func (t *talker) take(now time.Time) (Outcome, error) {
	select {
	case t.next = <-t.replies:
	default:
		return "", nil
	}
	if t.next.err != nil {
		return OutcomeFailed, t.next.err
	}
	if t.next.move.silent() {
		t.enter(paceSilence, now)
		return "", nil
	}
	t.enter(paceReady, now)
	return "", nil
}

// act makes the move when its time has come and the interviewer lets the candidate speak. Who only leaves does not wait for that.
func (t *talker) act(now time.Time, ear Ear) (Outcome, error) {
	move := t.next.move
	if now.Sub(t.asked) < move.Wait {
		return "", nil
	}
	if wordless := move.Say == "" && move.Type == ""; !wordless && !t.mayTalk(now, ear) {
		return "", nil
	}
	if err := t.write(now); err != nil {
		return OutcomeFailed, err
	}
	switch {
	case move.Say != "":
		t.minutes.speak(move.Say, now)
		t.say(t.next.clip, false)
		t.enter(paceSpeak, now)
	case move.Leave:
		return OutcomeCompleted, nil
	default:
		t.enter(paceExpect, now)
	}
	return "", nil
}

// write sends what is not spoken.
func (t *talker) write(now time.Time) error {
	move := t.next.move
	for _, m := range move.Send {
		if err := t.conn.SendData(m.Topic, m.Payload); err != nil {
			return fmt.Errorf("send data on %q: %w", m.Topic, err)
		}
	}
	if move.Type == "" {
		return nil
	}
	if err := t.conn.SendText(chatTopic, move.Type); err != nil {
		return fmt.Errorf("type: %w", err)
	}
	t.minutes.note(talk.Candidate, move.Type, now)
	return nil
}

// hush says nothing until the interviewer has spoken, or the silence has been long enough.
func (t *talker) hush(now time.Time, ear Ear) (Outcome, error) {
	enough := t.next.move.Wait
	if enough == 0 {
		enough = t.call.AnswerTimeout
	}
	over := now.Sub(t.asked) >= enough
	if t.minutes.unheeded() || (ear.Heard && now.Add(-ear.Voice).After(t.since)) {
		over = t.finished(now, ear)
	}
	if !over {
		return "", nil
	}
	return t.ask(now, ear, false)
}

// conversation is what came of it.
func (t *talker) conversation(outcome Outcome) Conversation {
	now := time.Now()
	if t.began.IsZero() { // it never came to be
		t.began = now
	}
	t.minutes.finish(now, t.meter.Ear(now))
	c := Conversation{
		Outcome: outcome, Took: now.Sub(t.began), Lines: t.minutes.lines, Turns: t.turns, Measured: t.meter.Finish(),
	}
	c.Voice = talk.Voice{Responses: c.Measured.Responses, Overlaps: len(c.Measured.Crosstalk), Missing: t.missing}
	for _, length := range c.Measured.Crosstalk {
		c.Voice.Overlapped += length
	}
	t.log.Info("candidate.conversed", zap.String("outcome", string(outcome)), zap.Int("turns", c.Turns))
	return c
}
