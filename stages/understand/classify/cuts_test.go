package classify

import (
	"strings"
	"testing"
)

// RM-1: a turn goes over to a wish or a question without a mark, as a recogniser writes it; what an answer tells of is not cut out of it.
func TestChangesWithoutMarks(t *testing.T) {
	for text, want := range map[string]string{
		"so I would sort the list first and then walk over it once can you give me a hint":                    "answer request:hint",
		"the data goes to a queue and a worker writes it to the database how much time do we have left":       "answer fact:time_left",
		"we rewrote the billing service in Go and it took half a year could we take a short break":            "answer request:pause",
		"my team had nine people and I was the only tester could you repeat the question please":              "answer request:repeat",
		"the customer asked us how long it would take and I said two weeks so we had to skip the second step": "answer",
	} {
		var got []string
		for _, c := range model(t, "en").Clauses(text) {
			if len(got) == 0 || got[len(got)-1] != c.Class {
				got = append(got, c.Class)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func model(t testing.TB, name string) *Model {
	t.Helper()
	m, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A turn of forty words is read in a millisecond at the most.
func BenchmarkClauses(b *testing.B) {
	m := model(b, "en")
	text := "so I would keep a map from each number to where it was seen and go over the list once and for every number look for " +
		"what is missing to the target and um how big can the list get by the way"
	for b.Loop() {
		m.Clauses(text)
	}
}
