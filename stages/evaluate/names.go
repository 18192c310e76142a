package evaluate

// CriterionNames returns what the criteria of a shipped rubric are called in a language, by id; none for an unknown rubric.
// The locale may have a region; a language that a rubric does not speak gets English.
func CriterionNames(rubric, locale string) map[string]string {
	r, there := shipped().rubrics[rubric]
	if !there {
		return nil
	}
	out := make(map[string]string, len(r.Criteria))
	for i := range r.Criteria {
		out[r.Criteria[i].ID] = r.Criteria[i].in(Item{Locale: locale}.language())
	}
	return out
}
