package simulate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

// model plays a language model that words follow-ups. It is helpful most of the time; else it is slow, broken, repeats
// itself, calls tools that make no sense, or tells secrets. What a session does about that is done here too: the scripted
// words stand in.
type model struct {
	iv  *engine.Interview
	rng *rand.Rand
	n   int
}

// Word implements Interviewer.
func (m *model) Word(u *state.UserData, e engine.Say) Wording {
	m.n++
	if e.Ask.Lead {
		return m.lead(u, e)
	}
	w := Wording{Latency: time.Duration(300+m.rng.IntN(1200)) * time.Millisecond}
	switch n := m.rng.IntN(100); {
	case n < 60:
		w.Text, w.Worded = m.question(e), true
	case n < 68 && len(u.Ledger.Said) > 0:
		w.Text, w.Worded = "I see. "+u.Ledger.Said[m.rng.IntN(len(u.Ledger.Said))]+"?", true
	case n < 76:
		w.Text, w.Latency, w.Degraded = e.Text, 4*time.Second, "the model was too slow to begin"
	case n < 82:
		w.Text, w.Degraded = e.Text, "503 service unavailable"
	case n < 88:
		w.Text, w.Worded = "Between us, it is all about a "+m.secret(u)+". What do you think?", true
	default:
		w.Calls = m.tools(u, e)
	}
	if w.Worded && m.refused(e.Ask, w.Text) {
		w.Text, w.Worded, w.Degraded = e.Text, false, "the model's words were refused"
	}
	return w
}

// lead plays a model that leads the turn. Where it fails, nothing is said, and the rules have to go on; what it understood is
// sometimes no reading, or a lie.
func (m *model) lead(u *state.UserData, e engine.Say) Wording {
	w := Wording{Latency: time.Duration(300+m.rng.IntN(1200)) * time.Millisecond, Text: m.question(e), Worded: true, Reading: m.reading(u)}
	switch n := m.rng.IntN(100); {
	case n < 60:
	case n < 66 && len(u.Ledger.Said) > 0:
		w.Text = "I see. " + u.Ledger.Said[m.rng.IntN(len(u.Ledger.Said))] + "?"
	case n < 72:
		return Wording{Latency: 4 * time.Second, Degraded: "the model was too slow to begin"}
	case n < 78:
		return Wording{Latency: w.Latency, Degraded: "503 service unavailable"}
	case n < 84:
		w.Text = "Between us, it is all about a " + m.secret(u) + ". What do you think?"
	case n < 90: // it stopped half way
		w.Text, w.Reading, w.Degraded = "I see.", nil, "the model stopped half way"
	case n < 95:
		w.Reading = nil
	default:
		w.Text, w.Worded, w.Degraded = "", false, "the model said nothing"
	}
	if w.Worded && m.refused(e.Ask, w.Text) {
		return Wording{Latency: w.Latency, Degraded: "the model's words were refused"}
	}
	return w
}

// reading is what the model says that it understood: with quotes that were said or not, and moves that are allowed or not.
func (m *model) reading(u *state.UserData) json.RawMessage {
	if m.rng.IntN(12) == 0 {
		return json.RawMessage(`{"acts":"none","did":7,"notes":[{"level":"high"}]}`)
	}
	quote := "I walked on the moon"
	for _, t := range slices.Backward(u.Turns) {
		if t.Speaker != state.SpeakerAgent && m.rng.IntN(6) > 0 {
			quote = portion(t.Text, 0.2+0.8*m.rng.Float64())
			break
		}
	}
	pick := func(list ...string) string { return list[m.rng.IntN(len(list))] }
	to := ""
	if stages := m.iv.Def.Stages; m.rng.IntN(3) == 0 && len(stages) > 0 {
		to = stages[m.rng.IntN(len(stages))].ID
	}
	r := respond.Reading{
		Acts: []respond.Act{{
			Kind: pick("answer", "answer", "answer", "question", "request", "correction", "objection", "emotion", "remark", "nothing"), Quote: quote,
		}},
		Notes:   []respond.Note{{ID: pick("role", "approach", "nonsense", ""), Value: quote, Quote: quote}},
		Covered: []respond.Cover{{Criterion: pick("depth", "nonsense", ""), Level: m.rng.IntN(6) - 1, Quote: quote}},
		Claims:  []respond.Claim{{Quote: quote, Verdict: pick("right", "wrong", "contradicts", "unchecked", "perhaps"), Why: "so it seems"}},
		Flags:   []string{},
		Did:     pick("answer", "ask", "ask", "probe", "probe", "challenge", "hint", "support", "rephrase", "wait", "finish", "go", "end", "dance"),
		To:      to, Asked: pick("", "what came next"),
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil // strings always marshal; this is for the compiler
	}
	return raw
}

// refused is what a session checks a model's words for: repetition and secrets.
func (m *model) refused(ask *engine.Ask, text string) bool {
	_, question, _ := strings.Cut(strings.TrimSuffix(text, "?"), ". ")
	return ask.Repeats(question) || ask.Reveals(text)
}

// question is worded differently every time.
func (m *model) question(e engine.Say) string {
	subjects := []string{"the people involved", "the first week", "the part you liked", "the risks", "the numbers", "your own share", "the next step", "what surprised you"}
	verbs := []string{"shaped", "changed", "delayed", "helped", "surprised", "cost"}
	return fmt.Sprintf("I see. How has %s %s it in case %d of %s?", subjects[m.rng.IntN(len(subjects))], verbs[m.rng.IntN(len(verbs))], m.n, strings.ToLower(string(e.Move)))
}

func (m *model) secret(u *state.UserData) string {
	if p := problemOf(m.iv, u); p != nil && len(p.Secrets()) > 0 {
		words := p.Secrets()
		return words[m.rng.IntN(len(words))]
	}
	return "good plan"
}

// tools calls one or two of the stage's tools, or what is none, for this visit or an old one.
func (m *model) tools(u *state.UserData, e engine.Say) []Call {
	st := m.iv.Def.Stage(e.Stage)
	var out []Call
	for range 1 + m.rng.IntN(2) {
		c := Call{ID: fmt.Sprintf("call-%d-%d", m.n, len(out)), Name: "open_the_window", Visit: e.Visit}
		if st != nil && len(st.Tools) > 0 && m.rng.IntN(8) > 0 {
			c.Name = st.Tools[m.rng.IntN(len(st.Tools))].As
		}
		if m.rng.IntN(10) == 0 && c.Visit > 1 {
			c.Visit--
		}
		c.Args = m.arguments(u)
		out = append(out, c)
	}
	return out
}

func (m *model) arguments(u *state.UserData) json.RawMessage {
	switch m.rng.IntN(5) {
	case 0:
		return json.RawMessage(`{"role":"astronaut","highlight":"walked on the moon","nonsense":{"deep":1}}`)
	case 1:
		return json.RawMessage(`["not","an","object"]`)
	case 2:
		if e := u.Expansion; e != nil && len(e.Items) > 0 {
			return json.RawMessage(fmt.Sprintf(`{"to":%q}`, e.Items[m.rng.IntN(len(e.Items))].ID))
		}
	}
	return json.RawMessage(`{}`)
}
