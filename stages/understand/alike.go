package understand

// alike is the token-set similarity (Dice: 2·|A∩B| / (|A|+|B|)) from which on two questions are the same (R001-53).
const alike = 0.85

// contained is how many words a question needs to be the same as a longer one that holds all of them: the question without its
// preamble. Shorter ones ("and why?") are in too many.
const contained = 4

// Alike reports whether two questions, as words, are the same but for details.
func Alike(a, b []string) bool {
	x, y := set(a), set(b)
	if len(x)+len(y) == 0 {
		return false
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if fewer := min(len(x), len(y)); both == fewer && fewer >= contained {
		return true
	}
	return 2*float64(both)/float64(len(x)+len(y)) >= alike
}

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
