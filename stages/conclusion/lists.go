package conclusion

import "slices"

// lists denies terms that are only listed, and choices that were not made: "O of n, O of log n, n squared"; "linear or quadratic".
func (t *text) lists() {
	for i := 0; i < len(t.found); {
		j := i + 1
		for j < len(t.found) && t.listed(t.found[j-1], t.found[j]) {
			j++
		}
		memory := slices.ContainsFunc(t.measures, func(s span) bool { // who only lists terms names none
			return s.kind == string(Space) && s.from >= t.found[i].from && s.to <= t.found[j-1].to+2
		})
		forms := make(map[string]bool)
		for _, f := range t.found[i:j] {
			forms[f.form] = true
		}
		if len(forms) >= 3 && !memory {
			t.denyAll(i, j)
		}
		i = j
	}
	for i := 0; i+1 < len(t.found); i++ {
		a, b := t.found[i], t.found[i+1]
		if a.form != b.form && t.chooses(a.to, b.from) {
			t.denyAll(i, i+2)
		}
	}
}

func (t *text) denyAll(from, to int) {
	for i := from; i < to; i++ {
		t.found[i].denied = true
	}
}

// listed reports whether nothing but commas and "and" stands between two forms.
func (t *text) listed(a, b found) bool {
	if a.kind == kindTime || a.kind == kindSpace || b.from-a.to > 3 {
		return false
	}
	for i := a.to; i < b.from; i++ {
		if !is("joiners", t.tokens[i].text) {
			return false
		}
	}
	return true
}

// chooses reports whether only an or stands between two places, perhaps with a word of doubt.
func (t *text) chooses(from, to int) bool {
	if to-from > 4 {
		return false
	}
	or := false
	for _, m := range t.marks {
		if m.from >= from && m.to <= to {
			or = or || m.kind == "or" || m.kind == "question" && t.tokens[m.from].text == "还"
		}
	}
	for i := from; i < to; i++ {
		or = or || t.tokens[i].text == "maybe" || t.tokens[i].text == "perhaps"
	}
	return or && !slices.ContainsFunc(t.measures, func(s span) bool { return s.from >= from && s.to <= to })
}
