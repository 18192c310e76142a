package turneval

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// longPrompt is what is kept for the background: recordings of that many words.
const longPrompt = 40

// Studio makes cases. Use NewStudio.
type Studio struct {
	prompts []prompt
	babble  []int16
}

// NewStudio reads the human recordings; cache is a folder where decoded ones are kept.
func NewStudio(ctx context.Context, cache string) (*Studio, error) {
	s := &Studio{}
	all, err := readPrompts(ctx, cache)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.words) >= longPrompt {
			s.babble = append(s.babble, p.pcm...)
		} else {
			s.prompts = append(s.prompts, p)
		}
	}
	return s, nil
}

// Cases makes all cases of a set.
func (s *Studio) Cases(ctx context.Context, set Set) ([]Case, error) {
	switch set {
	case Ends:
		cases, err := s.said(ctx, Ends, "ends", 1)
		return append(cases, humanEnds(s.prompts)...), err
	case Pauses:
		cases, err := s.pauses(ctx)
		return append(cases, humanPauses(s.prompts)...), err
	case Noises:
		return noises(), nil
	case Backchannels:
		return s.said(ctx, Backchannels, "backchannels", 0.9, 1, 1.15)
	case Interruptions:
		return s.said(ctx, Interruptions, "interruptions", 0.9, 1, 1.15)
	}
	return nil, fmt.Errorf("there is no set %q", set)
}

// said has every line of a list said by the voices of its half, at several lengths.
func (s *Studio) said(ctx context.Context, set Set, list string, stretches ...float64) ([]Case, error) {
	lines, err := readList(list)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, l := range lines {
		say, text := l.text, l.text
		if phones, spelt, ok := strings.Cut(l.text, "/ "); ok {
			say, text = phones+"/", spelt
		}
		for _, voice := range voicesFor(l.heldOut) {
			for _, stretch := range stretches {
				if say[0] == '/' {
					stretch *= 1.8 // phones alone come out hurried
				}
				said, err := flite(ctx, voice, say, stretch)
				if err != nil {
					return nil, err
				}
				name := fmt.Sprintf("%s/%s/%s/%.2f", set, voice, l.text, stretch)
				cases = append(cases, whole(set, name, length(text), voice, text, l.heldOut, said.pcm))
			}
		}
	}
	return cases, nil
}

func length(text string) string {
	if len(strings.Fields(text)) < 4 {
		return "short"
	}
	return "long"
}

// pauses has every line of the list said with a comma where the speaker stops, and widens the pause that this makes.
func (s *Studio) pauses(ctx context.Context) ([]Case, error) {
	lines, err := readList("pauses")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, l := range lines {
		kind, text, _ := strings.Cut(l.text, "\t")
		before, after, ok := strings.Cut(text, "|")
		if !ok {
			return nil, fmt.Errorf("no | in %q", l.text)
		}
		before, after = strings.TrimSpace(before), strings.TrimSpace(after)
		before = strings.TrimRight(before, ",")
		for _, voice := range voicesFor(l.heldOut) {
			said, err := flite(ctx, voice, before+", "+after, 1)
			if err != nil {
				return nil, err
			}
			index := strings.Count(before, ",")
			if index >= len(said.pauses) {
				continue // the voice did not stop there
			}
			c := Case{Name: fmt.Sprintf("%s/%s/%s", Pauses, voice, text), Kind: kind, Voice: voice, HeldOut: l.heldOut}
			pause := ms(pauseLengths[len(cases)%len(pauseLengths)])
			cases = append(cases, spaced(c, said.pcm, said.pauses[index], pause, before, after))
		}
	}
	return cases, nil
}

// noisesOfKind is how many of each of Sounds there are; every other one is held out, and bears another number than those that were
// held out when the model was first fitted.
const noisesOfKind = 60

func noises() (cases []Case) {
	for _, kind := range Sounds {
		for i := range noisesOfKind {
			number, heldOut := i, i%2 == 1
			if heldOut {
				number += noisesOfKind
			}
			name := fmt.Sprintf("%s/%s/%d", Noises, kind, number)
			c := whole(Noises, name, kind, "", "", heldOut, makeSound(kind, seeded(name)))
			c.sound = makeSound(kind, seeded(name)) // at its own level
			c.parts = []part{{0, len(c.sound), ""}}
			cases = append(cases, c)
		}
	}
	return cases
}

// seeded returns random numbers that belong to a name.
func seeded(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))               // never fails
	return rand.New(rand.NewPCG(h.Sum64(), 1)) //nolint:gosec // reproducible on purpose
}

// Lead and tail of silence around the sound of a case, in milliseconds.
const (
	leadIn     = 700
	afterEnd   = 3600 // a turn has time to end
	afterOther = 2600
	agentLead  = 1000 // the agent speaks before it is disturbed
	agentTail  = 3500 // and has time to go on
)

// clip is a case with silence around it and noise in it, as a microphone hears it.
type clip struct {
	pcm   []int16
	at    int // where the case's sound begins
	parts []part
}

func (s *Studio) render(c Case, n Noise) clip {
	lead, tail := ms(leadIn), ms(afterOther)
	switch c.Set {
	case Ends:
		tail = ms(afterEnd)
	case Pauses:
	case Noises, Backchannels, Interruptions:
		lead, tail = ms(agentLead), ms(agentTail)
	}
	out := clip{pcm: make([]int16, lead+len(c.sound)+tail), at: lead}
	copy(out.pcm[lead:], c.sound)
	random := seeded(c.Name + n.Kind)
	for i, v := range out.pcm {
		out.pcm[i] = round16(float64(v) + 6*random.NormFloat64()) // the microphone's own noise, -75 dBFS
	}
	n.mix(out.pcm, s.babble, random)
	for _, p := range c.parts {
		out.parts = append(out.parts, part{p.from + lead, p.to + lead, p.text})
	}
	return out
}
