package eval

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// minutes takes down a talk: what was said and what happened, from the events of the engine.
type minutes struct {
	lines   []talk.Line
	entries []state.Entry
	began   map[uint64]time.Duration // utterances in the air
	stage   string
	item    string
	code    string
	missed  string // why the model that was to lead the turn did not; the next words are the rules'
	problem error  // an event that could not be read
}

// observe takes a step of the interview.
func (m *minutes) observe(s simulate.Step) {
	entry := state.Entry{Seq: s.Seq, At: s.At, Type: s.Event, Data: s.Data}
	m.entries = append(m.entries, entry)
	ev, err := engine.Decode(entry)
	if err != nil {
		m.problem = err
		return
	}
	m.take(s.At.Duration(), ev)
	if s.Stage != m.stage || s.Item != m.item {
		m.stage, m.item = s.Stage, s.Item
		m.enter(s)
	}
}

// enter notes that a part begins, under the name that the candidate is shown.
func (m *minutes) enter(s simulate.Step) {
	for _, e := range s.Effects {
		title, _ := e.Value("title").(string)
		if e.Name == "publish" && title != "" {
			m.add(talk.Line{Speaker: talk.Happening, What: talk.Begins, Text: "part: " + title, At: s.At.Duration(), Until: s.At.Duration()})
			return
		}
	}
}

func (m *minutes) take(at time.Duration, ev engine.Event) {
	happens := func(what talk.Occurrence, text string) {
		m.add(talk.Line{Speaker: talk.Happening, What: what, Text: text, At: at, Until: at, Code: m.code})
	}
	switch ev := ev.(type) {
	case engine.VoiceStarted:
		m.began[ev.Utterance] = at
	case engine.VoiceEnded:
		m.spoken(at, ev)
	case engine.UserTurn:
		said := talk.Line{Speaker: talk.Candidate, Text: ev.Text, At: ev.Began.Duration(), Until: at}
		if ev.Typed {
			said.By = "typed"
		}
		m.add(said)
	case engine.NoWords:
		happens(talk.Silence, "a sound, but no words were understood")
	case engine.CodeChanged:
		m.code = ev.Text
		happens(talk.Typed, "the candidate writes in the editor")
	case engine.Away:
		happens(talk.Leaves, "the candidate's connection is lost")
	case engine.Back:
		happens(talk.Leaves, "the candidate is back")
	case engine.Gone:
		happens(talk.Leaves, "the candidate leaves ("+ev.Reason+")")
	}
}

func (m *minutes) spoken(at time.Duration, ev engine.VoiceEnded) {
	began, audible := m.began[ev.Utterance]
	delete(m.began, ev.Utterance)
	if ev.Heard == "" || !audible {
		m.missed = cmp.Or(ev.Degraded, m.missed)
		return
	}
	ev.Degraded, m.missed = cmp.Or(ev.Degraded, m.missed), ""
	by := "script"
	if ev.Worded {
		by = "model"
	}
	m.add(talk.Line{Speaker: talk.Interviewer, Text: ev.Heard, At: began, Until: at, Cut: ev.Cut, By: by, Degraded: ev.Degraded})
}

func (m *minutes) add(l talk.Line) {
	l.Stage, l.Part = m.stage, m.item
	m.lines = append(m.lines, l)
}

// silent is how long nobody has to speak for it to be noted.
const silent = 6 * time.Second

// finished returns the lines in the order in which they began, numbered, with the silences between them.
func finished(lines []talk.Line) []talk.Line {
	slices.SortStableFunc(lines, func(a, b talk.Line) int { return int(a.At - b.At) })
	var out []talk.Line
	var until time.Duration
	for _, l := range lines {
		if gap := l.At - until; gap >= silent && len(out) > 0 {
			out = append(out, talk.Line{
				Speaker: talk.Happening, What: talk.Silence, Text: fmt.Sprintf("nobody speaks for %d seconds", int(gap.Round(time.Second).Seconds())),
				At: until, Until: l.At, Stage: l.Stage, Part: l.Part,
			})
		}
		until = max(until, l.Until)
		out = append(out, l)
	}
	for i := range out {
		out[i].N = i + 1
	}
	return out
}
