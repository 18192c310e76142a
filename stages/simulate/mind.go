package simulate

import (
	_ "embed" // the candidates' lines
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/state"
)

// mind is what a candidate could say: it is read from the definition, the sub-phases and the problem, so that any
// interview can be answered.
type mind struct {
	iv     *engine.Interview
	rng    *rand.Rand
	home   lines
	abroad lines
	lang   string
	told   map[string]bool // what was said, by stage
}

func newMind(iv *engine.Interview, rng *rand.Rand) mind {
	all, err := languages()
	m := mind{iv: iv, rng: rng, told: make(map[string]bool), lang: "en"}
	if err != nil {
		return m // a file that ships with the package; a test reads it
	}
	if lang := prompts.Language(iv.Words.Locale()); len(all[lang]) > 0 {
		m.lang = lang
	}
	m.home, m.abroad = all[m.lang], all["zh"]
	if m.lang == "zh" {
		m.abroad = all["en"]
	}
	return m
}

// lines are those of the interview's language, or at times of the other one.
func (m *mind) lines(foreign float64) lines {
	if m.rng.Float64() < foreign {
		return m.abroad
	}
	return m.home
}

// knows answers what the interview wants to know now, with n things if there are so many.
func (m *mind) knows(u *state.UserData, e engine.Say, l lines, n int) Action {
	st, v := m.iv.Def.Stage(u.Stage), u.Current()
	if st == nil || v == nil {
		return Action{}
	}
	if who := m.chooses(u); who != "" {
		return Action{Text: who}
	}
	if p := problemOf(m.iv, u); p != nil {
		if a := m.solves(u, e, st, p, l); a.Text != "" {
			return a
		}
	}
	if topics := m.topics(u, st, v); len(topics) > 0 {
		return Action{Text: m.cover(l, topics, n)}
	}
	for _, id := range []string{v.Target, m.open(u, st)} {
		if id != "" && !m.told[id] {
			m.told[id] = true
			return Action{Text: m.slot(l, st, id)}
		}
	}
	if st.Expect == "yes_no" {
		return Action{Text: l.phrase(m.rng, "yes")}
	}
	return Action{Text: l.phrase(m.rng, "story")}
}

// chooses names somebody from a menu of personas.
func (m *mind) chooses(u *state.UserData) string {
	if p := m.iv.Def.Personas; p == nil || m.iv.Personas == nil || u.Stage != p.Menu {
		return ""
	}
	all := m.iv.Personas.Personas()
	return all[m.rng.IntN(len(all))].Called(m.iv.Words.Locale())
}

// topics are the criteria that were not mentioned yet.
func (m *mind) topics(u *state.UserData, st *definition.Stage, v *state.StageVisit) []string {
	var out []string
	add := func(phrase string, aliases map[string][]string) {
		key := v.Stage + "/" + v.Item + "/" + phrase
		if m.told[key] {
			return
		}
		if spoken := aliases[m.lang]; len(spoken) > 0 && (m.lang != "en" || m.rng.IntN(3) == 0) {
			phrase = spoken[m.rng.IntN(len(spoken))]
		}
		out = append(out, phrase+"\x00"+key)
	}
	if p := u.SubPhases.Item(v.Item); p != nil {
		for _, k := range p.Keywords {
			add(k.Phrase, k.Aliases)
		}
		return out
	}
	for _, c := range st.Criteria {
		add(c.Phrase, c.Aliases)
	}
	return out
}

// cover mentions the first n topics.
func (m *mind) cover(l lines, topics []string, n int) string {
	said := make([]string, 0, 2)
	for _, t := range topics[:min(n, len(topics), 2)] {
		phrase, key, _ := strings.Cut(t, "\x00")
		m.told[key] = true
		said = append(said, phrase)
	}
	if len(said) == 2 {
		return l.phrase(m.rng, "two", "{a}", said[0], "{b}", said[1])
	}
	return l.phrase(m.rng, "one", "{a}", said[0])
}

// open is a slot that can still be told about.
func (m *mind) open(u *state.UserData, st *definition.Stage) string {
	for i := range st.Slots {
		if id := st.Slots[i].ID; !u.Slots[id].Closed() && !m.told[id] && (st.Slots[i].Required || m.rng.IntN(2) == 0) {
			return id
		}
	}
	return ""
}

func (m *mind) slot(l lines, st *definition.Stage, id string) string {
	if text := l.phrase(m.rng, "slot."+id); text != "" {
		return text
	}
	about := strings.ReplaceAll(id, "_", " ")
	if slot := st.Slot(id); slot != nil && slot.Hint != "" {
		about = slot.Hint
	}
	return l.phrase(m.rng, "any_slot", "{a}", about)
}

// solves works on a problem: what helps depends on what the stage's guard waits for.
func (m *mind) solves(u *state.UserData, e engine.Say, st *definition.Stage, p *problem.Problem, l lines) Action {
	for i := range p.EdgeCases {
		if asked(e.Text, p.EdgeCases[i].Question) {
			return Action{Text: l.phrase(m.rng, "edge", "{a}", m.word(p.EdgeCases[i].Keywords))}
		}
	}
	for i := range p.FollowUps {
		if asked(e.Text, p.FollowUps[i].Question) {
			return Action{Text: l.phrase(m.rng, "follow", "{a}", m.word(p.FollowUps[i].Keywords))}
		}
	}
	for _, leaf := range leaves(st.Done) {
		if a := m.towards(u, leaf, p, l); a.Text != "" {
			return a
		}
	}
	return Action{}
}

func asked(text string, question map[string]string) bool {
	for _, q := range question {
		if strings.Contains(text, q) {
			return true
		}
	}
	return false
}

// towards says what makes one leaf of a guard true.
func (m *mind) towards(u *state.UserData, g definition.Guard, p *problem.Problem, l lines) Action {
	best := p.Approaches[len(p.Approaches)-1]
	if first := p.Approaches[0]; !m.told["approach"] && m.rng.IntN(3) == 0 {
		best = first
	}
	switch {
	case g.Field == "pseudocode":
		if m.told["code"] || m.rng.IntN(3) == 0 {
			return Action{Text: l.phrase(m.rng, "code_spoken")}
		}
		m.told["code"] = true
		return Action{Text: l.phrase(m.rng, "code_spoken"), Code: l.phrase(m.rng, "code")}
	case g.Field == "user_approach":
		m.told["approach"] = true
		return Action{Text: l.phrase(m.rng, "approach", "{a}", m.word(best.Keywords))}
	case g.Field == "identified_pattern":
		terms := problem.In(p.Terms, m.lang)
		return Action{Text: l.phrase(m.rng, "understand", "{a}", m.word(terms), "{b}", m.word(terms))}
	case g.Mentions != "":
		return Action{Text: l.phrase(m.rng, "cost", "{time}", best.Cost.Time, "{space}", best.Cost.Space)}
	case g.QueueEmpty != "" && len(p.EdgeCases) > 0:
		return Action{Text: l.phrase(m.rng, "edge", "{a}", m.word(p.EdgeCases[m.rng.IntN(len(p.EdgeCases))].Keywords))}
	case g.FollowUps > 0 && len(p.FollowUps) > 0:
		return Action{Text: l.phrase(m.rng, "follow", "{a}", m.word(p.FollowUps[m.rng.IntN(len(p.FollowUps))].Keywords))}
	case g.Flag != "" && m.iv.Def.Index(u.Stage) >= len(m.iv.Def.Stages)-2 && m.told["summary"]:
		return Action{Text: l.phrase(m.rng, "takeaway")}
	case g.Flag != "" && m.iv.Def.Index(u.Stage) >= len(m.iv.Def.Stages)-2:
		m.told["summary"] = true
		return Action{Text: l.phrase(m.rng, "summary", "{a}", problem.In(p.Names, m.lang))}
	}
	return Action{}
}

// word draws one of the words in the interview's language.
func (m *mind) word(list []string) string {
	own := slices.DeleteFunc(slices.Clone(list), func(w string) bool {
		han := strings.ContainsFunc(w, func(c rune) bool { return unicode.Is(unicode.Han, c) })
		return han != (m.lang == "zh")
	})
	if len(own) == 0 {
		own = list
	}
	if len(own) == 0 {
		return "that"
	}
	return own[m.rng.IntN(len(own))]
}

// leaves lists the leaves of a guard.
func leaves(g definition.Guard) []definition.Guard {
	if g.All == nil && g.Any == nil {
		return []definition.Guard{g}
	}
	var out []definition.Guard
	for _, x := range slices.Concat(g.All, g.Any) {
		out = append(out, leaves(x)...)
	}
	return out
}

//go:embed lines.yaml
var linesFile []byte

// lines are what candidates say in one language, by purpose; slot.ID is for those who are asked for a slot.
type lines map[string][]string

// languages reads the lines of all languages, once.
var languages = sync.OnceValues(func() (all map[string]lines, err error) {
	if err = yaml.Unmarshal(linesFile, &all); err != nil {
		err = fmt.Errorf("read the candidates' lines: %w", err)
	}
	return all, err
})

// phrase draws a line of a purpose and fills in what it covers; "" when the language has none.
func (l lines) phrase(rng *rand.Rand, purpose string, pairs ...string) string {
	texts := l[purpose]
	if len(texts) == 0 {
		return ""
	}
	return strings.NewReplacer(pairs...).Replace(texts[rng.IntN(len(texts))])
}
