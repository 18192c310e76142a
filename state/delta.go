package state

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Delta is the difference between two texts: after Keep bytes that are the same, Put stands in the place of Cut, and the rest
// is the same again. It cuts no character.
type Delta struct {
	Keep int    `json:"keep"`
	Cut  string `json:"cut,omitempty"`
	Put  string `json:"put,omitempty"`
}

// Difference is the delta from one text to another, both valid UTF-8.
func Difference(from, to string) Delta {
	head := 0
	for head < min(len(from), len(to)) && from[head] == to[head] {
		head++
	}
	for head > 0 && (inside(from, head) || inside(to, head)) {
		head--
	}
	tail := 0
	for tail < min(len(from), len(to))-head && from[len(from)-1-tail] == to[len(to)-1-tail] {
		tail++
	}
	for tail > 0 && (inside(from, len(from)-tail) || inside(to, len(to)-tail)) {
		tail--
	}
	return Delta{Keep: head, Cut: from[head : len(from)-tail], Put: to[head : len(to)-tail]}
}

// inside reports whether a text would be cut within a character.
func inside(text string, at int) bool { return at < len(text) && !utf8.RuneStart(text[at]) }

// Apply changes a text as the delta says; ok is false where it does not fit.
func (d Delta) Apply(text string) (changed string, ok bool) {
	if d.Keep < 0 || d.Keep > len(text) || inside(text, d.Keep) || !strings.HasPrefix(text[d.Keep:], d.Cut) {
		return "", false
	}
	return text[:d.Keep] + d.Put + text[d.Keep+len(d.Cut):], true
}

// Back is the delta that undoes this one.
func (d Delta) Back() Delta { return Delta{Keep: d.Keep, Cut: d.Put, Put: d.Cut} }

// wholePatch is how long two values of a field may be, in bytes and together, to be kept whole in its patch.
const wholePatch = 1 << 10

// NewPatch describes a change of a field. Of two long texts it keeps what differs: an editor's text changes with every word.
func NewPatch(field string, before, after json.RawMessage) Patch {
	if len(before)+len(after) > wholePatch {
		from, is := text(before)
		to, too := text(after)
		if is && too {
			d := Difference(from, to)
			return Patch{Field: field, Delta: &d}
		}
	}
	return Patch{Field: field, Before: slices.Clone(before), After: slices.Clone(after)}
}

// Was returns what the field held before the patch, given what it holds after it; ok is false where that cannot be.
func (p *Patch) Was(now json.RawMessage) (before json.RawMessage, ok bool) {
	if p.Delta == nil {
		return slices.Clone(p.Before), true
	}
	value, is := text(now)
	if !is {
		return nil, false
	}
	if value, ok = p.Delta.Back().Apply(value); !ok {
		return nil, false
	}
	before, err := json.Marshal(value)
	return before, err == nil
}

// text is a value that is a text.
func text(value json.RawMessage) (s string, is bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(value, &s) == nil
}
