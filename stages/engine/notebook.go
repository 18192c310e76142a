package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// longestClause bounds what is kept around a quote or a number, in characters.
const longestClause = 150

// maxFigures bounds the numbers that are kept beside the notes, the latest ones.
const maxFigures = 24

var figure = regexp.MustCompile(`(?i)\d|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|percent|half|twice)\b|[一二两三四五六七八九十百千万亿]+[个天年万亿倍秒分人次条]`)

// entry is a line of the notebook.
type entry struct {
	line       string
	particular bool // it holds a number or a name, or what the part asks for
}

// notebook is what the candidate told, the latest last: noted facts, and every number that stands in no note (RM-27). What was corrected is
// left out.
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
	for i := range s.u.Notebook {
		n := &s.u.Notebook[i]
		if s.replaced(i) {
			continue
		}
		where := n.Stage
		if n.Part != "" {
			where = n.Part
		}
		clause := s.clause(n)
		text := n.Value + " | " + clause
		if strings.Contains(normalise(clause), normalise(n.Value)) {
			text = clause
		}
		noted += normalise(text) + " "
		out = append(out, entry{fmt.Sprintf("- %s (%s): %s", n.ID, where, Fence(text)), s.asksFor(n.ID) || particular(n.Value) || particular(clause)})
	}
	for _, text := range s.figures(noted) {
		out = append(out, entry{"- " + Fence(text), true})
	}
	return out
}

// replaced reports whether a later note took the place of one: the same of the same part, or a correction of it wherever it was made.
func (s brief) replaced(i int) bool {
	n := &s.u.Notebook[i]
	return slices.ContainsFunc(s.u.Notebook[i+1:], func(o state.Note) bool {
		return o.ID == n.ID && (o.Corrects || o.Stage == n.Stage && o.Part == n.Part) || o.Corrects && s.recounts(&o, n.Value+". "+n.Quote)
	})
}

// recounts reports whether a correction gives another number of something that a text counts.
func (s brief) recounts(n *state.Note, text string) bool {
	locale := s.iv.Words.Locale()
	now := understand.Counts(n.Value+". "+n.Quote, locale)
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
				corrected := slices.ContainsFunc(s.u.Notebook, func(n state.Note) bool { return n.Corrects && n.Turn > t.ID && s.recounts(&n, text) })
				if !corrected && !strings.Contains(noted, key) {
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

// fit leaves out lines until no more than so many characters are left: the oldest that are not particular, then the oldest.
func fit(list []entry, room int) []string {
	size := 0
	for _, e := range list {
		size += len([]rune(e.line))
	}
	for _, spare := range []func(entry) bool{func(e entry) bool { return !e.particular }, func(entry) bool { return true }} {
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
