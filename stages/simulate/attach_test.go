package simulate

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds"
	"github.com/vivavoice/viva/stages/understand"
)

const attachments = `
evaluations:
  - {id: answers, by: llm_rubric, rubric: star}
  - {id: stages, on: stage, by: checklist, rubric: star}
  - {id: right, on: stage, by: two_stage, reference: O(n log n)}
report: {wait: 20s, questions: 3}
`

const reportStage = `  - id: REPORT
    title: Report
    responder: report
    prompts: {open: report.open, bridge: report.bridge}
    fallback: report.late

`

const reportWords = `
report.open: {say: ["I am preparing your report.", "Your report is being prepared."]}
report.bridge: {say: ["Thank you, that is all I wanted to know."]}
report.late: {say: ["Your report will follow by message.", "You will get your report later."]}
`

var final = regexp.MustCompile(`(?m)^  - (id: \w+\n    title: [^\n]+\n    final: true)`)

// reported is the report of its own that a kind makes.
var reported = regexp.MustCompile(`(?m)^report: .*\n`)

// AttachedTo is a shipped kind with silent judgements and a report attached to it.
func AttachedTo(t testing.TB, kind string) *engine.Interview {
	t.Helper()
	text, err := fs.ReadFile(kinds.FS(), kind+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	whole := final.ReplaceAllString(reported.ReplaceAllString(string(text), ""), reportStage+"  - $1") + attachments
	if strings.Count(whole, "id: REPORT") != 1 {
		t.Fatalf("the goodbye of %s was not found", kind)
	}
	def, err := definition.Parse(kind+".yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := fs.ReadFile(prompts.Shipped(), kind+"/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	words, err := prompts.Load(fstest.MapFS{kind + "/en.yaml": {Data: append(lines, reportWords...)}}, kind, "en")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := kinds.New(def, words, rules)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}
