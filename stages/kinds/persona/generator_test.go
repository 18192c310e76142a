package persona_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/kinds/persona"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
	"github.com/vivavoice/viva/stages/understand"
)

func generator(t *testing.T) *persona.Generator {
	t.Helper()
	return persona.NewGenerator(people(t), graph(t))
}

func find(t *testing.T, id string) *cast.Persona {
	t.Helper()
	p, ok := people(t).Find(id)
	if !ok {
		t.Fatalf("there is no %s", id)
	}
	return p
}

func brief(t *testing.T, s persona.Situation) persona.Brief {
	t.Helper()
	b, err := generator(t).Brief(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// later is a situation in the middle of an interview.
func later(t *testing.T) persona.Situation {
	t.Helper()
	return persona.Situation{
		Persona: find(t, persona.Senior), Role: "Backend Engineer", Locale: "en",
		Asked:  []string{"Which project are you proud of?", "What broke first?"},
		Topics: []string{"past_work", "failures"},
		History: []persona.Pair{
			{Question: "Which project are you proud of?", Answer: "A billing service in Go that I built alone."},
			{Question: "What broke first?", Answer: "The nightly export, it ran out of memory."},
		},
	}
}

func holds(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in:\n%s", want, text)
		}
	}
}

// R002-17: the graph is asked for every question: what the graph does not say, no question is made of.
func TestTheGraphIsConsultedEveryTime(t *testing.T) {
	for n := range 5 {
		s := persona.Situation{Persona: find(t, persona.Executive), Asked: make([]string, n), Locale: "en"}
		b := brief(t, s)
		if len(b.Requirements) == 0 || b.Number != n+1 {
			t.Errorf("question %d: %+v", n+1, b)
		}
	}
}

// R002-25, R002-26, R002-61: exactly five, or as many as are set; after the last none is made.
func TestNoSixthQuestion(t *testing.T) {
	g := generator(t)
	for total, asked := range map[int]int{0: 5, 1: 1, 7: 7} {
		s := persona.Situation{Total: total, Asked: make([]string, asked)}
		if _, err := g.Brief(s); !errors.Is(err, persona.ErrEnough) {
			t.Errorf("total %d, asked %d: %v", total, asked, err)
		}
		s.Asked = s.Asked[1:]
		if b, err := g.Brief(s); err != nil || b.Number != asked {
			t.Errorf("total %d, asked %d: %v", total, asked-1, err)
		}
	}
}

// R002-24: the bank asks about the top topic that was not asked about.
func TestTheBankTakesTheTopUnusedTopic(t *testing.T) {
	g := generator(t)
	s := later(t)
	for _, want := range []string{"decisions", "trade_offs", "checking"} {
		q := g.Bank(brief(t, s))
		if q.Topic != want {
			t.Fatalf("asked about %s, want %s", q.Topic, want)
		}
		s.Asked, s.Topics = append(s.Asked, q.Text), append(s.Topics, q.Topic)
	}
}

// R002-20: the bank's first question is a broad one.
func TestTheBankOpensBroadly(t *testing.T) {
	for _, id := range []string{persona.HR, persona.Junior, persona.Senior, persona.Executive} {
		for seed := range uint64(8) {
			b := brief(t, persona.Situation{Persona: find(t, id), Role: "Product Manager", Locale: "en", Seed: seed})
			q := generator(t).Bank(b)
			opening := slices.ContainsFunc(graph(t).Questions(id, ""), func(k knowledge.Question) bool {
				return k.Opening && strings.ReplaceAll(k.Text["en"], "{role}", "Product Manager") == q.Text
			})
			if !opening {
				t.Errorf("%s begins with %q", id, q.Text)
			}
		}
	}
}

// R002-18: a persona that the graph does not know asks by the role's requirements; an unknown role, in general.
func TestUnknownPersonaAsksByRole(t *testing.T) {
	g := generator(t)
	stranger := &cast.Persona{ID: "pirate", Name: map[string]string{"en": "Pirate"}}
	s := persona.Situation{Persona: stranger, Role: "Data Scientist", Locale: "en", Total: 4}
	var all strings.Builder
	for range 4 {
		q := g.Bank(brief(t, s))
		all.WriteString(q.Text + "\n")
		s.Asked, s.Topics = append(s.Asked, q.Text), append(s.Topics, q.Topic)
	}
	holds(t, all.String(), "Data Scientist", "statistics")
	s = persona.Situation{Persona: stranger, Role: "Wizard", Locale: "vi"}
	if q := g.Bank(brief(t, s)); !strings.Contains(q.Text, "Wizard") || understand.Language(q.Text, "en") != "vi" {
		t.Errorf("got %q", q.Text)
	}
}

// R002-24, R002-22: whatever was asked, the bank has one question more, fit to be spoken, in the language, and new.
func TestTheBankNeverStallsNorRepeats(t *testing.T) {
	g := generator(t)
	ids := []string{persona.HR, persona.Junior, persona.Senior, persona.Executive, "pirate"}
	rapid.Check(t, func(r *rapid.T) {
		id := rapid.SampledFrom(ids).Draw(r, "persona")
		s := persona.Situation{
			Persona: &cast.Persona{ID: id}, Role: rapid.SampledFrom([]string{"", "QA Engineer", "Wizard", "Head of \"<b>\" IT?"}).Draw(r, "role"),
			Locale: rapid.SampledFrom([]string{"en", "zh", "vi", "en-GB"}).Draw(r, "locale"), Seed: rapid.Uint64().Draw(r, "seed"), Total: 5,
		}
		for n := range 5 {
			b, err := g.Brief(s)
			if err != nil {
				r.Fatal(err)
			}
			q := g.Bank(b)
			if again := g.Bank(b); again != q {
				r.Fatalf("the same brief gives %q and %q", q.Text, again.Text)
			}
			if strings.Count(q.Text, "?")+strings.Count(q.Text, "？") != 1 || strings.ContainsAny(q.Text, "{}<>") || understand.Words(q.Text) > knowledge.MaxQuestion+5 {
				r.Fatalf("question %d cannot be spoken: %q", n+1, q.Text)
			}
			if slices.Contains(s.Asked, q.Text) {
				r.Fatalf("question %d comes again: %q", n+1, q.Text)
			}
			s.Asked, s.Topics = append(s.Asked, q.Text), append(s.Topics, q.Topic)
		}
	})
}

// The questions of one persona are all different, by the measure that refuses repeats: each can be asked in one interview.
func TestTheBanksQuestionsDiffer(t *testing.T) {
	g := generator(t)
	for _, p := range people(t).Personas() {
		want := len(graph(t).Questions(p.ID, ""))
		s := persona.Situation{Persona: p, Role: "QA Engineer", Locale: "en", Total: want}
		seen := map[string]bool{}
		for range want {
			q := g.Bank(brief(t, s))
			seen[q.Text] = true
			if len(graph(t).Questions(p.ID, q.Topic)) == 0 {
				t.Errorf("%s ran out of its own questions after %d of %d: %q", p.ID, len(s.Asked), want, q.Text)
				break
			}
			s.Asked, s.Topics = append(s.Asked, q.Text), append(s.Topics, q.Topic)
		}
		if len(seen) != want {
			t.Errorf("%s has %d questions, %d of them can be asked", p.ID, want, len(seen))
		}
	}
}
