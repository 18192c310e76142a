package turneval

import (
	"context"
	"fmt"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/turn"
)

// Onsets are the ways in which speech sets in. A number is a time in ms: of the silence put behind the first vowel, of the attack of a noise
// gate in the browser.
var onsetKinds = []string{
	"as said", "abrupt", "breathy", "dip 060", "dip 100", "dip 150", "dip 200", "gate 05", "gate 15", "gate 30",
}

// onsetGains are those of the microphones, in dB; the cases take them in turn.
var onsetGains = []float64{0, 6, -10}

// onsetLength is what is kept of a recording, in ms: the voice is to be silent long before its end.
const onsetLength = 1200

// onsets has every line of the list begin in every way. Every other case comes out of digital silence, as from a browser that suppresses
// noise, where no noise is mixed in.
func (s *Studio) onsets(ctx context.Context, half Half) ([]Case, error) {
	lines, err := readList("onsets", "")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for i, l := range lines {
		for j, voice := range append(trainVoices[:2:2], heldOutVoices...) {
			of := Train
			if j >= len(trainVoices) {
				of = HeldOut
			}
			if half != "" && half != of {
				continue
			}
			said, err := flite(ctx, voice, l.text, 1)
			if err != nil {
				return nil, err
			}
			for k, kind := range onsetKinds {
				c := setIn(kind, said)
				c.Name, c.Voice, c.Half = fmt.Sprintf("%s/%s/%s/%s", Onsets, voice, kind, l.text), voice, of
				c.parts[0].text = l.text
				c.gain, c.digital = onsetGains[(i+k)%len(onsetGains)], (i+j+k)%2 == 0
				cases = append(cases, c)
			}
		}
	}
	return cases, nil
}

// setIn makes a case of a recording's beginning.
func setIn(kind string, said spoken) Case {
	c := whole(Onsets, "", kind, "", "", Train, said.pcm)
	c.sound = c.sound[:min(len(c.sound), ms(onsetLength))]
	var name string
	var length int
	_, _ = fmt.Sscanf(kind, "%s %d", &name, &length) // where there is no number, it stays 0
	onset := 0
	switch name {
	case "abrupt":
		c.sound = c.sound[rise(c.sound):]
		audio.FadeIn(c.sound[:ms(1)])
	case "breathy":
		breath := makeBreath(seeded(kind))
		breath = breath[:min(len(breath), ms(350))]
		onset = len(breath)
		sound := make([]int16, onset, onset+len(c.sound))
		gain := 32768 * decibels(speechLevel-20) / rms(breath)
		for i, v := range breath {
			sound[i] = round16(gain * v)
		}
		audio.FadeIn(c.sound[:ms(60)])
		c.sound = append(sound, c.sound...)
	case "dip":
		trimmed, _ := trim(said.pcm)
		at := quietest(c.sound, said.vowel-trimmed)
		first, rest := c.sound[:at:at], c.sound[at:]
		soften(first)
		soften(rest)
		c.sound = append(append(first, make([]int16, ms(length))...), rest...)
	case "gate":
		c.attack = ms(length)
	}
	c.parts = []part{{onset, len(c.sound), "", stopCertain}}
	return c
}

// rise is where the voice is first within 15 dB of its loudest: what comes before is cut by an abrupt beginning.
func rise(pcm []int16) int {
	floor := loudest(pcm) - 15
	for at := 0; at+tick <= len(pcm); at += tick {
		if audio.Level(pcm[at:at+tick]) > floor {
			return at
		}
	}
	return 0
}

const (
	// gateOpens is the level from which a noise gate opens, in dBFS over 5 ms; gateHold how long it then stays open.
	gateOpens = -48.0
	gateHold  = turn.Rate / 5
)

// noiseGate silences in place what stays below gateOpens, and fades in what does not, in attack samples; it closes as fast.
func noiseGate(pcm []int16, attack int) {
	gain, open := 0.0, 0
	for at := 0; at < len(pcm); at += tick / 2 {
		step := pcm[at:min(at+tick/2, len(pcm))]
		if audio.Level(step) > gateOpens {
			open = at + gateHold
		}
		slope := -1 / float64(attack)
		if at < open {
			slope = -slope
		}
		for i, v := range step {
			gain = max(0, min(gain+slope, 1))
			step[i] = round16(gain * float64(v))
		}
	}
}
