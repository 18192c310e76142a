package report

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// Build makes the report. Whatever is missing beyond the definition and the state is told in it. Build it once, when all evaluations
// are there or nobody waits for them any more.
func Build(src Source) *Report {
	b := newBuilder(src)
	b.head()
	b.clock = newClock(src.Journal, src.State.Turns)
	b.transcript()
	b.quality()
	b.questions()
	b.stages()
	b.averages()
	b.coverage()
	b.status()
	b.firstNote()
	b.findings()
	b.steps()
	b.timeline()
	b.delivery()
	b.hints()
	b.provenance()
	b.r.Spoken = b.spoken()
	b.keep()
	return b.r
}

// builder fills in one report, section by section.
type builder struct {
	src    Source
	def    *definition.Definition
	u      *state.UserData
	words  *Words
	r      *Report
	clock  *clock
	said   map[uint64]string                  // what of a turn is new: see fresh
	folded map[uint64]string                  // see lines
	tally  struct{ right, mended, wrong int } // of the claims that were checked
	items  []item                             // what scores are averaged over: the questions, or without any the judged stages
}

// item is one assessment, with the number of its question if it is one, and what people call it.
type item struct {
	number int
	name   string
	a      *Assessment
}

func newBuilder(src Source) *builder {
	locale := cmp.Or(src.Locale, src.State.Locale)
	if locale == "" && len(src.Definition.Locales) > 0 {
		locale = src.Definition.Locales[0]
	}
	return &builder{
		src: src, def: src.Definition, u: public(src.State), words: Speak(locale), said: make(map[uint64]string), folded: make(map[uint64]string),
		r: &Report{Version: Version, Locale: locale, Notes: []Note{}},
	}
}

// public returns a state without the turns that are nobody's business (RM-14). The one given is left as it was.
func public(u *state.UserData) *state.UserData {
	private := func(t state.Turn) bool { return t.Private }
	if !slices.ContainsFunc(u.Turns, private) {
		return u
	}
	c := *u
	c.Turns = slices.DeleteFunc(slices.Clone(u.Turns), private)
	return &c
}

func (b *builder) head() {
	u, r := b.u, b.r
	r.Session, r.Kind, r.Title = u.Session, b.def.Kind, cmp.Or(b.src.Title, b.def.Title)
	r.Candidate, r.Role, r.Persona = u.Candidate.Name, u.Vars["role"], cmp.Or(u.Vars["interviewer"], u.Vars["persona"])
	r.Began, r.Recording = b.src.Began, own(b.src.Recording)
	r.Duration, r.Ongoing = u.Now, u.Ended == ""
}

// own keeps a recording only if its address is on the site that serves the report: a page asks nobody else.
func own(rec *Recording) *Recording {
	if rec == nil {
		return nil
	}
	if u, err := url.Parse(rec.URL); err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" {
		return nil
	}
	kept := *rec
	return &kept
}

func (b *builder) note(code string, pairs ...string) Note {
	return Note{Code: code, Text: b.words.Say("note."+code, pairs...)}
}

// unit is the key of the words about parts where the interview is assessed by parts, and not by questions.
func (b *builder) unit(key string) string {
	if len(b.r.Questions) == 0 && b.words.Has(key+"_parts") {
		return key + "_parts"
	}
	return key
}

// say is a note about answers or parts.
func (b *builder) say(code string, pairs ...string) Note {
	return Note{Code: code, Text: b.words.Say(b.unit("note."+code), pairs...)}
}

// transcript times every turn: it begins with its first sound, and ends when it was taken.
func (b *builder) transcript() {
	for _, t := range b.u.Turns {
		from, to := b.clock.turn(t)
		b.r.Transcript = append(b.r.Transcript, Turn{
			ID: t.ID, Speaker: string(t.Speaker), Stage: t.Stage, At: from, To: to, Text: t.Text, Typed: t.Typed, Interrupted: t.Interrupted,
		})
	}
	slices.SortStableFunc(b.r.Transcript, func(x, y Turn) int { return cmp.Compare(x.At, y.At) }) // who speaks over the other is taken later
}

// quality weighs the recogniser's confidence by words. Typed words are certain, and those without a confidence say nothing.
func (b *builder) quality() {
	words, confidence := weigh(b.u.Turns)
	b.r.Quality = Quality{
		OK: confidence == 0 || confidence >= legible, Confidence: round(confidence), Words: words,
	}
	if !b.r.Quality.OK {
		b.r.Notes = append(b.r.Notes, b.note(ReasonPoor))
	}
}

// weigh counts the candidate's words and takes the mean confidence of those that have one; 0 = none has.
func weigh(turns []state.Turn) (words int, confidence float64) {
	rated := 0
	for _, t := range turns {
		if t.Speaker != state.SpeakerCandidate {
			continue
		}
		n := understand.Words(t.Text)
		words += n
		c := t.Confidence
		if t.Typed {
			c = 1
		}
		if c > 0 {
			rated, confidence = rated+n, confidence+c*float64(n)
		}
	}
	if rated == 0 {
		return words, 0
	}
	return words, confidence / float64(rated)
}

// turns returns the candidate's turns among ids, in order of the transcript: a score may cite no other (RX-16).
func (b *builder) turns(ids []uint64) []state.Turn {
	var out []state.Turn
	for _, t := range b.u.Turns {
		if t.Speaker == state.SpeakerCandidate && slices.Contains(ids, t.ID) && strings.TrimSpace(t.Text) != "" {
			out = append(out, t)
		}
	}
	return out
}

// status says how far the report can be relied on, and tells why not further.
func (b *builder) status() {
	r, c := b.r, b.r.Coverage
	switch {
	case c.Assessed == 0:
		r.Status = Unscored
		r.Notes = append(r.Notes, b.whyUnscored())
	case c.Early || c.Assessed < len(b.items) || c.Asked < c.Expected || b.incomplete():
		r.Status = Partial
	default:
		r.Status = Complete
	}
	switch expected := max(c.Expected, c.Asked); {
	case c.Answers == 0: // it is said already
	case c.Early && expected > 0 && c.Answered > 0:
		r.Notes = append(r.Notes, b.note("early", "answered", number(c.Answered), "expected", number(expected)))
	case c.Early:
		r.Notes = append(r.Notes, b.note("early_parts"))
	}
	if missing := b.missing(); len(missing) > 0 {
		r.Notes = append(r.Notes, b.note("incomplete", "what", b.words.List(missing)))
	}
	if i := slices.IndexFunc(b.u.Visits, func(v state.StageVisit) bool { return v.Visit == engine.EasierSince(b.u) }); i >= 0 {
		r.Notes = append(r.Notes, b.note("easier", "at", Clock(b.u.Visits[i].Left)))
	}
	if b.uncertain() {
		r.Notes = append(r.Notes, b.note("uncertain"))
	}
	if missing := len(b.items) - c.Assessed; missing > 0 && c.Assessed > 0 {
		r.Notes = append(r.Notes, b.say("partial", "missing", number(missing), "of", number(len(b.items))))
	}
}

// whyUnscored is why there are no scores.
func (b *builder) whyUnscored() Note {
	switch {
	case b.r.Quality.Words == 0:
		return b.note("nothing_said")
	case b.r.Coverage.Answers == 0:
		return b.note("nothing_taken")
	case len(b.items) > 0 || len(b.def.Evaluations) > 0 || slices.ContainsFunc(b.def.Stages, func(s definition.Stage) bool { return s.Gate != nil }):
		return b.say("unscored")
	}
	return b.note("unjudged")
}

// firstNote says before all else that scores are by a rubric that is not calibrated.
func (b *builder) firstNote() {
	var rubrics []string
	for _, it := range b.items {
		if it.a.Assessed {
			rubrics = add(rubrics, it.a.uncalibrated)
		}
	}
	if len(rubrics) > 0 {
		b.r.Notes = slices.Insert(b.r.Notes, 0, b.note("uncalibrated", "rubrics", b.words.List(rubrics)))
	}
}

// uncertain reports whether a judge of something that counts was not sure.
func (b *builder) uncertain() bool {
	return slices.ContainsFunc(b.items, func(i item) bool { return i.a.Assessed && i.a.unsure })
}

// incomplete reports whether a criterion of an assessed answer was not assessed.
func (b *builder) incomplete() bool {
	return slices.ContainsFunc(b.items, func(i item) bool { return i.a.Assessed && i.a.Reason != nil })
}

// missing names the criteria that were not assessed in some of the assessed answers, and in how many of them.
func (b *builder) missing() []string {
	var names []string
	count := make(map[string]int)
	for _, it := range b.items {
		if !it.a.Assessed {
			continue
		}
		for _, m := range it.a.Marks {
			if m.Score == nil {
				names, count[m.Name] = add(names, m.Name), count[m.Name]+1
			}
		}
	}
	if len(b.items) == 1 {
		return names
	}
	for i, name := range names {
		names[i] = b.words.Say(b.unit("missing_in"), "name", name, "n", number(count[name]), "of", number(b.r.Coverage.Assessed))
	}
	return names
}

// hints tells which stages needed help.
func (b *builder) hints() {
	for _, v := range b.u.Visits {
		if v.HintLevel > 0 || v.Supported || v.HelpMode {
			b.r.Hints = append(b.r.Hints, Hint{
				Stage: v.Stage, Title: b.title(v.Stage, v.Item), Level: v.HintLevel, Supported: v.Supported, Help: v.HelpMode,
			})
		}
	}
}

func (b *builder) provenance() {
	p := b.src.Provenance
	p.Definition, p.DefinitionVersion, p.DefinitionHash = b.def.Kind, b.def.Version, b.u.DefHash
	if p.DefinitionHash == "" {
		p.DefinitionHash = b.def.Hash()
	}
	if p.Prompts == "" {
		p.Prompts = b.def.Catalogue()
	}
	p.Thresholds, p.Rubrics, p.Judges = thresholds, []string{}, []string{} // in JSON they are lists
	for _, i := range b.items {
		if i.a.Assessed {
			p.Rubrics = add(p.Rubrics, i.a.Rubric)
		}
		if i.a.Assessed || !unjudged(i) {
			p.Judges = add(p.Judges, i.a.By)
		}
	}
	models := make(map[string]string)
	for role, model := range p.Models {
		if role != evaluators || slices.ContainsFunc(p.Judges, func(by string) bool { return by != engine.ByReading }) {
			models[role] = model
		}
	}
	p.Models = models
	b.r.Provenance = p
}

// evaluators is the role of the model that judges what the interviewer's own reading does not. Where it judged nothing it is not told of.
const evaluators = "evaluators"

func add(to []string, s string) []string {
	if s == "" || slices.Contains(to, s) {
		return to
	}
	return append(slices.Clone(to), s)
}

// drop takes a section out of a report, by the section's name. Provenance is in every report.
var drop = map[string]func(r *Report){
	"averages":     func(r *Report) { r.Averages, r.Overall = nil, nil },
	"per_question": func(r *Report) { r.Questions = nil },
	"per_stage":    func(r *Report) { r.Stages = nil },
	"strengths":    func(r *Report) { r.Strengths = nil },
	"improvements": func(r *Report) { r.Improvements = nil },
	"next_steps":   func(r *Report) { r.NextSteps = nil },
	"timeline":     func(r *Report) { r.Timeline = nil },
	"hints":        func(r *Report) { r.Hints = nil },
	"coverage":     func(r *Report) { r.Coverage = nil },
	"delivery":     func(r *Report) { r.Delivery = nil },
	"transcript":   func(r *Report) { r.Transcript = nil },
}

// keep drops the sections that were not asked for.
func (b *builder) keep() {
	if len(b.src.Sections) == 0 {
		return
	}
	for name, gone := range drop {
		if !slices.Contains(b.src.Sections, name) {
			gone(b.r)
		}
	}
}

// scored reports whether anything was assessed.
func (b *builder) scored() bool { return b.r.Coverage.Assessed > 0 }

// conversation gives the candidate's turns as evaluate takes them.
func conversation(turns []state.Turn) []evaluate.Turn {
	out := make([]evaluate.Turn, 0, len(turns))
	for _, t := range turns {
		out = append(out, evaluate.Turn{ID: t.ID, Role: evaluate.RoleUser, Content: t.Text})
	}
	return out
}
