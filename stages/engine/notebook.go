package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// longestClause bounds what is kept around a quote or a number, in characters.
const longestClause = 150

// leastFigured is how many words around a number say what it counts.
const leastFigured = 6

// maxFigures bounds the numbers that are kept beside the notes, the latest ones.
const maxFigures = 24

var figure = regexp.MustCompile(`(?i)\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|percent|half|twice)\b|[一二两三四五六七八九十百千万亿]+[个天年万亿倍秒分人次条]`)

// entry is a line of the notebook.
type entry struct {
	line       string
	particular bool // it holds a number or a name, or what the part asks for
	bears      bool // on the part that is on, or on what is open
}

// notebook is what the candidate told, the latest last: noted facts, and every number that stands in no note (RM-27). What was corrected is
// left out; of turns that are shown letter by letter a note holds what was made of them.
func (s brief) notebook() []string {
	var documents []string
	room := briefNotes
	for _, id := range []string{expert.FieldJob, expert.FieldResume} {
		if text, _ := valueOf(s.u.Fields[id]).(string); text != "" {
			documents = append(documents, "- "+id+", a document they handed in: "+Fence(understand.Clip(text, briefHanding)))
			room -= briefHanding / 2
		}
	}
	return append(fit(s.entries(), room), documents...)
}

func (s brief) entries() []entry {
	var out []entry
	noted := " "
	from := uint64(s.shownFrom())
	for i := range s.u.Notebook {
		n := &s.u.Notebook[i]
		if s.replaced(i) || s.refuted(n) {
			continue
		}
		where := n.Stage
		if n.Part != "" {
			where = n.Part
		}
		clause := s.clause(n)
		text := n.Value + " | " + clause
		switch {
		case n.Turn > from:
			text = n.Value
		case strings.Contains(normalise(clause), normalise(n.Value)):
			text = clause
		}
		e := entry{fmt.Sprintf("- %s (%s): %s", n.ID, where, Fence(text)), s.asksFor(n.ID) || particular(n.Value) || particular(clause), s.bears(n)}
		noted += normalise(text) + " "
		out = append(out, e)
	}
	for _, text := range s.figures(noted) {
		out = append(out, entry{line: "- " + Fence(text), particular: true})
	}
	return out
}

// bears reports whether a note is of the part that is on, of one that was left open, or of a claim that stands.
func (s brief) bears(n *state.Note) bool {
	v := s.u.Current()
	if n.Stage == v.Stage && n.Part == v.Item {
		return true
	}
	part := n.Stage
	if n.Part != "" {
		part = n.Part
	}
	return slices.ContainsFunc(s.plan(), func(p respond.Part) bool { return p.ID == part && leftUndone(p.Status) }) ||
		slices.ContainsFunc(s.u.Claims, func(c state.Claim) bool { return c.Unsettled() && sameWords(c.Quote, n.Quote) })
}

// refuted reports whether a note holds nothing but what was put right since.
func (s brief) refuted(n *state.Note) bool {
	return slices.ContainsFunc(s.u.Claims, func(c state.Claim) bool {
		return c.Settled && c.Verdict != state.ClaimRight && n.Turn <= c.Turn && strings.Contains(" "+normalise(c.Quote)+" ", " "+normalise(n.Quote)+" ")
	})
}

// replaced reports whether a later note took the place of one: the same of the same part, or in like words, or a correction of it wherever it
// was made.
func (s brief) replaced(i int) bool {
	n := &s.u.Notebook[i]
	return slices.ContainsFunc(s.u.Notebook[i+1:], func(o state.Note) bool {
		switch {
		case o.ID == n.ID && (o.Corrects || o.Stage == n.Stage && o.Part == n.Part):
			return true
		case o.ID == n.ID:
			a, b := s.content(n.Value), s.content(o.Value)
			both := shared(a, b)
			return both > 1 && both*2 >= min(len(a), len(b))
		}
		return o.Corrects && s.recounts(o.Value+". "+o.Quote, n.Value+". "+n.Quote)
	})
}

// recounts reports whether one text gives another number of something that the other counts.
func (s *situation) recounts(correction, text string) bool {
	locale := s.iv.Words.Locale()
	now := understand.Counts(correction, locale)
	return slices.ContainsFunc(understand.Counts(text, locale), func(c understand.Count) bool {
		same := func(o understand.Count) bool { return o.Thing == c.Thing }
		return slices.ContainsFunc(now, same) && !slices.ContainsFunc(now, func(o understand.Count) bool { return same(o) && o.N == c.N })
	})
}

// clause is what a note quotes, in the whole clause that it was said in.
func (s brief) clause(n *state.Note) string {
	for i := range s.u.Turns {
		t := &s.u.Turns[i]
		if t.ID != n.Turn {
			continue
		}
		for _, sentence := range sentences(t.Text) {
			if at := strings.Index(sentence, n.Quote); at >= 0 {
				return clauseAt(sentence, at, at+len(n.Quote))
			}
		}
	}
	return n.Quote
}

// clauseAt is as much of a sentence, cut at its commas, around a piece of it as may be kept.
func clauseAt(sentence string, from, to int) string {
	if len([]rune(sentence)) <= longestClause {
		return sentence
	}
	const commas = ",;:，；："
	lead, rest := sentence[:from], sentence[to:]
	if i := strings.LastIndexAny(lead, commas); i >= 0 {
		lead = strings.TrimLeft(lead[i:], commas+" ")
	}
	if i := strings.IndexAny(rest, commas); i >= 0 {
		rest = rest[:i]
	}
	if r := []rune(lead); len(r) > longestClause/3 {
		lead = string(r[len(r)-longestClause/3:])
		lead = lead[strings.IndexByte(lead, ' ')+1:]
	}
	return understand.Clip(lead+sentence[from:to]+rest, longestClause)
}

// figures returns the clauses in which the candidate named a number, of the turns that are not shown letter by letter, each once, without those
// that noted holds already, and those that were corrected.
func (s brief) figures(noted string) []string {
	var out []string
	for i := range s.u.Turns[:s.shownFrom()] {
		t := &s.u.Turns[i]
		if t.Speaker != state.SpeakerCandidate {
			continue
		}
		for _, sentence := range sentences(t.Text) {
			for _, at := range figure.FindAllStringIndex(sentence, -1) {
				text := clauseAt(sentence, at[0], at[1])
				key := normalise(text)
				corrected := slices.ContainsFunc(s.u.Notebook, func(n state.Note) bool { return n.Corrects && n.Turn > t.ID && s.recounts(n.Value+". "+n.Quote, text) })
				if understand.Words(text) >= leastFigured && !corrected && !strings.Contains(noted, key) {
					noted += key + " "
					out = append(out, text)
				}
			}
		}
	}
	return out[max(0, len(out)-maxFigures):]
}

// asksFor reports whether a stage asks for a fact of this id.
func (s *situation) asksFor(id string) bool {
	for i := range s.iv.Def.Stages {
		if s.iv.Def.Stages[i].Slot(id) != nil {
			return true
		}
	}
	return false
}

// particular reports whether a text holds a number, or a name behind its first word.
func particular(text string) bool {
	if figure.MatchString(text) {
		return true
	}
	begins := true
	for word := range strings.FieldsSeq(text) {
		first := begins
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:")
		if r := []rune(word); !first && len(r) > 1 && unicode.IsUpper(r[0]) && !strings.HasPrefix(word, "I'") {
			return true
		}
	}
	return false
}

// fit leaves out lines until no more than so many characters are left: the oldest of those that are neither particular nor bear on what is on,
// of those that are not particular, of those that do not bear on it, and of all.
func fit(list []entry, room int) []string {
	size := 0
	for _, e := range list {
		size += len([]rune(e.line))
	}
	for _, spare := range []func(entry) bool{
		func(e entry) bool { return !e.particular && !e.bears }, func(e entry) bool { return !e.particular },
		func(e entry) bool { return !e.bears }, func(entry) bool { return true },
	} {
		list = slices.DeleteFunc(list, func(e entry) bool {
			if size <= room || !spare(e) {
				return false
			}
			size -= len([]rune(e.line))
			return true
		})
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.line
	}
	return out
}
