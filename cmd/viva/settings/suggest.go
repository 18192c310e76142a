package settings

import "strings"

// nearest returns the candidate that a mistyped word most likely meant, or "" when none is close.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", max(2, len(word)/3)+1
	word = strings.ToLower(word)
	for _, candidate := range candidates {
		if strings.HasPrefix(word, candidate) {
			return candidate // "warning" for "warn"
		}
		if d := editDistance(word, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// nearestKey also finds a key that was written without, or in another, section: "api_key" for "livekit.api_key".
func nearestKey(word string, keys []string) string {
	if key := nearest(word, keys); key != "" {
		return key
	}
	tail := word[strings.LastIndex(word, ".")+1:]
	for _, key := range keys {
		if strings.HasSuffix(key, "."+tail) {
			return key
		}
	}
	return ""
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
