package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/phrase"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// held is something that the candidate held to be so, with all that was thought of it in the course of the talk.
type held struct {
	state.Claim // as it was first listed; Turn is where it was said
	quote       *Quote
	latest      string // verdict
	wrong       bool   // it was listed as wrong at some time
	cleared     bool   // it was said to be settled
}

// claimed puts the claims together: a talk lists one again and again until it is settled, and the latest verdict counts.
func (b *builder) claimed() []*held {
	var out []*held
	byQuote := make(map[string]*held)
	for _, c := range b.u.Claims {
		if c.Verdict == state.ClaimUnchecked || hollow(c.Why) {
			continue
		}
		key := strings.ToLower(strings.TrimRight(strings.TrimSpace(c.Quote), ".!?。！？ "))
		h := byQuote[key]
		if h == nil {
			q := b.saidBefore(c.Quote, c.Turn)
			if q == nil || !b.tells(*q) || c.Verdict == state.ClaimContradicts && !b.spokeBefore(q.Turn) {
				continue
			}
			h = &held{Claim: c, quote: q}
			h.Turn = q.Turn
			byQuote[key], out = h, append(out, h)
		}
		h.latest = c.Verdict
		if c.Verdict != state.ClaimRight {
			h.wrong = true
		}
		h.cleared = c.Settled || b.words.clears(c.Why)
	}
	return out
}

// hollow reports whether a verdict's reason says nothing but that it is so. Whoever gave it may have judged nothing, and its candidate can
// neither check it nor learn from it. One that gives no reason at all is counted.
func hollow(why string) bool {
	words := strings.FieldsFunc(strings.ToLower(why), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	said := func(w string) bool {
		for _, p := range Speak("zh").Hollow {
			w = strings.ReplaceAll(w, p, "")
		}
		return w != "" && !slices.Contains(Speak("en").Hollow, w) && !slices.Contains(Speak("vi").Hollow, w)
	}
	return len(words) > 0 && !slices.ContainsFunc(words, said)
}

// spokeBefore reports whether the candidate had answered anything before a turn: else nothing can contradict it.
func (b *builder) spokeBefore(turn uint64) bool {
	return slices.ContainsFunc(b.u.Turns, func(t state.Turn) bool { return t.ID < turn && b.answers(t) })
}

// saidBefore finds a quote in a turn, or else in the latest one before it.
func (b *builder) saidBefore(text string, turn uint64) *Quote {
	for _, t := range slices.Backward(b.u.Turns) {
		if t.ID <= turn && t.Speaker == state.SpeakerCandidate {
			if q := b.verified(text, t.ID); q != nil {
				return q
			}
		}
	}
	return nil
}

// claims lists what was checked of what the candidate held to be so. A right one says why, or is left out: it would tell nothing. A wrong
// one that was put right says so.
func (b *builder) claims(s *Stage) {
	all := b.claimed()
	var checked, right []Point
	for _, h := range all {
		if !b.of(s, h) || !h.wrong {
			continue
		}
		p := b.wrongly(h)
		switch {
		case p.Settled:
			b.tally.mended++
		default:
			b.tally.wrong++
		}
		if p.Why != "" { // a bare verdict tells nobody what to do
			checked = append(checked, p)
		}
	}
	for _, h := range all {
		if !b.of(s, h) || h.wrong {
			continue
		}
		b.tally.right++
		shown := slices.ContainsFunc(checked, func(p Point) bool { return p.shows(*h.quote) })
		if why := b.words.reason(h.Why); understand.Words(why) >= fewestWords && !shown {
			p := b.point(PointRight, "right", h.quote.Text, h.quote, "why", why)
			p.Why = why
			right = append(right, p)
		}
	}
	checked = append(checked, b.best(right, fewestPoints)...)
	slices.SortStableFunc(checked, inTime)
	s.Points = append(s.Points, checked...)
}

// wrongly is the point of a claim that was wrong at some time. What the candidate said in its place nobody knows for sure, so no words are
// shown for it.
func (b *builder) wrongly(h *held) Point {
	why, key := b.words.plainly(h.Why), state.ClaimWrong
	if h.Verdict == state.ClaimContradicts {
		key = h.Verdict
	}
	if why != "" {
		key += ".why"
	}
	settled := h.latest == state.ClaimRight || h.cleared
	if settled {
		key += ".settled"
	}
	p := b.point(PointWrong, key, h.quote.Text, h.quote, "why", why)
	p.Why, p.Settled = why, settled
	return p
}

// of reports whether a claim was made in a part.
func (b *builder) of(s *Stage, h *held) bool {
	return slices.ContainsFunc(b.u.Turns, func(t state.Turn) bool {
		return t.ID == h.Turn && t.Stage == s.ID && slices.ContainsFunc(b.u.Visits, func(v state.StageVisit) bool {
			return v.Visit == t.Visit && v.Item == s.Item
		})
	})
}

// plainly is a reason as far as it is for the candidate: without how the talk dealt with the claim, and without remarks that speak about
// them as about somebody else.
func (w *Words) plainly(why string) string { return w.clauses(why, w.Handling, w.Cleared) }

// reason is plainly for a right claim: without what is still lacking.
func (w *Words) reason(why string) string { return w.clauses(why, w.Handling, w.Cleared, w.Pending) }

// clauses are those of a remark in the language of the report that have none of the phrases.
func (w *Words) clauses(why string, without ...[]string) string {
	if understand.Foreign(why, w.Language) {
		return ""
	}
	var kept []string
	for clause := range strings.FieldsFuncSeq(why, func(r rune) bool { return r == ';' || r == '；' }) {
		clause = strings.TrimRight(strings.Join(strings.Fields(clause), " "), ".。 ")
		if clause != "" && !slices.ContainsFunc(without, func(phrases []string) bool { return has(phrases, clause) }) {
			kept = append(kept, clause)
		}
	}
	return strings.Join(kept, w.Say("clause.join"))
}

// clears reports whether a reason says that the matter is settled.
func (w *Words) clears(why string) bool { return has(w.Cleared, why) && !has(w.Pending, why) }

// has reports whether a text holds one of the phrases: as words, or anywhere in a script without spaces.
func has(phrases []string, text string) bool {
	text = " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ") + " "
	return slices.ContainsFunc(phrases, func(p string) bool {
		if unicode.Is(unicode.Han, []rune(p)[0]) {
			return strings.Contains(text, p)
		}
		return strings.Contains(text, " "+p+" ")
	})
}

// best keeps the n points with the most particular quotes, in order.
func (b *builder) best(points []Point, n int) []Point {
	if len(points) <= n {
		return points
	}
	order := slices.Clone(points)
	slices.SortStableFunc(order, func(x, y Point) int { return cmp.Compare(b.worth(y), b.worth(x)) })
	slices.SortStableFunc(order[:n], inTime)
	return order[:n]
}

// worth is how much the words of a point tell: the more particular their best piece, and with a reason in more than a word or two.
func (b *builder) worth(p Point) float64 {
	_, worth := phrase.For(b.r.Locale).Weigh(p.Quote.Text, phrase.Past{})
	if p.Kind == PointRight && understand.Words(p.Why) <= fewestWords {
		worth /= 2
	}
	return worth
}

// inTime orders by when the words were said.
func inTime(x, y Point) int {
	return cmp.Compare(x.at(), y.at())
}
