package report

import (
	"slices"
	"strings"
)

// wording puts picks into words, in the order in which they are read.
type wording struct {
	b     *builder
	marks []choice // those that means rest on
	seen  shown    // the quotes that the reader has before them
}

// findings words a list; kind is strength or area.
func (w *wording) findings(kind string, picks []pick) []Finding {
	var out []Finding
	var used []string // what was said of the evidence
	for _, c := range picks {
		f := Finding{Criterion: c.criterion, Name: c.name, Question: c.question, Score: c.score, Basis: c.basis, Evidence: w.evidence(kind, c)}
		f.Text = w.b.words.Say("finding."+kind+"."+manner(kind, c)+"."+where(c.choice),
			"name", c.name, "score", w.b.words.Score(c.score), "n", number(c.question))
		fresh := w.seen.fresh(f.Evidence)
		left := kind == "area" && lacks(c.choice)
		if c.basis == ByEvidence && !left {
			key := w.shows(kind, c.choice, fresh, used)
			used = append(used, key)
			f.Text = w.also(f.Text, w.b.words.Say(key, "hits", w.b.words.List(c.hits[:min(len(c.hits), most)])))
		}
		once := c.basis == ByThreshold && len(w.b.items) == 1
		if once && kind == "strength" && len(out) > 0 && len(w.seen.fresh(f.Evidence)) == 0 {
			continue // there is nothing to show for it that was not shown
		}
		f.Text += w.contents(kind, c, left, once, len(picks), len(out))
		out = append(out, f)
	}
	return out
}

// contents says what a finding is made of: what was covered, what is lacking, and which mark was the lowest. Where one answer is all there is,
// that is told with one finding.
func (w *wording) contents(kind string, c pick, left, once bool, picks, told int) string {
	text, part := "", c.criterion == wholeAnswer && c.question == 0
	if kind == "strength" {
		if c.basis != ByEvidence && len(c.hits) > 0 && (once && told == 0 || part) {
			text = w.also(text, w.b.words.Say("shown.strength.covered", "hits", w.b.words.List(c.hits)))
		}
		return text
	}
	if left || once && picks == 1 && len(c.gaps) > 0 {
		text = w.also(text, w.b.words.Say("finding.gap", "gap", w.b.words.List(c.gaps[:min(len(c.gaps), most)])))
	}
	if c.least != nil {
		text = w.also(text, w.b.words.Say("finding.least", "name", c.least.Name, "score", w.b.words.Score(*c.least.Score)))
	}
	return text
}

func (w *wording) also(text, more string) string { return text + w.b.words.Say("sentence.join") + more }

// lacks reports whether it is known what an answer left out: then that is what to improve.
func lacks(c choice) bool { return c.criterion == wholeAnswer && len(c.gaps) > 0 }

// where is what a choice is about: all answers, one, or one mark in an answer.
func where(c choice) string {
	switch {
	case c.criterion == wholeAnswer && c.question == 0:
		return "part"
	case c.criterion == wholeAnswer:
		return "answer"
	case c.question > 0:
		return "one"
	}
	return "all"
}

// evidence is what the candidate said for it. Beneath a weakness a quote stands only where it shows what is lacking, or where
// there is nothing but the words to go by.
func (w *wording) evidence(kind string, c pick) []Quote {
	c.evidence = without(c.evidence, w.b.corrected)
	var quotes []Quote
	if kind == "strength" || c.score.Norm < middle || c.basis == ByEvidence && !lacks(c.choice) {
		quotes = clip(c.evidence, fewest)
	}
	if c.question == 0 && len(c.evidence) == 0 {
		return w.behind(c.criterion, kind == "strength")
	}
	return quotes
}

// shows says, by a key, what the evidence of a choice among equals shows; used are the keys that the reader met before.
func (w *wording) shows(kind string, c choice, fresh []Quote, used []string) string {
	key := "shown." + kind + "."
	which := w.praise(c, fresh)
	if kind == "area" {
		which = lack(c)
	}
	if slices.Contains(used, key+which) && (len(fresh) > 0 || kind == "area") && which != "covered" {
		which = "too"
	}
	return key + which
}

// praise is what the words for a strength show.
func (w *wording) praise(c choice, fresh []Quote) string {
	switch {
	case c.criterion == wholeAnswer && len(c.hits) > 0:
		return "covered"
	case len(c.evidence) == 0:
		return "none"
	case len(fresh) == 0:
		return "again"
	case w.b.words.Has("shown.strength." + c.criterion):
		return c.criterion
	case len(fresh) > 1:
		return "more"
	}
	return "other"
}

// lack is what the words for something to improve show.
func lack(c choice) string {
	switch {
	case c.criterion == wholeAnswer && c.question == 0:
		return "part"
	case c.criterion == wholeAnswer:
		return "answer"
	case len(c.evidence) == 0:
		return "none"
	}
	return "few"
}

// manner is how a finding is worded: one that is named because something has to be is not praised for a low score, nor blamed
// for a high one.
func manner(kind string, c pick) string {
	switch {
	case c.basis == ByEvidence: // what the words show is said besides
	case kind == "strength" && c.score.low():
		return "low"
	case kind == "area" && c.score.high():
		return "high"
	}
	return c.basis
}

// behind returns the words behind a criterion's mean: of its best marks, or of its worst if they are low.
func (w *wording) behind(criterion string, best bool) []Quote {
	order := ranked(w.marks)
	if !best {
		order = backwards(order)
	}
	for _, c := range order {
		evidence := without(c.evidence, w.b.corrected)
		if c.criterion == criterion && len(evidence) > 0 && (best || c.score.Norm < middle) {
			return clip(evidence, fewest)
		}
	}
	return nil
}

// clip keeps the first n quotes that do not repeat one another.
func clip(from []Quote, n int) []Quote {
	var s shown
	fresh := s.fresh(from)
	return fresh[:min(len(fresh), n)]
}

// shown remembers the quotes that a reader has before them.
type shown struct{ quotes []Quote }

// fresh returns those that repeat nothing, and remembers them.
func (s *shown) fresh(from []Quote) []Quote {
	var out []Quote
	for _, q := range from {
		repeats := func(o Quote) bool {
			return o.Turn == q.Turn && (strings.Contains(o.Text, q.Text) || strings.Contains(q.Text, o.Text))
		}
		if !slices.ContainsFunc(s.quotes, repeats) {
			s.quotes, out = append(s.quotes, q), append(out, q)
		}
	}
	return out
}
