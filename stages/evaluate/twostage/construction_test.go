package twostage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vivavoice/viva/stages/evaluate/twostage"
)

// R004-13, R004-14, R004-15, R004-49, R004-50, R004-51: each section is a quarter; R004-16: what is missing is named in a
// fixed order.
func TestConstructionScores(t *testing.T) {
	e := evaluator(t)
	for _, c := range []struct {
		name     string
		text     string
		score    float64
		good     bool
		feedback string
	}{
		{"all", build(twostage.Sections()...), 1, true, "Construction complete."},
		{"three", build("entities", "actions", "state_variables"), 0.75, true, "Construction incomplete. Missing: constraints"},
		{"two", build("actions", "constraints"), 0.5, false, "Construction incomplete. Missing: entities, state variables"},
		{"two in another order", "<c><constraints>x</constraints><entities>y</entities></c>", 0.5, false, "Construction incomplete. Missing: state variables, actions"},
		{"one", build("actions"), 0.25, false, "Construction incomplete. Missing: entities, state variables, constraints"},
		{"none", build(), 0, false, "Construction incomplete. Missing: entities, state variables, actions, constraints"},
		{"absent", "", 0, false, "No construction was given. Missing: entities, state variables, actions, constraints"},
		{"blank", " \n\t", 0, false, "No construction was given. Missing: entities, state variables, actions, constraints"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := e.EvaluateConstruction(c.text)
			if got.Score != c.score || got.GoodEnough != c.good || got.Feedback != c.feedback {
				t.Errorf("%v, good %v, %q; want %v, %v, %q", got.Score, got.GoodEnough, got.Feedback, c.score, c.good, c.feedback)
			}
		})
	}
}

// R004-17: what is there but empty does not count.
func TestEmptySectionsDoNotCount(t *testing.T) {
	e := evaluator(t)
	for _, empty := range []string{
		"<entities/>", "<entities></entities>", "<entities> \n </entities>", "<entities><entity/></entities>", "<entities><entity> </entity><entity></entity></entities>",
		"<entities><!-- Crosby --></entities>", "<entities>–</entities>", `<entities xmlns="urn:x"/>`, "<entities>&#8203;</entities>",
	} {
		if got := e.EvaluateConstruction("<c>" + empty + "<actions>pass</actions></c>"); got.Found["entities"] != 0 || got.Score != 0.25 {
			t.Errorf("%s counts: %v", empty, got.Found)
		}
	}
	for _, full := range []string{`<entities><entity name="Crosby"/></entities>`, "<entities><![CDATA[Crosby]]></entities>", "<entities>实体</entities>"} {
		if got := e.EvaluateConstruction("<c>" + full + "</c>"); got.Score != 0.25 {
			t.Errorf("%s does not count: %v", full, got)
		}
	}
}

// R004-20: items are counted by section.
func TestItemsAreCounted(t *testing.T) {
	s := sample(func(s *twostage.Sample) {
		s.Construction = `<c><entities><e>Crosby</e><e n="Flacco"/><e/></entities><stateVariables>yards; quarter</stateVariables>
			<Actions>pass, run, kick</Actions><constraints>
			- first quarter only
			- longest, by yards
			</constraints></c>`
	})
	m := score(t, evaluator(t), s).Metadata
	got := []int{m.EntitiesFound, m.StateVariablesFound, m.ActionsFound, m.ConstraintsFound}
	if diff := cmp.Diff([]int{2, 2, 3, 2}, got); diff != "" {
		t.Error(diff)
	}
}

// R004-18: XML that is not well-formed is read leniently; where there is nothing to read, the score is 0 and says why.
func TestMalformedConstructionNeverFails(t *testing.T) {
	e := evaluator(t)
	for _, c := range []struct {
		name, text string
		score      float64
	}{
		{"never closed", "<entities>a, b <actions>c <constraints>d", 0.75},
		{"closed in the wrong order", "<c><entities><e>a</entities></e><actions>b</c></actions>", 0.5},
		{"a bare < and &", "<c><entities>a & b</entities><constraints>x < 5</constraints></c>", 0.5},
		{"attributes without quotes", "<c><entities><e name=Crosby/></entities></c>", 0.25},
		{"words around it", "Here it is:\n```xml\n<entities>a</entities>\n<actions>b</actions>\n```\nDone <3", 0.5},
		{"an end too many", "</c></c><entities>a</entities></c>", 0.25},
		{"no tags", "the entities are a and b", 0},
		{"only signs", "<<<>>>", 0},
		{"not UTF-8", "<entities>\xff\xfea</entities>", 0.25},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := e.EvaluateConstruction(c.text)
			if got.Score != c.score {
				t.Errorf("score %v of %v, want %v", got.Score, got.Found, c.score)
			}
			if c.score == 0 && !strings.HasPrefix(got.Feedback, "Construction could not be read") {
				t.Errorf("feedback %q", got.Feedback)
			}
		})
	}
}

// R004-21: entities that a document declares are not expanded, nothing outside is opened, size and depth are limited.
func TestHostileXML(t *testing.T) {
	e := evaluator(t)
	laughs := `<!DOCTYPE c [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>`
	for _, c := range []struct {
		name, text string
		score      float64
	}{
		{"an external entity", `<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><c><entities>&x;</entities><actions>a</actions></c>`, 0.25},
		{"a billion laughs", laughs + "<c><entities>&c;</entities><actions>a</actions></c>", 0.25},
		{"an external document type", `<!DOCTYPE c SYSTEM "http://127.0.0.1:1/c.dtd"><c><entities>a</entities></c>`, 0.25},
		{"a declared encoding", `<?xml version="1.0" encoding="UTF-16"?><c><entities>a</entities></c>`, 0.25},
		{"too deep", strings.Repeat("<c>", 5000) + "<entities>a</entities>" + strings.Repeat("</c>", 5000), 0},
		{"too deep and not closed", strings.Repeat("<c>", 5000) + "<entities>a</entities>", 0},
		{"too many elements", "<entities>" + strings.Repeat("<e/>", 30_000) + "</entities>", 0},
		{"too large", "<entities>" + strings.Repeat("a", twostage.MaxXML) + "</entities>", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			if got := e.EvaluateConstruction(c.text); got.Score != c.score {
				t.Errorf("score %v of %v: %s; want %v", got.Score, got.Found, got.Feedback, c.score)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// R004-18: whatever stands there, a score comes out, one of the five, and the same every time (R004-4).
func TestAnythingIsAConstruction(t *testing.T) {
	e := evaluator(t)
	piece := rapid.SampledFrom([]string{"<entities>", "</entities>", "<actions", "/>", ">", "<", "&", "&x;", "a", " ", "<![CDATA[", "]]>", "<!--", "-->", "<?", "\n", "<constraints>", "é"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "text"), "")
		got := e.EvaluateConstruction(text)
		if got.Score*4 != float64(int(got.Score*4)) || got.Score < 0 || got.Score > 1 || got.Feedback == "" {
			t.Fatalf("%q: %+v", text, got)
		}
		if diff := cmp.Diff(got, e.EvaluateConstruction(text), cmp.AllowUnexported(twostage.Construction{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// R004-19, R004-63, R004-64: the mark for good enough and the sections are the rubric's; scores stay graded.
func TestRubricSaysWhatIsGoodEnough(t *testing.T) {
	e := with(t, "good_enough: 0.5\nsections: [actions, entities]\n")
	got := e.EvaluateConstruction(build("actions"))
	if got.Score != 0.5 || !got.GoodEnough || got.Feedback != "Construction incomplete. Missing: entities" {
		t.Errorf("%+v", got)
	}
	if e := evaluator(t); e.GoodEnough() != 0.75 {
		t.Errorf("the default is %v", e.GoodEnough())
	}
}
