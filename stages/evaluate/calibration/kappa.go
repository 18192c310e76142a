package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
)

// pair is two levels of the same criterion of the same answer.
type pair [2]int

// Confusion counts pairs: its rows are the first levels, from 1 on, its columns the second.
type Confusion [Levels][Levels]int

// Agreement is how near two sides are to each other.
type Agreement struct {
	Pairs int `json:"pairs"`
	// Kappa is Cohen's with quadratic weights (1968); nil where the levels do not vary. Low and High bound it with 95 %, by a
	// bootstrap over answers.
	Kappa *float64 `json:"kappa,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	// Error is the mean of the first level less the second, Off its mean size.
	Error     float64   `json:"mean_error"`
	Off       float64   `json:"mean_absolute_error"`
	Confusion Confusion `json:"confusion"`
}

func (c *Confusion) add(pairs []pair) {
	for _, p := range pairs {
		c[p[0]-1][p[1]-1]++
	}
}

// kappa is 1 less the share of what was seen in what chance would bring, both weighted by the square of the distance.
func (c *Confusion) kappa() (float64, bool) {
	var rows, columns [Levels]float64
	n, seen, chance := 0.0, 0.0, 0.0
	for i := range c {
		for j, count := range c[i] {
			rows[i], columns[j], n = rows[i]+float64(count), columns[j]+float64(count), n+float64(count)
			seen += float64((i-j)*(i-j)) * float64(count)
		}
	}
	for i := range rows {
		for j := range columns {
			chance += float64((i-j)*(i-j)) * rows[i] * columns[j] / max(n, 1)
		}
	}
	if chance == 0 {
		return 0, false
	}
	return 1 - seen/chance, true
}

const (
	resamples = 1000
	seed      = 1960 // fixed, so that the same table is printed again
)

// agree measures pairs that belong together by answer: an answer is drawn as a whole.
func agree(answers [][]pair) Agreement {
	answers = slices.DeleteFunc(answers, func(of []pair) bool { return len(of) == 0 })
	var a Agreement
	for _, of := range answers {
		a.Confusion.add(of)
		for _, p := range of {
			a.Pairs++
			a.Error += float64(p[0] - p[1])
			a.Off += math.Abs(float64(p[0] - p[1]))
		}
	}
	k, known := a.Confusion.kappa()
	if !known {
		return a
	}
	a.Kappa, a.Error, a.Off = &k, a.Error/float64(a.Pairs), a.Off/float64(a.Pairs)
	random := rand.New(rand.NewPCG(seed, uint64(len(answers)))) //nolint:gosec // a sample, no secret
	var drawn []float64
	for range resamples {
		var c Confusion
		for range answers {
			c.add(answers[random.IntN(len(answers))])
		}
		if k, known := c.kappa(); known {
			drawn = append(drawn, k)
		}
	}
	if slices.Sort(drawn); len(drawn) > 0 {
		a.Low, a.High = &drawn[len(drawn)*25/1000], &drawn[(len(drawn)*975-1)/1000]
	}
	return a
}
