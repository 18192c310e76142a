package candidate

import (
	"math/rand/v2"
	"time"
)

// act is what a candidate does next.
type act int

const (
	actWait      act = iota
	actSpeak         // the next utterance, after the agent has fallen silent
	actInterrupt     // the next utterance, over the agent
	actGiveUp        // waiting for the agent's voice: note it; what follows is decided at the next call
	actLeave         // all is said
)

// turn is one utterance to come.
type turn struct {
	interrupts bool
	delay      time.Duration // of an interruption after the agent's voice began
}

// drawTurns decides which turns interrupt and when. The same source gives the same turns.
func drawTurns(p Plan, random *rand.Rand) []turn {
	turns := make([]turn, p.Turns)
	for _, i := range random.Perm(p.Turns)[:p.BargeIns] {
		delay := earliestBargeIn + time.Duration(random.Int64N(int64(latestBargeIn-earliestBargeIn)))
		turns[i] = turn{interrupts: true, delay: delay}
	}
	return turns
}

type phase int

const (
	expecting phase = iota // the agent's voice
	listening              // to it, until it falls silent
	speaking
)

// talking is how recently the agent must have been heard for an interruption to be one: not in a pause, not after its last word.
const talking = 60 * time.Millisecond

// extraTurns bounds the turns of a candidate who has interruptions to make, in turns for each: an agent of few words is hard to interrupt.
const extraTurns = 3

// conversation decides when the candidate speaks. It is pure: it is asked with the time and what is known, and answers.
type conversation struct {
	turns         []turn
	interruptions int // to be made; turns are added until they are
	silence       time.Duration
	answerTimeout time.Duration

	phase phase
	since time.Time // beginning of the phase
	said  int       // utterances begun
}

func (c *conversation) enter(p phase, now time.Time) { c.phase, c.since = p, now }

// expect waits for the agent's words, its first ones or an answer.
func (c *conversation) expect(now time.Time) { c.enter(expecting, now) }

// next decides. It is called every 20 ms while the candidate is not speaking.
func (c *conversation) next(now time.Time, ear Ear) act {
	if c.phase == expecting {
		if ear.Heard && !ear.Awaiting {
			c.enter(listening, now)
		} else if now.Sub(c.since) >= c.answerTimeout {
			c.enter(listening, now)
			return actGiveUp
		}
	}
	if c.phase != listening {
		return actWait
	}
	return c.listen(now, ear)
}

func (c *conversation) listen(now time.Time, ear Ear) act {
	quiet := !ear.Heard || ear.Silence >= c.silence
	if c.said == len(c.turns) && ear.Made < c.interruptions && c.said < extraTurns*c.interruptions {
		c.turns = append(c.turns, c.turns[c.said-c.interruptions])
	}
	if c.said == len(c.turns) {
		if quiet || now.Sub(c.since) >= c.answerTimeout {
			return actLeave
		}
		return actWait
	}
	next := c.turns[c.said]
	switch {
	case quiet:
		return c.speak(now, actSpeak)
	case next.interrupts && ear.Voice >= next.delay && ear.Silence <= talking:
		return c.speak(now, actInterrupt)
	default:
		return actWait
	}
}

func (c *conversation) speak(now time.Time, a act) act {
	c.enter(speaking, now)
	c.said++
	return a
}
