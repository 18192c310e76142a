package pdf

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"github.com/vivavoice/viva/stages/report"
)

// The page in mm, and sizes of type in points.
const (
	pageWidth = 210.0
	margin    = 18.0
	inner     = pageWidth - 2*margin
	lineSize  = 4.9
	bodySize  = 9.5
	smallSize = 8.0
	headSize  = 13.0
	titleSize = 20.0
)

// colour is red, green and blue.
type colour [3]int

// The palette is the page's.
var (
	ink    = colour{26, 31, 43}
	soft   = colour{86, 96, 114}
	line   = colour{216, 220, 228}
	accent = colour{36, 86, 184}
	person = colour{14, 124, 134}
	good   = colour{31, 122, 77}
	warm   = colour{154, 90, 0}
)

// Write writes the report. It fails with ErrNoFont when the report has Chinese in it and there is no font for it.
func Write(w io.Writer, r *report.Report, f Fonts) error {
	d := &document{pdf: fpdf.New("P", "mm", "A4", ""), r: r, w: report.Speak(r.Locale), wide: f.Wide != nil}
	d.setUp(f)
	d.head()
	d.scores()
	d.findings()
	d.timeline()
	d.questions()
	d.stages()
	d.transcript()
	d.provenance()
	if d.err != nil {
		return d.err
	}
	if err := d.pdf.Output(w); err != nil {
		return fmt.Errorf("write the report as PDF: %w", err)
	}
	return nil
}

type document struct {
	pdf  *fpdf.Fpdf
	r    *report.Report
	w    *report.Words
	wide bool
	err  error
}

func (d *document) setUp(f Fonts) {
	p := d.pdf
	p.SetMargins(margin, margin, margin)
	p.SetAutoPageBreak(true, margin)
	p.AddUTF8FontFromBytes("body", "", f.Regular)
	p.AddUTF8FontFromBytes("body", "B", f.Bold)
	if d.wide {
		p.AddUTF8FontFromBytes("wide", "", f.Wide)
	}
	made := d.r.Began.Add(d.r.Duration.Duration())
	if d.r.Began.IsZero() {
		made = time.Unix(0, 0)
	}
	p.SetCreationDate(made.UTC())
	p.SetModificationDate(made.UTC())
	p.SetCatalogSort(true)
	p.SetTitle(d.w.Say("label.title"), true)
	p.SetLang(d.w.Language)
	p.SetFooterFunc(func() {
		p.SetY(-12)
		d.write(smallSize, "", soft, fmt.Sprintf("%s · %s · %d", d.r.Title, d.r.Session, p.PageNo()))
	})
	p.AddPage()
}

// write lets a text flow from where the last one ended, in lines.
func (d *document) write(size float64, weight string, c colour, text string) {
	d.pdf.SetTextColor(c[0], c[1], c[2])
	for _, part := range runs(strings.Join(strings.Fields(text), " ")) {
		if part.wide && !d.wide {
			d.err = fmt.Errorf("%w for Chinese in PDF; on Debian: apt-get install fonts-droid-fallback", ErrNoFont)
			return
		}
		if part.wide {
			d.pdf.SetFont("wide", "", size)
		} else {
			d.pdf.SetFont("body", weight, size)
		}
		d.pdf.Write(lineSize*size/bodySize, part.text)
	}
}

// line writes one paragraph, indented by some mm.
func (d *document) line(indent, size float64, weight string, c colour, text string) {
	if text == "" {
		return
	}
	d.pdf.SetLeftMargin(margin + indent)
	d.pdf.SetX(margin + indent)
	d.write(size, weight, c, text)
	d.pdf.Ln(lineSize*size/bodySize + 0.6)
	d.pdf.SetLeftMargin(margin)
}

// section begins a section, on a new page if little is left of this one.
func (d *document) section(key string) {
	d.room(30)
	d.pdf.Ln(4)
	d.line(0, headSize, "B", ink, d.w.Say("label."+key))
	d.pdf.Ln(1)
}

// room starts a new page unless so many mm are left.
func (d *document) room(mm float64) {
	_, height := d.pdf.GetPageSize()
	if d.pdf.GetY() > height-margin-mm {
		d.pdf.AddPage()
	}
}

func (d *document) head() {
	r := d.r
	d.line(0, bodySize, "B", accent, r.Title)
	d.line(0, titleSize, "B", ink, d.w.Say("label.title"))
	d.line(0, titleSize*0.8, "B", accent, r.Candidate)
	facts := slices.DeleteFunc([]string{
		r.Role, r.Persona, report.When(r.Began), d.w.Say("label.duration") + " " + report.Clock(r.Duration), d.w.Say("status." + r.Status),
	}, func(f string) bool { return f == "" })
	d.line(0, bodySize, "", soft, strings.Join(facts, " · "))
	for _, n := range r.Notes {
		d.line(0, bodySize, "", warm, n.Text)
	}
}

// bar draws a share of a width at the present height.
func (d *document) bar(x, width, share float64) {
	y := d.pdf.GetY()
	x, width = x+d.pdf.GetCellMargin(), width-2*d.pdf.GetCellMargin()
	d.fill(line)
	d.pdf.Rect(x, y, width, 2, "F")
	d.fill(accent)
	d.pdf.Rect(x, y, width*min(max(share, 0), 1), 2, "F")
	d.pdf.Ln(3.4)
}

func (d *document) fill(c colour) { d.pdf.SetFillColor(c[0], c[1], c[2]) }

func (d *document) scores() {
	all := d.r.Averages
	if d.r.Overall != nil {
		all = append([]report.Average{*d.r.Overall}, all...)
	}
	if len(all) == 0 {
		return
	}
	d.section("scores")
	for i, a := range all {
		weight := ""
		if i == 0 && d.r.Overall != nil {
			weight = "B"
		}
		d.line(0, bodySize, weight, ink, fmt.Sprintf("%s: %s (%s)", a.Name, d.w.Score(a.Score),
			d.w.Counted(a)))
		d.bar(margin, inner, a.Score.Norm)
	}
}

func (d *document) findings() {
	for _, part := range []struct {
		key  string
		list []report.Finding
		c    colour
	}{{"strengths", d.r.Strengths, good}, {"improvements", d.r.Improvements, warm}} {
		if len(part.list) == 0 {
			continue
		}
		d.section(part.key)
		for _, f := range part.list {
			d.line(0, bodySize, "B", part.c, f.Text)
			d.quotes(f.Evidence)
		}
	}
	if len(d.r.NextSteps) > 0 {
		d.section("next_steps")
		for i, s := range d.r.NextSteps {
			d.line(0, bodySize, "", ink, fmt.Sprintf("%d. %s", i+1, s.Text))
		}
	}
}

func (d *document) quotes(quotes []report.Quote) {
	for _, q := range quotes {
		d.line(5, bodySize, "", soft, "“"+q.Text+"” "+report.Clock(q.At))
	}
}

// timeline draws the stages and who spoke when.
func (d *document) timeline() {
	t := d.r.Timeline
	if t == nil || t.Duration <= 0 || len(t.Spans) == 0 {
		return
	}
	d.section("timeline")
	d.room(24)
	top := d.pdf.GetY()
	at := func(m report.Millis) float64 {
		return margin + inner*float64(min(max(m, 0), t.Duration))/float64(t.Duration)
	}
	stages := []colour{accent, person, {122, 77, 176}, warm, good, {166, 58, 106}}
	for i, s := range t.Stages {
		d.fill(stages[i%len(stages)])
		d.pdf.Rect(at(s.From), top, max(at(s.To)-at(s.From)-0.3, 0.3), 3, "F")
	}
	for _, s := range t.Spans {
		row, c := 5.0, accent
		if s.Speaker == "candidate" {
			row, c = 10.0, person
		}
		d.fill(c)
		d.pdf.Rect(at(s.From), top+row, max(at(s.To)-at(s.From), 0.3), 4, "F")
	}
	d.pdf.SetY(top + 16)
	var names []string
	for _, s := range t.Stages {
		names = append(names, report.Clock(s.From)+" "+s.Title)
	}
	d.line(0, smallSize, "", soft, strings.Join(names, " · "))
}

func (d *document) questions() {
	if len(d.r.Questions) == 0 {
		return
	}
	d.room(62) // the heading stays with the first question
	d.section("questions")
	for _, q := range d.r.Questions {
		d.room(45)
		d.line(0, bodySize+1, "B", ink, fmt.Sprintf("%d. %s", q.Number, q.Text))
		d.line(0, bodySize, "", soft, q.Answer)
		d.assessment(q.Assessment)
		d.pdf.Ln(3)
	}
}

func (d *document) assessment(a report.Assessment) {
	if a.Reason != nil {
		d.line(0, bodySize, "", warm, a.Reason.Text)
	}
	if a.Score != nil {
		d.line(0, bodySize, "B", accent, d.w.Say("label.score")+": "+d.w.Score(*a.Score))
	}
	for _, m := range a.Marks {
		value := d.w.Say("label.not_assessed")
		if m.Score != nil {
			value = d.w.Score(*m.Score)
		}
		d.room(14)
		d.line(0, bodySize, "", ink, m.Name+": "+value)
		if m.Score != nil {
			d.bar(margin, inner/3, m.Score.Norm)
		}
		d.quotes(m.Evidence)
	}
	d.quotes(a.Evidence)
	for _, part := range []struct{ key, text string }{
		{"feedback", a.Feedback}, {"hits", d.w.List(a.Hits)}, {"gaps", d.w.List(a.Gaps)}, {"improved", a.Improved},
	} {
		if part.text != "" {
			d.line(0, bodySize, "", ink, d.w.Say("label."+part.key)+": "+part.text)
		}
	}
}

func (d *document) stages() {
	if len(d.r.Stages) == 0 {
		return
	}
	d.section("stages")
	for _, s := range d.r.Stages {
		text := fmt.Sprintf("%s: %s, %s", s.Title, d.w.Say("stage."+s.Status), report.Clock(s.Time))
		if s.Left != nil {
			text += ". " + s.Left.Text
		}
		d.line(0, bodySize, "", ink, text)
		d.part(s)
	}
}

// part tells what came of one part: what was judged, and its points with their quotes.
func (d *document) part(s report.Stage) {
	if !s.Told() {
		return
	}
	d.line(5, bodySize, "", soft, d.w.Help(s))
	if s.Judged {
		d.assessment(s.Shown())
	}
	if s.First != nil {
		d.line(0, bodySize, "", ink, d.w.Say("label.first", "score", d.w.Score(*s.First)))
	}
	noted := s.Noted()
	if len(noted) > 0 {
		d.line(0, bodySize, "B", ink, d.w.Say("label.noted"))
	}
	for _, p := range noted {
		d.quotes([]report.Quote{*p.Quote})
	}
	for _, p := range s.Rest() {
		d.room(14)
		d.line(0, bodySize, "", ink, p.Text)
		if p.Quote != nil {
			d.quotes([]report.Quote{*p.Quote})
		}
		if p.Mended != nil {
			d.line(5, bodySize, "", soft, d.w.Say("label.later"))
			d.quotes([]report.Quote{*p.Mended})
		}
	}
	if s.Code == nil {
		return
	}
	d.line(0, bodySize, "B", ink, d.w.Say("label.code"))
	for text := range strings.SplitSeq(s.Code.Text, "\n") {
		indent := len(text) - len(strings.TrimLeft(text, " "))
		d.line(5+float64(min(indent, maxIndent)), smallSize, "", ink, text)
	}
}

// maxIndent bounds how far a line of code is moved in, in mm: one to a space.
const maxIndent = 60

func (d *document) transcript() {
	if len(d.r.Transcript) == 0 {
		return
	}
	d.section("transcript")
	for _, t := range d.r.Transcript {
		c := accent
		if t.Speaker == "candidate" {
			c = person
		}
		d.room(10)
		d.line(0, smallSize, "B", c, report.Clock(t.At)+" "+d.w.Say("label."+t.Speaker))
		d.line(5, bodySize, "", ink, t.Text)
	}
}

func (d *document) provenance() {
	p := d.r.Provenance
	d.section("provenance")
	for _, row := range [][2]string{
		{"definition", p.Definition + " " + p.DefinitionVersion + " " + p.DefinitionHash}, {"prompts", p.Prompts},
		{"rubrics", strings.Join(p.Rubrics, ", ")}, {"judges", strings.Join(p.Judges, ", ")}, {"software", p.Software},
	} {
		d.line(0, smallSize, "", soft, d.w.Say("label."+row[0])+": "+row[1])
	}
	for _, m := range report.Models(d.r) {
		d.line(5, smallSize, "", soft, m)
	}
	d.line(0, smallSize, "", soft, d.w.Say("label.formative"))
}
