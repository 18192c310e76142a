package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// timeline puts stages, speech and moments side by side, each in order of time.
func (b *builder) timeline() {
	t := &Timeline{Duration: b.r.Duration, Spans: append([]Span{}, b.clock.spans...), Stages: []Phase{}, Marks: []Event{}}
	slices.SortStableFunc(t.Spans, func(x, y Span) int { return cmp.Compare(x.From, y.From) })
	for i, v := range b.u.Visits {
		p := Phase{Stage: v.Stage, Title: b.title(v.Stage, v.Item), Visit: v.Visit, From: v.Entered, To: b.until(v), Left: b.left(v)}
		if i > 0 {
			e := Event{At: v.Entered, Kind: "handoff", Label: b.words.Say("mark.handoff", "stage", p.Title)}
			if left := b.left(b.u.Visits[i-1]); left != nil {
				e.Detail = left.Text
			}
			t.Marks = append(t.Marks, e)
		}
		t.Stages = append(t.Stages, p)
	}
	for _, e := range b.clock.events {
		e.Label = b.words.Say("mark." + e.Kind)
		if e.Detail != "" {
			e.Detail = b.words.Say("timer." + e.Detail)
		}
		t.Marks = append(t.Marks, e)
	}
	slices.SortStableFunc(t.Marks, func(x, y Event) int { return cmp.Compare(x.At, y.At) })
	b.r.Timeline = t
}

// longPause is the shortest silence within an answer that is counted as a pause: it is heard as one from about a second on.
const longPause Millis = 1000

// delivery describes pace, fillers and pauses. Nothing here is a score: how somebody sounds says nothing about what they
// know (R002-45).
func (b *builder) delivery() {
	if len(b.clock.turns) == 0 {
		return
	}
	d := &Delivery{}
	counts, all := make(map[string]int), 0
	var waits []Millis
	for _, t := range b.u.Turns {
		if t.Speaker != state.SpeakerCandidate || t.Typed {
			continue
		}
		all += understand.Words(t.Text)
		for word, n := range fillers(t.Text, b.words) {
			counts[word] += n
		}
		s := b.clock.turns[t.ID]
		if len(s.bursts) == 0 { // nobody knows how long it was spoken
			continue
		}
		p := b.pace(t, s)
		d.Answers = append(d.Answers, p)
		d.Words, d.Speaking, d.Pauses = d.Words+p.Words, d.Speaking+p.Speaking, d.Pauses+p.Pauses
		d.LongestPause = max(d.LongestPause, p.LongestPause)
		if p.Response >= 0 {
			waits = append(waits, p.Response)
		}
	}
	d.WordsPerMinute = perMinute(d.Words, d.Speaking)
	d.Fillers = sorted(counts)
	total := 0
	for _, f := range d.Fillers {
		total += f.Count
	}
	if all > 0 {
		d.FillersPer100 = round(float64(total) * 100 / float64(all))
	}
	d.Response = median(waits)
	d.Share = b.share()
	b.r.Delivery = d
}

// fewestWaits is how many waits tell at least what is typical.
const fewestWaits = 3

// Typical is the usual time until an answer began; 0 where it was measured too seldom to be called that.
func (d *Delivery) Typical() Millis {
	measured := 0
	for _, p := range d.Answers {
		if p.Response >= 0 {
			measured++
		}
	}
	if measured < fewestWaits {
		return 0
	}
	return d.Response
}

// described is how many words somebody has spoken at least of whom figures tell how they speak.
const described = 50

// Tells reports whether there is enough speech for the figures to describe anybody.
func (d *Delivery) Tells() bool { return d != nil && d.Words >= described }

func (b *builder) pace(t state.Turn, s stretch) Pace {
	p := Pace{Turn: t.ID, Question: b.questionOf(t.ID), At: s.from, Response: s.wait, Reply: s.reply, Words: understand.Words(t.Text)}
	for i, burst := range s.bursts {
		p.Speaking += burst.To - burst.From
		if i == 0 {
			continue
		}
		if gap := burst.From - s.bursts[i-1].To; gap >= longPause {
			p.Pauses, p.LongestPause = p.Pauses+1, max(p.LongestPause, gap)
		}
	}
	p.WordsPerMinute = perMinute(p.Words, p.Speaking)
	for _, n := range fillers(t.Text, b.words) {
		p.Fillers += n
	}
	return p
}

func (b *builder) questionOf(turn uint64) int {
	for _, q := range b.r.Questions {
		if slices.Contains(q.Turns, turn) {
			return q.Number
		}
	}
	return 0
}

// share is the candidate's part of all speech.
func (b *builder) share() float64 {
	var own, all Millis
	for _, s := range b.clock.spans {
		all += s.To - s.From
		if s.Speaker == string(state.SpeakerCandidate) {
			own += s.To - s.From
		}
	}
	if all == 0 {
		return 0
	}
	return round(float64(own) / float64(all))
}

// perMinute needs two seconds of speech: below that a rate means nothing.
func perMinute(words int, speaking Millis) float64 {
	if speaking < 2000 {
		return 0
	}
	return round(float64(words) * 60_000 / float64(speaking))
}

func median(of []Millis) Millis {
	if len(of) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(of))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func sorted(counts map[string]int) []Count {
	var out []Count
	for w, n := range counts {
		out = append(out, Count{Word: w, Count: n})
	}
	slices.SortFunc(out, func(x, y Count) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Word, y.Word)) })
	return out
}

// fillers counts the fillers in a text: as whole words, or, but for those that stand alone, wherever they are in a script without spaces.
func fillers(text string, w *Words) map[string]int {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\''
	})
	spaced := "  " + strings.Join(words, "  ") + "  " // every word has spaces of its own
	counts := make(map[string]int)
	for _, f := range w.Fillers {
		needle := " " + strings.ReplaceAll(f, " ", "  ") + " "
		if strings.ContainsFunc(f, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			needle = f
		}
		if n := strings.Count(spaced, needle); n > 0 {
			counts[f] = n
		}
	}
	for _, word := range words {
		if slices.Contains(w.Alone, word) {
			counts[word]++
		}
	}
	return counts
}
