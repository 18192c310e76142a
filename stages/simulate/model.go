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

// model plays a language model that leads turns. It is helpful most of the time; else it is slow, broken, repeats itself, tells secrets,
// or understood nothing or a lie. What a session does about that is done here too: where the model fails, nothing is said, and the rules
// have to go on.
type model struct {
	iv  *engine.Interview
	rng *rand.Rand
	n   int
}

func (m *model) Word(u *state.UserData, e engine.Say) Wording {
	m.n++
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
	if w.Worded && m.refused(e.Lead, w.Text) {
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
		Did:     pick("answer", "ask", "ask", "probe", "probe", "challenge", "hint", "support", "rephrase", "wait", "finish", "go", "word", "end", "dance"),
		To:      to, Asked: pick("", "what came next"),
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil // strings always marshal; this is for the compiler
	}
	return raw
}

// refused is what a session checks a model's words for: repetition and secrets.
func (m *model) refused(ask *engine.Lead, text string) bool {
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
