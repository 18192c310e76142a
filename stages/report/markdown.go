package report

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown writes the report as CommonMark with tables. Signs that mean something in Markdown or HTML are escaped in
// everything that people or models said.
func Markdown(r *Report) ([]byte, error) {
	words, err := Speak(r.Locale)
	if err != nil {
		return nil, err
	}
	m := &markdown{r: r, w: words}
	m.head()
	m.scores()
	m.findings()
	m.questions()
	m.stages()
	m.delivery()
	m.transcript()
	m.provenance()
	return []byte(strings.TrimRight(m.out.String(), "\n") + "\n"), nil
}

type markdown struct {
	r     *Report
	w     *Words
	out   strings.Builder
	shown shown // the quotes of a section
}

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.out, format+"\n", args...)
}

// section opens a section with an empty line on either side of its heading.
func (m *markdown) section(key string) { m.line("\n## %s\n", m.w.Say("label."+key)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ", "\n", " ",
)

func plainMark(s string) string { return strings.TrimSpace(markdownEscapes.Replace(s)) }

func (m *markdown) head() {
	r := m.r
	title := m.w.Say("label.title")
	if r.Candidate != "" {
		title += ": " + plainMark(r.Candidate)
	}
	m.line("# %s\n", title)
	facts := []string{plainMark(r.Title)}
	for _, f := range []string{r.Role, r.Persona, when(r.Began)} {
		if f != "" {
			facts = append(facts, plainMark(f))
		}
	}
	m.line("%s · %s · %s", strings.Join(facts, " · "), Clock(r.Duration), m.w.Say("status."+r.Status))
	for _, n := range r.Notes {
		m.line("\n> %s", n.Text)
	}
}

func (m *markdown) scores() {
	if m.r.Overall == nil {
		return
	}
	m.section("scores")
	m.line("| | %s | |\n|---|---|---|", m.w.Say("label.score"))
	for _, a := range append([]Average{*m.r.Overall}, m.r.Averages...) {
		m.line("| %s | %s | %s |", plainMark(a.Name), m.w.Score(a.Score), m.w.Counted(a))
	}
}

func (m *markdown) findings() {
	m.shown = shown{}
	for _, part := range []struct {
		key  string
		list []Finding
	}{{"strengths", m.r.Strengths}, {"improvements", m.r.Improvements}} {
		if len(part.list) == 0 {
			continue
		}
		m.section(part.key)
		for _, f := range part.list {
			m.line("- %s", plainMark(f.Text))
			m.quotes(f.Evidence, "  ")
		}
	}
	if len(m.r.NextSteps) == 0 {
		return
	}
	m.section("next_steps")
	for i, s := range m.r.NextSteps {
		again := ""
		if len(s.Questions) > 0 && s.Criterion != wholeAnswer {
			again = " (" + m.w.retry(s.Questions) + ")"
		}
		m.line("%d. %s%s", i+1, plainMark(s.Text), again)
	}
}

func (m *markdown) quotes(quotes []Quote, indent string) {
	for _, q := range m.shown.fresh(quotes) {
		m.line("%s> “%s” (%s)", indent, plainMark(q.Text), Clock(q.At))
	}
}

func (m *markdown) questions() {
	if len(m.r.Questions) == 0 {
		return
	}
	m.section("questions")
	for _, q := range m.r.Questions {
		m.line("### %d. %s\n", q.Number, plainMark(q.Text))
		if q.Answer != "" {
			m.line("**%s** (%s): %s\n", m.w.Say("label.answer"), Clock(q.At), plainMark(q.Answer))
		}
		m.assessment(q.Assessment)
	}
}

func (m *markdown) assessment(a Assessment) {
	m.shown = shown{}
	if a.Reason != nil {
		m.line("*%s*\n", a.Reason.Text)
	}
	if a.Score != nil {
		m.line("**%s**: %s\n", m.w.Say("label.score"), m.w.Score(*a.Score))
	}
	for _, k := range a.Marks {
		value := m.w.Say("label.not_assessed")
		if k.Score != nil {
			value = m.w.Score(*k.Score)
		}
		m.line("- %s: %s", plainMark(k.Name), value)
		m.quotes(k.Evidence, "  ")
	}
	m.parts(a.Parts)
	m.quotes(a.Evidence, "")
	for _, part := range []struct{ key, text string }{
		{"hits", m.w.List(a.Hits)}, {"gaps", m.w.List(a.Gaps)}, {"feedback", a.Feedback}, {"improved", a.Improved},
	} {
		if part.text != "" {
			m.line("\n**%s**: %s", m.w.Say("label."+part.key), plainMark(part.text))
		}
	}
	m.line("")
}

func (m *markdown) parts(parts []Part) {
	for _, p := range parts {
		m.line("- %s: %s", plainMark(p.Name), m.w.part(p))
		for _, k := range p.Marks {
			if k.Score != nil {
				m.line("  - %s: %s", plainMark(k.Name), m.w.Score(*k.Score))
			}
		}
	}
}

// stages has a column of scores only where a stage was judged.
func (m *markdown) stages() {
	if len(m.r.Stages) == 0 {
		return
	}
	m.section("stages")
	head := []string{m.w.Say("label.stage"), m.w.Say("label.time"), m.w.Say("label.answers")}
	if judged(m.r) {
		head = append(head, m.w.Say("label.score"))
	}
	head = append(head, m.w.Say("label.ended"))
	m.line("| %s |\n|%s", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, s := range m.r.Stages {
		row := []string{
			plainMark(s.Title) + " (" + m.w.Say("stage."+s.Status) + ")", Clock(s.Time), number(s.Answers),
		}
		switch {
		case !judged(m.r):
		case s.Score != nil:
			row = append(row, m.w.Score(*s.Score))
		case s.Judged:
			row = append(row, m.w.Say("label.not_assessed"))
		default:
			row = append(row, "")
		}
		left := ""
		if s.Left != nil {
			left = plainMark(s.Left.Text)
		}
		m.line("| %s |", strings.Join(append(row, left), " | "))
	}
	for _, s := range m.r.Stages {
		m.part(s)
	}
}

// part tells what came of one part: what was judged, and its points with their quotes.
func (m *markdown) part(s Stage) {
	if !s.Told() {
		return
	}
	m.line("\n### %s\n", plainMark(s.Title))
	if help := m.w.Help(s); help != "" {
		m.line("*%s*\n", help)
	}
	if s.First != nil {
		m.line("%s\n", m.w.Say("label.first", "score", m.w.Score(*s.First)))
	}
	if s.Judged {
		m.assessment(s.Assessment)
	}
	m.shown = shown{}
	for _, p := range s.Points {
		m.line("- %s", plainMark(p.Text))
		for _, q := range []*Quote{p.Quote, p.Mended} {
			if q != nil {
				m.line("  > “%s” (%s)", plainMark(q.Text), Clock(q.At))
			}
		}
	}
	if s.Code != nil {
		m.line("\n%s:\n", m.w.Say("label.code"))
		for line := range strings.SplitSeq(s.Code.Text, "\n") {
			m.line("    %s", strings.TrimRight(line, "\r"))
		}
		m.line("")
	}
}

// judged reports whether a stage was judged as such.
func judged(r *Report) bool {
	return slices.ContainsFunc(r.Stages, func(s Stage) bool { return s.Judged })
}

func (m *markdown) delivery() {
	d := m.r.Delivery
	if d == nil || len(d.Answers) == 0 {
		return
	}
	m.section("delivery")
	m.line("%s\n", m.w.Say("label.delivery_note"))
	m.line("- %s: %s", m.w.Say("label.fact_pace"), rate(d.WordsPerMinute))
	m.line("- %s: %s", m.w.Say("label.fact_response"), m.w.Say("label.seconds", "n", known(d.Response)))
	m.line("- %s: %s", m.w.Say("label.fact_fillers"), Decimal(d.FillersPer100))
	m.line("- %s: %d", m.w.Say("label.fact_pauses"), d.Pauses)
}

func (m *markdown) transcript() {
	if len(m.r.Transcript) == 0 {
		return
	}
	m.section("transcript")
	for _, t := range m.r.Transcript {
		m.line("**%s** (%s): %s\n", m.w.Say("label."+t.Speaker), Clock(t.At), plainMark(t.Text))
	}
}

func (m *markdown) provenance() {
	p := m.r.Provenance
	m.section("provenance")
	for _, row := range [][2]string{
		{"definition", p.Definition + " " + p.DefinitionVersion + " " + p.DefinitionHash}, {"prompts", p.Prompts},
		{"rubrics", strings.Join(p.Rubrics, ", ")}, {"judges", strings.Join(p.Judges, ", ")},
		{"models", strings.Join(Models(m.r), ", ")}, {"software", p.Software},
	} {
		if row[1] == "" {
			row[1] = m.w.Say("label.none")
		}
		m.line("- %s: %s", m.w.Say("label."+row[0]), plainMark(row[1]))
	}
	if len(p.Refused) > 0 {
		m.line("- %s: %s", m.w.Say("label.refused"), plainMark(strings.Join(byRole(p.Refused), "; ")))
	}
	m.line("\n%s", m.w.Say("label.formative"))
}
