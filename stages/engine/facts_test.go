package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/state"
)

const askedYAML = `
kind: asked
title: Asked
locales: [en]
vars: {company: {default: ""}, interview_question: {default: Design a garage.}}
provider: {type: system_design, company: company, question: interview_question}
recording: {notice: notice}
facts:
  - {id: recorded, say: {en: "The kind says so."}}
  - {id: users, asks: {en: [how many user]}, say: {en: "The kind knows no number."}}
stages:
  - {id: ONE, title: Hello, prompts: {open: open}, done: {turns: 1}, limits: {hard: 110s}}
  - id: GROUP
    limits: {hard: 20m}
    stages:
      - {id: TWO, title: Work, expand: phases, prompts: {open: open}, single: {open: open}, done: {turns: 1}, limits: {hard: 9m}}
  - {id: THREE, title: Look back, titles: {zh: 回顾}, prompts: {open: open}, done: {turns: 1}, limits: {hard: 50s}}
  - {id: END, title: Goodbye, final: true, prompts: {open: open}}
`

const askedWords = "open: {say: [\"Well?\"]}\nnotice: {say: [\"It is recorded.\"]}\n"

func asked(t *testing.T) *engine.Interview {
	return compile(t, askedYAML, askedWords, engine.WithSheets(func(company, question string) facts.Sheet {
		return facts.Sheet{{ID: "users", Say: map[string]string{"en": company + ": " + question}}}
	}))
}

// Later sheets go over earlier ones: what every interview answers, the kind's, the company's.
func TestSheetOfAnInterview(t *testing.T) {
	iv := asked(t)
	c := newChat(t, iv).start(engine.Started{Vars: map[string]string{"company": "acme"}})
	sheet := iv.Sheet(c.u)
	for id, want := range map[string]string{"recorded": "The kind says so.", "users": "acme: Design a garage.", "what_are_you": "I'm a computer program that holds interviews, not a person."} {
		f, _ := sheet.Fact(id)
		if got, err := f.Answer("en", iv.Now(c.u)); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", id, got, err, want)
		}
	}
	// the company's answer is found by the kind's wordings
	if found := sheet.Find("How many users are there?", "en"); len(found) != 1 || found[0].ID != "users" {
		t.Errorf("%+v", found)
	}
}

// RM-8: how long, what is left, which part and what comes next follow from the definition and the clocks.
func TestNowOfAnInterview(t *testing.T) {
	iv := asked(t)
	c := newChat(t, iv).start(engine.Started{})
	want := facts.Now{Part: "Hello", Next: "Work", Parts: 3}
	if got := iv.Now(c.u); !same(got, want) { // nobody knows the company's parts yet
		t.Errorf("%+v", got)
	}
	at := c.u.Fork()
	phases := []state.Phase{
		{ID: "a", Name: "Scope", Hard: state.FromDuration(2 * time.Minute)}, {ID: "b", Name: "Data", Hard: state.FromDuration(3 * time.Minute)},
		{ID: "c", Name: "Needless", Irrelevant: true, Hard: state.FromDuration(time.Minute)},
	}
	at.Now, at.SubPhases = c.u.Now, &state.SubPhases{Stage: "TWO", Items: phases, Company: "acme"}
	if got := iv.Now(at); got.Next != "Scope" || got.Parts != 4 || got.Minutes != 8 || got.Left != 8 { // 110 s, 2 and 3 minutes, 50 s
		t.Errorf("with sub-phases: %+v", got)
	}
	at.Now += state.FromDuration(100 * time.Second)
	if got := iv.Now(at); got.Left != 6 || got.Minutes != 8 {
		t.Errorf("%d minutes of %d are left", got.Left, got.Minutes)
	}
	at.Now = c.u.Now
	at.Stage, at.Visit = "TWO", 2
	at.Visits = append(at.Visits, state.StageVisit{Stage: "TWO", Visit: 2, Entered: at.Now, Item: "a"})
	if got := iv.Now(at); got.Part != "Scope" || got.Next != "Data" || got.Left != 6 {
		t.Errorf("in a sub-phase: %+v", got)
	}
	at.Stage, at.Visit, at.Visits = "END", 3, append(at.Visits, state.StageVisit{Stage: "END", Visit: 3, Entered: at.Now})
	if got := iv.Now(at); got.Part != "Goodbye" || got.Next != "" || got.Left != 1 {
		t.Errorf("at the end: %+v", got)
	}
	at.Stage, at.Recording = "THREE", "page"
	at.Visits[2].Stage = "THREE"
	if got := iv.Now(at); !got.Recorded || got.Next != "" {
		t.Errorf("recorded: %+v", got)
	}
}

func same(a, b facts.Now) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// What somebody wrote on the page is not said as it stands.
func TestNamesOfThePageAreKeptSpeakable(t *testing.T) {
	iv := asked(t)
	c := newChat(t, iv).start(engine.Started{Vars: map[string]string{"company": "<b>Acme</b>\n" + strings.Repeat("very ", 50) + "{{.}}"}})
	if got := iv.Now(c.u).Company; strings.ContainsAny(got, "<>{}\n") || len(got) > 60 {
		t.Errorf("%q", got)
	}
}
