package cassette_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vivavoice/viva/agent/eval/cassette"
	"github.com/vivavoice/viva/pipeline/llm"
)

func TestAMissSaysWhatChanged(t *testing.T) {
	path := record(t, "Hello, I am Ada.", "We were five, and I led the work on the signals.", "We were five, and I led the work on the signals.")
	for name, c := range map[string]struct {
		change func(*llm.Request)
		want   string
	}{
		"prompt": {
			func(r *llm.Request) {
				r.Messages[0].Content = strings.Replace(r.Messages[0].Content, "one", "one short", 1)
			},
			`message 1 changed: recorded "system: You are an interviewer. Ask one question. Be kind <always> & brief.", ` +
				`now "system: You are an interviewer. Ask one short question. Be kind <always> & brief."`,
		},
		"answer": {
			func(r *llm.Request) { r.Messages[3].Content = "We were twelve, and I led the work on the signals." },
			`message 4 changed: recorded "user: We were five, and I led the work on the signals.", now "user: We were twelve, and I led the work on the signals."`,
		},
		"longer": {
			func(r *llm.Request) {
				r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant, Content: "And?"})
			},
			`now "assistant: And?"`,
		},
		"inserted": {
			func(r *llm.Request) {
				r.Messages = append(r.Messages[:1:1], append([]llm.Message{{Role: llm.RoleSystem, Content: "Mind the time."}}, r.Messages[1:]...)...)
			},
			`now "system: Mind the time."`,
		},
		"shorter":     {func(r *llm.Request) { r.Messages = append(r.Messages[:2:2], r.Messages[3]) }, `message 3 changed: recorded "system: noted"`},
		"role":        {func(r *llm.Request) { r.Messages[3].Role = llm.RoleAssistant }, `message 4 changed: recorded "user: We were five, and I led the work on the signals.", now "assistant: We`},
		"spaces":      {func(r *llm.Request) { r.Messages[3].Content += " " }, "message 4 changed: only the spaces differ"},
		"schema name": {func(r *llm.Request) { r.SchemaName = "answer" }, `the schema of the answer changed: recorded "question: {`},
		"schema": {
			func(r *llm.Request) { r.Schema = json.RawMessage(strings.Replace(string(r.Schema), `"x"`, `"y"`, 1)) },
			`the schema of the answer changed: recorded "…estion: {\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\"}}}", now "…estion: {\"type\":\"object\",\"properties\":{\"y\":`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, path, cassette.Replay).Model("interviewer", nil)
			says(t, m, ask("Hello, I am Ada."))
			r := ask("We were five, and I led the work on the signals.")
			c.change(&r)
			_, err := m.Stream(t.Context(), r)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "request 2 of the interviewer") ||
				!strings.HasSuffix(err.Error(), "record again with --refresh") {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestAMissOfWhatWasNeverAsked(t *testing.T) {
	path := record(t, "Hello.")
	c := open(t, path, cassette.Replay)
	if _, err := c.Model("judge", nil).Stream(t.Context(), ask("Hello.")); err == nil || !strings.Contains(err.Error(), "nothing of the judge was recorded") {
		t.Error(err)
	}
	m := c.Model("interviewer", nil)
	says(t, m, ask("Hello."))
	if _, err := m.Stream(t.Context(), ask("Hello.")); err == nil || !strings.Contains(err.Error(), "it was recorded, and is asked more often now than then (1)") {
		t.Error(err)
	}
}

// The difference of a long text is shown, not its beginning; whatever its script.
func TestTheDifferenceOfLongTexts(t *testing.T) {
	for _, part := range []string{"Every word counts here. ", "每个字都很重要，", `{"a":"b"},`, strings.Repeat("x", 50)} {
		long := strings.Repeat(part, 100)
		path := record(t, long+" the old one "+long)
		_, err := open(t, path, cassette.Replay).Model("interviewer", nil).Stream(t.Context(), ask(long+" the new one "+long))
		if err == nil || !strings.Contains(err.Error(), "the old one") || !strings.Contains(err.Error(), "the new one") || len(err.Error()) > 1000 {
			t.Errorf("%q: %d bytes: %v", part, len(err.Error()), err)
		}
	}
}
