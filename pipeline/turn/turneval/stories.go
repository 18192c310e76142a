package turneval

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/turn"
)

const (
	// storyCount is how many stories are told, storySentences of how many sentences each; with both ends they take half a minute or more.
	storyCount     = 80
	storySentences = 9
	// shortest and longest gap between two sentences, in milliseconds.
	gapLeast, gapMost = 300, 2000
)

// tempi are the middle pauses of the speakers, in milliseconds: each story has a speaker of its own, and they take them in turn.
var tempi = []int{400, 600, 800, 1000, 1300}

// spread is how far the pauses of one speaker lie apart: the standard deviation of their logarithm. Pauses are log-normal (Campione and
// Véronis 2002).
const spread = 0.35

// stories put whole sentences of the human voice together, with pauses between them as a speaker of some tempo makes them. Every other
// story is held out, and shares no sentence with those to learn from.
func stories(prompts []prompt) (cases []Case) {
	var sentences [2][]prompt
	for i, p := range prompts {
		if len(p.words) >= 5 && strings.HasSuffix(p.words[len(p.words)-1].text, ".") {
			sentences[i%2] = append(sentences[i%2], p)
		}
	}
	for i := range storyCount {
		from := sentences[i%2]
		if len(from) < storySentences {
			return nil
		}
		tempo := tempi[i/2%len(tempi)]
		c := Case{Name: fmt.Sprintf("%s/%d", Stories, i), Set: Stories, Kind: fmt.Sprintf("tempo %d ms", tempo), Voice: "human", Half: everyOther(i)}
		random := seeded(c.Name)
		for n, at := range random.Perm(len(from))[:storySentences] {
			if n > 0 {
				gap := math.Exp(math.Log(float64(tempo)) + spread*random.NormFloat64())
				c.sound = append(c.sound, make([]int16, ms(int(min(max(gap, gapLeast), gapMost))))...)
			}
			s := whole(Ends, "", "", "", written(from[at].words), c.Half, from[at].pcm)
			soften(s.sound)
			begin := len(c.sound)
			c.sound = append(c.sound, s.sound...)
			c.parts = append(c.parts, part{begin, len(c.sound), s.parts[0].text, stopCertain})
		}
		cases = append(cases, c)
	}
	return cases
}

// kindOfGap names a gap by its length.
func kindOfGap(d time.Duration) string {
	switch {
	case d < 550*time.Millisecond:
		return "gap up to 0.5 s"
	case d < 1050*time.Millisecond:
		return "gap 0.6 to 1.0 s"
	}
	return "gap 1.1 to 2.0 s"
}

// told makes an outcome of each gap of a story, and one of its end.
func (o Outcome) told(events []heard, c *clip) []Outcome {
	out := make([]Outcome, 0, len(c.parts))
	for i := range c.parts[1:] {
		gap := o
		from, to := c.parts[i].to, c.parts[i+1].from
		gap.Case.Kind, gap.between = kindOfGap(turn.Duration(int64(to-from))), true
		for _, e := range events {
			if t, over := e.event.(listen.Turn); over && e.at >= from && e.at <= to+ms(100) {
				gap.CutIn, gap.CutPause, gap.Reason, gap.Text = true, true, t.Reason, t.Text
			}
		}
		out = append(out, gap)
	}
	end, last := o, c.parts[len(c.parts)-1].to
	end.Case.Kind = "end, " + o.Case.Kind
	for _, e := range events {
		if t, over := e.event.(listen.Turn); over && e.at >= last {
			end.Wait, end.Reason, end.Text = turn.Duration(int64(e.at-last)), t.Reason, t.Text
			break
		}
	}
	return append(out, end)
}
