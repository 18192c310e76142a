package persona

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/understand"
)

// situation reads the board. Without p the persona is that of the board. A last question that nobody has heard was not
// asked: it is the situation's Unheard.
func (e lead) situation(b *expert.Board, p *cast.Persona) Situation {
	if p == nil {
		p, _ = e.cast.Find(b.Text(cast.FieldPersona))
	}
	s := Situation{
		Persona: p, Locale: b.Locale, Asked: list(b.Value(expert.FieldQuestions)), Topics: list(b.Value(expert.FieldTopics)), Seed: b.Seed,
		Total: e.total,
	}
	role := b.Text(cast.FieldRole)
	if assumed, _ := b.Value(cast.FieldRoleAssumed).(bool); assumed {
		role = "" // a document that came since may name one
	}
	s.Role = Role(role, e.graph, materials(b)...)
	s.Refused = b.Wants(understand.Refuse, understand.Skip)
	s.unheard(b)
	s.recall(b, e.unanswering(b.Locale, len(s.Asked) == 1))
	return s
}

func materials(b *expert.Board) []material.Document {
	var out []material.Document
	for _, d := range []material.Document{
		{Kind: material.JobDescription, Text: b.Text(expert.FieldJob)}, {Kind: material.Resume, Text: b.Text(expert.FieldResume)},
	} {
		if d.Text != "" {
			out = append(out, d)
		}
	}
	return out
}

// unheard takes back the last question if the candidate began to speak before enough of it was heard.
func (s *Situation) unheard(b *expert.Board) {
	n := len(s.Asked) - 1
	if n < 0 || wasAsked(b, s.Asked[n]) {
		return
	}
	s.Unheard = &Question{Text: s.Asked[n]}
	if s.Asked = s.Asked[:n]; len(s.Topics) > n {
		s.Unheard.Topic, s.Topics = s.Topics[n], s.Topics[:n]
	}
}

// wasAsked reports whether enough of a question was heard.
func wasAsked(b *expert.Board, question string) bool {
	question = normalise(question)
	for _, t := range slices.Backward(b.History) { // it is one of the latest, as a rule
		if t.Role != evaluate.RoleUser && heard(t.Content, question) {
			return true
		}
	}
	return false
}

// recall puts every question together with its answer: those before the last one as they were noted, and the last one with what
// was said since it was asked.
func (s *Situation) recall(b *expert.Board, no func(text string) bool) {
	noted := list(b.Value(expert.FieldAnswers))
	for i, q := range s.Asked[:max(0, len(s.Asked)-1)] {
		if i < len(noted) && noted[i] != "" {
			s.History = append(s.History, Pair{Question: q, Answer: noted[i]})
		}
	}
	if n := len(s.Asked); n > 0 {
		if p := reply(b, s.Asked[n-1], no); p.Answer != "" {
			s.History = append(s.History, p)
		}
	}
}

// reply is what was said to a question since it was first asked, but for what is no answer.
func reply(b *expert.Board, question string, no func(text string) bool) Pair {
	p, since := Pair{Question: question}, false
	normal := normalise(question)
	for _, t := range b.History {
		switch {
		case t.Role != evaluate.RoleUser:
			since = since || heard(t.Content, normal)
		case since && !no(t.Content):
			p.add(t)
		}
	}
	if n := len(b.History); b.Input != "" && since && (n == 0 || b.History[n-1].Role != evaluate.RoleUser) && !no(b.Input) {
		p.add(evaluate.Turn{Content: b.Input})
	}
	return p
}

func (p *Pair) add(t evaluate.Turn) {
	p.Answer = strings.TrimSpace(p.Answer + " " + t.Content)
	p.Turns = append(p.Turns, t.ID)
}

// answers lists what was answered, in the order of the questions; "" where nothing was.
func (s *Situation) answers() []string {
	out := make([]string, len(s.Asked))
	for i, q := range s.Asked {
		if at := slices.IndexFunc(s.History, func(p Pair) bool { return p.Question == q }); at >= 0 {
			out[i] = s.History[at].Answer
		}
	}
	return out
}

// leastTold is how many words are an answer to a question that was refused then.
const leastTold = 12

// answered is the question that waited, with the turns that answer it; nil when there is none. The candidate goes on from a question
// that they said nothing to only where they do not want to answer it. An answer that goes on after a pause is the same one, with
// more turns.
func answered(s Situation) *expert.Answered {
	n := len(s.Asked)
	if n == 0 {
		return nil
	}
	a := &expert.Answered{Question: s.Asked[n-1], Number: n, Vars: map[string]string{"role": cmp.Or(s.Role, DefaultRole)}}
	at := slices.IndexFunc(s.History, func(p Pair) bool { return p.Question == a.Question })
	if at < 0 || s.Refused && understand.Words(s.History[at].Answer) < leastTold {
		a.Refused = true
		return a
	}
	for _, id := range s.History[at].Turns {
		if id != 0 {
			a.Turns = append(a.Turns, id)
		}
	}
	if s.Persona != nil {
		a.Vars["persona"], a.Vars["interviewer"] = s.Persona.ID, s.Persona.Called("en")
	}
	return a
}

// noAnswer reports whether a turn asks for the question again, for time or for help (R002-34).
func (e lead) noAnswer(text, locale string) bool {
	return understand.Words(text) <= maxUnclear && (e.unclear(text, locale) || requests(rulesFor(locale).Intents(text)))
}

// unanswering returns what tells turns that are no answer to the question that waits. To the first one that is also, once
// and before anything else was said to it, that the candidate is ready.
func (e lead) unanswering(locale string, first bool) func(text string) bool {
	return func(text string) bool {
		if e.noAnswer(text, locale) {
			return true
		}
		excused := first && e.ready(text, locale)
		first = false
		return excused
	}
}

// enoughHeard is how many words of a question must have been heard before it was interrupted.
const enoughHeard = 4

// heard reports whether the interviewer's words held a question, whole or cut off. The question is normalised.
func heard(words, question string) bool {
	said := normalise(words)
	return question != "" && (strings.Contains(" "+said+" ", " "+question+" ") || begun(strings.Fields(said), question))
}

// normalise keeps a text's words, one space between them.
func normalise(text string) string { return strings.Join(understand.Tokens(text), " ") }

// begun reports whether the words end with the beginning of a text.
func begun(said []string, text string) bool {
	for i := range said {
		if len(said)-i < enoughHeard {
			return false
		}
		if strings.HasPrefix(text, said[i]) && strings.HasPrefix(text+" ", strings.Join(said[i:], " ")+" ") {
			return true
		}
	}
	return false
}

// introduced reports whether the persona has said who it is.
func introduced(b *expert.Board, p *cast.Persona) bool {
	intro := strings.Fields(normalise(prompts.In(p.Introduction, b.Locale)))
	first := strings.Join(intro[:min(enoughHeard, len(intro))], " ")
	return slices.ContainsFunc(b.History, func(t evaluate.Turn) bool {
		return t.Role != evaluate.RoleUser && strings.Contains(normalise(t.Content), first)
	})
}

// languages are the rules that tell a request from an answer, as the interview itself does. They are read once.
var languages = sync.OnceValue(func() map[string]*understand.Rules {
	out := make(map[string]*understand.Rules)
	for _, lang := range []string{"en", "zh", "vi"} {
		rules, err := understand.Load(understand.Shipped(), lang)
		if err != nil {
			rules = &understand.Rules{} // a test reads the shipped files; without them every turn is an answer
		}
		out[lang] = rules
	}
	return out
})

func rulesFor(locale string) *understand.Rules { return prompts.In(languages(), locale) }

// list reads a list of texts, whichever way JSON left it.
func list(v any) []string {
	switch x := v.(type) {
	case []string:
		return slices.Clone(x)
	case []any:
		out := make([]string, 0, len(x))
		for _, item := range x {
			s, _ := item.(string)
			out = append(out, s)
		}
		return out
	}
	return nil
}
