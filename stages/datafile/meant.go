package datafile

import (
	"fmt"
	"strings"
)

// Unknown says that a word is not among those there are, which they are, and which was meant.
func Unknown(what, got string, known []string) string {
	there := "there is none"
	if len(known) > 0 {
		there = "there are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("unknown %s %q: %s%s", what, got, there, Meant(got, known))
}

// Meant suggests the known word that is closest to one that is not known, or nothing when none is close.
func Meant(got string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		if d := Distance(got, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// Distance is the Levenshtein distance of two short words, in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			prev, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, prev+cost)
		}
	}
	return row[len(b)]
}
