package knowledge_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
)

func graph(t *testing.T) *knowledge.Graph {
	t.Helper()
	g, err := knowledge.Default()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// load reads one file of facts over two predicates.
func load(t *testing.T, text string) (*knowledge.Graph, error) {
	t.Helper()
	return knowledge.Load(fstest.MapFS{
		"0.yaml": {Data: []byte("predicates:\n  likes: [who, what]\n  weighs: [what, \"kilos:number\"]\n")},
		"1.yaml": {Data: []byte(text)},
	})
}

var personas = []string{"hr", "junior_developer", "senior_developer", "corporate_executive"}

// R002-8, R002-12, R002-14: focus skills, every binding, and the wrapper.
func TestFocusSkills(t *testing.T) {
	g := graph(t)
	for _, p := range personas {
		var bound []string
		for _, b := range g.Match("focus_skill", p, "$skill") {
			bound = append(bound, b["skill"])
		}
		if len(bound) < 3 {
			t.Errorf("%s has %d focus skills", p, len(bound))
		}
		if diff := cmp.Diff(bound, g.FocusSkills(p)); diff != "" {
			t.Errorf("%s: the wrapper tells something else: %s", p, diff)
		}
	}
	if diff := cmp.Diff(g.FocusSkills("hr"), g.FocusSkills("HR")); diff != "" {
		t.Error(diff)
	}
}

// R002-9, R002-13, R002-15: topics with weights, by falling weight, at most so many.
func TestTopicsByWeight(t *testing.T) {
	g := graph(t)
	for _, p := range personas {
		pairs := g.Match("persona_priority", p, "$topic", "$weight")
		if len(pairs) < 8 || pairs[0]["topic"] == "" || pairs[0]["weight"] == "" {
			t.Errorf("%s: %v", p, pairs)
		}
		all := g.Topics(p, 0)
		if len(all) != len(pairs) || !slices.IsSortedFunc(all, func(a, b knowledge.Topic) int { return int(100 * (b.Weight - a.Weight)) }) {
			t.Errorf("%s: %v", p, all)
		}
		if top := g.Topics(p, 3); !cmp.Equal(top, all[:3]) {
			t.Errorf("%s: the top three are %v", p, top)
		}
	}
}

// R002-18: ties keep the order in which they were read; what is not known gives nothing.
func TestTiesAndUnknown(t *testing.T) {
	g := graph(t)
	topics := g.Topics("hr", 0)
	if tail := topics[6:]; tail[0].ID != "change" || tail[1].ID != "organisation" || tail[0].Weight != tail[1].Weight {
		t.Errorf("the tie is %v", tail)
	}
	if g.FocusSkills("pirate") != nil || g.Topics("pirate", 3) != nil || g.Requirements("Pirate Captain") != nil ||
		g.Match("question_skill", "none", "$skill") != nil || g.Match("no_such", "x") != nil || g.Match("focus_skill", "hr") != nil || g.Role("Pirate") != "" {
		t.Error("something is known of what is not there")
	}
}

// R002-10: question → skills, in the facts and in the bank alike.
func TestQuestionSkills(t *testing.T) {
	g := graph(t)
	all := g.Questions("", "")
	for _, q := range all {
		var shown []string
		for _, b := range g.Match("question_skill", q.ID, "$skill") {
			shown = append(shown, b["skill"])
		}
		if diff := cmp.Diff(q.Skills, shown); diff != "" {
			t.Errorf("%s: %s", q.ID, diff)
		}
	}
	if about := g.Match("question_skill", "$q", "mentoring"); len(about) < 5 {
		t.Errorf("only %d questions show mentoring", len(about))
	}
}

// R002-11: role → requirements, by any spelling and by alias.
func TestRoleRequirements(t *testing.T) {
	g := graph(t)
	roles := g.Roles()
	if len(roles) < 6 {
		t.Errorf("only the roles %v", roles)
	}
	for _, role := range roles {
		if n := len(g.Requirements(role)); n < 4 {
			t.Errorf("%s has %d requirements", role, n)
		}
		for _, lang := range []string{"en", "zh", "vi"} {
			if g.Label(role, lang) == strings.ReplaceAll(role, "_", " ") {
				t.Errorf("%s has no name in %s", role, lang)
			}
		}
	}
	if first := g.Requirements("Junior Data Analyst"); len(first) == 0 || first[0] != "sql" {
		t.Errorf("the default role asks for %v", first)
	}
	if diff := cmp.Diff(g.Requirements("Software Engineer"), g.Requirements("backend_engineer")); diff != "" {
		t.Error(diff)
	}
}

// The bank has enough for every persona and topic, and something to begin with.
func TestTheBankIsFull(t *testing.T) {
	g := graph(t)
	for _, p := range personas {
		opening := 0
		for _, topic := range g.Topics(p, 0) {
			questions := g.Questions(p, topic.ID)
			languages := map[string]int{}
			for _, q := range questions {
				for lang := range q.Text {
					languages[lang]++
				}
				if q.Opening {
					opening++
				}
			}
			if languages["en"] < 6 || languages["zh"] < 2 || languages["vi"] < 2 {
				t.Errorf("%s, %s: %v", p, topic.ID, languages)
			}
		}
		if opening < 2 {
			t.Errorf("%s has %d opening questions", p, opening)
		}
	}
}

func TestMatch(t *testing.T) {
	g, err := load(t, "facts:\n  likes: [[ann, tea], [bob, bob], [ann, rye bread]]\n  weighs: [[tea, 0.50], [bob, 80]]\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		pred string
		args []string
		want []knowledge.Binding
	}{
		"one variable":       {"likes", []string{"ann", "$what"}, []knowledge.Binding{{"what": "tea"}, {"what": "rye bread"}}},
		"all, in order":      {"likes", []string{"$a", "$b"}, []knowledge.Binding{{"a": "ann", "b": "tea"}, {"a": "bob", "b": "bob"}, {"a": "ann", "b": "rye bread"}}},
		"the same twice":     {"likes", []string{"$x", "$x"}, []knowledge.Binding{{"x": "bob"}}},
		"ground and true":    {"likes", []string{"ann", "tea"}, []knowledge.Binding{{}}},
		"ground and false":   {"likes", []string{"bob", "tea"}, nil},
		"anything":           {"likes", []string{"$_", "$_"}, []knowledge.Binding{{}, {}, {}}},
		"a number":           {"weighs", []string{"$what", "0.5"}, []knowledge.Binding{{"what": "tea"}}},
		"a number, bound":    {"weighs", []string{"bob", "$k"}, []knowledge.Binding{{"k": "80"}}},
		"too few arguments":  {"likes", []string{"$x"}, nil},
		"too many arguments": {"likes", []string{"$x", "$y", "$z"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, g.Match(c.pred, c.args...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Every fact is found by the pattern of variables only, and by each of its arguments, whatever the facts are.
func TestMatchFindsEveryFact(t *testing.T) {
	word := rapid.StringMatching(`[a-z]{1,3}`)
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		b.WriteString("facts:\n  likes:\n")
		var facts [][2]string
		for _, f := range rapid.SliceOfN(rapid.Custom(func(r *rapid.T) [2]string {
			return [2]string{word.Draw(r, "who"), word.Draw(r, "what")}
		}), 1, 20).Draw(r, "facts") {
			if !slices.Contains(facts, f) {
				facts = append(facts, f)
				b.WriteString("    - [\"" + f[0] + "\", \"" + f[1] + "\"]\n")
			}
		}
		g, err := load(t, b.String())
		if err != nil {
			r.Fatal(err)
		}
		var found [][2]string
		for _, m := range g.Match("likes", "$a", "$b") {
			found = append(found, [2]string{m["a"], m["b"]})
		}
		if diff := cmp.Diff(facts, found); diff != "" {
			r.Fatal(diff)
		}
		f := facts[len(facts)-1]
		if len(g.Match("likes", f[0], f[1])) != 1 || !slices.ContainsFunc(g.Match("likes", f[0], "$x"), func(m knowledge.Binding) bool { return m["x"] == f[1] }) {
			r.Fatalf("%v is not found", f)
		}
	})
}

// R002-19: facts are data; what is wrong is told all at once, with line and column.
func TestEverythingWrongIsToldAtOnce(t *testing.T) {
	_, err := load(t, `facts:
  likes:
    - [ann]
    - [ann, tea, cake]
    - [ann, $x]
    - ann likes tea
    - [ann, tea]
    - [ann, tea]
  hates: [[ann, tea]]
  weighs: [[tea, light]]
surplus: 1
questions:
  - persona: hr
    topic: motivation
    ask:
      - {id: a, skills: [], en: "One? Two?"}
`)
	var e *datafile.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{
		"1.yaml:3:7: facts.likes[0]: likes takes 2 arguments (who, what), not 1",
		"1.yaml:4:7: facts.likes[1]: likes takes 2 arguments (who, what), not 3",
		"1.yaml:5:7: facts.likes[2]: the argument what must be",
		"1.yaml:6:7: facts.likes[3]: a fact is a list",
		"1.yaml:8:7: facts.likes[5]: the fact is there already",
		"1.yaml:9:11: facts.hates[0]: there is no predicate \"hates\"",
		"1.yaml:10:12: facts.weighs[0]: the argument kilos must be a number",
		"1.yaml:11:1: surplus: unknown key",
		"it asks 2 questions", "name the skills", "no predicate \"question_topic\"",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

func TestWeightsAndBankOfOwnFiles(t *testing.T) {
	own := fstest.MapFS{"own.yaml": {Data: []byte(`facts:
  persona_priority: [[pirate, sailing, 1.5], [pirate, sailing, 0.5]]
questions:
  - persona: pirate
    topic: treasure
    ask:
      - {id: map, skills: [navigation], en: "Where is the map?"}
`)}}
	_, err := knowledge.Load(knowledge.Shipped(), own)
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, want := range []string{"has a weight for this persona already", "above 0 and at most 1", `gives the topic "treasure" no weight`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing %q in: %v", want, err)
		}
	}
}

// R002-19: extended without code, by another file; or changed, by a file of the same name.
func TestOwnFilesExtend(t *testing.T) {
	own := fstest.MapFS{
		"own.yaml": {Data: []byte(`facts:
  focus_skill: [[pirate, navigation]]
  persona_priority: [[pirate, sailing, 1]]
  role_requirement: [[ship_cook, boiling_water]]
questions:
  - persona: pirate
    topic: sailing
    ask:
      - {id: knots, skills: [navigation], en: "Which knot do you trust?"}
`)},
		"53_corporate_executive.yaml": {Data: []byte("labels: {}\n")},
	}
	g, err := knowledge.Load(knowledge.Shipped(), own)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Topics("Pirate", 3); len(got) != 1 || got[0].ID != "sailing" {
		t.Error(got)
	}
	if got := g.Questions("pirate", ""); len(got) != 1 || got[0].ID != "pirate.sailing.knots" {
		t.Error(got)
	}
	if g.Label("boiling_water", "en") != "boiling water" || g.Requirements("Ship Cook")[0] != "boiling_water" {
		t.Error("the role is not known")
	}
	if len(g.Questions("corporate_executive", "")) != 0 || len(g.Questions("hr", "")) == 0 {
		t.Error("the file of the same name does not take the place of the shipped one")
	}
}

func TestRedeclaredPredicate(t *testing.T) {
	_, err := knowledge.Load(knowledge.Shipped(), fstest.MapFS{"own.yaml": {Data: []byte("predicates: {focus_skill: [skill], empty: []}\n")}})
	if err == nil || !strings.Contains(err.Error(), "own.yaml:1:14: predicates.focus_skill: it is declared elsewhere") || !strings.Contains(err.Error(), "predicates.empty") {
		t.Error(err)
	}
}

// R002-16: no network, and nothing outside of this module but the reader of YAML and the tables of Unicode.
func TestQueriesNeedNothingFromOutside(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command here to list packages with")
	}
	out, err := exec.CommandContext(t.Context(), tool, "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		name := strings.TrimSpace(line)
		host, _, _ := strings.Cut(name, "/")
		ours := strings.HasPrefix(name, "github.com/vivavoice/viva/stages/") || name == "github.com/vivavoice/viva/prompts"
		data := strings.HasPrefix(name, "github.com/goccy/go-yaml") || strings.HasPrefix(name, "golang.org/x/text/")
		if name == "net" || name == "net/http" || strings.Contains(host, ".") && !ours && !data {
			t.Errorf("the graph needs %s", name)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	g, err := knowledge.Default()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_ = g.Match("persona_priority", "hr", "$topic", "$weight")
	}
}
