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

// How much has to speak for it that one claim mends another. A long word or a number that they share counts 2, a shorter word 1.
const (
	enough      = 4
	longWord    = 5 // letters of a long word; shorter ones have one less, in a language that writes words as such
	vietnamese  = 6 // letters of any word in a language that writes syllables
	sharedSigns = 3 // as many pairs of signs count as a long word, in a script without spaces
)

// magnitudes are long words that say little.
var magnitudes = []string{"hundred", "thousand", "million", "billion"}

// held is something that the candidate held to be so, with all that was thought of it in the course of the talk.
type held struct {
	state.Claim // as it was first listed; Turn is where it was said
	quote       *Quote
	latest      string   // verdict
	wrong       []uint64 // the turns after which it was listed as wrong
	cleared     bool     // it was said to be settled
}

// claimed puts the claims together: a talk lists one again and again until it is settled, and the latest verdict counts.
func (b *builder) claimed() []*held {
	var out []*held
	byQuote := make(map[string]*held)
	for _, c := range b.u.Claims {
		if c.Verdict == state.ClaimUnchecked {
			continue
		}
		key := strings.ToLower(strings.TrimRight(strings.TrimSpace(c.Quote), ".!?。！？ "))
		h := byQuote[key]
		if h == nil {
			q := b.saidBefore(c.Quote, c.Turn)
			if q == nil {
				continue
			}
			h = &held{Claim: c, quote: q}
			h.Turn = q.Turn
			byQuote[key], out = h, append(out, h)
		}
		h.latest = c.Verdict
		if c.Verdict != state.ClaimRight {
			h.wrong = append(h.wrong, c.Turn)
		}
		h.cleared = b.words.clears(c.Why)
	}
	return out
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
// one that was put right says so, with what was said then.
func (b *builder) claims(s *Stage) {
	all := b.claimed()
	var checked, right []Point
	for _, h := range all {
		if !b.of(s, h) || len(h.wrong) == 0 {
			continue
		}
		p := b.wrongly(h, all)
		switch {
		case p.Settled:
			b.tally.mended++
		default:
			b.tally.wrong++
		}
		if p.Settled || p.Why != "" { // a bare verdict tells nobody what to do
			checked = append(checked, p)
		}
	}
	for _, h := range all {
		if !b.of(s, h) || len(h.wrong) > 0 {
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

// wrongly is the point of a claim that was wrong at some time.
func (b *builder) wrongly(h *held, all []*held) Point {
	why, mended, key := b.words.plainly(h.Why), b.mended(h, all), state.ClaimWrong
	if h.Verdict == state.ClaimContradicts {
		key = h.Verdict
	}
	if why != "" {
		key += ".why"
	}
	settled := mended != nil || h.latest == state.ClaimRight || h.cleared
	if settled {
		key += ".settled"
	}
	p := b.point(PointWrong, key, h.quote.Text, h.quote, "why", why)
	p.Why, p.Settled, p.Mended = why, settled, mended
	if settled && mended == nil {
		p.Text += b.words.Say("sentence.join") + b.words.Say("point.settled")
	}
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

// mended returns what the candidate said later in place of a wrong claim: what was held to be right and is about the same, or what the
// notebook then has in place of the note, or what came next after the claim was taken up and was right.
func (b *builder) mended(h *held, all []*held) *Quote {
	var like, next *Quote
	most := 0
	for _, c := range all {
		if len(c.wrong) > 0 || c.Turn <= h.Turn {
			continue
		}
		follows := h.latest != state.ClaimRight && b.nextAnswer(h.wrong[0]) == c.Turn
		if n := b.alike(h, c, follows); n >= enough && n > most {
			most, like = n, c.quote
		}
		if next == nil && h.Taken && follows {
			next = c.quote
		}
	}
	if like != nil {
		return like
	}
	if q := b.replaced(h, all); q != nil {
		return q
	}
	return next
}

// alike tells how much speaks for it that a right claim is about the same as a wrong one: what they share, and that it came next, or
// is said to settle something.
func (b *builder) alike(h, c *held, follows bool) int {
	n := b.shared(h.Quote+" "+b.words.plainly(h.Why), c.Quote+" "+c.Why)
	switch {
	case n >= enough && follows, n > 1 && has(b.words.Cleared, c.Why):
		n += enough
	case n > 0 && follows && len(h.wrong) == 1:
		n += enough / 2
	}
	return n
}

// replaced is what took the place of the note that held a wrong claim: the first that was held to be right, or else the latest that was
// not wrong in its turn.
func (b *builder) replaced(h *held, all []*held) *Quote {
	var q *Quote
	id := ""
	for _, n := range b.u.Notebook {
		overlaps := func(c *held) bool { return strings.Contains(c.Quote, n.Quote) || strings.Contains(n.Quote, c.Quote) }
		switch {
		case n.Turn == h.Turn && overlaps(h):
			id = n.ID
		case n.ID != id || n.Turn <= h.wrong[0] || slices.ContainsFunc(all, func(c *held) bool { return len(c.wrong) > 0 && overlaps(c) }):
		default:
			found := b.verified(n.Quote, n.Turn)
			if found != nil && slices.ContainsFunc(all, overlaps) {
				return found
			}
			q = cmp.Or(found, q)
		}
	}
	return q
}

// nextAnswer is the candidate's turn after this one; 0 where there is none.
func (b *builder) nextAnswer(turn uint64) uint64 {
	for _, t := range b.u.Turns {
		if t.ID > turn && t.Speaker == state.SpeakerCandidate && !t.Aside {
			return t.ID
		}
	}
	return 0
}

// shared tells how much of a text is in another: long words and numbers, and in a script without spaces pairs of signs.
func (b *builder) shared(of, in string) int {
	in = strings.ToLower(in)
	least := longWord - 1
	if b.words.Language == "vi" {
		least = vietnamese
	}
	points, pairs, seen := 0, 0, map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(of), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		runes := []rune(w)
		switch {
		case unicode.Is(unicode.Han, runes[len(runes)-1]):
			for i := 0; i+2 <= len(runes); i++ {
				if pair := string(runes[i : i+2]); !seen[pair] && strings.Contains(in, pair) {
					seen[pair] = true
					pairs++
				}
			}
		case seen[w] || len(runes) < least && !unicode.IsNumber(runes[0]) || !strings.Contains(in, w):
		case len(runes) >= longWord && !slices.Contains(magnitudes, w) || unicode.IsNumber(runes[0]):
			seen[w] = true
			points += 2
		default:
			seen[w] = true
			points++
		}
	}
	return points + 2*(pairs/sharedSigns)
}

// plainly is a reason as far as it is for the candidate: without how the talk dealt with the claim, and without remarks that speak about
// them as about somebody else.
func (w *Words) plainly(why string) string { return w.clauses(why, w.Handling, w.Cleared) }

// reason is plainly for a right claim: without what is still lacking.
func (w *Words) reason(why string) string { return w.clauses(why, w.Handling, w.Cleared, w.Pending) }

// clauses are those of a remark that have none of the phrases.
func (w *Words) clauses(why string, without ...[]string) string {
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
