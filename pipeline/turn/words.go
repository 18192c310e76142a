package turn

import (
	"strings"
	"unicode"
)

// Words splits a text into lower-case words without punctuation; apostrophes and hyphens inside words stay.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '-'
	})
}

// Backchannel says that a text holds words, and all of them only tell the speaker to go on ("mhm", "okay, right").
func Backchannel(text string) bool {
	words := Words(text)
	for _, w := range words {
		if !backchannels[w] && !fillers[w] {
			return false
		}
	}
	return len(words) > 0
}

// AsksForTime says that a text ends with a request for time to think ("let me think about that for a second").
func AsksForTime(text string) bool {
	words := Words(text)
	for len(words) > 0 && afterRequest[words[len(words)-1]] {
		if matchesTail(words) {
			return true
		}
		words = words[:len(words)-1]
	}
	return matchesTail(words)
}

func matchesTail(words []string) bool {
	tail := " " + strings.Join(words, " ")
	for _, phrase := range requests {
		if strings.HasSuffix(tail, phrase) {
			return true
		}
	}
	return false
}

// set makes a lookup of the words of a text.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// phraseSet is set for phrases separated by commas.
func phraseSet(phrases string) map[string]bool {
	m := make(map[string]bool)
	for p := range strings.SplitSeq(phrases, ",") {
		m[strings.TrimSpace(p)] = true
	}
	return m
}

// The word lists are English: the language of the prompts shipped. In other languages only punctuation speaks.
var (
	// trailing words hardly ever end a sentence. Prepositions that often do ("in", "on", "with", "about") are left to pairs.
	trailing = set(`and or but because so if when while although though unless until since whereas that which who whose
		the a an my your our their his its this these of to from for at by into than as is are was were be been am
		very really also then where how what i we they he she you it's i'm we're they're there's i've i'd we'd`)
	// pairs call for more although each of their words may end a sentence.
	pairs = phraseSet(`such as, for example, for instance, things like, worked on, working on, responsible for, based on,
		due to, kind of, sort of, a lot of, in the, with the, on the, with a, in a, on a, because of, instead of, you know`)
	// settled pairs end a sentence although their last word is a trailing one.
	settled      = phraseSet(`think so, hope so, guess so, believe so, i am, it is, we are, they are, do that, it was`)
	fillers      = set(`um uh uhm umm er erm hmm hm mm like well uhh ah`)
	answers      = set(`yes no yeah yep yup nope sure nah correct right absolutely definitely exactly okay ok`)
	closing      = set(`and or but`)
	numerals     = set(`zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand`)
	backchannels = set(`mhm mm-hmm mmhmm mm hmm hm uh-huh uhuh huh yeah yes yep yup ok okay right sure alright cool
		great good nice wow oh ah i see got it true exactly`)
	requests = []string{
		" let me think", " let me see", " give me a moment", " give me a second", " give me a minute", " give me a sec",
		" need a moment", " need a second", " need a minute", " one moment", " one second", " one sec", " just a moment",
		" just a second", " just a minute", " just a sec", " hold on", " hang on", " have a moment", " have a second",
		" have a minute", " take a moment", " take a second", " take a minute", " need to think", " let me consider",
		" bear with me", " wait a moment", " wait a second", " wait a minute", " some time to think", " a moment to think",
		" a second to think", " a minute to think",
	}
	afterRequest = set(`about that this it for a an the one second sec moment minute bit please here just how to answer
		think through on okay um uh hmm`)
)
