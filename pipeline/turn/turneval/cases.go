package turneval

import (
	"fmt"
	"strings"

	"github.com/vivavoice/viva/pipeline/turn"
)

// Set is what a case shows.
type Set string

// The sets. In the first two the candidate has the floor, in the others the agent speaks.
const (
	// Ends are turns that are over when the sound is.
	Ends Set = "ends"
	// Pauses are turns with a pause inside a thought.
	Pauses Set = "pauses"
	// Gaps are turns with a pause between two complete sentences, where nothing but the length of the pause tells that more comes.
	Gaps Set = "gaps"
	// Stories are turns of many complete sentences with pauses between them.
	Stories Set = "stories"
	// Noises are sounds that are no speech.
	Noises Set = "noises"
	// Backchannels tell the agent to go on.
	Backchannels Set = "backchannels"
	// Interruptions are meant to stop it.
	Interruptions Set = "interruptions"
	// Onsets are beginnings of speech that is meant to stop it, as they come out of rooms, mouths and browsers.
	Onsets Set = "onsets"
)

// Sets are all of them in the order of the report.
func Sets() []Set {
	return []Set{Ends, Pauses, Gaps, Stories, Noises, Backchannels, Interruptions, Onsets}
}

// agentSpeaks says that it is the agent who has the floor in the cases of the set.
func (s Set) agentSpeaks() bool {
	return s == Noises || s == Backchannels || s == Interruptions || s == Onsets
}

// Half is what a case is for. Cases of other halves than Train are never learned from.
type Half string

// The halves, which are three by now.
const (
	// Train is what the model is learned from and its rules are made with.
	Train Half = "train"
	// HeldOut was kept back by the person who made the model.
	HeldOut Half = "held-out"
	// Independent was written by somebody who had seen neither the model nor its rules nor the other lists.
	Independent Half = "independent"
)

// everyOther is the half of the i-th recording: every other one is held out.
func everyOther(i int) Half {
	if i%2 == 1 {
		return HeldOut
	}
	return Train
}

// Case is a recording whose truth is known.
type Case struct {
	// Name is unique; it seeds everything random about the case.
	Name string
	Set  Set
	// Kind is the kind within the set, Voice who speaks.
	Kind, Voice string
	Half        Half

	sound []int16 // trimmed: it begins and ends with sound
	parts []part  // of the speech, between pauses that belong to the case

	gain    float64 // of the microphone, in dB; what it hears of the voice and of the room is that much louder
	digital bool    // there is nothing around the sound, not even the microphone's own noise
	attack  int     // of a noise gate behind the microphone, in samples; 0 for none
}

// part is a run of words and where its sound truly begins and ends.
type part struct {
	from, to int
	text     string
	stop     stop
}

// stop is how likely recognisers are to take the end of a part for that of a sentence.
type stop uint8

const (
	stopUnknown  stop = iota // as the words have it; see punctuate
	stopNever                // it cannot be one
	stopPossible             // it could be one
	stopCertain              // it is one
)

// pauseLengths are those of the pauses inside a thought, in milliseconds; the cases take them in turn.
var pauseLengths = []int{300, 500, 700, 900, 1100, 1300, 1500, 1700, 2000}

// whole makes a case of one part.
func whole(set Set, name, kind, voice, text string, half Half, pcm []int16) Case {
	from, to := trim(pcm)
	sound := append([]int16(nil), pcm[from:to]...)
	normalise(sound)
	return Case{
		Name: name, Set: set, Kind: kind, Voice: voice, Half: half,
		sound: sound, parts: []part{{0, len(sound), text, stopCertain}},
	}
}

// spaced makes a case of two parts with a pause between them: pcm up to the cut, silence, and pcm from behind the cut on. Of before, the
// text and the stop are taken.
func spaced(c Case, pcm []int16, cut span, pause int, before part, after string) Case {
	first := append([]int16(nil), pcm[:cut.from]...)
	second := append([]int16(nil), pcm[cut.to:]...)
	from, to := trim(first)
	first = first[from:to]
	from, to = trim(second)
	second = second[from:to]
	soften(first)
	soften(second)
	normalise(first)
	normalise(second)
	c.sound = append(append(append(c.sound, first...), make([]int16, pause)...), second...)
	c.parts = []part{{0, len(first), before.text, before.stop}, {len(first) + pause, len(c.sound), after, stopCertain}}
	return c
}

// humanEnds makes cases of the recordings: each is a turn that is over.
func humanEnds(prompts []prompt) (cases []Case) {
	for i, p := range prompts {
		cases = append(cases, whole(Ends, "human/"+p.name, "human", "human", written(p.words), everyOther(i), p.pcm))
	}
	return cases
}

// humanPauses cuts the recordings inside their sentences, where there is a good place: behind a word that calls for more, as most
// hesitations are, or else before the middle of the sentence.
func humanPauses(prompts []prompt) (cases []Case) {
	for i, p := range prompts {
		at, kind := cutPlace(p.words)
		if at < 0 {
			continue
		}
		c := Case{Name: fmt.Sprintf("human/%s/%d", p.name, at), Set: Pauses, Kind: kind, Voice: "human", Half: everyOther(i)}
		quiet := quietest(p.pcm, p.words[at+1].from)
		pause := ms(pauseLengths[len(cases)%len(pauseLengths)])
		cases = append(cases, spaced(c, p.pcm, span{quiet, quiet}, pause, part{text: written(p.words[:at+1])}, written(p.words[at+1:])))
	}
	return cases
}

func written(words []word) string {
	var text []string
	for _, w := range words {
		text = append(text, w.text)
	}
	return strings.Join(text, " ")
}

// longestPrompt is that of a recording to be cut, in words.
const longestPrompt = 24

// cutPlace chooses the word behind which to cut, -1 for none: its place and that of the next word must be known, and it must not end a
// sentence.
func cutPlace(words []word) (at int, kind string) {
	at = -1
	if len(words) < 6 || len(words) > longestPrompt {
		return at, ""
	}
	for i := 1; i+2 < len(words); i++ {
		if words[i].from < 0 || words[i+1].from < 0 || words[i].to != words[i+1].from || strings.ContainsAny(words[i].text, ".!?") {
			continue
		}
		if calling[strings.ToLower(strings.Trim(words[i].text, ",;"))] {
			return i, "human: calling"
		}
		if at < 0 || i < len(words)/2 {
			at, kind = i, "human: clause"
		}
	}
	return at, kind
}

// calling are the words of the recordings after which a speaker may well stop to think. It is a list of its own, so that the cases
// do not follow the lists that are being measured.
var calling = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields("a an the and or but to of for by in on with is are your this that when if now have you the press has") {
		m[w] = true
	}
	return m
}()

// quietest finds the quietest 10 ms within 60 ms of a place.
func quietest(pcm []int16, near int) int {
	best, level := near, 1.0
	for at := max(0, near-ms(60)); at+tick <= min(len(pcm), near+ms(60)); at += tick / 2 {
		if l := loudest(pcm[at : at+tick]); level > 0 || l < level {
			best, level = at+tick/2, l
		}
	}
	return best
}

// plain takes the marks off a text, as recognisers without punctuation write it.
func plain(text string) string { return strings.Join(turn.Words(text), " ") }
