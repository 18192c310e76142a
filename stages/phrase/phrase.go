// Package phrase finds, by rules kept as data per language, the piece of an answer that is worth taking up: short, particular, and
// word for word what was said. It knows no meaning. What is rare in ordinary talk is taken for particular, a piece begins and ends
// where a clause or a phrase does, and what is private, hesitant or rude is never said back. It is pure; what is loaded is read-only.
package phrase

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/stages/understand"
)

// Past is what a piece must not hold.
type Past struct {
	Taken []string // pieces that were taken up before
	Left  []string // what the candidate asked not to be asked about
	Own   bool     // only what is told of themselves is wanted
}

// Weights of what a piece is chosen by. They were set on the sentences of testdata/pieces.yaml.
const (
	particular  = 0.74 // rarity from which on a word makes a piece particular
	substance   = 0.95 // and all words together: "I fix them" is not much
	telling     = 0.5  // and what a word has to reach beside a number
	numberGain  = 0.35
	nameGain    = 0.35
	ownGain     = 0.25 // what somebody says of themselves
	wholeGain   = 0.45 // begins and ends where a clause does
	lateGain    = 0.15 // what was said last is freshest
	lengthCost  = 0.05 // for every word away from the best length
	hangingCost = 0.4
	softCost    = 0.12 // for every joint inside
	commaCost   = 0.7
	innerCost   = 0.2 // a comma within a whole sentence
	nearlyWhole = 0.1 // what it costs at most to begin and end where a clause does
	enough      = 0.75
	best        = 3 // words that count
)

// Pick returns the most particular short piece of an answer, word for word, or "" where nothing is worth taking up.
func (r *Rules) Pick(answer string, past Past) string {
	piece, _ := r.Weigh(answer, past)
	return piece
}

// Weigh is Pick, and tells how particular the piece is: the higher, the more.
func (r *Rules) Weigh(answer string, past Past) (piece string, worth float64) {
	if r == nil {
		return "", 0
	}
	answer = norm.NFC.String(answer)
	tokens, open := r.open(answer)
	if !open {
		return "", 0
	}
	taken, left := r.folded(past.Taken), r.folded(past.Left)
	found, most, back := "", enough, r.takenBack(answer)
	for i := range tokens {
		if slices.ContainsFunc(back, func(at [2]int) bool { return at[0] <= tokens[i].from && tokens[i].from < at[1] }) {
			continue
		}
		for j := i + 1; j <= len(tokens) && j-i <= r.longest; j++ {
			if tokens[j-1].is(banned) || j-1 > i && tokens[j-1].gap >= hardGap {
				break
			}
			score, fit := r.score(tokens, i, j)
			if !fit || score <= most || past.Own && !tokens[i].is(first) || r.known(tokens[i:j], taken) || r.touches(tokens[i:j], left) {
				continue
			}
			found, most = answer[tokens[i].from:tokens[j-1].to], score
		}
	}
	return found, most
}

// takenBack are the places of an answer that were taken back in the same breath: from where their sentence begins.
func (r *Rules) takenBack(answer string) [][2]int {
	var out [][2]int
	for _, re := range r.corrects {
		for _, at := range re.FindAllStringIndex(answer, -1) {
			out = append(out, [2]int{strings.LastIndexAny(answer[:at[0]], ".!?。！？") + 1, at[1]})
		}
	}
	return out
}

// open are the tokens of an answer that may be said back: not a short one, nor what is private, code or in another language.
func (r *Rules) open(answer string) ([]token, bool) {
	if r.Confided(answer) || r.Secret(answer) || Scorns(answer) || code.MatchString(answer) {
		return nil, false
	}
	tokens := r.tokens(answer)
	return tokens, r.length(tokens) >= r.least && !r.foreign(tokens)
}

// score weighs the piece of the tokens from i up to j; it is no fit where it begins or ends within something.
func (r *Rules) score(tokens []token, i, j int) (float64, bool) {
	if j-i < r.shortest {
		return 0, false
	}
	begins, ok := r.begins(tokens, i)
	ends, fits := r.ends(tokens, j)
	if !ok || !fits {
		return 0, false
	}
	piece := tokens[i:j]
	worth, isParticular := r.worth(piece)
	if !isParticular {
		return 0, false
	}
	away := j - i - r.ideal
	score := worth - begins - ends - lengthCost*float64(max(away, -away)) + lateGain*float64(j)/float64(len(tokens))
	comma := commaCost
	switch {
	case piece[0].is(first):
		score += ownGain
	case piece[0].is(preposition):
		score -= hangingCost
	}
	if begins+ends <= nearlyWhole {
		score, comma = score+wholeGain, innerCost
	}
	for k := 1; k < len(piece); k++ {
		switch {
		case piece[k].is(couple) && !parallel(piece, k, ends <= nearlyWhole):
			return 0, false
		case piece[k].gap == commaGap:
			score -= comma
		case piece[k].gap == softGap:
			score -= softCost
		}
	}
	return score, true
}

// worth sums up how rare the rarest words of a piece are, and whether any of them makes it particular.
func (r *Rules) worth(piece []token) (sum float64, is bool) {
	var top [best]float64
	number, name, content, all := false, false, false, 0.0
	for k := range piece {
		t := &piece[k]
		number, name = number || t.is(numeral), name || t.is(proper)
		if t.is(function) || t.is(numeral) {
			continue
		}
		is = is || t.rare >= particular
		content = content || t.rare >= telling
		all += t.rare
		x := t.rare * t.rare
		for n := range top {
			if x > top[n] {
				top[n], x = x, top[n]
			}
		}
	}
	for _, x := range top {
		sum += x
	}
	is = is && all >= substance
	if number && content {
		sum, is = sum+numberGain, true
	}
	if name {
		sum, is = sum+nameGain, true
	}
	return sum, is
}

// parallel reports whether what stands on both sides of an "and" at k is of one kind: two numbers, two phrases that open with the
// same word, or bare words, of which the last few end the piece.
func parallel(piece []token, k int, ends bool) bool {
	if k == 0 || k == len(piece)-1 {
		return true
	}
	before, after := &piece[k-1], &piece[k+1]
	switch {
	case before.is(numeral) || after.is(numeral):
		return before.is(numeral) && after.is(numeral)
	case after.is(opener):
		return slices.ContainsFunc(piece[:k], func(t token) bool { return t.word == after.word })
	}
	return ends && len(piece)-k <= maxCoupled+1 && !piece[0].is(opener) && !after.is(function)
}

// maxCoupled is how many words may follow an "and" within a piece.
const maxCoupled = 4

// begins is what it costs to begin a piece at i, and whether one may.
func (r *Rules) begins(tokens []token, i int) (float64, bool) {
	t := &tokens[i]
	if t.is(banned) || t.is(joint) || t.is(neverFirst) || t.is(numeral) && t.gap < commaGap && counted(tokens[:i]) {
		return 0, false
	}
	switch {
	case i == 0 || t.gap >= hardGap || tokens[i-1].is(banned):
		return 0, true
	case t.gap == commaGap:
		return 0.05, true
	case t.word == "a" && counted(tokens[:i]): // "three and a half"
		return 0, false
	}
	return r.opens(t, &tokens[i-1])
}

// opens is the same for a token that goes on from the one before it without a mark.
func (r *Rules) opens(t, before *token) (float64, bool) {
	switch {
	case before.is(complement):
		return 0, false
	case before.is(relative):
		return 0.3, true
	case before.is(joint) && !before.is(tight):
		return 0.05, true
	case t.gap == softGap:
		return 0.1, true
	case before.is(copula):
		return 0.2, true
	case t.is(opener), t.is(numeral) && !r.wide && !before.is(numeral|opener):
		return 0.4, true
	}
	return 0, false
}

// ends is what it costs to end a piece before j, and whether one may.
func (r *Rules) ends(tokens []token, j int) (float64, bool) {
	last := &tokens[j-1]
	if last.is(neverLast) || last.is(joint) {
		return 0, false
	}
	if j == len(tokens) {
		return 0, true
	}
	next := &tokens[j]
	switch {
	case last.is(numeral) && next.gap < commaGap && counts(tokens[j:]):
		return 0, false
	case next.gap >= hardGap || next.is(banned):
		return 0, true
	case next.gap == commaGap:
		return 0.05, true
	case next.gap == softGap:
		return 0.1, true
	case next.is(complement):
		return 0, false
	case next.is(joint):
		return 0.15, true
	case next.is(follower):
		return 0.4, true
	}
	return 0, false
}

// counted reports whether a number goes on that began in the tokens before it, and counts whether one goes on in those behind it: half a
// number is another one.
func counted(before []token) bool {
	n := len(before)
	return n > 0 && before[n-1].is(numeral) || n > 1 && before[n-1].is(couple) && before[n-2].is(numeral)
}

func counts(after []token) bool {
	return len(after) > 0 && after[0].is(numeral) || len(after) > 1 && after[0].is(couple) && after[1].is(numeral)
}

// known reports whether a piece was taken up before, or is a part of one, or holds one.
func (r *Rules) known(piece []token, taken [][]string) bool {
	for _, old := range taken {
		both := 0
		for k := range piece {
			for _, w := range old {
				if piece[k].word == w && !piece[k].is(function) {
					both++
					break
				}
			}
		}
		if n := r.content(piece); n > 0 && 2*both >= n {
			return true
		}
	}
	return false
}

// touches reports whether a piece holds a word of what is not to be asked about.
func (r *Rules) touches(piece []token, left [][]string) bool {
	whole := ""
	for k := range piece {
		whole += piece[k].word
	}
	for _, words := range left {
		if r.wide && len(words) > 0 && strings.Contains(whole, strings.Join(words, "")) {
			return true
		}
		for _, w := range words {
			for k := range piece {
				if !r.wide && !r.functions[w] && stem(piece[k].word) == stem(w) {
					return true
				}
			}
		}
	}
	return false
}

func (r *Rules) content(piece []token) int {
	n := 0
	for k := range piece {
		if !piece[k].is(function) {
			n++
		}
	}
	return n
}

func (r *Rules) folded(texts []string) [][]string {
	out := make([][]string, 0, len(texts))
	for _, text := range texts {
		var words []string
		for _, t := range r.tokens(text) {
			words = append(words, t.word)
		}
		out = append(out, words)
	}
	return out
}

// length counts the words that say something.
func (r *Rules) length(tokens []token) int {
	n := 0
	for k := range tokens {
		if !tokens[k].is(banned) {
			n++
		}
	}
	return n
}

// foreign reports whether an answer holds so few of the small words of the language that it is likely in another one.
func (r *Rules) foreign(tokens []token) bool {
	small, words := 0, 0
	for k := range tokens {
		switch {
		case tokens[k].is(numeral | banned):
		case tokens[k].is(function | joint):
			small, words = small+1, words+1
		default:
			words++
		}
	}
	return words >= manyWords && smallShare*small < words
}

// An answer of so many words has at least one small word among every so many.
const (
	manyWords  = 6
	smallShare = 5
)

// Own reports whether a piece is told of whoever tells it.
func (r *Rules) Own(piece string) bool {
	if r == nil {
		return false
	}
	tokens := r.tokens(piece)
	return len(tokens) > 0 && tokens[0].is(first)
}

// Percent reports whether a piece names a percentage.
func Percent(piece string) bool {
	piece = strings.ToLower(piece)
	for _, w := range []string{"percent", "per cent", "%", "百分", "phần trăm"} {
		if strings.Contains(piece, w) {
			return true
		}
	}
	return false
}

// Quoted returns the pieces that stand in quotation marks in a text of ours.
func Quoted(text string) []string {
	if !strings.Contains(text, "“") {
		return nil
	}
	var out []string
	for _, m := range quotation.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// code is what a formula or a query looks like.
var code = regexp.MustCompile(`(?i)\bselect\b.+\bfrom\b|[{};]\s*($|\n)|\w\(.*\)|==|=>|:=|\w+ = \w`)

var quotation = regexp.MustCompile(`“([^”]+)”`)

// Answers returns what of a turn answers, by the acts that it was read as: neither its questions nor its wishes.
func Answers(acts []understand.Act) string {
	var out []string
	for _, a := range acts {
		if a.Kind == understand.ActAnswer || a.Kind == understand.ActCorrection {
			out = append(out, a.Text)
		}
	}
	return strings.Join(out, "\n")
}
