package facts

// IsQuestion reports whether a text asks or requests something: a sentence of it ends with a question mark, or has the form of a
// question or request in the language of the locale or in that of its letters. What others are reported to ask is no question.
func IsQuestion(text, locale string) bool {
	for _, language := range spoken(text, locale) {
		for _, one := range split(text) {
			if asks(one, language) {
				return true
			}
		}
	}
	return false
}
