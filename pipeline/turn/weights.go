package turn

import (
	"math"
	"time"
)

// Weights are the log odds that each feature adds to the turn being complete, and how log odds become a delay.
type Weights struct {
	Bias float64
	Per  [FeatureCount]float64
	// Caution are the log odds at which the delay is half way between the minimum and the maximum, Steep how fast it changes there.
	Caution, Steep float64
}

// Odds fuses the features into the log odds that the turn is over. It is the one place where they meet.
func (w Weights) Odds(f Features) float64 {
	odds := w.Bias
	for i, v := range f {
		odds += w.Per[i] * v
	}
	return odds
}

// Complete is the probability that the turn is over.
func (w Weights) Complete(f Features) float64 { return logistic(w.Odds(f)) }

// Delay is the silence to leave, between a minimum and a maximum.
func (w Weights) Delay(f Features, low, high time.Duration) time.Duration {
	open := logistic(-w.Steep * (w.Odds(f) - w.Caution))
	return low + time.Duration(float64(high-low)*open)
}

func logistic(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }

// LearnedWeights are what `go run ./cmd/turneval train` printed: logistic regression over the silences of package turneval's cases
// (Flite's voices slt and kal16 and half of the human recordings, clean and with noise at 20, 10 and 5 dB), each heard with
// punctuation, and without for the weight of Bare. Question, Short, QuickAnswer, StoryAsked, UsualPause, AudioModel and Steep are set
// by hand. Its fit, with the other voices and sentences held out:
//
//	train: 828 silences, log loss 0.410, right 81.5 %
//	train, punctuated true: 414 silences, cut-ins 3.0 %, mean wait 954 ms
//	train, punctuated false: 414 silences, cut-ins 6.0 %, mean wait 979 ms
//	held-out: 852 silences, log loss 0.467, right 77.7 %
//	held-out, punctuated true: 426 silences, cut-ins 3.2 %, mean wait 944 ms
//	held-out, punctuated false: 426 silences, cut-ins 9.1 %, mean wait 1014 ms
var LearnedWeights = Weights{
	Bias: -0.83,
	Per: [FeatureCount]float64{
		Terminal:    2.97,
		Question:    3.00,
		Comma:       -1.79,
		Conjunction: -2.14,
		Function:    -1.95,
		Filler:      -0.21,
		List:        -1.51,
		Digits:      -0.10,
		Dictation:   -0.71,
		Subordinate: -0.81,
		Bare:        2.76,
		Hungry:      -1.59,
		Short:       -0.50,
		Settled:     -0.23,
		QuickAnswer: 5.00,
		StoryAsked:  -0.30,
		UsualPause:  -0.50,
		PitchFall:   -0.09,
		PitchLow:    0.69,
		LevelFall:   0.14,
		LevelLow:    -0.27,
		Lengthened:  0.43,
		AudioModel:  1.00,
	},
	Caution: 1.68, Steep: 4.00,
}
