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
	return len(Words(text)) > 0 && meaningful(text) == 0
}

// meaningful counts the words that are more than a backchannel.
func meaningful(text string) (n int) {
	for _, w := range Words(text) {
		if !backchannels[w] && !fillers[w] {
			n++
		}
	}
	return n
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
	// conjunctions and trailing words hardly ever end a sentence.
	conjunctions = set(`and or but because so if when while although though unless until since whereas that which who whose
		where how what then also cause`)
	trailing = set(`the a an my your our their his its these of to from for at by into than as is are was were be been am
		very really i we they he she it's i'm we're they're there's i've i'd we'd with on in about
		not currently every other another many several any both such only just like would could should will can cannot`)
	// pairs call for more although each of their words may end a sentence.
	pairs = phraseSet(`such as, for example, for instance, things like, worked on, working on, responsible for, based on,
		due to, is no, are no, was no, kind of, sort of, a lot of, in the, with the, on the, with a, in a, on a, because of, instead of, you know`)
	// settled pairs end a sentence although their last word is a trailing one.
	settled = phraseSet(`think so, for that, like that, about that, of that, with that, do that, than that, is that, see that,
		i'm not, each other, one another, the other, hope so, guess so, believe so, it is, it was, sign in, log in, signed in, logged in,
		moved on, move on, went on, go on, going on, came in, turned on, switched on, come in, take on, took on`)
	// agreeing pairs are whole answers where little stands before them: "yes, I would".
	agreeing = phraseSet(`i would, i could, i can, i will, i am, i do, i did, i have, i should, i was, we are, we do, we did, we have,
		they are, they do, it does, it is, it was, there was, there is, there were`)
	fillers      = set(`um uh uhm umm er erm hmm hm mm like uhh ah`)
	answers      = set(`yes no yeah yep yup nope sure nah correct right absolutely definitely exactly okay ok`)
	closing      = set(`and or but`)
	numerals     = set(`zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand`)
	backchannels = set(`mhm mm-hmm mmhmm mm hmm hm uh-huh uhuh huh yeah yes yep yup ok okay right sure alright cool
		great good nice wow oh ah i see got it true exactly all`)
	subordinators = set(`when if although though because since while unless after before once as whenever until`)
	// transitive verbs want an object that is not there when they come last.
	transitive = set(`use used uses build built builds make made makes had has have having wanted want wants need needed needs wrote
		write get got gave give gives took take takes include included includes called call uses find found say said says see saw
		create created creates chose choose mean means meant does do enjoy let handle handled handles became become becomes
		press enter dial keep kept put brought bring asked told tell showed show decided decide noticed realised realized
		discovered developed designed introduced implemented provided provide provides offered offer received required requires
		contained contains added add removed replaced replace bought buy sold sell sent send led considered suggested proposed
		recommended preferred prefer believed believe thought expected expect assumed assume explained described mentioned
		caused causes allowed allows supported supports managed manage ran reduced increased saved spent lost reached achieved
		presented produced published organised organized planned invented assigned maintained owned own owns contains`)
	closers = []string{
		" that's it", " that's all", " thank you", " thanks", " as well", " too", " right now", " in the end", " i think so",
		" that's right", " at all", " at the moment", " these days", " or so", " so far", " yes", " no",
		" of course", " nothing else", " sounds good", " not really", " years ago", " now", " today", " again", " please", " later", " yet",
	}
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
