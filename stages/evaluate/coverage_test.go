package evaluate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

func words(phrases ...string) []state.Keyword {
	out := make([]state.Keyword, len(phrases))
	for i, p := range phrases {
		out[i].Phrase = p
	}
	return out
}

func says(texts ...string) []evaluate.Turn {
	out := make([]evaluate.Turn, len(texts))
	for i, t := range texts {
		out[i] = evaluate.Turn{ID: uint64(10 + i), Role: evaluate.RoleUser, Content: t}
	}
	return out
}

func judge(t *testing.T, name string, it evaluate.Item) evaluate.Evaluation {
	t.Helper()
	found, _ := evaluate.Lookup(name)
	evaluator, ok := found.(evaluate.Evaluator)
	if !ok {
		t.Fatalf("%s does not judge by rules", name)
	}
	e, err := evaluator.Evaluate(it)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// R000-58, R000-59, R000-60, R000-84: hits over keywords, times ten, and 0.60 passes inclusively.
func TestCoverageDecides(t *testing.T) {
	five, six := words("features", "API", "constraints", "SLA", "throughput"), words("database", "schema", "SQL", "NoSQL", "sharding", "replication")
	for _, c := range []struct {
		criteria []state.Keyword
		hits     int
		want     string
	}{{five, 2, "continue"}, {five, 3, "next_phase"}, {six, 3, "continue"}, {six, 4, "next_phase"}, {six, 6, "next_phase"}, {five, 0, "continue"}} {
		for _, match := range []string{"", evaluate.MatchToken, evaluate.MatchSubstring} {
			t.Run(fmt.Sprintf("%d of %d %s", c.hits, len(c.criteria), match), func(t *testing.T) {
				texts := []string{"well"}
				for _, k := range c.criteria[:c.hits] {
					texts = append(texts, "There is "+k.Phrase+" in it.")
				}
				e := judge(t, evaluate.KeywordCoverage, evaluate.Item{Criteria: c.criteria, Turns: says(texts...), Match: match})
				score := float64(c.hits) / float64(len(c.criteria)) * 10
				if e.Decision != c.want || e.Score != score || e.Status != evaluate.StatusOK {
					t.Errorf("%s with %v, %s; want %s with %v", e.Decision, e.Score, e.Status, c.want, score)
				}
			})
		}
	}
}

// R000-84: the mark is data, per phase and company.
func TestPassIsData(t *testing.T) {
	it := evaluate.Item{Criteria: words("cache", "queue"), Turns: says("A cache."), Pass: 0.5}
	if e := judge(t, evaluate.KeywordCoverage, it); e.Decision != evaluate.DecisionNext {
		t.Errorf("half is asked for and given, but the decision is %s", e.Decision)
	}
	it.Criteria[1].Weight = 3
	if e := judge(t, evaluate.KeywordCoverage, it); e.Decision != evaluate.DecisionContinue || e.Score != 2.5 {
		t.Errorf("a quarter of the weight gives %s with %v", e.Decision, e.Score)
	}
}

// R000-61, R000-62: what is said with a pass and with a fail, in the language of the interview.
func TestFeedback(t *testing.T) {
	it := evaluate.Item{PhaseName: "Data Design", Criteria: words("database", "schema", "sharding"), Turns: says("A database.")}
	e := judge(t, evaluate.KeywordCoverage, it)
	if diff := cmp.Diff([]string{"schema", "sharding"}, e.Gaps); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(e.Feedback, "more about Data Design") || !strings.Contains(e.Feedback, "schema, sharding") {
		t.Errorf("the fail says %q", e.Feedback)
	}
	it.Turns = says("A database with a schema.")
	e = judge(t, evaluate.KeywordCoverage, it)
	if !strings.Contains(e.Feedback, "Good work on Data Design") || e.Gaps == nil || len(e.Gaps) != 0 {
		t.Errorf("the pass says %q with gaps %v", e.Feedback, e.Gaps)
	}
	if !strings.HasSuffix(e.Feedback, ": database, schema came up.") { // not all that matters did
		t.Errorf("two of three: %q", e.Feedback)
	}
	it.Locale, it.PhaseName = "zh-CN", "数据设计"
	if e = judge(t, evaluate.KeywordCoverage, it); !strings.Contains(e.Feedback, "数据设计部分讲得不错") {
		t.Errorf("in Chinese it says %q", e.Feedback)
	}
	it.Locale = "xx"
	if e = judge(t, evaluate.KeywordCoverage, it); !strings.HasPrefix(e.Feedback, "Good work") {
		t.Errorf("in a language without words it says %q", e.Feedback)
	}
}

// R000-63, RX-14: an unknown phase has no criteria: continue, score 0, no gaps, no error, and nothing that is averaged.
func TestNothingToJudge(t *testing.T) {
	e := judge(t, evaluate.KeywordCoverage, evaluate.Item{ID: "nobody_knows", Turns: says("Users and scale.")})
	if e.Decision != evaluate.DecisionContinue || e.Score != 0 || len(e.Gaps) != 0 || e.Status != evaluate.StatusNotAssessed {
		t.Errorf("got %+v", e)
	}
	silent := judge(t, evaluate.KeywordCoverage, evaluate.Item{Criteria: words("cache")})
	if silent.Status != evaluate.StatusNotAssessed || silent.Decision != evaluate.DecisionContinue {
		t.Errorf("silence gives %+v", silent)
	}
	if e.Assessed() || silent.Assessed() {
		t.Error("what was not assessed has a score that can be averaged")
	}
}

// R000-88: the interviewer names the keywords, so by default only the candidate's words count.
func TestWhoseWords(t *testing.T) {
	it := evaluate.Item{Criteria: words("users", "scale"), Turns: []evaluate.Turn{
		{ID: 1, Role: evaluate.RoleAgent, Content: "Tell me about users and scale."},
		{ID: 2, Role: evaluate.RoleUser, Content: "Sure, many users."},
		{ID: 3, Role: "system", Content: "scale"}, {ID: 4, Role: "tool", Content: "scale"},
	}}
	if _, gaps, share := evaluate.Coverage(it); share != 0.5 || gaps[0] != "scale" {
		t.Errorf("the interviewer's words count: %v, gaps %v", share, gaps)
	}
	it.Words = evaluate.WordsBoth
	if _, _, share := evaluate.Coverage(it); share != 1 {
		t.Errorf("with words: both the share is %v", share)
	}
	it.Turns = it.Turns[2:] // R000-44: tool traffic and system text are nobody's words, whatever the switch
	if _, _, share := evaluate.Coverage(it); share != 0 {
		t.Errorf("system and tool text count: %v", share)
	}
}

// R000-89: the seed's substring rule finds API in "rapid"; tokens do not, and they know inflections.
func TestTokensAgainstSubstrings(t *testing.T) {
	for _, c := range []struct {
		phrase, said     string
		token, substring bool
	}{
		{"API", "rapid growth", false, true},
		{"REST", "of no interest", false, true},
		{"SQL", "we take NoSQL", false, true},
		{"API", "two APIs.", true, true},
		{"cache", "we are caching it", true, false},
		{"cache", "it is cached", true, true},
		{"users", "one user", true, false},
		{"query", "slow queries", true, false},
		{"policy", "the policies", true, false},
		{"sharding", "we shard by user", true, false},
		{"scale", "scaling out", true, false},
		{"mapping", "it is mapped", true, false},
		{"response", "I was responsible", false, false},
		{"consistency", "it consists of parts", false, false},
		{"load balancer", "a load-balancer", true, false},
		{"load balancer", "load on the balancer", false, false},
		{"ＱＰＳ", "qps", true, false}, // full-width letters, as an input method writes them
		{"request", "requesting; requested", true, true},
	} {
		t.Run(c.phrase+" in "+c.said, func(t *testing.T) {
			for match, want := range map[string]bool{evaluate.MatchToken: c.token, evaluate.MatchSubstring: c.substring} {
				_, _, share := evaluate.Coverage(evaluate.Item{Criteria: words(c.phrase), Turns: says(c.said), Match: match})
				if got := share == 1; got != want {
					t.Errorf("%s: found %v, want %v", match, got, want)
				}
			}
		})
	}
}

// R000-90: spoken forms, letter by letter or in other words, and by language.
func TestSpokenForms(t *testing.T) {
	sql := state.Keyword{Phrase: "SQL", Aliases: map[string][]string{"any": {"sequel"}, "not": {"no sequel", "no SQL"}}}
	qps := state.Keyword{Phrase: "QPS", Aliases: map[string][]string{"en": {"queries per second"}, "zh": {"每秒查询"}, "de": {"anfragen"}}}
	for _, c := range []struct {
		keyword      state.Keyword
		locale, said string
		want         bool
	}{
		{qps, "en", "ten thousand queries per second", true},
		{qps, "en", "ten thousand q p s", true},
		{qps, "en", "Q.P.S. of ten", true},
		{qps, "zh", "QPS大概一万", true},
		{qps, "zh", "每秒查询一万次", true},
		{qps, "en", "I mean 每秒查询一万次", true}, // candidates mix, and such letters can mean nothing else
		{qps, "en", "viele anfragen", false},
		{qps, "de", "viele anfragen", true},
		{qps, "de-AT", "queries per second", true}, // English is everybody's jargon
		{state.Keyword{Phrase: "gRPC"}, "en", "we use g R P C inside", true},
		{state.Keyword{Phrase: "gRPC"}, "en", "we use gRPC", true},
		{sql, "en", "a sequel database", true},
		{sql, "en", "a no sequel database", false},
		{sql, "en", "no SQL, no S Q L", true}, // spelled out it is no known exception
		{sql, "en", "not no sequel but sequel", true},
	} {
		t.Run(c.said, func(t *testing.T) {
			_, _, share := evaluate.Coverage(evaluate.Item{Criteria: []state.Keyword{c.keyword}, Turns: says(c.said), Locale: c.locale})
			if got := share == 1; got != c.want {
				t.Errorf("found %v", got)
			}
		})
	}
}

// RX-16: every hit cites words that stand in the turn it names.
func TestEvidenceStandsInTheTranscript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"cache ", "缓存", "load-balancing ", "queues. ", "rest ", "é ", "İstanbul ", "the API, ", "。", "99.9 ", "word "})
		it := evaluate.Item{Criteria: []state.Keyword{
			{Phrase: "cache", Aliases: map[string][]string{"zh": {"缓存"}}}, {Phrase: "load balancing"}, {Phrase: "queue"}, {Phrase: "API"},
		}}
		for range rapid.IntRange(0, 4).Draw(t, "turns") {
			text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
			it.Turns = append(it.Turns, evaluate.Turn{ID: uint64(7 + len(it.Turns)), Role: evaluate.RoleUser, Content: text})
		}
		it.Match = rapid.SampledFrom([]string{evaluate.MatchToken, evaluate.MatchSubstring}).Draw(t, "match")
		found, _ := evaluate.Lookup(evaluate.KeywordCoverage)
		e, err := found.(evaluate.Evaluator).Evaluate(it)
		if err != nil {
			t.Fatal(err)
		}
		if it.Match == evaluate.MatchToken && len(e.Evidence) != len(e.Hits) {
			t.Fatalf("%d hits with %d quotes", len(e.Hits), len(e.Evidence))
		}
		for _, q := range e.Evidence {
			if q.Turn < 7 || int(q.Turn-7) >= len(it.Turns) || q.Text == "" || !strings.Contains(it.Turns[q.Turn-7].Content, q.Text) {
				t.Fatalf("nobody said %q in turn %d", q.Text, q.Turn)
			}
		}
		if len(e.Hits)+len(e.Gaps) != len(it.Criteria) && e.Decision == evaluate.DecisionContinue {
			t.Fatalf("%v and %v are not all the criteria", e.Hits, e.Gaps)
		}
	})
}

// R000-43, R000-44: since the sub-phase was entered, both sides, in order, with role and content, and nothing else.
func TestSlice(t *testing.T) {
	turns := []state.Turn{
		{ID: 1, Visit: 3, Speaker: state.SpeakerCandidate, Text: "users and scale, from the sub-phase before"},
		{ID: 2, Visit: 4, Speaker: state.SpeakerAgent, Text: "What about data?"},
		{ID: 3, Visit: 4, Speaker: state.SpeakerCandidate, Text: " "},
		{ID: 4, Visit: 4, Speaker: state.SpeakerCandidate, Text: "A schema."},
		{ID: 5, Visit: 5, Speaker: state.SpeakerCandidate, Text: "later"},
	}
	want := []evaluate.Turn{{ID: 2, Role: "agent", Content: "What about data?"}, {ID: 4, Role: "user", Content: "A schema."}}
	if diff := cmp.Diff(want, evaluate.Slice(turns, 4)); diff != "" {
		t.Error(diff)
	}
	it := evaluate.Item{Criteria: words("users", "schema"), Turns: evaluate.Slice(turns, 4)}
	if hits, _, _ := evaluate.Coverage(it); len(hits) != 1 || hits[0] != "schema" {
		t.Errorf("an earlier sub-phase leaks: %v", hits)
	}
	if raw, err := json.Marshal(want[1]); err != nil || string(raw) != `{"id":4,"role":"user","content":"A schema."}` {
		t.Errorf("as JSON it is %s, %v", raw, err)
	}
}
