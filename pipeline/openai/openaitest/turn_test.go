package openaitest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// asked sends a chat request for a turn and returns the text of its answer and the cached tokens.
func asked(t *testing.T, url, system, user string) (text string, cached int) {
	t.Helper()
	body := fmt.Sprintf(`{"model":"gpt-4.1-mini","messages":[{"role":"system","content":%q},{"role":"user","content":%q}],`+
		`"response_format":{"type":"json_schema","json_schema":{"name":"turn","strict":true,"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}}`, system, user)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
		Usage   struct {
			Details struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		}
	}
	if err := json.Unmarshal(raw, &reply); err != nil || len(reply.Choices) == 0 {
		t.Fatalf("%v in %s", err, raw)
	}
	return reply.Choices[0].Message.Content, reply.Usage.Details.Cached
}

// A request for a turn is answered with words first and a reading that quotes the candidate.
func TestTurns(t *testing.T) {
	for name, c := range map[string]struct {
		script *openaitest.Scripted
		want   string
	}{
		"by itself": {nil, `"quote":"I build trams."`},
		"words":     {&openaitest.Scripted{Text: "Go on \"then\"."}, `{"say":"Go on \"then\".","reading":{"acts":[`},
		"a reading": {&openaitest.Scripted{Text: "Bye.", Reading: `{"did":"end"}`}, `{"say":"Bye.","reading":{"did":"end"}}`},
		"no JSON":   {&openaitest.Scripted{Text: "Bye.", Reading: `{"did":`}, `{"say":"Bye.","reading":{"did":`},
		"whole":     {&openaitest.Scripted{Text: `{"say":"Bye."}`}, `{"say":"Bye."}`},
	} {
		t.Run(name, func(t *testing.T) {
			var o openaitest.Options
			if c.script != nil {
				o.Reply = func(openaitest.ChatRequest) openaitest.Scripted { return *c.script }
			}
			server := httptest.NewServer(openaitest.New(o))
			defer server.Close()
			text, _ := asked(t, server.URL, "You interview.", "<candidate>I build trams.</candidate>")
			if !strings.HasPrefix(text, `{"say":"`) || !strings.Contains(text, c.want) || (name != "no JSON") != json.Valid([]byte(text)) {
				t.Errorf("answered %s", text)
			}
		})
	}
}

// What stands at the beginning of a prompt as it did before is reported as cached, as providers do: nothing below 1024 tokens.
func TestCachedTokens(t *testing.T) {
	server := httptest.NewServer(openaitest.New(openaitest.Options{}))
	defer server.Close()
	long := strings.Repeat("You interview. ", 400) // 1500 tokens
	for i, c := range []struct {
		system, user string
		want         int
	}{{long, "one", 0}, {long, "two", 1408}, {"new: " + long, "two", 0}, {long[:3000], "one", 0}, {long, "three", 1408}} {
		if _, cached := asked(t, server.URL, c.system, c.user); cached != c.want {
			t.Errorf("request %d: %d tokens cached, want %d", i, cached, c.want)
		}
	}
}
