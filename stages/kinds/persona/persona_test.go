package persona_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/kinds/persona"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
	"github.com/vivavoice/viva/stages/material"
)

func people(t *testing.T) *persona.Cast {
	t.Helper()
	c, err := persona.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func graph(t *testing.T) *knowledge.Graph {
	t.Helper()
	g, err := knowledge.Default()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// R002-3: the menu offers the four personas by name, in order, as one question.
func TestTheMenuOffersFour(t *testing.T) {
	c := people(t)
	offer := c.Offer("en")
	at := 0
	for _, name := range []string{"HR", "Junior Developer", "Senior Developer", "Corporate Executive"} {
		i := strings.Index(offer[at:], name)
		if i < 0 {
			t.Fatalf("%q is missing, or not in order: %s", name, offer)
		}
		at += i
	}
	for _, lang := range []string{"en", "zh", "vi"} {
		text := c.Offer(lang)
		if strings.Count(text, "?")+strings.Count(text, "？") != 1 || strings.ContainsAny(text, "{}") {
			t.Errorf("%s: %s", lang, text)
		}
	}
}

// R002-5: a choice by voice, in many words.
func TestChoiceByVoice(t *testing.T) {
	c := people(t)
	for lang, cases := range map[string]map[string]string{
		"en": {
			"the senior one": persona.Senior, "number three": persona.Senior, "Three, please.": persona.Senior, "the third": persona.Senior,
			"I'd like to talk to the senior developer": persona.Senior, "3": persona.Senior,
			"HR": persona.HR, "h r please": persona.HR, "someone from human resources": persona.HR, "option one": persona.HR, "the first one": persona.HR,
			"the junior developer, please": persona.Junior, "junior dev": persona.Junior, "let me try the second one": persona.Junior, "number to": persona.Junior,
			"the corporate executive": persona.Executive, "The exec!": persona.Executive, "the last one": persona.Executive, "number four": persona.Executive,
			"not the senior, the junior developer": persona.Junior, "HR, no wait, the executive": persona.Executive,
			"the junior, actually the senior one": persona.Senior, "anyone but HR, say the executive": persona.Executive,
			"I don't want the executive, give me the recruiter": persona.HR, "just a second, the junior one": persona.Junior,
		},
		"zh": {"高级开发者": persona.Senior, "第三位": persona.Senior, "我选人事": persona.HR, "二号": persona.Junior, "最后一个": persona.Executive, "不要人事，要高管": persona.Executive, "HR吧": persona.HR},
		"vi": {"cho tôi gặp nhân sự": persona.HR, "số ba": persona.Senior, "lập trình viên mới vào nghề": persona.Junior, "giám đốc điều hành": persona.Executive, "người cuối cùng": persona.Executive},
	} {
		for said, want := range cases {
			got := c.Hear(said, lang, false)
			if got.Persona == nil || got.Persona.ID != want || got.By != cast.ByVoice {
				t.Errorf("%s: %q chose %+v, want %s", lang, said, got, want)
			}
		}
	}
}

// R002-5: unclear speech gets one clarification, then HR.
func TestUnclearTwiceIsHR(t *testing.T) {
	c := people(t)
	for _, said := range []string{"hmm what was that", "the developer", "hr or the senior", "give me a second", "the weather is nice", ""} {
		first := c.Hear(said, "en", false)
		if first.Persona != nil || !strings.Contains(first.Say, "Corporate Executive") || strings.Count(first.Say, "?") != 1 {
			t.Errorf("%q: first %+v", said, first)
		}
		second := c.Hear(said, "en", true)
		if second.Persona == nil || second.Persona.ID != persona.HR || second.By != cast.ByDefault || !strings.Contains(second.Say, "HR") {
			t.Errorf("%q: second %+v", said, second)
		}
	}
	if got := c.Hear("you choose, I don't mind", "en", false); got.Persona == nil || got.Persona.ID != persona.HR || got.By != cast.ByDefault {
		t.Errorf("a choice that is left to us: %+v", got)
	}
}

// R002-5, R002-6: a choice by page or metadata, by id, alias or name; what names nobody leaves the menu to be offered.
func TestChoiceByPageAndMetadata(t *testing.T) {
	c := people(t)
	for name, want := range map[string]string{
		"senior_developer": persona.Senior, "senior_dev": persona.Senior, "Senior Developer": persona.Senior, "HR": persona.HR,
		"corporate-exec": persona.Executive, "exec": persona.Executive, "初级开发者": persona.Junior,
	} {
		got := c.Preset(name, cast.ByMetadata)
		if got == nil || got.Persona.ID != want || got.By != cast.ByMetadata || got.Say != "" {
			t.Errorf("%q chose %+v", name, got)
		}
	}
	for _, name := range []string{"", "  ", "astronaut", "dev"} {
		if got := c.Preset(name, cast.ByPage); got != nil {
			t.Errorf("%q chose %s", name, got.Persona.ID)
		}
	}
}

// R002-64: every persona sounds different: another voice, another pace.
func TestEveryPersonaSoundsDifferent(t *testing.T) {
	for _, engine := range []string{"local", "openai", "deepgram"} {
		voices := map[string]string{}
		speeds := map[float64]string{}
		for _, p := range people(t).Personas() {
			v := p.Voice(engine)
			if voices[v.Name] != "" || speeds[v.Speed] != "" || v.Name == "" {
				t.Errorf("%s: %s sounds like %s%s", engine, p.ID, voices[v.Name], speeds[v.Speed])
			}
			voices[v.Name], speeds[v.Speed] = p.ID, p.ID
		}
	}
	if v := people(t).Default().Voice("another"); v.Name != "" || v.Speed != 1 {
		t.Errorf("an unknown engine takes its default voice: %+v", v)
	}
}

// R002-7: introduction and first question are one message with one question.
func TestIntroductionAndQuestionAreOne(t *testing.T) {
	for _, p := range people(t).Personas() {
		for _, lang := range []string{"en", "zh", "vi"} {
			text := persona.Open(p, lang, "Why?")
			if strings.Count(text, "?") != 1 || !strings.HasSuffix(text, "Why?") || len(text) < 40 || p.Called(lang) == "" {
				t.Errorf("%s, %s: %s", p.ID, lang, text)
			}
		}
	}
}

// R002-2, R002-65: the role of dispatch, of the job description, of the résumé, or the default.
func TestRole(t *testing.T) {
	g := graph(t)
	job := material.Document{Kind: material.JobDescription, Text: "Acme Inc.\nJob title: Staff Data Engineer (m/f/d)\n\nWe move data."}
	resume := material.Document{Kind: material.Resume, Text: "Ada Lovelace\nProduct Owner\nLondon\n\nI have worked as a software engineer for a long time, and then some more of it."}
	other := material.Document{Kind: material.Resume, Text: "Grace Hopper\nCompilers and ships"}
	for name, c := range map[string]struct {
		dispatch string
		docs     []material.Document
		want     string
	}{
		"nothing":             {"", nil, ""},
		"dispatch":            {"Backend Engineer", []material.Document{job, resume}, "Backend Engineer"},
		"dispatch, made safe": {" Head of <b>\nIT ", nil, "Head of b IT"},
		"job description":     {"", []material.Document{resume, job}, "Staff Data Engineer (m/f/d)"},
		"résumé":              {"", []material.Document{resume}, "Product Manager"},
		"no role in it":       {"", []material.Document{other}, ""},
	} {
		if got := persona.Role(c.dispatch, g, c.docs...); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
