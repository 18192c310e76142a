package prompts

import "strings"

// English is spoken where there is nothing in a candidate's language.
const English = "en"

// Language is a locale without its region, in lower case.
func Language(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	return language
}

// In returns what there is for a locale: in it, in its language, or in English.
func In[T any](texts map[string]T, locale string) T {
	for _, l := range []string{locale, Language(locale)} {
		if text, there := texts[l]; there {
			return text
		}
	}
	return texts[English]
}
