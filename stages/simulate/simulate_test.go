package simulate_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

func held(t *testing.T, iv *engine.Interview, o simulate.Options) *simulate.Result {
	t.Helper()
	o.Replay, o.Probe = true, true
	r := simulate.Run(iv, o)
	for _, v := range r.Violations {
		t.Errorf("%s, seed %d: %s", o.Candidate, o.Seed, v)
	}
	return r
}

// R000-76, R000-75: the whole design interview: a strong candidate talks through the five default sub-phases, one after the other, and
// comes to the closing; what they said covers the keywords, which end nothing (RM-16).
func TestDesignFromWelcomeToClosing(t *testing.T) {
	r := held(t, shipped(t, "system_design", "en"), simulate.Options{Seed: 2})
	e := r.State.SubPhases
	want := []string{"problem_clarification", "requirements", "data_design", "api_design", "hld"}
	if diff := cmp.Diff(want, e.Completed); diff != "" || !e.Complete {
		t.Errorf("complete %v: %s", e.Complete, diff)
	}
	var way []string
	for _, v := range r.State.Visits {
		if place := v.Stage + v.Group; len(way) == 0 || way[len(way)-1] != place {
			way = append(way, place)
		}
	}
	if len(way) != 5 || !strings.HasPrefix(way[0], "routing") || !strings.HasPrefix(way[1], "intro") || !strings.HasPrefix(way[3], "closing") || r.State.Ended != "done" {
		t.Errorf("the way was %v, ended %q", way, r.State.Ended)
	}
	for _, s := range r.Scorecard {
		if s.Item != "" && (s.Norm == nil || *s.Norm < 0.6 || s.Reason != engine.ReasonTurns) {
			t.Errorf("%s: %+v", s.Item, s)
		}
	}
}

// R000-73: the candidate may interrupt at any time in the design talk: in every sub-phase that was reached the voice stops at
// once, and the words are taken as a turn of that sub-phase.
func TestInterruptingTheDesign(t *testing.T) {
	t.Parallel()
	iv := shipped(t, "system_design", "en")
	interrupted := make(map[string]bool)
	for seed := range uint64(30) {
		var item string
		stops, bargeIns := 0, 0
		held(t, iv, simulate.Options{Candidate: simulate.Hostile, Seed: seed, Observe: func(s simulate.Step) {
			if s.Event != "barge_in" {
				return
			}
			bargeIns++
			item = s.Item
			for _, n := range s.Effects {
				if n.Name == "stop" {
					stops++
					interrupted[item] = true
				}
			}
		}})
		if stops != bargeIns {
			t.Errorf("seed %d: %d of %d interruptions stopped the voice", seed, stops, bargeIns)
		}
	}
	for _, id := range []string{"problem_clarification", "requirements", "data_design", "api_design", "hld"} {
		if !interrupted[id] {
			t.Errorf("%s was never interrupted", id)
		}
	}
}

// R003-5: the seven stages in their order, and the history of them is kept.
func TestCoachStagesInOrder(t *testing.T) {
	want := []string{
		"PROBLEM_CLARIFICATION", "THOUGHT_ARTICULATION", "COMPLEXITY_ANALYSIS", "PSEUDOCODE_DESIGN", "EDGE_CASE_CHECK", "FOLLOW_UP", "PATTERN_SUMMARY", "DONE",
	}
	for _, locale := range []string{"en", "zh"} {
		iv := shipped(t, "algorithm_coach", locale)
		for _, id := range iv.Problems.IDs() {
			r := held(t, iv, simulate.Options{Seed: 3, Vars: map[string]string{"problem": id}})
			var got []string
			for _, v := range r.State.Visits {
				got = append(got, v.Stage)
			}
			if diff := cmp.Diff(want, got); diff != "" || r.State.Problem != id {
				t.Errorf("%s, problem %s: %s", locale, id, diff)
			}
		}
	}
}

// R003-100: the scorecard tells for each stage whether it was reached, the hints, the wishes to skip, and which cases the
// candidate thought of and which had to be asked about.
func TestScorecard(t *testing.T) {
	t.Parallel()
	iv := shipped(t, "algorithm_coach", "en")
	var hints, skips, skipped, found, prompted int
	for seed := range uint64(12) {
		for _, c := range []simulate.Candidate{simulate.Weak, simulate.Strong, simulate.Hostile} {
			r := held(t, iv, simulate.Options{Candidate: c, Seed: seed})
			for _, s := range r.Scorecard {
				var h int
				for _, v := range r.State.Visits {
					if v.Stage == s.Stage {
						h += v.HintLevel
					}
				}
				if s.Hints != h || s.Title == "" || s.Reached != (s.Reason != "") {
					t.Errorf("%+v", s)
				}
				hints, skips = hints+s.Hints, skips+s.SkipAsked
				found, prompted = found+len(s.IssuesFound), prompted+len(s.IssuesPrompted)
				if s.Skipped {
					skipped++
				}
				if s.Stage != "EDGE_CASE_CHECK" && len(s.IssuesFound)+len(s.IssuesPrompted) > 0 {
					t.Errorf("%s has edge cases", s.Stage)
				}
			}
			if len(r.Scorecard) != 7 {
				t.Errorf("%d stages", len(r.Scorecard))
			}
		}
	}
	if hints == 0 || skips == 0 || skipped == 0 || found == 0 || prompted == 0 {
		t.Errorf("hints %d, refused skips %d, skipped %d, cases found %d, prompted %d", hints, skips, skipped, found, prompted)
	}
}

// R003-100: a stage that was not reached, and a sub-phase that was left out, are in the scorecard without a score.
func TestScorecardOfHalfAnInterview(t *testing.T) {
	iv := shipped(t, "system_design", "en")
	r := simulate.Run(iv, simulate.Options{Seed: 2})
	u := r.State.Clone()
	u.Visits = slices.DeleteFunc(u.Visits, func(v state.StageVisit) bool { return v.Item == "hld" || v.Stage == "closing" })
	u.Evaluations = slices.DeleteFunc(u.Evaluations, func(e state.EvaluationRecord) bool { return e.Item == "hld" })
	u.SubPhases.Completed, u.SubPhases.Skipped = u.SubPhases.Completed[:4], []string{"hld"}
	got := make(map[string]simulate.StageScore)
	for _, s := range simulate.Scorecard(iv, u) {
		got[s.Stage+s.Item] = s
	}
	hld := got[u.SubPhases.Stage+"hld"]
	if hld.Reached || !hld.Skipped || hld.Norm != nil || hld.Title != "High-Level Design" {
		t.Errorf("%+v", hld)
	}
	if c, there := got["closing"]; !there || c.Reached || c.Title != "Closing" {
		t.Errorf("%+v", c)
	}
}

// RX-9, RX-10: the same options give the same interview, byte by byte; another seed gives another one.
func TestSameSeedSameInterview(t *testing.T) {
	for _, kind := range []string{"two_stage", "algorithm_coach", "system_design"} {
		iv := shipped(t, kind, "en")
		for _, c := range simulate.Candidates() {
			o := simulate.Options{Candidate: c, Seed: 7, Model: true}
			a, b := simulate.Run(iv, o), simulate.Run(iv, o)
			o.Seed++
			other := simulate.Run(iv, o)
			if !bytes.Equal(asJSON(t, a.Journal), asJSON(t, b.Journal)) || !bytes.Equal(asJSON(t, a.State), asJSON(t, b.State)) {
				t.Errorf("%s, %s: two interviews", kind, c)
			}
			if bytes.Equal(asJSON(t, a.Journal), asJSON(t, other.Journal)) {
				t.Errorf("%s, %s: seeds 7 and 8 are the same", kind, c)
			}
		}
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// RX-9, R003-20: a journal folded anew gives the trace of the interview again, step by step; in it stand the changes of the
// blackboard with author, time, and the values before and after.
func TestTraceComesBackFromTheJournal(t *testing.T) {
	iv := shipped(t, "algorithm_coach", "en")
	var live, again []simulate.Step
	r := held(t, iv, simulate.Options{Seed: 5, Observe: func(s simulate.Step) { live = append(live, s) }})
	u, err := simulate.Refold(iv, r.Journal, func(s simulate.Step) { again = append(again, s) })
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asJSON(t, live), asJSON(t, again)) {
		t.Error("two traces")
	}
	if !bytes.Equal(asJSON(t, u), asJSON(t, r.State)) {
		t.Error("two states")
	}
	var patches []state.Patch
	for _, s := range again {
		for _, p := range s.Patches {
			if p.At != s.At || p.Author == "" || p.Field == "" || len(p.After) == 0 {
				t.Errorf("%+v", p)
			}
		}
		patches = append(patches, s.Patches...)
	}
	if diff := cmp.Diff(u.Patches, patches); diff != "" || len(patches) == 0 {
		t.Errorf("%d patches: %s", len(patches), diff)
	}
	if _, err := simulate.Refold(iv, []state.Entry{{Seq: 1, Type: "dance"}}, nil); err == nil || !strings.Contains(err.Error(), "dance") {
		t.Errorf("%v", err)
	}
}

// R003-97: on every stage entry the trace tells the stage, the identified pattern, how many messages there were, and which
// expert is active: one in each stage that has them.
func TestTraceInspects(t *testing.T) {
	iv := shipped(t, "algorithm_coach", "en")
	experts := make(map[string]string)
	patterns, messages := 0, -1
	held(t, iv, simulate.Options{Seed: 5, Observe: func(s simulate.Step) {
		for _, n := range s.Facts {
			if n.Name != "inspection" {
				continue
			}
			active, _ := n.Value("experts").([]string)
			stage, _ := n.Value("stage").(string)
			experts[stage] = strings.Join(active, "+")
			if n.Value("pattern") != "" {
				patterns++
			}
			if now, _ := n.Value("messages").(int); now > messages {
				messages = now
			} else {
				t.Errorf("%d messages, then %d", messages, now)
			}
		}
	}})
	want := map[string]string{
		"PROBLEM_CLARIFICATION": "ProblemTypeRecognizer", "THOUGHT_ARTICULATION": "GuidedThoughtGenerator", "COMPLEXITY_ANALYSIS": "GuidedThoughtGenerator",
		"PSEUDOCODE_DESIGN": "CodeEdgeCaseReviewer", "EDGE_CASE_CHECK": "CodeEdgeCaseReviewer", "FOLLOW_UP": "FollowUpGenerator",
		"PATTERN_SUMMARY": "PatternSummarizer", "DONE": "",
	}
	if diff := cmp.Diff(want, experts); diff != "" || patterns < 6 {
		t.Errorf("pattern known in %d stages: %s", patterns, diff)
	}
}

// A trace line is one JSON object, its notes in the order of their fields, durations as text.
func TestNoteAsJSON(t *testing.T) {
	n := simulate.Note{Name: "arm", Fields: []engine.Field{{Key: "timer", Value: "soft"}, {Key: "after", Value: 90 * time.Second}, {Key: "ids", Value: []string{"a"}}}}
	if got, want := string(asJSON(t, n)), `{"name":"arm","timer":"soft","after":"1m30s","ids":["a"]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	n.Fields = append(n.Fields, engine.Field{Key: "text", Value: "two words"}, engine.Field{Key: "none", Value: ""})
	if got, want := n.String(), `arm timer=soft after=1m30s ids=[a] text="two words"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// RX-11: companies are answered for from their files; one that is unknown is the default one.
func TestCompanies(t *testing.T) {
	iv := shipped(t, "system_design", "en")
	for company, want := range map[string]int{"default": 5, "short": 3, "nobody": 5} {
		r := held(t, iv, simulate.Options{Seed: 4, Vars: map[string]string{"company": company}})
		if e := r.State.SubPhases; e == nil || len(e.Items) != want {
			t.Errorf("%s: %+v", company, e)
		}
	}
}

func TestCandidates(t *testing.T) {
	for _, c := range simulate.Candidates() {
		if got, err := simulate.ParseCandidate(string(c)); err != nil || got != c {
			t.Errorf("%s: %v, %v", c, got, err)
		}
	}
	if _, err := simulate.ParseCandidate("polite"); err == nil || !strings.Contains(err.Error(), "mixed-language") {
		t.Errorf("%v", err)
	}
}

// Each candidate is what it is called.
func TestManners(t *testing.T) {
	iv := shipped(t, "two_stage", "en")
	words, turns := make(map[simulate.Candidate]int), make(map[simulate.Candidate]int)
	for _, c := range simulate.Candidates() {
		for seed := range uint64(10) {
			r := held(t, iv, simulate.Options{Candidate: c, Seed: seed})
			for _, turn := range r.State.Turns {
				if turn.Speaker == state.SpeakerCandidate {
					words[c] += len(strings.Fields(turn.Text))
					turns[c]++
				}
			}
		}
	}
	if words[simulate.Silent] != 0 || words[simulate.Rambling] < 5*words[simulate.Strong] || words[simulate.Weak]*turns[simulate.Strong] >= words[simulate.Strong]*turns[simulate.Weak] {
		t.Errorf("%v words in %v turns", words, turns)
	}
	foreign := 0
	for seed := range uint64(5) {
		r := held(t, iv, simulate.Options{Candidate: simulate.MixedTalk, Seed: seed})
		for _, turn := range r.State.Turns {
			if strings.ContainsFunc(turn.Text, func(c rune) bool { return c >= 0x4e00 && c < 0xa000 }) {
				foreign++
			}
		}
	}
	if foreign == 0 {
		t.Error("nobody spoke Chinese")
	}
}
