package evaluate

import (
	"slices"
	"testing"
)

// Every kind of evidence that a rubric names is there, every kind is named, and a rule's level lies on the scale.
func TestRulesNameEvidence(t *testing.T) {
	named := make(map[string]bool)
	for id, r := range shipped().rubrics {
		for _, c := range r.Criteria {
			if c.Own != "" {
				named[c.Own] = true
			}
			for _, rule := range c.Rules {
				if rule.Level < r.Scale.Min || rule.Level > r.Scale.Max || len(rule.Shows) == 0 {
					t.Errorf("%s.%s: rule %+v", id, c.ID, rule)
				}
				for _, kind := range slices.Concat(rule.Shows, rule.Lacks) {
					named[kind] = true
				}
			}
		}
	}
	for name := range named {
		if shipped().evidence[name] == nil {
			t.Errorf("there is no evidence %q", name)
		}
	}
	for name := range shipped().evidence {
		if !named[name] {
			t.Errorf("no rule asks for %q", name)
		}
	}
}

// Overlapping matches count once, and what a pattern excludes does not count.
func TestFound(t *testing.T) {
	for text, want := range map[string]int{
		"I rebuilt it, and then I sold it.": 2, "I worked there.": 0, "We rebuilt it.": 0, "Em xếp lại kệ.": 1, "Các em làm bài.": 0, "我们改了。": 0, "我改了。": 1,
	} {
		s := newSheet(Item{}, shipped().rubrics["star"], []Turn{{ID: 1, Role: RoleUser, Content: text}, {ID: 2, Role: RoleAgent, Content: "I wrote it."}})
		if got := len(s.found("act")); got != want {
			t.Errorf("%q shows %d acts, want %d", text, got, want)
		}
	}
}
