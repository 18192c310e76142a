package turn

import (
	"slices"
	"strings"
)

// This file reads how much of a clause is there, as far as that can be told from English words without a parser: a clause has a
// finite verb, and what begins like a subject or a subordinate clause calls for one more.

// finiteVerbs counts the finite verbs of a sentence. Verbs that follow each other ("could never have been") count once; a verb is known
// by its form or by standing behind a subject pronoun.
func finiteVerbs(words []string) (n int) {
	group, open := false, false // the words before belong to a verb; an auxiliary, so that adverbs may follow
	for i, w := range words {
		switch {
		case w == "to" || i > 0 && words[i-1] == "to": // an infinitive goes on with the verb before it
		case finite(w) || i > 0 && pronouns[words[i-1]] && !adverbial(w) && !pronouns[w]:
			if !group {
				n++
			}
			group, open = true, auxiliaries[w]
		case adverbial(w):
			group = group && open
		default:
			group = false
		}
	}
	return n
}

// finite says that a word is, or hides, a finite verb: "was", "didn't", "we've", "replaced".
func finite(w string) bool {
	if verbs[w] || auxiliaries[w] || strings.HasSuffix(w, "n't") {
		return true
	}
	if at := strings.LastIndexByte(w, '\''); at > 0 {
		return pronouns[w[:at]] || w[:at] == "that" || w[:at] == "there" || w[:at] == "what" || w[:at] == "who"
	}
	return len(w) > 4 && strings.HasSuffix(w, "ed") && !notPast[w]
}

func adverbial(w string) bool {
	return adverbs[w] || len(w) > 4 && strings.HasSuffix(w, "ly")
}

// subjectOnly says that a sentence begins with a definite noun and has no verb for it yet: "the people in my last team". Verbs that
// belong to a relative clause ("the tool that we bought") do not count. Short and indefinite ones are more likely answers ("the
// cache", "a binary tree").
func subjectOnly(words []string) bool {
	for len(words) > 0 && opening[words[0]] {
		words = words[1:]
	}
	if len(words) < 3 || !definite[words[0]] || len(words) < 4 && !possessive[words[0]] {
		return false
	}
	if relativeClause(words) {
		return finiteVerbs(words) <= 1
	}
	return finiteVerbs(words) == 0
}

// relativeClause finds "which" and "who", and "that" where a clause follows it.
func relativeClause(words []string) bool {
	for i, w := range words {
		if i == 0 || i == len(words)-1 || !relatives[w] {
			continue
		}
		if next := words[i+1]; w != "that" || pronouns[next] || determiners[next] || finite(next) || adverbial(next) {
			return true
		}
	}
	return false
}

// subordinateOnly says that a sentence opens with a subordinate clause and no main clause follows. Without any verb it is a
// phrase ("since last summer"), and long ones hold verbs that are not known here.
func subordinateOnly(words []string) bool {
	for len(words) > 0 && opening[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 || len(words) > 9 || !subordinators[words[0]] {
		return false
	}
	if len(words) > 1 && backward[words[1]] || phraseFirst(words) { // "after that", "since then"
		return false
	}
	return finiteVerbs(words) == 1
}

// phraseFirst says that what begins like a subordinate clause is a phrase with the main clause behind it: "after the release we found".
func phraseFirst(words []string) bool {
	for i, w := range words {
		switch {
		case i < 2:
		case pronouns[w]:
			return i+1 < len(words)
		case finite(w):
			return false
		}
	}
	return false
}

// hungry says that the last word is a verb without its object. A noun of the same form ("every build"), a passive ("is spent") and a
// verb whose object stands before it ("what the users need") want none.
func hungry(words []string) bool {
	i := len(words) - 1
	if i < 1 || determiners[words[i-1]] || slices.Contains(words[:i], "what") || slices.Contains(words[:i], "how") {
		return false
	}
	if !transitive[words[i]] {
		return breaksOff(words)
	}
	return !passives[words[i-1]] && (i < 2 || !adverbial(words[i-1]) || !passives[words[i-2]])
}

// breaksOff says that a sentence stops at the verb behind its subject, after an opening: "in my last job I managed". Few verbs can do
// that.
func breaksOff(words []string) bool {
	i := len(words) - 1
	return i > 2 && pronouns[words[i-1]] && words[i-1] != "it" && words[i-1] != "you" && finite(words[i]) && !auxiliaries[words[i]] &&
		!intransitive[words[i]] && !conjunctions[words[i-2]] && !subordinators[words[i-2]]
}

// stranded says that the object of the preposition, auxiliary or verb at the end stands before it: in a relative clause, with or without
// its pronoun ("a plan we could agree with", "the tool we use", "all the time they could"), behind a question word ("I know what it is about")
// or with an infinitive ("nothing to complain about"). What opens the sentence is left out: there it is a subject ("what I worked on"), as is
// a noun that has no verb yet ("the tool we use").
func stranded(sentence []string) bool {
	last := len(sentence) - 1
	if last < 3 || !prepositions[sentence[last]] && !auxiliaries[sentence[last]] && !transitive[sentence[last]] {
		return false
	}
	for i := 2; i < last; i++ {
		w, before := sentence[i], sentence[i-1]
		switch {
		case finiteVerbs(sentence[:i]) == 0:
		case asking[w] && i < last-1, w == "to" && indefinite[before]:
			return true
		case pronouns[w] && (noun(before) || before == "that" && noun(sentence[i-2])):
			return true
		}
	}
	return false
}

// noun says that a word may be a noun: it is none of the words that are known to be something else.
func noun(w string) bool {
	return !finite(w) && !adverbial(w) && !pronouns[w] && !determiners[w] && !prepositions[w] && !conjunctions[w] && !subordinators[w] &&
		!opening[w] && !fillers[w] && !adjectives[w] && !saying[w]
}

// attributive says that the last word is an adjective between an article and the noun to come: "a very small".
func attributive(words []string) bool {
	i := len(words) - 1
	if i < 1 || !adjectives[words[i]] {
		return false
	}
	for i--; i > 0 && adverbial(words[i]); i-- {
	}
	return determiners[words[i]]
}

// enumerates says that the last words are of one form, as in a list whose commas were not written: "testers designers".
func enumerates(words []string) bool {
	if len(words) < 3 {
		return false
	}
	if n := len(words); n > 4 && determiners[words[n-2]] && words[n-4] == words[n-2] { // "a queue a worker"
		return true
	}
	a, b := words[len(words)-2], words[len(words)-1]
	if len(a) < 4 || len(b) < 4 || finite(a) || finite(b) || adverbial(a) || pronouns[a] || determiners[a] {
		return false
	}
	return strings.HasSuffix(a, "ing") && strings.HasSuffix(b, "ing") || plural(a) && plural(b)
}

func plural(w string) bool {
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is")
}

// lastThought is the last sentence of a text, with what came before it as long as that was no whole sentence: recognisers put full
// stops where the voice stops.
func lastThought(text string) string {
	from, end := 0, 0
	for end < len(text) {
		next := sentenceEnd(text, end)
		if next == len(text) {
			break
		}
		if !unfinished(text[from:next]) && !goesOn(text[next:]) {
			from = next
		}
		end = next
	}
	return text[from:]
}

// sentenceEnd returns the place behind the next mark that ends a sentence; one inside a word or a number ("2.5") does not.
func sentenceEnd(text string, from int) int {
	for at := from; at < len(text); at++ {
		if !strings.ContainsRune(".!?", rune(text[at])) {
			continue
		}
		end := at + len(text[at:]) - len(strings.TrimLeft(text[at:], ".!? "))
		if end == len(text) || text[end-1] == ' ' {
			return end
		}
		at = end - 1
	}
	return len(text)
}

// unfinished says that a sentence, as the recogniser has it, cannot be one.
func unfinished(sentence string) bool {
	var f Features
	f.readEnding(strings.TrimSpace(sentence))
	if words := Words(sentence); len(words) > 0 {
		f.readWords(sentence, words)
	}
	return f[Comma] > 0 || f.callsForMore()
}

// goesOn says that a text begins with a word that joins it to what was said before.
func goesOn(text string) bool {
	words := Words(text)
	return len(words) > 0 && (closing[words[0]] || fillers[words[0]])
}

var (
	pronouns    = set(`i you we they he she it`)
	determiners = set(`the a an my our your their his her its this these those every each some most many several another one
		both all two three four five six seven eight nine ten`)
	prepositions = set(`to of for at by with on in about from into`)
	asking       = set(`what who where which whom how`)
	// saying are the verbs behind which a clause comes, in the form that finite does not know.
	saying     = set(`think know say hope guess believe mean feel see wish suppose find figure decide`)
	indefinite = set(`somebody someone something nobody nothing anybody anyone anything everything people things one`)
	definite   = set(`the my our your their his her its this these those every each most both all`)
	relatives  = set(`that which who whose where whom`)
	backward   = set(`that this then`)
	opening    = set(`and but so well then now okay yes yeah no also actually maybe um uh right`)
	adverbs    = set(`not never always also just still even often only soon already ever once then there now almost quite
		very really rather`)
	adjectives = set(`new old former whole main big small good bad great large little young long short high low simple single
		different difficult important next own hard easy major minor key real common similar complete entire final current
		previous recent early internal external technical senior junior experienced`)
	possessive = set(`my our your their his her its`)
	// intransitive verbs may end a sentence right behind their subject.
	intransitive = set(`left quit started stopped agreed won lost failed went came moved worked waited learned learnt knew meant
		stayed succeeded resigned returned arrived travelled talked spoke thought said asked wanted expected planned tried hoped
		needed liked loved enjoyed graduated retired joined helped changed leave quit start stop agree win lose fail go come move work
		wait learn know stay succeed resign return travel talk speak think ask expect plan try hope like enjoy help change`)
	passives = set(`is are was were be been being get gets got`)
	// notPast are words in -ed that are no verbs.
	notPast     = set(`hundred indeed speed naked sacred wicked`)
	auxiliaries = set(`is am are was were be been being has had have having do does did done can could will would shall should
		may might must`)
	verbs = withForms(set(`went gone came got gave given took taken made knew known thought said told saw seen found felt
		left kept held led met put let set cut cost ran run began begun became become brought built bought caught chose
		chosen drew drove fell flew forgot grew heard hid hurt lay lost meant paid read rode rose sat sent shook shot
		showed shown shut slept sold spent spoke spoken stood stole struck swept taught threw threw understood woke won wore wrote
		written broke broken hit sank fed fit quit split spread dealt dug hung laid learnt lit spun stuck swam taken cause
		depend depends means`), `need want work take depend help run come give get use look seem sound mean make go
		know think say tell see find feel keep hold lead begin become bring build choose fall grow hear lose pay read send show
		sleep sell spend speak stand start stop teach understand write break fail handle return contain consist cover change
		happen follow allow ask answer believe belong call care carry check collect compare connect consume control copy
		count create cut decide deliver describe drop enjoy exist expect explain explode fit fix force hide hit include
		interest involve join keep last like listen live load matter measure miss move occur open own perform play point
		prevent process produce protect prove provide reach receive refer reflect remain remove render replace require respond
		result scale search serve settle sit solve sort stay store suit support surprise talk test throw touch travel try turn
		wait walk watch`)
)

// withForms adds the third persons of stems to a set.
func withForms(to map[string]bool, stems string) map[string]bool {
	for stem := range strings.FieldsSeq(stems) {
		switch {
		case stem == "go" || strings.HasSuffix(stem, "ch") || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "sh"):
			to[stem+"es"] = true
		case stem == "try" || stem == "carry" || stem == "copy":
			to[stem[:len(stem)-1]+"ies"] = true
		default:
			to[stem+"s"] = true
		}
	}
	return to
}
