// Command turneval makes recordings whose truth is known, and learns from and measures what the turn model does with them; see
// package turneval. `turneval train` prints the weights as Go source, `turneval measure` the table of manners, and `turneval sounds` writes
// what the audio model learns from.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/turn/audiomodel"
	"github.com/vivavoice/viva/pipeline/turn/turneval"
	"github.com/vivavoice/viva/pipeline/vad"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "turneval:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	cache, recognizer, sets, half, voice, snr, expect string
	every                                             int
	slow                                              float64
	kinds, verbose, sound                             bool
	speech, out                                       string
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || !slices.Contains([]string{"train", "measure", "sounds"}, args[0]) {
		return errors.New("say `turneval train`, `turneval measure` or `turneval sounds`")
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no place for decoded recordings (set XDG_CACHE_HOME): %w", err)
	}
	var o options
	flags := flag.NewFlagSet("turneval "+args[0], flag.ContinueOnError)
	flags.StringVar(&o.cache, "cache", filepath.Join(home, "viva", "turneval"), "folder for decoded recordings")
	flags.StringVar(&o.recognizer, "recognizer", "scripted,bare", "any of scripted (true words, guessed punctuation), bare (true words, no punctuation) and local (PocketSphinx's own words, when it has them)")
	flags.StringVar(&o.sets, "sets", "", "sets to measure, separated by commas; empty for all")
	flags.StringVar(&o.half, "half", "", "take only the cases to learn from (train), so that the others stay unseen, or only others (held-out, independent)")
	flags.StringVar(&o.voice, "voice", "", "take only the cases of one voice: human, or one of Flite's")
	flags.StringVar(&o.snr, "snr", "", "measure under these signal-to-noise ratios in dB, separated by commas, 0 for no noise; empty for all")
	flags.Float64Var(&o.slow, "slow", 1, "how many times slower than here the local recogniser is to be")
	flags.StringVar(&o.expect, "expect", "open", "what was asked for: open, yes_no, short or story")
	flags.IntVar(&o.every, "every", 1, "take only every n-th case")
	flags.BoolVar(&o.kinds, "kinds", false, "print a row for each kind of case, too")
	flags.BoolVar(&o.sound, "sound", false, "let the audio model judge, too")
	flags.StringVar(&o.speech, "speech", "", "sounds: where speech.sh has put its packages")
	flags.StringVar(&o.out, "out", "", "sounds: the file to write, for train.py")
	flags.BoolVar(&o.verbose, "v", false, "print what went wrong")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if kind := turn.Kind(o.expect); kind != turn.Open && kind != turn.YesNo && kind != turn.Brief && kind != turn.Story {
		return fmt.Errorf("there is no kind of answer %q; choose open, yes_no, short or story", o.expect)
	}
	if half := turneval.Half(o.half); half != "" && half != turneval.Train && half != turneval.HeldOut && half != turneval.Independent {
		return fmt.Errorf("there is no half %q; choose train, held-out or independent", o.half)
	}
	t, err := newTool(ctx, o)
	if err != nil {
		return err
	}
	if t.sphinx != nil {
		defer func() { _ = t.sphinx.Close() }() // it has no error
	}
	switch args[0] {
	case "train":
		return t.train(ctx)
	case "sounds":
		return t.sounds(ctx)
	}
	return t.measure(ctx)
}

// tool is what both commands need.
type tool struct {
	options
	studio *turneval.Studio
	vad    *vad.Model
	audio  listen.AudioModel // nil unless it is asked for
	sphinx *local.Sphinx     // nil unless it is asked for
}

func newTool(ctx context.Context, o options) (*tool, error) {
	t := &tool{options: o}
	var err error
	if t.vad, err = vad.Load(); err != nil {
		return nil, err
	}
	if t.studio, err = turneval.NewStudio(ctx, o.cache); err != nil {
		return nil, err
	}
	if o.sound {
		if t.audio, err = audiomodel.Load(); err != nil {
			return nil, err
		}
	}
	if slices.Contains(strings.Split(o.recognizer, ","), "local") {
		if t.sphinx, err = local.NewSphinx(local.SphinxOptions{Decoders: 1}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ears are a chain and the name of its recogniser.
type ears struct {
	name  string
	chain turneval.Chain
}

// ears returns the chains asked for, in order.
func (t *tool) ears() (all []ears, err error) {
	for name := range strings.SplitSeq(t.recognizer, ",") {
		chain := turneval.Chain{VAD: t.vad, AudioModel: t.audio, Expect: turn.Expectation{Kind: turn.Kind(t.expect)}}
		switch name {
		case "scripted":
		case "bare":
			chain.Reader.Bare = true
		case "local":
			chain.Decoder, chain.Slow = t.sphinx.NewDecoder(), t.slow
		default:
			return nil, fmt.Errorf("there is no recogniser %q; choose scripted, bare or local", name)
		}
		all = append(all, ears{name, chain})
	}
	return all, nil
}

// numbered is a case and its place in its half, which chooses its noise whatever else is taken.
type numbered struct {
	turneval.Case
	place int
}

// cases are those of a set and a half, or of all halves where it is empty, that were asked for.
func (t *tool) cases(ctx context.Context, set turneval.Set, half turneval.Half) ([]numbered, error) {
	all, err := t.studio.Cases(ctx, set, half)
	if err != nil {
		return nil, fmt.Errorf("make cases of %s: %w", set, err)
	}
	var some []numbered
	places := make(map[turneval.Half]int)
	for _, c := range all {
		place := places[c.Half]
		places[c.Half]++
		if place%t.every == 0 && (t.voice == "" || t.voice == c.Voice) {
			some = append(some, numbered{c, place})
		}
	}
	return some, nil
}

// levels are the signal-to-noise ratios in dB; 0 stands for no noise.
var levels = []float64{0, 20, 10, 5}

// noise gives the kinds of noise to cases in turn.
func noise(i int, level float64) turneval.Noise {
	if level == 0 {
		return turneval.Noise{}
	}
	return turneval.Noise{Kind: turneval.NoiseKinds[i%len(turneval.NoiseKinds)], SNR: level}
}

// train fits the weights for recognisers with and without punctuation, and prints both.
func (t *tool) train(ctx context.Context) error {
	train, heldOut, err := t.gather(ctx)
	if err != nil {
		return err
	}
	for _, set := range []struct {
		name  string
		bare  bool
		start turn.Weights
	}{{"LearnedWeights", false, turn.LearnedWeights}, {"LearnedBare", true, turn.LearnedBare}} {
		other := func(s turneval.Sample) bool { return s.Bare != set.bare }
		samples, unseen := slices.DeleteFunc(slices.Clone(train), other), slices.DeleteFunc(slices.Clone(heldOut), other)
		if len(samples) == 0 {
			continue
		}
		weights := turneval.Fit(turneval.Learn(set.start, samples), samples)
		fmt.Print(turneval.Source(set.name, weights))
		describe("train", weights, samples)
		if len(unseen) > 0 {
			describe("held-out", weights, unseen)
		}
		if t.verbose {
			confess(weights, samples)
		}
	}
	return nil
}

// describe prints how well weights fit.
func describe(half string, w turn.Weights, samples []turneval.Sample) {
	loss, right := turneval.Loss(w, samples)
	cut, wait := turneval.Try(w, samples)
	fmt.Printf("// %s: %d silences, log loss %.3f, right %.1f %%, cut-ins %.1f %%, mean wait %.0f ms\n",
		half, len(samples), loss, 100*right, 100*cut, 1000*wait)
}

// confess prints the samples on the wrong side.
func confess(w turn.Weights, samples []turneval.Sample) {
	for _, s := range samples {
		if odds := w.Odds(s.Features); s.Over == (odds < w.Caution) {
			fmt.Printf("# %+.2f over=%v left=%v %s %q\n", odds, s.Over, s.Left, s.Name, s.Text)
		}
	}
}

// gather takes the samples of both halves.
func (t *tool) gather(ctx context.Context) (train, heldOut []turneval.Sample, err error) {
	chains, err := t.ears()
	if err != nil {
		return nil, nil, err
	}
	for _, set := range []turneval.Set{turneval.Ends, turneval.Pauses} {
		for half, samples := range map[turneval.Half]*[]turneval.Sample{turneval.Train: &train, turneval.HeldOut: &heldOut} {
			if t.half != "" && half != turneval.Half(t.half) {
				continue
			}
			cases, err := t.cases(ctx, set, half)
			if err != nil {
				return nil, nil, err
			}
			if err := t.gatherCases(ctx, chains, cases, samples); err != nil {
				return nil, nil, err
			}
		}
	}
	return train, heldOut, nil
}

func (t *tool) gatherCases(ctx context.Context, chains []ears, cases []numbered, to *[]turneval.Sample) error {
	for _, c := range cases {
		for _, e := range chains {
			samples, err := t.studio.Gather(ctx, e.chain, c.Case, noise(c.place, levels[(c.place/2)%len(levels)]))
			if err != nil {
				return fmt.Errorf("with the %s recogniser: %w", e.name, err)
			}
			*to = append(*to, samples...)
		}
	}
	return nil
}

func (t *tool) measure(ctx context.Context) error {
	chains, err := t.ears()
	if err != nil {
		return err
	}
	for _, set := range turneval.Sets() {
		if t.sets != "" && !slices.Contains(strings.Split(t.sets, ","), string(set)) {
			continue
		}
		cases, err := t.cases(ctx, set, turneval.Half(t.half))
		if err != nil {
			return err
		}
		for _, e := range chains {
			if err := t.measureSet(ctx, e, cases); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tool) measureSet(ctx context.Context, e ears, cases []numbered) error {
	var outcomes []turneval.Outcome
	for _, level := range levels {
		if t.snr != "" && !slices.Contains(strings.Split(t.snr, ","), fmt.Sprint(level)) {
			continue
		}
		for _, c := range cases {
			all, err := t.studio.Measure(ctx, e.chain, c.Case, noise(c.place, level))
			if err != nil {
				return err
			}
			outcomes = append(outcomes, all...)
			for _, o := range all {
				if t.verbose && !o.Good() {
					fmt.Printf("# %s %v %v: %v %v (%s) %q\n", c.Name, o.Case.Kind, o.Noise, o.Wait, o.Floor, o.Reason, o.Text)
				}
			}
		}
	}
	rows := turneval.Tabulate(outcomes, false)
	if t.kinds {
		rows = append(rows, turneval.Tabulate(outcomes, true)...)
	}
	return turneval.Print(os.Stdout, e.name, rows)
}
