package evaluate

import (
	"strings"

	"github.com/vivavoice/viva/state"
)

// KeywordCoverage is the name of the evaluator that counts which criteria the words cover.
const KeywordCoverage = "keyword_coverage"

// covered is what Coverage and the evaluator share.
type covered struct {
	hits, gaps []string
	evidence   []Quote
	share      float64
	silent     bool // there were no words to judge
	instructed bool // words that instruct the judge were left out
}

// Coverage tells which criteria the item's words cover, in the order of the criteria, and the share of their weight
// that is covered, 0 to 1 (R000-58, R000-59). Without criteria the share is 0.
func Coverage(it Item) (hits, gaps []string, share float64) {
	c := cover(it)
	return c.hits, c.gaps, c.share
}

func cover(it Item) covered {
	if it.Match == MatchSubstring {
		return coverSubstring(it)
	}
	turns, instructed := Screen(it.counted())
	texts := make([]text, len(turns))
	for i, t := range turns {
		texts[i] = text{t, tokens(t.Content)}
	}
	c := covered{silent: len(turns) == 0, instructed: instructed}
	c.count(it.Criteria, func(k state.Keyword) (Quote, bool) {
		say, not := forms(k, it.language())
		s, found := find(texts, say, not)
		if !found {
			return Quote{}, false
		}
		t := texts[s.text]
		return around(t.Turn, t.tokens[s.from].start, t.tokens[s.to-1].end), true
	})
	return c
}

// coverSubstring is the seed's own rule: letters in a row, in the lower-cased messages joined by spaces (R000-58).
func coverSubstring(it Item) covered {
	turns := it.counted()
	var all strings.Builder
	for _, t := range turns {
		all.WriteString(strings.ToLower(t.Content))
		all.WriteByte(' ')
	}
	joined := all.String()
	c := covered{silent: len(turns) == 0}
	c.count(it.Criteria, func(k state.Keyword) (Quote, bool) {
		phrase := strings.ToLower(k.Phrase)
		if !strings.Contains(joined, phrase) {
			return Quote{}, false
		}
		for _, t := range turns {
			lower := strings.ToLower(t.Content) // of the same length, but for a few letters
			if i := strings.Index(lower, phrase); i >= 0 && len(lower) == len(t.Content) {
				return around(t, i, i+len(phrase)), true
			}
		}
		return Quote{}, true
	})
	return c
}

func (c *covered) count(criteria []state.Keyword, said func(state.Keyword) (Quote, bool)) {
	var full, got float64
	for _, k := range criteria {
		if strings.TrimSpace(k.Phrase) == "" {
			continue
		}
		weight := k.Weight
		if weight <= 0 {
			weight = 1
		}
		full += weight
		quote, found := said(k)
		if !found {
			c.gaps = append(c.gaps, k.Phrase)
			continue
		}
		got += weight
		c.hits = append(c.hits, k.Phrase)
		if quote.Text != "" {
			c.evidence = append(c.evidence, quote)
		}
	}
	if full > 0 {
		c.share = got / full
	}
}

// keywords is the evaluator.
type keywords struct{}

var _ Evaluator = keywords{}

// Name implements Evaluator.
func (keywords) Name() string { return KeywordCoverage }

// Evaluate implements Evaluator; it never fails. Without criteria (an unknown phase) or without words there is nothing
// to assess: the decision is to continue, with score 0 and no error (R000-63).
func (keywords) Evaluate(it Item) (Evaluation, error) {
	c := cover(it)
	e := Evaluation{
		Status: StatusOK, Decision: DecisionContinue, Score: c.share * ScaleMax, Min: ScaleMin, Max: ScaleMax,
		Gaps: c.gaps, Hits: c.hits, Evidence: c.evidence, By: KeywordCoverage,
	}
	if c.instructed {
		e.flag(FlagInstructs)
	}
	switch {
	case len(it.Criteria) == 0 || c.silent:
		e.Status = StatusNotAssessed
	case it.Passes(c.share):
		e.Decision, e.Gaps = DecisionNext, nil
	}
	e.Feedback = feedback(it, e)
	return Sanitize(e), nil
}
