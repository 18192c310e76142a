package turn

import "strings"

// openList finds "a, b" without the closing "and c": short items after a comma, none introduced by a conjunction. A single word behind a
// full stop is an item, too: recognisers put one where the voice stops between items. thought is the end of text that is one sentence.
func openList(text, thought string) bool {
	if item := Words(thought); len(item) == 1 && len(thought) < len(text) && strings.HasSuffix(text, ".") {
		return itemAlone(item[0]) && !number(item[0])
	}
	clauses := strings.FieldsFunc(thought, func(r rune) bool { return r == ',' || r == '、' || r == '.' })
	if len(clauses) < 2 {
		return false
	}
	before, item := Words(clauses[len(clauses)-2]), Words(clauses[len(clauses)-1])
	switch {
	case len(item) == 0 || len(item) > 3 || finiteVerbs(item) > 0 || holds(before):
		return false
	case len(clauses) > 2:
		return !closing[item[0]]
	case secondItem(before, item):
		return true
	}
	return !closing[item[0]] && (len(item) > 1 || len(before) < 3) && announced(before)
}

// secondItem says that what stands behind the only comma goes on with a list: "we used Kafka, Redis", "I looked at the memory, the
// disk", "Monday, Tuesday".
func secondItem(first, item []string) bool {
	if determiners[item[0]] && !number(item[0]) && finiteVerbs(first) > 0 {
		return true
	}
	listed := len(first) > 2 || len(first) == 1 && !answers[first[0]]
	return len(item) == 1 && listed && itemAlone(item[0])
}

// itemAlone says that a word can be an item, and is no comment on what was said ("mostly", "right", "today").
func itemAlone(word string) bool {
	return !adverbial(word) && !answers[word] && !backchannels[word] && !closes([]string{word})
}

// holds says that the last of the words belongs to what follows it: what is behind it is no item of its own.
func holds(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return trailing[last] || conjunctions[last] || fillers[last] || transitive[last]
}

// announced says that the words promise a list: "for example", "such as", "things like", "first".
func announced(words []string) bool {
	for i, w := range words {
		if i == 0 && (w == "first" || w == "firstly") || i > 0 && pairs[words[i-1]+" "+w] {
			return true
		}
	}
	return false
}
