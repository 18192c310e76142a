package worker

import (
	"math"
	"time"
)

// Cost is what one job takes of a machine.
type Cost struct {
	CPU    float64 // cores
	Memory float64 // bytes
}

const (
	// costHalfLife is how soon what was learned of the cost of jobs counts half.
	costHalfLife = 10 * time.Minute
	// priorWeight is how many samples of one job the prior counts for; a sample of n jobs counts n² times. Twenty jobs
	// outweigh it in 25 s, a single one never: what a process costs by itself would be taken for the job's.
	priorWeight = 20_000
)

// jobCost learns what a job takes of the CPU, from the CPU time of all of them: the slope of a line through the origin, by
// least squares, with a prior, and forgetting.
type jobCost struct {
	prior         float64 // cores
	used, samples float64 // sums over samples: cores × jobs, and jobs²
}

// learn takes the cores in use while so many jobs ran, every loadInterval.
func (c *jobCost) learn(cores float64, jobs int) {
	keep := math.Exp2(-float64(loadInterval) / float64(costHalfLife))
	n := float64(jobs)
	c.used, c.samples = c.used*keep+cores*n, c.samples*keep+n*n
}

// cores is what a job takes, at least half of the prior: jobs whose rooms are still empty look cheaper than they are.
func (c *jobCost) cores() float64 {
	return max(c.prior/2, (c.prior*priorWeight+c.used)/(priorWeight+c.samples))
}
