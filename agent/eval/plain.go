package eval

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

//go:embed plain/*.txt
var plainTexts embed.FS

// Bounds of a plain talk. The silence is when such an interviewer is told that nobody speaks.
const (
	plainTurns   = 60
	plainTokens  = 500
	plainSilence = 10 * time.Second
	plainLongest = 60 * time.Minute
	// plainEnd is what the prompt asks for at the end of the last reply.
	plainEnd = "[END]"
)

// plainData is what the prompt of a plain talk may use.
type plainData struct {
	Subject
	Name, Language, Materials string
}

// HoldPlain holds the same scenario with the same model and nothing but a prompt of some ten lines, about the same subject.
func HoldPlain(ctx context.Context, what Holding, about Subject) (*talk.Talk, error) {
	h := newHolding(ctx, what)
	if h.Models.Plain == nil {
		return nil, fmt.Errorf("hold %s with a plain prompt: there is no model to hold it; set OPENAI_API_KEY or OPENAI_BASE_URL, or leave --against out", h.Scenario.ID)
	}
	system, err := h.plainPrompt(about)
	if err != nil {
		return nil, err
	}
	person, err := h.person()
	if err != nil {
		return nil, err
	}
	p := &plain{h: h, model: h.watch(h.Models.Plain), person: person, messages: []llm.Message{{Role: llm.RoleSystem, Content: system}}}
	ended, err := p.hold()
	if err == nil {
		err = h.problem()
	}
	if err != nil {
		return nil, fmt.Errorf("hold %s with a plain prompt: %w", h.Scenario.ID, err)
	}
	t := h.talk(talk.Plain)
	t.Lines, t.Ended, t.Took = finished(h.minutes.lines), ended, p.now
	t.Checks = []talk.Check{repeats(t.Lines)}
	return t, nil
}

// plainPrompt is the prompt, with what the interview is about.
func (h *holding) plainPrompt(about Subject) (string, error) {
	kind := h.Interview.Def.Kind
	text, err := plainTexts.ReadFile("plain/" + kind + ".txt")
	if err != nil {
		return "", fmt.Errorf("there is no plain prompt to compare %s with: leave --against out: %w", kind, err)
	}
	t, err := template.New(kind).Parse(string(text))
	if err != nil {
		return "", fmt.Errorf("read the plain prompt of %s: %w", kind, err)
	}
	papers := h.Scenario.Metadata.Materials
	var b strings.Builder
	if err := t.Execute(&b, plainData{
		Subject: about, Name: h.Scenario.Metadata.Candidate.Name, Language: h.Interview.Words.Locale(),
		Materials: strings.TrimSpace(papers.Resume + "\n\n" + papers.JobDescription),
	}); err != nil {
		return "", fmt.Errorf("fill the plain prompt of %s: %w", kind, err)
	}
	return b.String(), nil
}

// plain is a talk without an engine.
type plain struct {
	h        *holding
	model    llm.Model
	person   simulate.Person
	messages []llm.Message
	now      time.Duration
}

// hold lets both speak by turns until the interviewer is done, the candidate leaves, or it has taken long enough.
func (p *plain) hold() (string, error) {
	p.user("(The candidate has joined and can hear you.)")
	for range plainTurns {
		words, over, err := p.reply()
		if err != nil || over {
			return "done", err
		}
		if gone := p.candidate(words); gone {
			return "the candidate left", nil
		}
		if p.now > plainLongest {
			return "an hour is over", nil
		}
	}
	return "it has taken long enough", nil
}

func (p *plain) user(text string) {
	p.messages = append(p.messages, llm.Message{Role: llm.RoleUser, Content: text})
}

// reply has the interviewer speak.
func (p *plain) reply() (words string, over bool, err error) {
	text, err := complete(p.h.ctx, p.model, llm.Request{Messages: p.messages, MaxTokens: plainTokens, Effort: llm.EffortLeast})
	if err != nil {
		return "", false, fmt.Errorf("ask the interviewer's model: %w", err)
	}
	p.messages = append(p.messages, llm.Message{Role: llm.RoleAssistant, Content: text})
	words, _, over = strings.Cut(text, plainEnd)
	words = strings.Join(strings.Fields(words), " ")
	p.now += p.h.Pace.Words
	if words != "" {
		p.add(talk.Line{Speaker: talk.Interviewer, Text: words, By: "model"}, simulate.Speaking(words))
	}
	return words, over, nil
}

// add puts a line down that begins now and lasts so long.
func (p *plain) add(l talk.Line, lasts time.Duration) {
	l.At = p.now
	p.now += lasts
	l.Until = p.now
	l.Code = p.h.minutes.code
	p.h.minutes.add(l)
}

// candidate lets the candidate react, and tells the interviewer about it in the next message.
func (p *plain) candidate(words string) (gone bool) {
	a := p.person.React(simulate.Situation{Say: engine.Say{Move: engine.MoveProbe}, Text: words, At: state.FromDuration(p.now)})
	p.now += a.Wait
	var told []string
	switch {
	case a.Gone:
		p.add(talk.Line{Speaker: talk.Happening, What: talk.Leaves, Text: "the candidate leaves"}, 0)
		return true
	case a.Away > 0:
		p.now += a.Away
		told = append(told, fmt.Sprintf("(The candidate's connection was lost for %d seconds.)", int(a.Away.Seconds())))
		p.add(talk.Line{Speaker: talk.Happening, What: talk.Leaves, Text: "the candidate's connection is lost, and back"}, 0)
	case a.Text == "" && a.Code == "":
		p.now += plainSilence
		told = append(told, fmt.Sprintf("(The candidate has said nothing for %d seconds.)", int(plainSilence.Seconds())))
	case a.Wait >= plainSilence:
		told = append(told, fmt.Sprintf("(After %d seconds of silence:)", int(a.Wait.Seconds())))
	}
	if a.Code != "" {
		p.h.minutes.code = a.Code
		p.add(talk.Line{Speaker: talk.Happening, What: talk.Typed, Text: "the candidate writes in the editor"}, 0)
		told = append(told, "(The candidate's editor now holds:)\n"+a.Code)
	}
	if a.Text != "" {
		told = append(told, a.Text)
		l := talk.Line{Speaker: talk.Candidate, Text: a.Text}
		if a.Typed {
			l.By = "typed"
		}
		p.add(l, simulate.Speaking(a.Text))
	}
	p.user(strings.Join(told, "\n"))
	return false
}
