package prompts

import (
	"cmp"
	"strings"
)

// English is spoken where there is nothing in a candidate's language.
const English = "en"

// Language is a locale without its region, in lower case.
func Language(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return language
}

// In returns what there is for a locale: in it, in its language, or in English.
func In[T comparable](texts map[string]T, locale string) T {
	return cmp.Or(texts[locale], texts[Language(locale)], texts[English])
}
