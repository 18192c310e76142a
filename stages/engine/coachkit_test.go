package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/kinds/coach"
	"github.com/vivavoice/viva/stages/problem"
)

const coachYAML = `
kind: coach_test
title: Coach
locales: [en]
vars: {problem: {default: pair}}
problems: {set: tasks, pick: problem}
experts: [reader, coach, reviewer, asker, summariser]
fields:
  problem_text: {from: problem.text}
  identified_pattern: {secret: true}
  complexity_expectation: {secret: true, from: problem.complexity}
  user_approach: {}
  pseudocode: {}
  detected_issues: {type: list}
input: {check: true, off_topic: true, empty: in.empty, short: in.short, repeated: in.repeated, off: in.off, help_mode: in.help}
recovery: {hold: 1500ms, hold_prompt: wait, sorry: sorry}
stages:
  - {id: PROBLEM_CLARIFICATION, title: Task, responder: experts, prompts: {point: point, open: open.0}, done: {field: identified_pattern}, skip: {rule: never, refuse: skip.no}, KEYS}
  - {id: THOUGHT_ARTICULATION, title: Idea, responder: experts, prompts: {point: point, open: open.1, bridge: on}, done: {field: user_approach}, skip: {rule: never, refuse: skip.no, offer: skip.offer}, KEYS}
  - {id: COMPLEXITY_ANALYSIS, title: Cost, responder: experts, prompts: {point: point, open: open.2, bridge: on}, done: {mentions: complexity}, skip: {rule: allowed, allow: skip.yes}, KEYS}
  - {id: PSEUDOCODE_DESIGN, title: Code, responder: experts, prompts: {point: point, open: open.3, bridge: on}, done: {field: pseudocode}, skip: {rule: never, refuse: skip.no, offer: skip.offer}, KEYS}
  - {id: EDGE_CASE_CHECK, title: Edges, responder: experts, prompts: {point: point, open: open.4, bridge: on}, done: {all: [{queue_empty: detected_issues}, {flag: case_raised}]}, skip: {rule: never, refuse: skip.no, offer: skip.offer}, KEYS}
  - {id: FOLLOW_UP, title: More, responder: experts, prompts: {point: point, open: open.5, bridge: on}, done: {any: [{followups: 2}, {flag: declined}]}, skip: {rule: allowed, allow: skip.yes}, KEYS}
  - {id: PATTERN_SUMMARY, title: Summary, responder: experts, prompts: {point: point, open: open.6, bridge: on}, done: {turns: 1}, skip: {rule: allowed, allow: skip.yes}, KEYS}
  - {id: DONE, title: Goodbye, final: true, prompts: {open: bye}}
`

const coachKeys = `support: support, no_answer: no_answer, fallback: fall, hints: [hint.1, hint.2, hint.3], limits: {hard: 10m}, no_input: [{after: 20s, do: reprompt}, {after: 5m, do: advance}]`

const coachWords = `
open.0: {say: ["{{.Problem}} What goes in, and what comes out?"], reprompt: ["Still there?"]}
open.1: {say: ["What is your idea?"]}
open.2: {say: ["What does it cost?"]}
open.3: {say: ["Could you write it down?"]}
open.4: {say: ["Which inputs could break it?"]}
open.5: {say: ["What would you improve?"]}
open.6: {say: ["Which idea was behind it?"]}
on: {say: ["Good.", "Fine.", "Right."]}
in.empty: {say: ["I did not catch that. What are you thinking?"]}
in.short: {say: ["That was brief. Could you say more?", "Still brief. A little more?"]}
in.repeated: {say: ["You have said that. Is there another angle?"]}
in.off: {say: ["That leads away from our task."]}
in.help: {say: ["You may be stuck, so here is more help."]}
support: {say: ["This is hard for everybody. Would you like a stronger hint, or a simpler problem first?"]}
no_answer: {say: ["Working it out yourself is the point.", "You will find it."]}
point: {say: ["Over to you."]}
fall: {say: ["Let us think step by step. What is the simplest way?", "One step at a time. What comes first?"]}
hint.1: {say: ["How long would it take?"]}
hint.2: {say: ["Could one pass do?"]}
hint.3: {say: ["What lets you look things up fast?"]}
skip.no: {say: ["I see that you want to go on. This part matters in interviews, so let us spend two minutes on it."]}
skip.offer: {say: ["Shall I help you with it?"]}
skip.yes: {say: ["All right. It shows analysis in a real interview, but we go on."]}
wait: {say: ["One moment."]}
sorry: {say: ["I am sorry, something went wrong. Please go on."]}
bye: {say: ["Goodbye."]}
`

const taskYAML = `
id: ID
title: {en: The gift card}
difficulty: LEVEL
tags: [array]
text: {en: "Find two prices that add up to the card's value. ID."}
terms: {en: [price, card, two, sum]}
pattern: hash_map
candidates: [hash_map]
names: {en: a hash map}
synonyms: {en: [hash map, hash table, hashing, hash]}
complexity: {time: O(n), space: O(n)}
clues: {en: ["Which price would you need to have seen?"]}
approaches:
  - {id: pairs, quality: brute, cost: {time: O(n^2), space: O(1)}, names: {en: comparing pairs}, keywords: [two loops, every pair]}
  - {id: lookup, quality: best, cost: {time: O(n), space: O(n)}, names: {en: remembering}, keywords: [hash table, dictionary]}
hints: {en: ["How many comparisons is that?", "Could one walk do?", "What lets you look things up?"]}
facts:
  - {id: size, say: {en: "Up to a thousand prices."}}
examples:
  - {in: {en: "two, eight and a card worth ten"}, out: {en: both}, why: {en: "they make ten"}}
  - {in: {en: "one, three and a card worth four"}, out: {en: both}, why: {en: "they make four"}}
wrong:
  - id: dearest
    names: {en: taking the dearest first}
    plain: {en: [dearest first]}
    counter: {in: {en: "six, seven, four and a card worth ten"}, out: {en: six and four}, say: {en: "What is left after the seven?"}}
edge_cases:
  - {id: empty, in: {en: no prices}, out: {en: nothing}, question: {en: "What happens if the list is empty?"}, keywords: [empty]}
  - {id: twice, in: {en: "five, five"}, out: {en: both}, question: {en: "What happens if a price comes twice?"}, keywords: [twice]}
  - {id: none, in: {en: "one, two"}, out: {en: nothing}, question: {en: "What happens if nothing fits?"}, keywords: [nothing fits]}
follow_ups:
  - {id: sorted, aim: input, question: {en: "What if it came sorted?"}, keywords: [sorted]}
  - {id: three, aim: variant, question: {en: "What about three items?"}, keywords: [three]}
summary: {en: "The idea was a hash map."}
related: {en: [three numbers]}
`

func tasks(t testing.TB) *problem.Set {
	t.Helper()
	files := fstest.MapFS{}
	for id, level := range map[string]string{"pair": "medium", "single": "easy"} {
		files["tasks/"+id+".yaml"] = &fstest.MapFile{Data: []byte(strings.NewReplacer("ID", id, "LEVEL", level).Replace(taskYAML))}
	}
	set, err := problem.Load("tasks", files)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// fake is an expert made of functions. It leads the stages named.
type fake struct {
	name    string
	leads   []string
	valid   func(expert.Board) error
	process func(expert.Board) (expert.Response, error)
}

func (f *fake) Name() string                       { return f.name }
func (f *fake) ShouldActivate(b expert.Board) bool { return slices.Contains(f.leads, b.CurrentStage) }
func (f *fake) ValidateContext(b expert.Board) error {
	if f.valid != nil {
		return f.valid(b)
	}
	return nil
}
func (f *fake) Process(b expert.Board) (expert.Response, error) { return f.process(b) }

// cast are five experts who each do the simplest thing: they write down what their stage is about and propose to go on.
type cast map[string]*fake

func newCast() cast {
	upd := func(field string, value any) expert.Update { return expert.Update{Field: field, Value: value} }
	c := cast{
		"reader": {leads: []string{coach.Clarification}, process: func(b expert.Board) (expert.Response, error) {
			return expert.Success("Well understood.", coach.Thought, upd("identified_pattern", b.Secret.Pattern)), nil
		}},
		"coach": {leads: []string{coach.Thought, coach.Complexity}, process: func(b expert.Board) (expert.Response, error) {
			if b.CurrentStage == coach.Complexity {
				return expert.Success("That is clear.", coach.Pseudocode), nil
			}
			return expert.Success("A good start.", coach.Complexity, upd("user_approach", b.Input)), nil
		}},
		"reviewer": {leads: []string{coach.Pseudocode, coach.EdgeCases}, process: review},
		"asker": {leads: []string{coach.FollowUp}, process: func(b expert.Board) (expert.Response, error) {
			r := expert.Success("Nice.", coach.Summary)
			r.Queue = []string{"What if it came sorted?", "What about three items?"}
			return r, nil
		}},
		"summariser": {leads: []string{coach.Summary}, process: func(expert.Board) (expert.Response, error) {
			return expert.Success("It was a hash map.", "DONE"), nil
		}},
	}
	for name, f := range c {
		f.name = name
	}
	return c
}

func review(b expert.Board) (expert.Response, error) {
	if b.CurrentStage == coach.Pseudocode {
		if b.Pseudocode() == "" && !strings.Contains(b.Input, "for") {
			return expert.Success("Which step comes first?", ""), nil
		}
		return expert.Success("The main path works.", coach.EdgeCases, expert.Update{Field: "pseudocode", Value: b.Pseudocode() + b.Input}), nil
	}
	r := expert.Success("Good point.", coach.FollowUp, expert.Update{Field: "detected_issues", Value: []string{"empty", "twice"}})
	r.Queue = []string{"What happens if the list is empty?", "What happens if a price comes twice?", "What happens if nothing fits?"}
	r.QueueField, r.Flags = "detected_issues", []string{"case_raised"}
	return r, nil
}

func (c cast) registry(t testing.TB) *expert.Registry {
	t.Helper()
	r := &expert.Registry{}
	for _, name := range []string{"reader", "coach", "reviewer", "asker", "summariser"} {
		if err := r.Register(c[name]); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func coaching(t testing.TB, c cast) *engine.Interview {
	t.Helper()
	return compile(t, strings.ReplaceAll(coachYAML, "KEYS", coachKeys), coachWords, engine.WithExperts(c.registry(t)), engine.WithProblems(tasks(t)))
}

// understood is an answer with which the first stage is done, and fallbackWords are what stands in for an expert.
const (
	understood    = "We look for two prices with a given sum."
	fallbackWords = "Let us think step by step. What is the simplest way?"
)

// coached is a talk that has begun, without a model.
func coached(t testing.TB, c cast) *chat {
	t.Helper()
	return newChat(t, coaching(t, c)).start(engine.Started{}).hear()
}

// to goes on until the stage is on the floor, with answers that do.
func (c *chat) to(stage string) *chat {
	c.t.Helper()
	answers := map[string]string{
		coach.Clarification: "We look for two prices with a given sum.", coach.Thought: "I would use two loops over every pair.",
		coach.Complexity: "That is O of n squared time.", coach.Pseudocode: "for each price, for each other price, compare the sum",
		coach.EdgeCases: "The list may be empty, I think.", coach.FollowUp: "I would sort the prices first.", coach.Summary: "It was about looking up prices.",
	}
	for range 20 {
		if c.u.Stage == stage {
			return c.hear()
		}
		c.tell(answers[c.u.Stage] + strings.Repeat(" Really.", len(c.u.Turns)%7))
	}
	c.t.Fatalf("did not reach %s: %v", stage, c.visits())
	return c
}
