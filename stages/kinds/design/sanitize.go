package design

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Bounds of what a company's service may send: entries, and characters.
const (
	maxPhases      = 12
	maxKeywords    = 40
	maxLanguages   = 20
	maxAliases     = 20
	maxName        = 80
	maxDescription = 600
	maxQuestion    = 2000
	maxWeight      = 100
	maxPhaseTime   = time.Hour
)

var phaseID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// sanitize bounds a service's sub-phases: texts are cut and put on one line, numbers clamped. What cannot be used at all
// (too many, ids that are none or there twice, a missing name) is an error.
func sanitize(phases []state.Phase) ([]state.Phase, error) {
	if len(phases) > maxPhases {
		return nil, fmt.Errorf("there are %d sub-phases; at most %d can be held", len(phases), maxPhases)
	}
	seen := make(map[string]bool)
	out := make([]state.Phase, len(phases))
	for i, p := range phases {
		if !phaseID.MatchString(p.ID) || seen[p.ID] {
			return nil, fmt.Errorf("sub-phase %d has no id, one that is no id, or that of another", i+1)
		}
		seen[p.ID] = true
		p.Name, p.Description = evaluate.Line(p.Name, maxName), evaluate.Line(p.Description, maxDescription)
		if p.Name == "" {
			return nil, fmt.Errorf("sub-phase %d has no name", i+1)
		}
		if p.Description == "" {
			p.Description = p.Name
		}
		p.Keywords = sanitizeKeywords(p.Keywords)
		if len(p.Keywords) == 0 {
			return nil, errors.New("sub-phase " + p.ID + " has no keywords")
		}
		if !(p.Pass >= 0 && p.Pass <= 1) {
			p.Pass = 0
		}
		p.Soft, p.Hard = limit(p.Soft), limit(p.Hard)
		out[i] = p
	}
	return out, nil
}

func sanitizeKeywords(list []state.Keyword) []state.Keyword {
	var out []state.Keyword
	for _, k := range list[:min(len(list), maxKeywords)] {
		if k.Phrase = evaluate.Line(k.Phrase, maxName); k.Phrase == "" {
			continue
		}
		if !(k.Weight >= 0) || math.IsInf(k.Weight, 0) {
			k.Weight = 0
		}
		k.Weight = min(k.Weight, maxWeight)
		k.Aliases = sanitizeAliases(k.Aliases)
		out = append(out, k)
	}
	return out
}

func sanitizeAliases(m map[string][]string) map[string][]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string][]string)
	languages := slices.Sorted(maps.Keys(m))
	for _, language := range languages[:min(len(languages), maxLanguages)] {
		for _, alias := range m[language][:min(len(m[language]), maxAliases)] {
			if alias = evaluate.Line(alias, maxName); alias != "" {
				key := evaluate.Line(language, maxName)
				out[key] = append(out[key], alias)
			}
		}
	}
	return out
}

func limit(m state.Millis) state.Millis {
	return min(max(m, 0), state.FromDuration(maxPhaseTime))
}
