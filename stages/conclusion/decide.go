package conclusion

import (
	"slices"
	"strings"
)

// Ranks of claims: of those of the highest rank the last counts.
const (
	rankPlain = iota // told in plain words
	rankWeak         // what a part costs, or a reason
	rankClaim
)

// decide lists the claims that stand, and the final one of each measure.
func (t *text) decide() Reading {
	var out Reading
	for _, of := range []Measure{Time, Space} {
		list := t.standing(of)
		out.Claims = append(out.Claims, list...)
		final := t.final(list)
		if of == Time {
			out.Time = final
		} else {
			out.Space = final
		}
	}
	if s := out.Space; s != nil && s.Plain && s.Form == "n" && out.Time != nil && strings.Contains(out.Time.Form, " ") && !strings.ContainsAny(out.Time.Form, "+^(g") {
		s.Form = out.Time.Form // all of them are as many as are looked at: rows times columns
	}
	slices.SortStableFunc(out.Claims, func(a, b Claim) int { return a.From - b.From })
	return out
}

// standing are the claims about a measure that were not taken back.
func (t *text) standing(of Measure) []Claim {
	var own []found
	for _, f := range t.found {
		if !f.denied && !f.other && slices.Contains(f.of, of) {
			own = append(own, f)
		}
	}
	for _, m := range slices.Backward(t.marks) {
		after := func(f found) bool { return f.from >= m.from && !f.weak }
		if m.kind == "correction" && slices.ContainsFunc(own, after) && slices.ContainsFunc(own, func(f found) bool { return f.to <= m.from }) {
			own = slices.DeleteFunc(own, func(f found) bool { return f.to <= m.from })
			break
		}
	}
	out := make([]Claim, 0, len(own))
	for _, f := range own {
		out = append(out, t.claim(f, of))
	}
	return out
}

func (t *text) claim(f found, of Measure) Claim {
	c := Claim{Of: of, Form: f.form, Condition: t.condition(f), Plain: fixed(f), rank: rankClaim, perOne: f.perOne}
	switch {
	case c.Plain:
		c.rank = rankPlain
	case f.weak:
		c.rank = rankWeak
	}
	if f.to < len(t.tokens) && is("units", t.tokens[f.to].text) {
		c.Unit = t.tokens[f.to].text
	}
	if c.Unit == "" && c.Plain && is("units", t.tokens[f.to-1].text) {
		c.Unit = t.tokens[f.to-1].text
	}
	c.From, c.To = t.tokens[f.from].from, t.tokens[f.to-1].to
	for i := range t.measures {
		s := &t.measures[i]
		if s.kind == string(of) && t.clause[s.from] == t.clause[f.from] && (s.to <= f.from && f.from-s.to <= 3 || s.from >= f.to && s.from-f.to <= 2) {
			c.From, c.To = min(c.From, t.tokens[s.from].from), max(c.To, t.tokens[s.to-1].to)
		}
	}
	c.Quote = t.source[c.From:c.To]
	return c
}

const given = "given"

// condition returns under which condition a claim holds.
func (t *text) condition(f found) string {
	nearest, out := 8, ""
	for _, s := range t.conditions {
		if t.sentence[s.from] != t.sentence[f.from] {
			continue
		}
		d := t.distance(s.to, f.from) + t.distance(f.to, s.from)
		// What stands before the form in the same clause goes with it rather than what comes later.
		if s.from >= f.to {
			d++
		}
		if t.clause[s.from] != t.clause[f.from] {
			d += 2
		}
		if d < nearest {
			nearest, out = d, s.value
			if s.value == given {
				end := s.to
				for end < len(t.tokens) && t.clause[end] == t.clause[s.from] && (end < f.from || s.from >= f.to) {
					end++
				}
				out = strings.TrimRight(t.source[t.tokens[s.from].from:t.tokens[end-1].to], ",.;:")
			}
		}
	}
	return out
}

// penalties order conditions: what holds without any is the claim, then what holds mostly, then the worst case.
var penalties = map[string]int{"average": 1, "amortised": 1, "worst": 2, "best": 3}

// final is the claim that counts.
func (t *text) final(list []Claim) *Claim {
	if len(list) == 0 {
		return nil
	}
	top := slices.MaxFunc(list, func(a, b Claim) int { return a.rank - b.rank }).rank
	list = holding(slices.DeleteFunc(slices.Clone(list), func(c Claim) bool { return c.rank < top }))
	last := list[len(list)-1]
	if top == rankWeak {
		last = t.summed(list)
	}
	return &last
}

// holding leaves out of claims, in the order in which they were made, those that hold under more of a condition than others.
func holding(list []Claim) []Claim {
	least := penalties[slices.MinFunc(list, func(a, b Claim) int { return penalties[a.Condition] - penalties[b.Condition] }).Condition]
	if n := len(list); n > 1 && penalties[list[n-1].Condition] == 1 { // "n squared, but on average it's linear"
		least = 1
	}
	return slices.DeleteFunc(list, func(c Claim) bool { return penalties[c.Condition] > least })
}

// Settle makes a reading of claims that somebody else has found, in the order in which they were made: of each measure the one counts that
// would if they had been read here. What was corrected must not be among them.
func Settle(claims []Claim) Reading {
	out := Reading{Claims: claims}
	for _, of := range []Measure{Time, Space} {
		own := slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.Of != of })
		if len(own) == 0 {
			continue
		}
		own = holding(own)
		if last := own[len(own)-1]; of == Time {
			out.Time = &last
		} else {
			out.Space = &last
		}
	}
	return out
}

// summed is what parts cost together: n log n for the sort and n for the walk, or log k for each of n insertions.
func (t *text) summed(list []Claim) Claim {
	out := list[len(list)-1]
	var per, whole []Claim
	for _, c := range list {
		if c.perOne {
			per = append(per, c)
		} else {
			whole = append(whole, c)
		}
	}
	if len(whole) == 0 && len(per) > 0 && out.Of == Time {
		if t.marked("repeat", 0, len(t.tokens)) {
			if n, ok := (sum{{"n": 1}}).times(mustParse(per[len(per)-1].Form)); ok {
				out.Form = n.named()
			}
		}
		return out
	}
	for i, c := range whole {
		if i == 0 {
			out = c
			continue
		}
		if t.marked("multiply", 0, len(t.tokens)) {
			if x, ok := mustParse(out.Form).times(mustParse(c.Form)); ok {
				out.Form = x.reduce().String()
			}
		} else {
			out.Form = together(out.Form, c.Form)
		}
		out.To = max(out.To, c.To)
	}
	if len(whole) > 0 {
		out.Quote = t.source[out.From:out.To]
	}
	return out
}

// mustParse reads a form that this package has written.
func mustParse(form string) sum {
	s, ok := parsed(form)
	if !ok {
		return sum{{form: 1}}
	}
	return s
}
