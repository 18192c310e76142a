// Package family knows what OpenAI's chat models take and what they refuse, as far as a name tells it. It is one table, read by
// the client, by the check of the settings, and by the stub that stands in for the service in tests.
//
// Sources, read in November 2026:
//
//   - developers.openai.com/api/docs/models/… (each model's values of reasoning_effort, and its default),
//   - developers.openai.com/api/docs/guides/deployment-checklist (GPT-6: no temperature while a model reasons; function calls in
//     Chat Completions with reasoning_effort "none" only, and not at all with GPT-6 Astra and GPT-6.1 Sol),
//   - developers.openai.com/api/docs/deprecations (gpt-4o-mini and gpt-4.1-mini end on 14 January 2027, gpt-5-mini on 11 December
//     2026; gpt-6-luna is named as what follows the former),
//   - github.com/sashabaranov/go-openai v1.43.0, reasoning_validator.go, which refuses before the service can,
//   - the service's own refusals, as reported in livekit/agents#7169, BerriAI/litellm#34569 and pipecat-ai/pipecat#4043 (tools beside
//     reasoning, from GPT-5.4 on) and openai/openai-agents-python#2089 ("none" in place of "minimal", from GPT-5.1 on).
package family

import (
	"slices"
	"strings"
)

// The values of reasoning_effort, the least first.
const (
	None    = "none" // no reasoning at all
	Minimal = "minimal"
	Low     = "low"
	Medium  = "medium"
	High    = "high"
	XHigh   = "xhigh"
	Max     = "max"
)

// Efforts lists all of them in this order.
func Efforts() []string { return []string{None, Minimal, Low, Medium, High, XHigh, Max} }

// When says under which condition a model takes something.
type When uint8

// The conditions.
const (
	Always When = iota
	// Unreasoned is with reasoning_effort "none" only.
	Unreasoned
	Never
)

// Takes reports whether the condition holds at this effort; "" is a model that does not reason.
func (w When) Takes(effort string) bool {
	return w == Always || w == Unreasoned && (effort == None || effort == "")
}

// Family is what models of one name have in common.
type Family struct {
	// Known is false for models of other makers, and for names that say nothing, such as a deployment's.
	Known bool
	// Efforts are the values of reasoning_effort that are offered, the least first; none for a model that does not reason.
	Efforts []string
	// Default is the effort of a request that names none.
	Default string
	// Temperature says when one is taken by Chat Completions.
	Temperature When
	// OldLimit is taken as max_tokens; the others take max_completion_tokens, which counts reasoning too.
	OldLimit bool
	// Strict: the reply can be held to a JSON Schema.
	Strict bool
	// Elsewhere: the model is not offered by Chat Completions at all.
	Elsewhere bool
}

// Reasons reports whether the model can reason.
func (f Family) Reasons() bool { return len(f.Efforts) > 0 }

// Offers reports whether the model takes this effort. Of an unknown model nothing is known, and everything let through.
func (f Family) Offers(effort string) bool { return !f.Known || slices.Contains(f.Efforts, effort) }

// Least is the effort that keeps a listener waiting least; "" for a model that does not reason, or is not known.
func (f Family) Least() string {
	if !f.Reasons() {
		return ""
	}
	return f.Efforts[0]
}

// More is the least effort that is real reasoning; "" for a model that does not reason, or is not known.
func (f Family) More() string {
	for _, e := range f.Efforts {
		if e != None && e != Minimal {
			return e
		}
	}
	return ""
}

// rooms are the tokens that reasoning may need, beside those of the reply, by effort. OpenAI's guide to reasoning advises up to
// 25,000 to begin with; a limit that is not reached costs nothing.
var rooms = map[string]int{None: 0, Minimal: 512, Low: 4096, Medium: 12288, High: 25000, XHigh: 50000, Max: 50000}

// Room is how many tokens an effort needs beside those of the reply.
func Room(effort string) int { return rooms[effort] }

// Of finds the family of a model by its name. A maker in front of it ("openai/gpt-5-mini") and a date behind it do not matter.
func Of(model string) Family {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, e := range table {
		if rest, is := strings.CutPrefix(name, e.name); is && (e.open || rest == "" || rest[0] == '-' || rest[0] == ':') {
			f := e.family
			f.Known = true
			return f
		}
	}
	return Family{Strict: true, OldLimit: true}
}
