package evaluate

import "math"

// whole makes a level of what a judge answered: a number that is not whole is rounded, one outside the scale is clamped, and
// changed says so (R002-43). Nil stays nil: not assessed.
func (s Scale) whole(level *float64) (whole *int, changed bool) {
	if level == nil || math.IsNaN(*level) {
		return nil, level != nil
	}
	n := int(math.Round(min(max(*level, float64(s.Min)), float64(s.Max))))
	return &n, float64(n) != *level
}
