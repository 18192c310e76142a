package engine

import (
	"time"

	"github.com/vivavoice/viva/stages/understand"
)

// What a goodbye may take: until its first sound, for a word at a leisurely pace, and in all.
const (
	goodbyeBegins = 10 * time.Second
	goodbyeWord   = 600 * time.Millisecond
	goodbyeLeast  = 20 * time.Second
	goodbyeMost   = 3 * time.Minute
)

// goodbyeLimit bounds a goodbye with those words, which an expert's last ones may be part of, at a speed of speech where 1, and
// 0, are the usual one: the session ends then even if the voice never reports its end.
func goodbyeLimit(text string, speed float64) time.Duration {
	if speed <= 0 {
		speed = 1
	}
	words := time.Duration(float64(understand.Words(text)) * float64(goodbyeWord) / speed)
	return min(max(goodbyeLeast, goodbyeBegins+words), goodbyeMost)
}
