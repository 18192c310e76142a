package datafile

import "fmt"

// Meant suggests the known word that is closest to one that is not known, or nothing when none is close.
func Meant(got string, known []string) string {
	if near := nearest(got, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// nearest returns the known word closest to got, or "" when none is close.
func nearest(got string, known []string) string {
	best, at := "", 3
	for _, k := range known {
		if d := Distance(got, k); d < at {
			best, at = k, d
		}
	}
	return best
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
