package kinds_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// loaded joins a shipped kind with its words in one language.
func loaded(t *testing.T, kind, locale string) *engine.Interview {
	t.Helper()
	text, err := fs.ReadFile(kinds.FS(), kind+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return joined(t, kind+".yaml", text, locale, prompts.Shipped())
}

func joined(t *testing.T, file string, text []byte, locale string, words fs.FS) *engine.Interview {
	t.Helper()
	def, err := definition.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := prompts.Load(words, def.Catalogue(), locale)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), locale)
	if err != nil {
		t.Fatal(err)
	}
	iv, err := kinds.New(def, catalogue, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// steps goes through an interview that was held once more, event by event.
func steps(t *testing.T, iv *engine.Interview, journal []state.Entry, each func(u *state.UserData, effects []engine.Effect)) {
	t.Helper()
	u := &state.UserData{}
	for _, entry := range journal {
		ev, err := engine.Decode(entry)
		if err != nil {
			t.Fatal(err)
		}
		var effects []engine.Effect
		u, effects = iv.Step(u, entry.At, ev)
		each(u, effects)
	}
}

// R000-15, R000-25, R000-27, R000-28, R000-31, R000-36: in every turn of the design the model is told about the sub-phase that is on the floor, or
// about a design that is one talk; in the other stages it is told what it always was.
func TestModelIsToldWhereItStands(t *testing.T) {
	iv := loaded(t, "system_design", "en")
	if course, err := fs.ReadFile(prompts.Shipped(), "system_design/lead.txt"); err != nil || len(course) == 0 {
		t.Errorf("how this interview goes is no file of its own: %v", err)
	}
	told := make(map[string]int)
	for seed := range uint64(6) {
		who := []simulate.Candidate{simulate.Weak, simulate.Strong}[seed%2] // the weak seldom get to the last sub-phase
		r := simulate.Run(iv, simulate.Options{Candidate: who, Seed: seed, Name: "Ada", Model: true})
		steps(t, iv, r.Journal, func(u *state.UserData, effects []engine.Effect) {
			for _, e := range effects {
				say, ok := e.(engine.Say)
				if !ok || say.Lead == nil {
					continue
				}
				lines, err := say.Lead.Request(false)
				if err != nil {
					t.Fatal(err)
				}
				frame, state, v := lines[0].Text, lines[len(lines)-1].Text, u.Current()
				want := []string{"with Ada", u.Vars["interview_question"]}
				now := "Now: " + v.Stage + " "
				if p := u.SubPhases.Item(v.Item); p != nil && !v.Closing {
					told[p.ID]++
					now = "Now: " + p.ID + " "
					want = append(want, p.Name, p.Description)
					for _, k := range p.Keywords {
						want = append(want, k.Phrase)
					}
				} else {
					told[v.Stage]++
				}
				if !v.Closing {
					want = append(want, now)
				}
				for _, text := range want {
					if !strings.Contains(frame+state, text) {
						t.Fatalf("in %s %s the model is not told %q:\n%s\n%s", v.Stage, v.Item, text, frame, state)
					}
				}
			}
		})
	}
	if told["problem_clarification"] == 0 || told["hld"] == 0 {
		t.Errorf("the model was asked in %v only", told)
	}
}

// R000-7, R000-83: five sub-phases by default, three in the short profile; which ones is data of the company.
func TestHowManySubPhases(t *testing.T) {
	iv := loaded(t, "system_design", "en")
	for company, want := range map[string][]string{
		"":        {"problem_clarification", "requirements", "data_design", "api_design", "hld"},
		"unheard": {"problem_clarification", "requirements", "data_design", "api_design", "hld"},
		"short":   nil,
	} {
		r := simulate.Run(iv, simulate.Options{Seed: 1, Vars: map[string]string{"company": company}})
		var got []string
		for i := range r.State.Visits {
			if item := r.State.Visits[i].Item; item != "" && !slices.Contains(got, item) {
				got = append(got, item)
			}
		}
		if want != nil && !slices.Equal(got, want) || company == "short" && len(got) != 3 {
			t.Errorf("company %q: %v", company, got)
		}
	}
}

// R000-8, R000-9, R000-10, R000-11, R000-12, R000-13, R000-14: what the default company probes, and that a model is told all of it.
func TestWhatTheDefaultCompanyProbes(t *testing.T) {
	factory, err := design.NewFactory(design.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer factory.Close()
	p, _ := factory.For("", "system_design")
	phases, err := p.GetPhases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ name, keywords string }{
		{"Problem Clarification", "users, QPS, scale, latency, availability, consistency"},
		{"Requirements Gathering", "features, API, constraints, SLA, throughput"},
		{"Data Design", "database, schema, SQL, NoSQL, sharding, replication"},
		{"API Design", "endpoint, REST, gRPC, request, response, HTTP"},
		{"High-Level Design", "load balancer, cache, queue, CDN, microservices, architecture"},
	}
	if len(phases) != len(want) {
		t.Fatalf("%d sub-phases", len(phases))
	}
	for i, x := range want {
		var keywords []string
		for _, k := range phases[i].Keywords {
			keywords = append(keywords, k.Phrase)
		}
		if got := strings.Join(keywords, ", "); phases[i].Name != x.name || got != x.keywords || phases[i].Description == "" {
			t.Errorf("%s is %q and probes %s", phases[i].ID, phases[i].Name, got)
		}
	}
}

// R000-1, R000-76: the whole interview through all sub-phases to the goodbye, and the question is told exactly once.
func TestTheWholeSystemDesignInterview(t *testing.T) {
	for _, locale := range loaded(t, "system_design", "en").Def.Locales {
		iv := loaded(t, "system_design", locale)
		r := simulate.Run(iv, simulate.Options{Seed: 5, Name: "Ada", Replay: true})
		if len(r.Violations) > 0 || r.State.Ended != "done" || !r.State.SubPhases.Complete {
			t.Fatalf("%s: ended %q, %v", locale, r.State.Ended, r.Violations)
		}
		var stages []string
		said := ""
		for _, turn := range r.State.Turns {
			if turn.Speaker == state.SpeakerAgent {
				said += turn.Text + "\n"
			}
		}
		for i := range r.State.Visits {
			if s := r.State.Visits[i].Stage; len(stages) == 0 || stages[len(stages)-1] != s {
				stages = append(stages, s)
			}
		}
		if want := []string{"routing", "intro", "design_sub_phase", "closing", "done"}; !slices.Equal(stages, want) {
			t.Errorf("%s: %v", locale, stages)
		}
		if n := strings.Count(said, r.State.Vars["interview_question"]); n != 1 {
			t.Errorf("%s: the question is told %d times in\n%s", locale, n, said)
		}
		for _, p := range r.State.SubPhases.Items {
			if !p.Irrelevant && !strings.Contains(said, p.Name) {
				t.Errorf("%s: nobody is told that %s begins", locale, p.Name)
			}
		}
	}
}

// RM-16: where only a count of keywords could judge, none of them is asked for by name unless the candidate wants a hint, and a part
// ends with its answers. The questions fit the part.
func TestNoKeywordIsAskedFor(t *testing.T) {
	for _, locale := range loaded(t, "system_design", "en").Def.Locales {
		iv := loaded(t, "system_design", locale)
		probes := 0
		for seed := range uint64(3) {
			r := simulate.Run(iv, simulate.Options{Candidate: simulate.Weak, Seed: seed})
			steps(t, iv, r.Journal, func(u *state.UserData, effects []engine.Effect) {
				for _, e := range effects {
					say, is := e.(engine.Say)
					if !is {
						continue
					}
					for _, id := range say.Prompts {
						if strings.HasPrefix(id, "design.continue") {
							t.Errorf("%s: %q", id, say.Text)
						}
						if strings.HasPrefix(id, "design.probe_") {
							probes++
						}
					}
				}
			})
			for _, v := range r.State.Visits {
				if v.Item != "" && (v.Reason == engine.ReasonPassed || v.Reason == engine.ReasonAttempts) {
					t.Errorf("%s: %s was left because of its keywords: %s", locale, v.Item, v.Reason)
				}
			}
		}
		if probes == 0 {
			t.Errorf("%s: no question of a part's own was asked", locale)
		}
	}
}

// R001-51: the words of an interview do not repeat themselves, sub-phase after sub-phase.
func TestWordsDoNotRunOut(t *testing.T) {
	for _, kind := range []string{"system_design", "algorithm_coach"} {
		for _, locale := range loaded(t, kind, "en").Def.Locales {
			iv := loaded(t, kind, locale)
			for seed := range uint64(5) {
				r := simulate.Run(iv, simulate.Options{Seed: seed})
				if r.Heard.Repeated > 0 {
					t.Errorf("%s, %s, seed %d: %d of %d utterances were heard before", kind, locale, seed, r.Heard.Repeated, r.Heard.Utterances)
				}
			}
		}
	}
}
