package simulate_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// reportedKinds are the shipped kinds with their languages.
var reportedKinds = map[string][]string{
	"two_stage": {"en"}, "conversation": {"en"}, "system_design": {"en", "zh"}, "algorithm_coach": {"en", "zh"},
	"evaluation": {"en", "vi"}, "persona_interview": {"en", "zh", "vi"},
}

// RM-17, RM-30, RM-31: over some 200 simulated interviews of every kind, language and candidate no report contradicts itself or the
// talk: no criterion is on both sides, counts add up, every quote was said by the candidate, nothing is told of parts that did not
// happen, and no sentence is missing in its language.
func TestReportsHoldTogether(t *testing.T) {
	t.Parallel()
	held, told := 0, 0
	for kind, locales := range reportedKinds {
		for _, locale := range locales {
			iv := shipped(t, kind, locale)
			for _, c := range simulate.Candidates() {
				for seed := range uint64(4) {
					r := simulate.Run(iv, simulate.Options{Candidate: c, Seed: seed, Honest: true, Name: "Ada", Model: seed == 3})
					name := fmt.Sprintf("%s %s %s %d", kind, locale, c, seed)
					if r.Report == nil {
						t.Fatalf("%s: no report", name)
					}
					for _, wrong := range contradictions(r.Report, r.State) {
						t.Errorf("%s: %s", name, wrong)
					}
					if held++; len(r.Report.Averages) > 0 || slices.ContainsFunc(r.Report.Stages, func(s report.Stage) bool { return len(s.Points) > 0 }) {
						told++
					}
					if c == simulate.Silent && (r.Report.Coverage.Answers != 0 || r.Report.Overall != nil || strings.ContainsAny(r.Report.Spoken, "0123456789")) {
						t.Errorf("%s: of nothing: %s", name, r.Report.Spoken)
					}
				}
			}
		}
	}
	if held < 200 || told < held/2 {
		t.Errorf("%d interviews, %d with something to tell", held, told)
	}
}

// unknown matches a key that has no words, or words with a hole.
var unknown = regexp.MustCompile(`(^|[^\w])(note|left|finding|shown|coverage|step|spoken|mark|timer|label|status|stage|point|slot|level)\.[a-z_]+|\{[a-z]+\}`)

// contradictions lists what is wrong with a report of an interview that ended in this state.
func contradictions(r *report.Report, u *state.UserData) (out []string) {
	wrong := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	strong := make(map[string]bool)
	for _, f := range r.Strengths {
		strong[f.Criterion] = f.Criterion != "" && f.Criterion != "answer"
	}
	for _, f := range r.Improvements {
		if strong[f.Criterion] {
			wrong("%s is a strength and a weakness", f.Criterion)
		}
	}
	for _, f := range slices.Concat(r.Strengths, r.Improvements) {
		if unknown.MatchString(f.Text) {
			wrong("words are missing: %s", f.Text)
		}
	}
	counts(r, wrong)
	quoted(r, u, wrong)
	for _, s := range r.Stages {
		parts(s, wrong)
	}
	for _, text := range texts(r) {
		if unknown.MatchString(text) {
			wrong("words are missing: %s", text)
		}
	}
	return out
}

// counts checks that numbers add up, in the report and in what is said of it.
func counts(r *report.Report, wrong func(string, ...any)) {
	c := r.Coverage
	answers, answered, assessed, spokenIn := 0, 0, 0, 0
	for _, s := range r.Stages {
		if answers += s.Answers; s.Answers > 0 {
			spokenIn++
		}
		if s.Answers > s.Turns && s.Turns > 0 {
			wrong("%s has %d answers in %d turns", s.ID, s.Answers, s.Turns)
		}
	}
	for _, q := range r.Questions {
		if q.Answer != "" {
			answered++
		} else if q.Assessed || len(q.Turns) > 0 {
			wrong("question %d has no answer, and is assessed", q.Number)
		}
		if q.Assessed {
			assessed++
		}
	}
	if answers != c.Answers || answered != c.Answered || len(r.Questions) > 0 && assessed != c.Assessed {
		wrong("%d answers, %d questions answered and %d assessed, but %+v", answers, answered, assessed, *c)
	}
	if c.Answered > c.Asked || len(r.Questions) > 0 && c.Assessed > c.Answered || answered > answers {
		wrong("%+v", *c)
	}
	full := map[string]string{"en": "You answered all", "zh": "全部", "vi": "Bạn đã trả lời cả"}
	if c.Answered < c.Expected && strings.Contains(r.Spoken, full[r.Locale]) {
		wrong("of %d answers: %s", c.Answered, r.Spoken)
	}
	if o := r.Overall; o != nil && (o.Count != c.Assessed || o.Of < o.Count || o.Count < min(2, o.Of)) || o == nil && c.Assessed > 0 && !slices.ContainsFunc(r.Notes, func(n report.Note) bool { return n.Code == "no_overall" }) {
		wrong("overall %+v of %+v", r.Overall, *c)
	}
	if c.Answers == 0 && (r.Status != report.Unscored || len(r.Strengths)+len(r.Improvements) > 0) {
		wrong("nothing was answered, and %s: %+v %+v", r.Status, r.Strengths, r.Improvements)
	}
	if c.Expected == 0 && c.Answers > 0 && r.Locale == "en" && c.Stages > 1 && !strings.Contains(r.Spoken, fmt.Sprintf("%d of %d parts", spokenIn, c.Stages)) {
		wrong("answered in %d of %d parts: %s", spokenIn, c.Stages, r.Spoken)
	}
}

// quoted checks that the candidate said every quote, in the turn and at about the time that it names.
func quoted(r *report.Report, u *state.UserData, wrong func(string, ...any)) {
	said := make(map[uint64]state.Turn)
	for _, t := range u.Turns {
		if t.Speaker == state.SpeakerCandidate {
			said[t.ID] = t
		}
	}
	check := func(quotes ...report.Quote) {
		for _, q := range quotes {
			if t, is := said[q.Turn]; !is || q.Text == "" || !strings.Contains(t.Text, q.Text) || q.At > t.At {
				wrong("%q was not said in turn %d", q.Text, q.Turn)
			}
		}
	}
	assessment := func(a report.Assessment) {
		check(a.Evidence...)
		for _, m := range a.Marks {
			check(m.Evidence...)
		}
	}
	for _, f := range slices.Concat(r.Strengths, r.Improvements) {
		check(f.Evidence...)
	}
	for _, q := range r.Questions {
		assessment(q.Assessment)
	}
	for _, s := range r.Stages {
		assessment(s.Assessment)
		for _, p := range s.Points {
			for _, q := range []*report.Quote{p.Quote, p.Mended} {
				if q != nil {
					check(*q)
				}
			}
		}
	}
}

// parts checks that nothing is told of a part that did not happen, or in which nothing was said.
func parts(s report.Stage, wrong func(string, ...any)) {
	if s.Answers == 0 && (s.Assessed || len(s.Points) > 0) || s.Status == report.NotReached && (s.Visits > 0 || s.Turns > 0 || s.Told()) {
		wrong("%s %s, %s, has %d answers: assessed %v, %+v", s.ID, s.Item, s.Status, s.Answers, s.Assessed, s.Points)
	}
	for _, p := range s.Points {
		if (p.Kind == report.PointOpen) != (p.Quote == nil) || p.Text == "" {
			wrong("%s: %+v", s.ID, p)
		}
	}
}

// texts are the sentences of a report.
func texts(r *report.Report) []string {
	out := []string{r.Spoken, r.Title}
	for _, n := range r.Notes {
		out = append(out, n.Text)
	}
	for _, s := range r.NextSteps {
		out = append(out, s.Text)
	}
	for _, s := range r.Stages {
		out = append(out, s.Title)
		if s.Left != nil {
			out = append(out, s.Left.Text)
		}
		for _, p := range s.Points {
			out = append(out, p.Text)
		}
	}
	return out
}

// RM-30: reports are in their language, their titles too.
func TestReportsAreInTheirLanguage(t *testing.T) {
	latin := regexp.MustCompile(`[A-Za-z]{4,}`)
	for kind, locales := range reportedKinds {
		for _, locale := range locales {
			r := simulate.Run(shipped(t, kind, locale), simulate.Options{Honest: true}).Report
			if locale == "en" {
				continue
			}
			for _, title := range append([]report.Stage{{Title: r.Title}}, r.Stages...) {
				if locale == "zh" && latin.MatchString(title.Title) || locale == "vi" && !regexp.MustCompile(`[^\x00-\x7f]`).MatchString(title.Title) {
					t.Errorf("%s %s: the title %q", kind, locale, title.Title)
				}
			}
		}
	}
}
