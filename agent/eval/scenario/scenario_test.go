package scenario_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/eval/scenario"
)

// hotel has only LiveKit's keys, and data for an agent that is not ours.
const hotel = `id: grp_1
name: Front desk
scenarios:
  - id: scn_9
    label: Books a room, then changes the dates
    instructions: |
      You are Lena. Ask for a double room from 3 to 5 May.
      Once it is booked, say that you meant June.
    agent_expectations: The agent moves the booking to June instead of making a second one.
    tags:
      feature: booking
      smoke: "true"
      attempts: 3
    userdata:
      candidate: lena
      locale: 7
      rooms: [{number: 12, free: true}]
      expected_state: {bookings: 1}
`

func parse(t *testing.T, file, text string) []*scenario.Scenario {
	t.Helper()
	f, err := scenario.Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var opts = cmp.Options{
	cmp.Comparer(func(a, b *regexp.Regexp) bool { return fmt.Sprint(a) == fmt.Sprint(b) }),
	cmpopts.EquateEmpty(),
}

func TestLiveKitsOwnFileIsRead(t *testing.T) {
	f := parse(t, "sims/front-desk.yaml", hotel)
	want := []*scenario.Scenario{{
		ID: "front-desk/books-a-room-then-changes-the-dates", Label: "Books a room, then changes the dates",
		Instructions: "You are Lena. Ask for a double room from 3 to 5 May.\nOnce it is booked, say that you meant June.",
		Expectations: []string{"The agent moves the booking to June instead of making a second one."},
		Tags:         map[string]string{"feature": "booking", "smoke": "true", "attempts": "3"},
		Then:         scenario.ThenLeave, Turns: scenario.DefaultTurns, File: "sims/front-desk.yaml", LineNo: 4,
	}}
	if diff := cmp.Diff(want, f, opts); diff != "" {
		t.Error(diff)
	}
}

const ours = `interview: two_stage
locale: en
scenarios:
  - label: "Über Gehälter – 薪水 (2)!"
    locale: zh
    metadata:
      candidate: {name: Ada}
      vars: {company: Acme, level: 2}
      consent: {recording: true}
      materials: {resume: Ten years of trains.}
    userdata:
      interview: conversation
      candidate: {name: Bob, identity: bob-1}
      vars: {level: 1, rate: 1.5, problem: lru}
      materials: {job_description: Drives.}
      resume: theirs
    agent_expectations:
      - Stays polite.
      - |
        Asks about
        trains.
    tags: [smoke, slow]
    lines:
      - I am Ada.
      - {when: "team|colleagues", say: We were five., wait: 2s}
      - {silent: 20s}
      - {code: "x = 1\n", language: python, say: Look.}
      - {typed: "see chat"}
      - {interrupt: Sorry to interrupt, after: 800ms}
      - {interrupt: And again}
      - {away: 15s}
      - {say: Goodbye., leave: true}
      - {when: wait, leave: true}
    then: silent
    turns: 12
`

func TestOurKeys(t *testing.T) {
	s := parse(t, "x.yaml", ours)[0]
	want := &scenario.Scenario{
		ID: "x/über-gehälter-薪水-2", Label: "Über Gehälter – 薪水 (2)!",
		Expectations: []string{"Stays polite.", "Asks about\ntrains."}, Tags: map[string]string{"smoke": "true", "slow": "true"},
		Metadata: agent.Metadata{
			Interview: "conversation", Locale: "zh", Candidate: agent.Person{Name: "Ada", Identity: "bob-1"},
			Vars:    map[string]string{"company": "Acme", "level": "2", "rate": "1.5", "problem": "lru"},
			Consent: &agent.Consent{Recording: true}, Materials: agent.Materials{Resume: "Ten years of trains.", JobDescription: "Drives."},
		},
		Lines: []scenario.Line{
			{Say: "I am Ada."},
			{Say: "We were five.", When: regexp.MustCompile("(?i)team|colleagues"), Wait: 2 * time.Second},
			{Silent: 20 * time.Second},
			{Code: "x = 1\n", Language: "python", Say: "Look."},
			{Typed: "see chat"},
			{Interrupt: "Sorry to interrupt", After: 800 * time.Millisecond},
			{Interrupt: "And again", After: scenario.DefaultAfter},
			{Away: 15 * time.Second},
			{Say: "Goodbye.", Leave: true},
			{When: regexp.MustCompile("(?i)wait"), Leave: true},
		},
		Then: scenario.ThenSilent, Turns: 12, File: "x.yaml", LineNo: 4,
	}
	if diff := cmp.Diff(want, s, opts); diff != "" {
		t.Error(diff)
	}
}

func TestTheFilesDefaultsComeLast(t *testing.T) {
	f := parse(t, "x.yaml", "interview: two_stage\nlocale: vi\nscenarios:\n- {label: a, instructions: b}\n- {label: c, instructions: d, metadata: {locale: en}}\n")
	a, c := f[0], f[1]
	if a.Metadata.Interview != "two_stage" || a.Metadata.Locale != "vi" || c.Metadata.Locale != "en" {
		t.Errorf("%+v\n%+v", a, c)
	}
}

func TestExpectations(t *testing.T) {
	for text, want := range map[string][]string{
		`""`:                              nil,
		"One thing.":                      {"One thing."},
		"|\n      - One.\n      - Two.\n": {"One.", "Two."},
		"|\n      - One,\n        and more.\n\n      - Two.\n": {"One, and more.", "Two."},
		"|\n      It should:\n      - One.\n":                  {"It should:\n- One."},
		"|\n      - One.\n      And two.\n":                    {"- One.\nAnd two."},
		"[One., '', Two.]":                                     {"One.", "Two."},
	} {
		f := parse(t, "x.yaml", "scenarios:\n  - label: a\n    instructions: b\n    agent_expectations: "+text+"\n")
		if diff := cmp.Diff(want, f[0].Expectations, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestTagged(t *testing.T) {
	f := parse(t, "x.yaml", `scenarios:
  - {label: a, instructions: b, tags: {smoke: "true", part: one}}
  - {label: c, instructions: b, tags: {smoke: "false", part: two, none: ""}}
  - {label: d, instructions: b, tags: [smoke]}
  - {label: e, instructions: b}
`)
	for tag, want := range map[string]string{
		"": "acde", "smoke": "ad", "smoke=false": "c", "part": "ac", "part=two": "c", "part=": "", "none": "", "none=": "c", "other": "", "other=": "",
	} {
		var got strings.Builder
		for _, s := range f {
			if s.Tagged(tag) {
				got.WriteString(s.Label)
			}
		}
		if got.String() != want {
			t.Errorf("Tagged(%q) keeps %q, want %q", tag, got.String(), want)
		}
	}
}

func TestScript(t *testing.T) {
	s := parse(t, "x.yaml", `scenarios:
  - label: a
    lines:
      - one
      - {when: TEAM, say: five}
      - {when: team, say: twelve}
      - two
      - {when: never, say: nothing}
`)[0].Script()
	steps := []struct{ words, want string }{
		{"How was the team?", "five"}, {"Hello.", "one"}, {"The team again?", "twelve"}, {"The team?", "two"}, {"And?", ""}, {"Well, I never!", "nothing"}, {"Well, never", ""},
	}
	for _, step := range steps {
		peeked, would := s.Peek(step.words)
		got, ok := s.Next(step.words)
		if got.Say != step.want || ok != (step.want != "") || peeked.Say != got.Say || would != ok {
			t.Errorf("after %q: %q (%t), want %q; peeked %q (%t)", step.words, got.Say, ok, step.want, peeked.Say, would)
		}
	}
}
