package turneval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/turn"
)

// Sample is one silence: what the model sees of it, and whether the turn was over.
type Sample struct {
	// Name is that of the case, Text what was understood.
	Name, Text string
	Features   turn.Features
	Over       bool
	// Bare says that the recogniser writes no punctuation.
	Bare bool
	// Left is how long the silence went on after the end of speech, at least.
	Left time.Duration
	// Late is by how much the end of speech was found after the true one.
	Late time.Duration
}

// sameSpeech is how long before the end of its last words a case's speech may seem to end: nothing that is said is shorter.
const sameSpeech = turn.Rate / 2

// Gather lets the chain hear a case of Ends or Pauses, and takes a sample of every silence with words.
func (s *Studio) Gather(ctx context.Context, ch Chain, c Case, n Noise) ([]Sample, error) {
	ch.Expect.Mode = turn.Manual // nothing ends the turn: it is only listened to
	clip := s.render(c, n)
	g := gatherer{name: c.Name, bare: ch.bare(), end: int64(clip.parts[len(clip.parts)-1].to)}
	if _, err := ch.hear(ctx, &clip, false, g.watch); err != nil {
		return nil, fmt.Errorf("hear %s: %w", c.Name, err)
	}
	return g.samples, nil
}

// gatherer takes samples while a chain hears a case.
type gatherer struct {
	name    string
	bare    bool  // the recogniser writes no punctuation
	end     int64 // of the case's speech
	samples []Sample
	open    *Sample // of the silence that goes on
	done    bool    // the silence behind the case was seen
}

func (g *gatherer) watch(ears *listen.Offline) {
	st := ears.State()
	st.Bare = g.bare
	switch {
	case st.Speaking:
		g.open = nil
	case g.open != nil:
		g.open.Left = turn.Duration(ears.Position() - st.End)
	case st.Text != "" && st.Pending == 0 && !g.done:
		g.done = ears.Position() >= g.end || st.End >= g.end-sameSpeech
		g.samples = append(g.samples, Sample{
			Name: g.name, Text: st.Text, Features: turn.Read(st), Over: g.done, Bare: g.bare, Late: turn.Duration(st.End - g.end),
		})
		g.open = &g.samples[len(g.samples)-1]
	}
}

// Weights that these recordings cannot teach; they are set by hand and keep their values. The recordings hold few
// answers of one or two words and many fragments (Short), and few questions (Question).
var byHand = map[turn.Feature]bool{turn.QuickAnswer: true, turn.AudioModel: true, turn.Short: true, turn.Question: true, turn.Phrase: true}

const (
	rounds = 4000
	rate   = 0.5
	// ridge is the weight of the squared weights against the mean loss.
	ridge = 0.002
)

// Learn fits weights to samples by logistic regression with a ridge penalty and steepest descent; both outcomes weigh the same in
// total. Weights that are set by hand come from start.
func Learn(start turn.Weights, samples []Sample) turn.Weights {
	var w turn.Weights
	for f := range byHand {
		w.Per[f] = start.Per[f]
	}
	over := 0.0
	for _, s := range samples {
		if s.Over {
			over++
		}
	}
	n := float64(len(samples))
	for range rounds {
		var slope turn.Weights
		for _, s := range samples {
			share, want := 0.5/(n-over), 0.0
			if s.Over {
				share, want = 0.5/over, 1
			}
			miss := share * (w.Complete(s.Features) - want)
			slope.Bias += miss
			for i, v := range s.Features {
				slope.Per[i] += miss * v
			}
		}
		w.Bias -= rate * slope.Bias
		for i := range w.Per {
			if !byHand[turn.Feature(i)] {
				w.Per[i] -= rate * (slope.Per[i] + ridge*w.Per[i])
			}
		}
	}
	return w
}

// Loss is the mean log loss and the share of right guesses, both outcomes weighing the same.
func Loss(w turn.Weights, samples []Sample) (loss, right float64) {
	var sums, rights, counts [2]float64
	for _, s := range samples {
		p, k := w.Complete(s.Features), 0
		if s.Over {
			k = 1
		} else {
			p = 1 - p
		}
		sums[k] -= math.Log(max(p, 1e-9))
		counts[k]++
		if p > 0.5 {
			rights[k]++
		}
	}
	return (sums[0]/counts[0] + sums[1]/counts[1]) / 2, (rights[0]/counts[0] + rights[1]/counts[1]) / 2
}

// Source prints weights as Go source, as a variable of package turn.
func Source(name string, w turn.Weights) string {
	var b strings.Builder
	fmt.Fprintf(&b, "var %s = Weights{\n\tBias: %.2f,\n\tPer: [FeatureCount]float64{\n", name, w.Bias)
	for i := range turn.FeatureCount {
		fmt.Fprintf(&b, "\t\t%v: %.2f,\n", i, w.Per[i])
	}
	fmt.Fprintf(&b, "\t},\n\tCaution: %.2f, Steep: %.2f,\n}\n", w.Caution, w.Steep)
	return b.String()
}

// The delays between which the policy chooses: those of the patient mode.
const (
	shortest = 600 * time.Millisecond
	longest  = 2400 * time.Millisecond
)

// Try returns which share of pauses the weights would cut, and the mean wait at ends, in seconds.
func Try(w turn.Weights, samples []Sample) (cut, wait float64) {
	var pauses, ends float64
	for _, x := range samples {
		d := w.Delay(x.Features, shortest, longest)
		if x.Over {
			ends++
			wait += (d + x.Late).Seconds()
			continue
		}
		pauses++
		if x.Left > d {
			cut++
		}
	}
	return cut / pauses, wait / ends
}

// patience is the longest mean wait that is accepted for fewer cut-ins, in seconds, on the samples that are fitted to. The bar is
// 1.05 s; other people use words that the lists of package turn do not have.
const patience = 1.05

// steep is set by hand: so steep that what is plainly complete waits little more than the minimum.
const steep = 4

// margin is how far, in log odds, a plain complete sentence lies above the caution: with steep it waits some 15 ms above the minimum,
// and 100 ms when it has one word or two.
const margin = 1.25

// Fit sets how odds become a delay: so that the fewest pauses are cut at a mean wait within patience, and, where there is punctuation,
// a plain complete sentence waits the minimum.
func Fit(w turn.Weights, samples []Sample) turn.Weights {
	w.Steep = steep
	highest := math.Inf(1)
	if slices.ContainsFunc(samples, func(s Sample) bool { return s.Features[turn.Terminal] > 0 }) {
		highest = w.Bias + w.Per[turn.Terminal] - margin
	}
	best, least := w, math.Inf(1)
	for i := range 300 {
		w.Caution = -2 + 0.02*float64(i)
		if cut, wait := Try(w, samples); w.Caution <= highest && wait <= patience && cut < least {
			best, least = w, cut
		}
	}
	return best
}
