package kinds_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Bars of the off-beat turns that are dealt with without a model, in percent by half and file: what was reached, less one point.
// Reached: held out en 88.9, zh 95.1, vi 96.1; of those that were written to avoid what comes to mind first (late, last, clean: the last
// to be written, looked at once), en 66.0, 74.7 and 73.3, zh 72.7, 80.7 and 66.0, vi 75.3, 72.7 and 76.0; of the mixed turns, which are longer, en 70.6, zh 72.2, vi 68.0. The dev halves are learned from (stages/understand/examples). The aim is 95 of the
// held-out half (docs: RM-1, section M): an entry counts only if every class that it holds was dealt with.
var offbeatBars = map[string]float64{
	"dev en": 93.8, "dev zh": 99, "dev vi": 93.2, "held en": 87.9, "held zh": 94.1, "held vi": 95.1,
	"dev mixed_en": 78, "dev mixed_zh": 86.5, "dev mixed_vi": 79.8, "dev fresh_en": 91.5, "dev fresh_zh": 94.8, "held fresh_en": 96.5, "held fresh_zh": 93.2,
	"held other_en": 79, "held other_zh": 70.3, "held late_en": 65, "held late_zh": 71.7, "held late_vi": 74.3, "held last_en": 73.7, "held last_zh": 79.7, "held last_vi": 71.7,
	"held clean_en": 72.3, "held clean_zh": 65, "held clean_vi": 75,
	"held mixed_en": 69.6, "held mixed_zh": 71.2, "held mixed_vi": 67,
}

// offbeat is an entry of testdata/offbeat.
type offbeat struct {
	ID, Half, Interview, At, Text, Want string
	Is                                  []string
}

// RM-1, RM-2, RM-6 … RM-15: off-beat turns are dealt with by rules. The held-out half is only counted, never printed.
func TestOffbeatTurns(t *testing.T) {
	for _, file := range []string{"en", "zh", "vi", "mixed_en", "mixed_zh", "mixed_vi", "fresh_en", "fresh_zh", "other_en", "other_zh", "late_en", "late_zh", "late_vi", "last_en", "last_zh", "last_vi", "clean_en", "clean_zh", "clean_vi"} {
		_, locale, mixed := strings.Cut(file, "_")
		if !mixed {
			locale = file
		}
		text, err := os.ReadFile(filepath.Join("testdata", "offbeat", file+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		var list []offbeat
		if err := yaml.Unmarshal(text, &list); err != nil {
			t.Fatal(err)
		}
		all, good := make(map[string]int), make(map[string]int)
		for _, e := range list {
			all[e.Half]++
			why := dealtWith(t, locale, e)
			switch {
			case why == "":
				good[e.Half]++
			case e.Half == "dev" && testing.Verbose():
				t.Logf("%s [%s, %s] %q %v: %s", e.ID, e.Interview, e.At, e.Text, e.Is, why)
			}
		}
		for half, n := range all {
			share := 100 * float64(good[half]) / float64(n)
			t.Logf("%s %s: %d of %d, %.1f %%", half, file, good[half], n, share)
			if bar := offbeatBars[half+" "+file]; share < bar {
				t.Errorf("%s %s: %.1f %% are dealt with, want %.1f %%", half, file, share, bar)
			}
		}
	}
}

// dealtWith has the turn said where it belongs and returns what was not dealt with, or "".
func dealtWith(t *testing.T, locale string, e offbeat) string {
	b := newBench(t, e.Interview, locale, e.At)
	v := b.u.Current()
	visit, turns, stage := v.Visit, v.Turns, v.Stage
	b.facts, b.said = nil, nil
	b.tell(e.Text)
	read := b.field("turn.read", "acts") + " " + b.field("turn.read", "requests")
	acts, asked := strings.Fields(b.field("turn.read", "acts")), strings.Fields(b.field("turn.read", "requests"))
	told := b.field("fact.told", "fact")
	counted := b.u.Visit != visit || b.u.Current().Turns > turns
	for _, is := range e.Is {
		ok := true
		kind, what, _ := strings.Cut(is, ":")
		switch kind {
		case "fact":
			ok = slices.Contains(strings.Fields(told), what) || what == "how_did_i_do" && b.issued("every.report_later", "every.so_far", "every.no_score", "every.standing", "every.worked", "every.verdict")
		case "unknown":
			ok = len(b.fact("question.open")) > 0 || strings.Contains(told, "assume") || b.issued("every.itself")
		case "request":
			ok = slices.ContainsFunc(same(what), func(r string) bool { return slices.Contains(asked, r) }) && (len(b.said) > 0 || b.u.Current().Thinking)
		case "emotion":
			ok = slices.Contains(acts, "emotion") && len(b.said) > 0
		case "distress":
			ok = b.u.Distress && len(b.fact("candidate.distress")) > 0
		case "correction", "objection":
			ok = slices.Contains(acts, kind)
		case "remark", "nothing":
			ok = !counted && (slices.Contains(acts, "remark") || slices.Contains(acts, "nothing") || slices.Contains(asked, "pause") || len(e.Is) > 1)
		case "answer", "wrong_approach":
			ok = slices.Contains(acts, "answer")
			if len(e.Is) == 1 {
				ok = ok && len(asked) == 0 && !slices.Contains(acts, "emotion") && !slices.Contains(acts, "objection") && told == ""
			}
		case "injection":
			ok = b.u.Ended == "" && b.u.Current().Stage == stage && b.u.Visit == visit || counted
		}
		if !ok {
			return fmt.Sprintf("%s: read as %s, told %s, said %q", is, read, told, b.said)
		}
	}
	return ""
}

// same are the requests that are as good as one.
func same(request string) []string {
	switch request {
	case "repeat", "rephrase":
		return []string{"repeat", "rephrase"}
	case "skip", "go_on":
		return []string{"skip", "go_on"}
	case "think", "pause":
		return []string{"think", "pause"}
	case "back", "go_to":
		return []string{"back", "go_to"}
	case "hint", "solution":
		return []string{"hint", "solution"}
	}
	return []string{request}
}

// bench is an interview by rules that is brought to a point.
type bench struct {
	t     *testing.T
	iv    *engine.Interview
	u     *state.UserData
	now   state.Millis
	said  []string
	facts []engine.Fact
	names []string // prompts that were issued
}

var benches = make(map[string]*engine.Interview)

func benchOf(t testing.TB, kind, locale string) *engine.Interview {
	t.Helper()
	if iv := benches[kind+locale]; iv != nil {
		return iv
	}
	text, err := kinds.FS().ReadFile(kind + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	def, err := definition.Parse(kind+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	var all []*engine.Interview
	for _, l := range def.Locales {
		words, err := prompts.Load(prompts.Shipped(), def.Catalogue(), l)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := understand.Load(understand.Shipped(), l)
		if err != nil {
			t.Fatal(err)
		}
		var options []engine.Option
		if def.Provider != nil {
			known, err := design.NewKnown()
			if err != nil {
				t.Fatal(err)
			}
			options = append(options, engine.WithSheets(known.Sheet))
		}
		if def.Problems != nil {
			set, err := problem.Load(def.Problems.Set, problem.Shipped())
			if err != nil {
				t.Fatal(err)
			}
			options = append(options, engine.WithProblems(set))
		}
		iv, err := kinds.New(def, words, rules, options...)
		if err != nil {
			t.Fatal(err)
		}
		benches[kind+l] = iv
		all = append(all, iv)
	}
	engine.Together(all...)
	if benches[kind+locale] == nil {
		t.Fatalf("%s is not there in %s", kind, locale)
	}
	return benches[kind+locale]
}

var inBrackets = regexp.MustCompile(`\(([a-z_]+)\)`)

// points are the stages that the words of an entry's at name, the first that fits; the last ones of a kind are its usual point.
var points = map[string][][2]string{
	"algorithm_coach": {
		{"idea", "THOUGHT_ARTICULATION"}, {"complexity", "COMPLEXITY_ANALYSIS"}, {"pseudocode", "PSEUDOCODE_DESIGN"}, {"edge", "EDGE_CASE_CHECK"},
		{"follow", "FOLLOW_UP"}, {"summary", "PATTERN_SUMMARY"}, {"understanding", ""}, {"", "THOUGHT_ARTICULATION"},
	},
	"system_design": {
		{"welcome", ""}, {"intro", "intro"}, {"clarif", "problem_clarification"}, {"requirement", "requirements_gathering"}, {"data", "data_design"},
		{"api", "api_design"}, {"high", "high_level_design"}, {"closing", "closing"}, {"", "data_design"},
	},
	"two_stage":         {{"intro", ""}, {"project", "PAST_EXPERIENCE"}, {"past", "PAST_EXPERIENCE"}, {"", "PAST_EXPERIENCE"}},
	"persona_interview": {{"choosing", ""}, {"menu", ""}, {"", "1"}},
	"conversation":      {{"", ""}}, "evaluation": {{"", ""}},
}

func newBench(t *testing.T, kind, locale, at string) *bench {
	t.Helper()
	b := &bench{t: t, iv: benchOf(t, kind, locale), u: &state.UserData{}}
	vars := make(map[string]string)
	if m := inBrackets.FindStringSubmatch(at); m != nil {
		vars["problem"] = m[1]
	}
	to := ""
	for _, p := range points[kind] {
		if strings.Contains(strings.ToLower(at), p[0]) {
			to = p[1]
			break
		}
	}
	if kind == "persona_interview" && to != "" {
		vars["persona"] = "hr"
	}
	b.send(engine.Started{Session: "s1", Locale: locale, Candidate: state.Candidate{Name: "Ada"}, Vars: vars})
	switch {
	case to == "":
	case kind == "persona_interview":
		b.tell(map[string]string{"en": "Yes, I'm ready.", "zh": "准备好了", "vi": "Vâng, sẵn sàng"}[locale])
	case kind == "system_design" && to != "intro" && to != "closing":
		b.send(engine.Operator{Command: "goto", Argument: "intro"})
		b.send(engine.Operator{Command: "goto", Argument: "design_sub_phase"})
		if b.u.Current().Item != to {
			b.send(engine.Operator{Command: "goto", Argument: to})
		}
	default:
		b.send(engine.Operator{Command: "goto", Argument: to})
	}
	return b
}

func (b *bench) send(ev engine.Event) {
	b.t.Helper()
	b.now += 1000
	var effects []engine.Effect
	b.u, effects = b.iv.Step(b.u, b.now, ev)
	for _, e := range effects {
		switch e := e.(type) {
		case engine.Fact:
			b.facts = append(b.facts, e)
		case engine.Run:
			b.run(e)
		case engine.Say:
			b.said = append(b.said, e.Text)
			b.names = append(b.names, e.Prompts...)
			b.send(engine.VoiceStarted{Utterance: e.Utterance})
			b.now += 3000
			b.send(engine.VoiceEnded{Utterance: e.Utterance, Visit: e.Visit, Heard: e.Text})
		}
	}
}

// run answers what the interview asks of others: five sub-phases, a question, and no judgement.
func (b *bench) run(r engine.Run) {
	done := engine.TaskDone{Task: r.Task, Visit: r.Visit, Failed: "nobody is there"}
	var result any
	switch r.Kind {
	case engine.TaskPhases:
		p := engine.Phases{Source: "default"}
		for _, id := range []string{"problem_clarification", "requirements_gathering", "data_design", "api_design", "high_level_design"} {
			name := strings.ReplaceAll(id, "_", " ")
			p.Phases = append(p.Phases, state.Phase{ID: id, Name: strings.ToUpper(name[:1]) + name[1:], Keywords: []state.Keyword{{Phrase: "scale"}}})
		}
		result = p
	case engine.TaskQuestion:
		result = engine.Question{Question: "Design a service that shortens links."}
	}
	if result != nil {
		raw, err := json.Marshal(result)
		if err != nil {
			b.t.Fatal(err)
		}
		done.Result, done.Failed = raw, ""
	}
	b.send(done)
}

func (b *bench) tell(text string) {
	b.t.Helper()
	b.names = nil
	b.send(engine.SpeechStarted{})
	b.now += 3000
	b.send(engine.SpeechStopped{})
	b.send(engine.UserTurn{Text: text, Began: b.now - 3000, Confidence: 0.9})
}

func (b *bench) fact(name string) []engine.Fact {
	return slices.DeleteFunc(slices.Clone(b.facts), func(f engine.Fact) bool { return f.Name != name })
}

// field joins the values of a field of all facts of a name.
func (b *bench) field(name, key string) string {
	var out []string
	for _, f := range b.fact(name) {
		for _, x := range f.Fields {
			if x.Key == key {
				out = append(out, fmt.Sprint(x.Value))
			}
		}
	}
	return strings.Join(out, " ")
}

func (b *bench) issued(ids ...string) bool {
	return slices.ContainsFunc(b.names, func(name string) bool {
		id, _, _ := strings.Cut(name, "#")
		return slices.Contains(ids, id)
	})
}
