package respond

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/evaluate"
)

// Bounds of a Reading. A turn holds a handful of each; more is noise.
const (
	maxItems = 12
	maxText  = 300 // characters of one value or quote
)

// Bounds are what a Reading is held to.
type Bounds struct {
	Said     []string // the candidate's turns: quotes are looked for in them
	Criteria []string // ids that may be covered
	Allowed  []Allowance
}

// Check reads a Reading and leaves out what does not hold: a quote that was not said, an id or an allowance that nobody gave. refused says
// what was left out, without the candidate's words. The error is that of a Reading that cannot be read at all.
func Check(raw Raw, b Bounds) (r Reading, refused []string, err error) {
	if err := json.Unmarshal(raw, &r); err != nil {
		return Reading{}, nil, fmt.Errorf("read the reading: %w", err)
	}
	c := &checking{said: evaluate.Words(b.Said...)}
	r.Acts = keep(c, "act", r.Acts, func(a Act) string { return c.quote(a.Quote, a.Kind == "nothing") })
	r.Notes = keep(c, "note", r.Notes, func(n Note) string {
		if strings.TrimSpace(n.ID) == "" || strings.TrimSpace(n.Value) == "" {
			return "empty"
		}
		return c.quote(n.Quote, false)
	})
	r.Covered = keep(c, "cover", r.Covered, func(x Cover) string {
		switch {
		case !slices.Contains(b.Criteria, x.Criterion):
			return "unknown"
		case x.Level < 1 || x.Level > 3:
			return "level"
		}
		return c.quote(x.Quote, false)
	})
	r.Claims = keep(c, "claim", r.Claims, func(x Claim) string { return c.quote(x.Quote, false) })
	r.Flags = r.Flags[:min(len(r.Flags), maxItems)]
	if r.Did != "" && !slices.ContainsFunc(b.Allowed, func(a Allowance) bool { return a.Did == r.Did && (len(a.To) == 0 || slices.Contains(a.To, r.To)) }) {
		c.refused = append(c.refused, "did:allowance")
		r.Did, r.To = "", ""
	}
	r.Asked = clip(r.Asked)
	return r, c.refused, nil
}

// Has reports whether the turn holds an act of this kind, about this where about is given.
func (r *Reading) Has(kind string, about ...string) bool {
	return slices.ContainsFunc(r.Acts, func(a Act) bool {
		return a.Kind == kind && (len(about) == 0 || slices.Contains(about, a.About))
	})
}

type checking struct {
	said    evaluate.Said
	refused []string
}

func keep[T any](c *checking, what string, list []T, why func(T) string) []T {
	var out []T
	for i, x := range list {
		problem := "many"
		if i < maxItems {
			problem = why(x)
		}
		if problem != "" {
			c.refused = append(c.refused, what+":"+problem)
			continue
		}
		out = append(out, x)
	}
	return out
}

// quote says what is wrong with a quote. Case, punctuation and an ellipsis between two pieces are not.
func (c *checking) quote(q string, mayBeEmpty bool) string {
	if len([]rune(q)) > maxText {
		return "long"
	}
	pieces := slices.DeleteFunc(strings.Split(strings.ReplaceAll(q, "...", "…"), "…"), func(p string) bool { return !spoken(p) })
	if len(pieces) == 0 {
		if mayBeEmpty {
			return ""
		}
		return "quote"
	}
	for _, p := range pieces {
		if !c.said.Holds(p) {
			return "quote"
		}
	}
	return ""
}

// spoken reports whether a text holds a word: a letter or a digit.
func spoken(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) })
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText])
	}
	return s
}
