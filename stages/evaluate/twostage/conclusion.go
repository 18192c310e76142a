package twostage

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// thought is a chain of reasoning: its sentences, and what its XML says outright.
type thought struct {
	sentences []string
	explicit  []string // contents of elements such as <conclusion>
	steps     int      // elements such as <step>
}

var tagLike = regexp.MustCompile(`<[^<>]*>`)

// readThought reads reasoning that is XML or text (R004-9). XML beyond the limits is read as text, and of a text beyond
// them the end is read, where the conclusion stands.
func readThought(text string) thought {
	if len(text) > MaxXML {
		text = strings.ToValidUTF8(text[len(text)-MaxXML:], "")
	}
	if !strings.Contains(text, "<") {
		return thought{sentences: sentences(text)}
	}
	root, _, err := readTree(text, nil)
	if err != nil {
		return thought{sentences: sentences(tagLike.ReplaceAllString(text, "\n"))}
	}
	t := thought{sentences: sentences(root.all())}
	t.collect(root)
	return t
}

func (t *thought) collect(n *node) {
	for _, c := range n.children {
		switch {
		case shipped().conclusions[c.name]:
			if text := strings.TrimSpace(c.all()); text != "" {
				t.explicit = append(t.explicit, text)
			}
			continue
		case shipped().step.MatchString(c.name):
			t.steps++
		}
		t.collect(c)
	}
}

// cut returns at most n bytes of a text, whole characters only.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// sentences cuts a text into sentences; the dot in 99.9 or v1.2 ends none.
func sentences(text string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case r == utf8.RuneError:
		case strings.ContainsRune("。！？\n", r):
			flush(end)
		case strings.ContainsRune(".!?", r) && (end == len(text) || strings.ContainsRune(" \n\t\"”", rune(text[end]))) && !numbered(text[start:i]):
			flush(end)
		}
	}
	flush(len(text))
	return out
}

// numbered reports whether a sentence so far is only the number of an item: "1."
func numbered(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && len(text) <= 2 && strings.Trim(text, "0123456789") == ""
}

// stated are the conclusions of the most explicit tier that holds any, in their one form, without repetitions.
func stated(t thought, kind Normaliser, prediction string) []string {
	if values := readAll(t.explicit, kind, prediction); len(values) > 0 {
		return values
	}
	tiers := []tier{tierFinal, tierSaid, tierHence}
	finder, closed := kind.(Finder)
	if closed && kind.Name() == KindComplexity { // costs are read clause by clause, not by what announces them
		if values := readAll(t.phrases(tierFinal), kind, prediction); len(values) > 0 {
			return values
		}
		return finder.Find(strings.Join(t.sentences, "\n"))
	}
	if !closed {
		tiers = tiers[:2] // "therefore …" of free text is a sentence, no answer
	}
	for _, level := range tiers {
		if values := readAll(t.phrases(level), kind, prediction); len(values) > 0 {
			return values
		}
	}
	return nil
}

// phrases returns the words after the markers of a tier, in all languages.
func (t thought) phrases(level tier) []string {
	var out []string
	for _, text := range t.sentences {
		if phrase, found := level.phrase(newSentence(text)); found {
			out = append(out, phrase)
		}
	}
	return out
}

func (level tier) phrase(s sentence) (string, bool) {
	for _, w := range shipped().all {
		for _, p := range w.Conclusions[level] {
			if m := p.groups(s); m != nil {
				return m[1], true
			}
		}
	}
	return "", false
}

func readAll(phrases []string, kind Normaliser, prediction string) []string {
	var out []string
	for _, p := range phrases {
		if v, ok := readConclusion(p, kind, prediction); ok && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// clause is where the value ends and its reason begins.
var clause = regexp.MustCompile(`(?i)\s*(?:[,;:—(，；（]|\s-\s|\bbecause\b|\bsince\b|\bas\b|\bso that\b|\bwhich\b|因为|bởi vì|\bvì\b).*$`)

var article = regexp.MustCompile(`(?i)^(?:(?:it is|it's|that|is|a|an|the|with)\s+)+`)

// readConclusion reads the value in the words of a conclusion. Text is compared strictly, up to where a reason begins; it
// counts as the prediction when it begins with it.
func readConclusion(phrase string, kind Normaliser, prediction string) (string, bool) {
	if v, ok := kind.Normalise(phrase); ok && kind.Name() != KindText {
		return v, true
	}
	if finder, closed := kind.(Finder); closed {
		values := finder.Find(phrase)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true // what follows is the reason
	}
	whole, ok := kind.Normalise(article.ReplaceAllString(strings.TrimSpace(phrase), ""))
	if want, known := kind.Normalise(prediction); ok && known && begins(whole, want) {
		return want, true
	}
	return kind.Normalise(clause.ReplaceAllString(article.ReplaceAllString(strings.TrimSpace(phrase), ""), ""))
}

// begins reports whether text begins with the whole words of head.
func begins(text, head string) bool {
	rest, found := strings.CutPrefix(text, head)
	return found && (rest == "" || !holds(rest[:1]) && rest[0] < utf8.RuneSelf)
}
