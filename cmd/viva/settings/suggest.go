package settings

import (
	"strings"

	"github.com/vivavoice/viva/stages/datafile"
)

// nearest returns the candidate that a mistyped word most likely meant, or "" when none is close.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", max(2, len(word)/3)+1
	word = strings.ToLower(word)
	for _, candidate := range candidates {
		if strings.HasPrefix(word, candidate) {
			return candidate // "warning" for "warn"
		}
		if d := datafile.Distance(word, candidate); d < bestDistance {
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
