package design_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/state"
)

const kind = "system_design"

func factory(t *testing.T, o design.Options) *design.Factory {
	t.Helper()
	f, err := design.NewFactory(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func phases(t *testing.T, f *design.Factory, company string, c design.Candidate) []state.Phase {
	t.Helper()
	p, _ := f.For(company, kind)
	if err := p.StartInterview(t.Context(), kind, c); err != nil {
		t.Fatal(err)
	}
	list, err := p.GetPhases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func phrases(p state.Phase) string {
	var out []string
	for _, k := range p.Keywords {
		out = append(out, k.Phrase)
	}
	return strings.Join(out, ", ")
}

func said(texts ...string) []evaluate.Turn {
	out := make([]evaluate.Turn, len(texts))
	for i, t := range texts {
		out[i] = evaluate.Turn{ID: uint64(i + 1), Role: evaluate.RoleUser, Content: t}
	}
	return out
}

// R000-7, R000-8: five sub-phases with these ids and names, in this order.
func TestDefaultPhases(t *testing.T) {
	list := phases(t, factory(t, design.Options{}), "", design.Candidate{})
	var ids, names []string
	for _, p := range list {
		ids, names = append(ids, p.ID), append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"problem_clarification", "requirements", "data_design", "api_design", "hld"}, ids); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Problem Clarification", "Requirements Gathering", "Data Design", "API Design", "High-Level Design"}, names); diff != "" {
		t.Error(diff)
	}
	for i, c := range []struct {
		requirement, keywords string
		description           []string
	}{
		{"R000-10", "users, QPS, scale, latency, availability, consistency", []string{"requirements", "scale", "constraints"}},
		{"R000-11", "features, API, constraints, SLA, throughput", []string{"functional", "non-functional"}},
		{"R000-12", "database, schema, SQL, NoSQL, sharding, replication", []string{"model", "storage", "schemas"}},
		{"R000-13", "endpoint, REST, gRPC, request, response, HTTP", []string{"REST", "RPC", "interfaces", "contracts"}},
		{"R000-14", "load balancer, cache, queue, CDN, microservices, architecture", []string{"architecture", "components"}},
	} {
		if got := phrases(list[i]); got != c.keywords {
			t.Errorf("%s: the keywords are %s", c.requirement, got)
		}
		for _, word := range c.description {
			if !strings.Contains(list[i].Description, word) {
				t.Errorf("%s: %q says nothing of %s", c.requirement, list[i].Description, word)
			}
		}
	}
}

// R000-9, R000-29: what every shipped company tells the prompts is whole, in every language that it has.
func TestShippedPhasesAreWhole(t *testing.T) {
	f := factory(t, design.Options{})
	if diff := cmp.Diff([]string{"default", "google_like", "short"}, f.Companies()); diff != "" {
		t.Fatal(diff)
	}
	for _, company := range f.Companies() {
		for _, locale := range []string{"en", "zh-CN", "xx"} {
			for _, p := range phases(t, f, company, design.Candidate{Locale: locale}) {
				if p.ID == "" || p.Name == "" || p.Description == "" || len(p.Keywords) == 0 {
					t.Errorf("%s in %s: %+v has a hole", company, locale, p)
				}
				if locale == "zh-CN" && p.Name[0] < 0x80 {
					t.Errorf("%s: %s has no Chinese name", company, p.ID)
				}
			}
		}
	}
}

// R000-83, R000-66: how many sub-phases, and which, is data.
func TestOtherProfiles(t *testing.T) {
	f := factory(t, design.Options{})
	short := phases(t, f, "short", design.Candidate{})
	if len(short) != 3 || short[0].Hard == 0 {
		t.Errorf("the short profile has %d sub-phases, the first with limit %d", len(short), short[0].Hard)
	}
	var hard state.Millis
	for _, p := range short {
		hard += p.Hard
	}
	if hard.Duration().Minutes() > 20 {
		t.Errorf("the short profile may take %v", hard.Duration())
	}
	like := phases(t, f, "Google", design.Candidate{})
	if like[0].ID != "problem_understanding" || phrases(like[0]) != "users, goals, constraints, non-goals" {
		t.Errorf("the first is %s with %s", like[0].ID, phrases(like[0]))
	}
}

// R000-57, R000-60, R000-61, R000-62, R000-63: the default company judges by keywords.
func TestLocalJudges(t *testing.T) {
	p, _ := factory(t, design.Options{}).For("default", kind)
	for _, c := range []struct{ name, phase, text, decision, gaps string }{
		{"three of five", "requirements", "The features, an API, and the constraints.", "next_phase", ""},
		{"two of five", "requirements", "The features, and an API.", "continue", "constraints SLA throughput"},
		{"three of six", "data_design", "A database with a schema and sharding.", "continue", "SQL NoSQL replication"},
		{"four of six", "data_design", "A database with a schema, sharding and replication.", "next_phase", ""},
		{"unknown", "no_such_phase", "The features.", "continue", ""},
	} {
		e, err := p.EvaluatePhase(t.Context(), c.phase, said(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if e.Decision != c.decision || strings.Join(e.Gaps, " ") != c.gaps {
			t.Errorf("%s: %s with gaps %v", c.name, e.Decision, e.Gaps)
		}
		if known := c.phase != "no_such_phase"; known && !strings.Contains(e.Feedback, map[string]string{"requirements": "Requirements Gathering", "data_design": "Data Design"}[c.phase]) {
			t.Errorf("%s: %q does not name the phase", c.name, e.Feedback)
		} else if !known && e.Score != 0 {
			t.Errorf("an unknown phase has score %v", e.Score)
		}
	}
}

// R000-89, R000-90: what the default company's keywords sound like, and what only looks like them.
func TestSpokenKeywords(t *testing.T) {
	f := factory(t, design.Options{})
	for _, c := range []struct{ phase, keyword, text, locale string }{
		{"problem_clarification", "QPS", "About five thousand queries per second.", "en"},
		{"problem_clarification", "QPS", "大概每秒请求五千次", "zh"},
		{"problem_clarification", "availability", "Four nines would be good.", "en"},
		{"data_design", "SQL", "I would go for sequel.", "en"},
		{"data_design", "NoSQL", "I would take a no sequel store.", "en"},
		{"data_design", "sharding", "数据按用户分片", "zh"},
		{"api_design", "gRPC", "Inside we use g R P C.", "en"},
		{"api_design", "REST", "A restful interface outside.", "en"},
		{"hld", "load balancer", "We need load-balancing in front.", "en"},
		{"hld", "load balancer", "前面加一个负载均衡", "zh"},
		{"hld", "load balancer", "phía trước có cân bằng tải", "vi"},
		{"hld", "CDN", "Pictures come from a C D N.", "en"},
		{"hld", "queue", "Jobs wait in queues.", "en"},
		{"hld", "", "Rapid growth is of no interest to the rest of the team.", "en"},
		{"api_design", "", "The rest of it follows, encrypted at rest.", "en"},
		{"data_design", "NoSQL", "non-SQL", "en"},
	} {
		list := phases(t, f, "", design.Candidate{})
		i := slices.IndexFunc(list, func(p state.Phase) bool { return p.ID == c.phase })
		hits, _, _ := evaluate.Coverage(evaluate.Item{Criteria: list[i].Keywords, Turns: said(c.text), Locale: c.locale})
		if strings.Join(hits, " ") != c.keyword {
			t.Errorf("%q gives %v, want %s", c.text, hits, c.keyword)
		}
	}
}

// R000-88, R000-89: a company may keep the seed's own rules; R000-84: and have its own mark.
func TestParitySwitches(t *testing.T) {
	folder := companies(`
company: parity
interviews:
  system_design:
    words: both
    match: substring
    pass: 1
    phases: [{id: only, name: Only, description: One, keywords: [API, users]}]
`)
	f := factory(t, design.Options{Folders: []fs.FS{folder}})
	p, _ := f.For("parity", kind)
	history := []evaluate.Turn{{Role: evaluate.RoleAgent, Content: "Who are the users?"}, {Role: evaluate.RoleUser, Content: "We grow quickly."}}
	e, err := p.EvaluatePhase(t.Context(), "only", history)
	if err != nil || e.Decision != evaluate.DecisionContinue || e.Score != 5 {
		t.Errorf("got %+v, %v: no letters of api", e, err)
	}
	history[1].Content = "We need rapid answers."
	if e, err = p.EvaluatePhase(t.Context(), "only", history); err != nil || e.Decision != evaluate.DecisionNext {
		t.Errorf("by letters of both sides it is %+v, %v", e, err)
	}
	if got, err := f.Phases(t.Context(), "parity", kind, design.Candidate{}); err != nil || got.Local || got.Phases[0].Pass != 1 {
		t.Errorf("the engine would judge by other rules than the company: %+v, %v", got, err)
	}
}

// The question is chosen by the session, and tells which sub-phases it does not need.
func TestQuestions(t *testing.T) {
	f := factory(t, design.Options{})
	seen := make(map[string]bool)
	for n := range 200 {
		c := design.Candidate{Session: strings.Repeat("s", n), Locale: "en"}
		q, err := f.Question(t.Context(), "", kind, c)
		if err != nil || q.Source != design.Default || !strings.HasPrefix(q.Question, "Design ") {
			t.Fatalf("got %+v, %v", q, err)
		}
		again, err := f.Question(t.Context(), "", kind, c)
		if err != nil || again != q {
			t.Fatal("one session gets two questions")
		}
		pipeline := strings.Contains(q.Question, "data pipeline")
		for _, p := range phases(t, f, "", c) {
			if p.Irrelevant != (pipeline && p.ID == "api_design") {
				t.Fatalf("for %q: is %s irrelevant? %v", q.Question, p.ID, p.Irrelevant)
			}
		}
		seen[q.Question] = true
		c.Locale = "zh"
		if q, err = f.Question(t.Context(), "", kind, c); err != nil || !strings.HasPrefix(q.Question, "请") {
			t.Fatalf("in Chinese it is %q, %v", q.Question, err)
		}
	}
	if len(seen) < 12 {
		t.Errorf("200 sessions met %d questions", len(seen))
	}
}

// R000-40, R000-70: companies opt in; one without sub-phases, or without such interviews, keeps the single phase.
func TestNoPhases(t *testing.T) {
	f := factory(t, design.Options{Folders: []fs.FS{companies("company: plain\ninterviews: {system_design: {bank: system_design}}\n")}})
	p, resolved := f.For("plain", kind)
	if _, err := p.GetPhases(t.Context()); !errors.Is(err, design.ErrNoPhases) || resolved != "plain" {
		t.Errorf("%s gives %v", resolved, err)
	}
	got, err := f.Phases(t.Context(), "plain", kind, design.Candidate{})
	if err != nil || len(got.Phases) != 0 || got.Source != "plain" || got.Degraded != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	p, resolved = f.For("plain", "cooking")
	if _, err := p.GetPhases(t.Context()); !errors.Is(err, design.ErrNoPhases) || resolved != design.Default {
		t.Errorf("%s gives %v", resolved, err)
	}
	if _, err := p.GetQuestion(context.Background()); !errors.Is(err, design.ErrNoQuestion) {
		t.Errorf("an interview of an unknown type has a question: %v", err)
	}
}

// companies makes a folder of company files.
func companies(texts ...string) fs.FS {
	folder := make(fstest.MapFS)
	for i, text := range texts {
		folder["companies/"+string(rune('a'+i))+".yaml"] = &fstest.MapFile{Data: []byte(text)}
	}
	return folder
}

// The engine reads these answers as JSON; R000-39: the list comes as the company has it, in order, first to last.
func TestAnswersAsJSON(t *testing.T) {
	got, err := factory(t, design.Options{}).Phases(t.Context(), "acme", kind, design.Candidate{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Phases []state.Phase `json:"phases"`
		Source string        `json:"source"`
		Local  bool          `json:"local"`
	}
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.Phases, back.Phases); diff != "" || back.Source != design.Default || !back.Local || back.Phases[0].ID != "problem_clarification" {
		t.Errorf("%s from %s, local %v: %s", back.Phases[0].ID, back.Source, back.Local, diff)
	}
}
