package turneval

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
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

// Cases makes the cases of a set, of one half or, where half is empty, of all.
func (s *Studio) Cases(ctx context.Context, set Set, half Half) (cases []Case, err error) {
	switch set {
	case Ends:
		cases, err = s.said(ctx, Ends, half, "ends", 1)
		cases = append(cases, humanEnds(s.prompts)...)
	case Pauses:
		cases, err = s.pauses(ctx, half)
		cases = append(cases, humanPauses(s.prompts)...)
	case Gaps:
		cases, err = s.gaps(ctx, half)
	case Stories:
		cases = stories(s.prompts)
	case Noises:
		cases = noises()
	case Backchannels:
		cases, err = s.said(ctx, Backchannels, half, "backchannels", 0.9, 1, 1.15)
	case Interruptions:
		cases, err = s.said(ctx, Interruptions, half, "interruptions", 0.9, 1, 1.15)
	case Onsets:
		cases, err = s.onsets(ctx, half)
	default:
		err = fmt.Errorf("there is no set %q", set)
	}
	return slices.DeleteFunc(cases, func(c Case) bool { return half != "" && c.Half != half }), err
}

// said has every line of a list said by the voices of its half, at several lengths.
func (s *Studio) said(ctx context.Context, set Set, half Half, list string, stretches ...float64) ([]Case, error) {
	lines, err := readList(list, half)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, l := range lines {
		say, text := l.text, l.text
		if phones, spelt, ok := strings.Cut(l.text, "/ "); ok {
			say, text = phones+"/", spelt
		}
		for _, voice := range voicesFor(l.half) {
			for _, stretch := range stretches {
				if say[0] == '/' {
					stretch *= 1.8 // phones alone come out hurried
				}
				said, err := flite(ctx, voice, say, stretch)
				if err != nil {
					return nil, err
				}
				name := fmt.Sprintf("%s/%s/%s/%.2f", set, voice, l.text, stretch)
				cases = append(cases, whole(set, name, cmp.Or(l.kind, length(text)), voice, text, l.half, said.pcm))
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
func (s *Studio) pauses(ctx context.Context, half Half) ([]Case, error) {
	lines, err := readList("pauses", half)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, l := range lines {
		before, after, ok := strings.Cut(l.text, " | ")
		if !ok {
			return nil, fmt.Errorf("no | in %q", l.text)
		}
		before = strings.TrimRight(before, ",")
		for i, voice := range voicesFor(l.half) {
			c := Case{Name: fmt.Sprintf("%s/%s/%s", Pauses, voice, l.text), Set: Pauses, Kind: l.kind, Voice: voice, Half: l.half}
			pause := ms(pauseLengths[(l.place*len(trainVoices)+i)%len(pauseLengths)])
			c, ok, err := stopping(ctx, c, pause, part{text: before, stop: stopOf(l)}, ", ", after)
			if err != nil {
				return nil, err
			}
			if ok {
				cases = append(cases, c)
			}
		}
	}
	return cases, nil
}

// stopOf is what the kind of a pause says about its stop. In the independent list it tells all, for there the marks of the recogniser
// must not follow the words that the model knows. In the others it does so of numbers, which end as sentences may.
func stopOf(l line) stop {
	switch {
	case l.kind == "digits", l.half == Independent && (l.kind == "tail" || l.kind == "list"):
		return stopPossible
	case l.half == Independent:
		return stopNever
	}
	return stopUnknown
}

// gapLengths are those of the pauses between sentences, in milliseconds.
var gapLengths = []int{300, 400, 500, 600, 700, 800, 900, 1000}

// gaps has the answers of the list said up to each of their pauses and one sentence more, and widens that pause.
func (s *Studio) gaps(ctx context.Context, half Half) ([]Case, error) {
	lines, err := readList("gaps", half)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, l := range lines {
		sentences := strings.Split(l.text, " | ")
		for i := 1; i < len(sentences); i++ {
			before, after := strings.Join(sentences[:i], " "), sentences[i]
			for _, voice := range voicesFor(l.half) {
				c := Case{Name: fmt.Sprintf("%s/%s/%s | %s", Gaps, voice, before, after), Set: Gaps, Voice: voice, Half: l.half}
				pause := ms(gapLengths[(len(cases)/2)%len(gapLengths)]) // the same for both voices
				c.Kind = "up to 0.5 s"
				if pause > ms(500) {
					c.Kind = "0.6 to 1.0 s"
				}
				c, ok, err := stopping(ctx, c, pause, part{text: before, stop: stopCertain}, " ", after)
				if err != nil {
					return nil, err
				}
				if ok {
					cases = append(cases, c)
				}
			}
		}
	}
	return cases, nil
}

// stopping has the voice of a case say two parts and widens the pause between them; ok is false where the voice made none.
func stopping(ctx context.Context, c Case, pause int, before part, mark, after string) (_ Case, ok bool, err error) {
	said, err := flite(ctx, c.Voice, before.text+mark+after, 1)
	if err != nil {
		return c, false, err
	}
	index := 0 // each mark makes a pause
	for _, r := range strings.TrimRight(before.text, ".?!") {
		if strings.ContainsRune(",.?!", r) {
			index++
		}
	}
	if index >= len(said.pauses) {
		return c, false, nil
	}
	return spaced(c, said.pcm, said.pauses[index], pause, before, after), true, nil
}

// noisesOfKind is how many of each of Sounds there are; every other one is held out, and bears another number than those that were
// held out when the model was first fitted.
const noisesOfKind = 60

func noises() (cases []Case) {
	for _, kind := range Sounds {
		for i := range noisesOfKind {
			number, half := i, everyOther(i)
			if half == HeldOut {
				number += noisesOfKind
			}
			name := fmt.Sprintf("%s/%s/%d", Noises, kind, number)
			c := whole(Noises, name, kind, "", "", half, makeSound(kind, seeded(name)))
			c.sound = makeSound(kind, seeded(name)) // at its own level
			c.parts = []part{{0, len(c.sound), "", stopUnknown}}
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
	onsetLead  = 2000
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
	case Ends, Stories:
		tail = ms(afterEnd)
	case Pauses, Gaps:
	case Noises, Backchannels, Interruptions:
		lead, tail = ms(agentLead), ms(agentTail)
	case Onsets:
		lead, tail = ms(onsetLead), 0
	}
	out := clip{pcm: make([]int16, lead+len(c.sound)+tail), at: lead}
	copy(out.pcm[lead:], c.sound)
	random := seeded(c.Name + n.Kind)
	if !c.digital {
		for i, v := range out.pcm {
			out.pcm[i] = round16(float64(v) + 6*random.NormFloat64()) // the microphone's own noise, -75 dBFS
		}
	}
	n.mix(out.pcm, s.babble, random)
	if c.gain != 0 {
		amplify(out.pcm, c.gain)
	}
	if c.attack > 0 {
		noiseGate(out.pcm, c.attack)
	}
	for _, p := range c.parts {
		out.parts = append(out.parts, part{p.from + lead, p.to + lead, p.text, p.stop})
	}
	return out
}
