package conclusion

import "strings"

// phrases finds phrases in tokens. Phrases are small graphs, by the token with which they begin.
type phrases struct {
	first map[string][]*pattern
}

// pattern is a phrase: steps from one token to the next.
type pattern struct {
	entry entry
	begin []*step // after the first token
}

// step takes a token (any word for *), or up to maxGap of them, and goes on; without any way on the phrase ends.
type step struct {
	text string
	gap  bool
	end  bool
	next []*step
}

const (
	maxGap    = 5  // words
	maxGapHan = 10 // characters of a script without spaces
)

func (p *phrases) add(e entry, list []string) {
	if p.first == nil {
		p.first = make(map[string][]*pattern)
	}
	for _, text := range list {
		ways, _ := compile(text, []*step{{end: true}})
		byFirst := make(map[string]*pattern)
		for _, w := range ways {
			if w.end || w.gap {
				continue
			}
			one := byFirst[w.text]
			if one == nil {
				one = &pattern{entry: e}
				byFirst[w.text] = one
				p.first[w.text] = append(p.first[w.text], one)
			}
			one.begin = append(one.begin, w.next...)
		}
	}
}

// compile turns a phrase into its first steps; what follows it is next. It ends at a bracket or bar that it did not open, and
// returns the rest from there on.
func compile(text string, next []*step) (ways []*step, rest string) {
	at := strings.IndexAny(text, "(…|)")
	if at < 0 || text == "(" || text == ")" || text == "|" {
		return chain(text, next), ""
	}
	head, tail := text[:at], text[at:]
	switch {
	case strings.HasPrefix(tail, "…"):
		after, rest := compile(strings.TrimPrefix(tail, "…"), next)
		return chain(head, []*step{{gap: true, next: after}}), rest
	case tail[0] == '(':
		options, after := alternatives(tail[1:])
		following, rest := compile(after, next)
		var ways []*step
		for _, o := range options {
			first, _ := compile(o, following)
			ways = append(ways, first...)
		}
		return chain(head, ways), rest
	}
	return chain(head, next), tail
}

// alternatives cuts what stands in brackets at its bars, and returns what comes behind.
func alternatives(text string) (options []string, rest string) {
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case '|':
			if depth == 0 {
				options, from = append(options, text[from:i]), i+1
			}
		case ')':
			if depth == 0 {
				return append(options, text[from:i]), text[i+1:]
			}
			depth--
		}
	}
	return append(options, text[from:]), ""
}

// chain puts the tokens of plain words before the steps that follow.
func chain(text string, next []*step) []*step {
	tokens := tokenise(text)
	for i := len(tokens) - 1; i >= 0; i-- {
		next = []*step{{text: tokens[i].text, next: next}}
	}
	return next
}

// match returns the longest phrase that begins with the token at a place, and where it ends; 0 = none does.
func (p *phrases) match(tokens []token, at int) (entry, int) {
	if at >= len(tokens) {
		return entry{}, 0
	}
	var best entry
	to := 0
	for _, one := range p.first[tokens[at].text] {
		if end := longest(one.begin, tokens, at+1, 0); end > to {
			best, to = one.entry, end
		}
	}
	return best, to
}

const maxGaps = 3

// longest follows steps from a place and returns the farthest end, or 0.
func longest(ways []*step, tokens []token, at, gaps int) int {
	to := 0
	for _, s := range ways {
		switch {
		case s.end:
			to = max(to, at)
		case s.gap && gaps < maxGaps:
			to = max(to, beyondGap(s.next, tokens, at, gaps+1))
		case !s.gap && at < len(tokens) && (tokens[at].text == s.text || s.text == "*" && len(tokens[at].text) > 1):
			to = max(to, longest(s.next, tokens, at+1, gaps))
		}
	}
	return to
}

// beyondGap lets tokens of one sentence pass before the steps.
func beyondGap(ways []*step, tokens []token, at, gaps int) int {
	to := 0
	for room := maxGap * maxGapHan; at < len(tokens) && room >= 0; at++ {
		to = max(to, longest(ways, tokens, at, gaps))
		if t := tokens[at]; ends(t) || t.text == ";" {
			break
		}
		if isHan([]rune(tokens[at].text)[0]) {
			room -= maxGap
		} else {
			room -= maxGapHan
		}
	}
	return to
}

// ends reports whether a sentence ends with a token.
func ends(t token) bool { return t.text == "." || t.text == "?" || t.text == "!" }

// span is a phrase found in a text.
type span struct {
	entry
	from, to int // tokens
}

// all returns the phrases in a text, from left to right, the longest first; they do not overlap.
func (p *phrases) all(tokens []token) []span {
	var out []span
	for i := 0; i < len(tokens); {
		if e, to := p.match(tokens, i); to > i {
			out = append(out, span{e, i, to})
			i = to
			continue
		}
		i++
	}
	return out
}

// each returns all phrases in a text, from left to right; they may overlap.
func (p *phrases) each(tokens []token) []span {
	var out []span
	for i := range tokens {
		for _, one := range p.first[tokens[i].text] {
			if to := longest(one.begin, tokens, i+1, 0); to > i {
				out = append(out, span{one.entry, i, to})
			}
		}
	}
	return out
}
