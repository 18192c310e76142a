package openaitest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// format holds a reply to a schema.
func format(schema string) string {
	return `"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":` + schema + `}}`
}

func TestStubRefusesWhatTheServiceRefuses(t *testing.T) {
	const good = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	for _, c := range []struct{ name, body, wrong string }{
		{"plain", `{"model":"gpt-6-luna",` + hello, ""},
		{"unknown field", `{"model":"gpt-6-luna","max_output_tokens":3,` + hello, "max_output_tokens"},
		{"temperature while reasoning", `{"model":"gpt-5-mini","temperature":0.4,` + hello, "temperature"},
		{"temperature of 1", `{"model":"gpt-5-mini","temperature":1,` + hello, ""},
		{"temperature by default effort", `{"model":"gpt-6-luna","temperature":0.4,` + hello, "temperature"},
		{"temperature without reasoning", `{"model":"gpt-6-luna","reasoning_effort":"none","temperature":0.4,` + hello, ""},
		{"temperature of another model", `{"model":"gpt-4o-mini","temperature":0.4,` + hello, ""},
		{"old limit", `{"model":"o4-mini","max_tokens":3,` + hello, "max_completion_tokens"},
		{"old limit of another model", `{"model":"gpt-4.1","max_tokens":3,` + hello, ""},
		{"effort that is not offered", `{"model":"gpt-5.1","reasoning_effort":"minimal",` + hello, "Supported values are: none, low"},
		{"effort of a model that does not reason", `{"model":"gpt-4o","reasoning_effort":"low",` + hello, "reasoning_effort"},
		{"schema", `{` + format(good) + `,` + hello, ""},
		{"open schema", `{` + format(`{"type":"object","properties":{}}`) + `,` + hello, "additionalProperties"},
		{"keyword", `{` + format(strings.Replace(good, `"type":"string"`, `"type":"string","maxLength":4`, 1)) + `,` + hello, "maxLength"},
		{"schema of a model that has none", `{"model":"gpt-4",` + format(good) + `,` + hello, "response_format"},
		{"usage without a stream", `{"stream_options":{"include_usage":true},` + hello, "stream_options"},
		{"no content", `{"messages":[{"role":"user"}]}`, "content"},
		{"role", `{"messages":[{"role":"narrator","content":"x"}]}`, "narrator"},
		{"not a chat model", `{"model":"gpt-5-pro",` + hello, "not a chat model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stub := openaitest.New(openaitest.Options{})
			w := ask(t, stub, "/v1/chat/completions", c.body)
			refused := w.Code == http.StatusBadRequest
			if refused != (c.wrong != "") || !strings.Contains(w.Body.String(), c.wrong) || refused != (stub.Counts().Refused == 1) {
				t.Errorf("status %d, %s; want %q", w.Code, w.Body, c.wrong)
			}
		})
	}
}
