package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// verdict is a schema in the strict subset.
const verdict = `{"type":"object","additionalProperties":false,"required":["level"],"properties":{"level":{"type":"integer","minimum":1,"maximum":5}}}`

// of is a client of a stub for a model.
func of(t *testing.T, h http.Handler, cfg openai.Config) *openai.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	cfg.BaseURL, cfg.APIKey, cfg.ChatLimits = server.URL+cfg.BaseURL, "secret-key", fault.Limits{Retry: &fault.Retry{}}
	c, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

var (
	warm = 0.4
	cold = 0.0
	said = llm.Request{MaxTokens: 220, Effort: llm.EffortLeast}
	warmly,
	coldly = llm.Request{MaxTokens: 300, Effort: llm.EffortMore, Temperature: &warm, Schema: json.RawMessage(verdict)},
		llm.Request{MaxTokens: 300, Effort: llm.EffortMore, Temperature: &cold, Schema: json.RawMessage(verdict)}
)

// Whatever the model, wording and judging are asked for in a form that it takes, with room for its reasoning.
func TestEveryModelTakesWhatIsAsked(t *testing.T) {
	type sent struct {
		effort   string
		limit    int
		oldLimit int
		warm     bool
	}
	for _, c := range []struct {
		model        string
		live, judged sent
	}{
		{"gpt-6.1-sol", sent{limit: 4316, effort: "low"}, sent{effort: "low", limit: 4396}},
		{openai.DefaultChatModel, sent{effort: "none", limit: 220}, sent{effort: "low", limit: 4396}},
		{"gpt-6.1-terra", sent{effort: "none", limit: 220}, sent{effort: "low", limit: 4396}},
		{"gpt-5.6-luna", sent{effort: "none", limit: 220}, sent{effort: "low", limit: 4396}},
		{"gpt-5.4-mini", sent{limit: 220}, sent{effort: "low", limit: 4396}},
		{"gpt-5.1", sent{limit: 220}, sent{effort: "low", limit: 4396}},
		{"gpt-5-mini", sent{effort: "minimal", limit: 732}, sent{effort: "low", limit: 4396}},
		{"gpt-5-nano", sent{effort: "minimal", limit: 732}, sent{effort: "low", limit: 4396}},
		{"o4-mini", sent{effort: "low", limit: 4316}, sent{effort: "low", limit: 4396}},
		{"o3", sent{effort: "low", limit: 4316}, sent{effort: "low", limit: 4396}},
		{"gpt-4o-mini", sent{limit: 220}, sent{limit: 300, warm: true}},
		{"gpt-4.1", sent{limit: 220}, sent{limit: 300, warm: true}},
		{"llama3.3", sent{oldLimit: 220}, sent{oldLimit: 300, warm: true}},
	} {
		t.Run(c.model, func(t *testing.T) {
			var got []openaitest.ChatRequest
			stub := openaitest.New(openaitest.Options{Reply: func(r openaitest.ChatRequest) openaitest.Scripted {
				got = append(got, r)
				return openaitest.Scripted{Text: `{"level":3}`}
			}})
			client := of(t, stub, openai.Config{BaseURL: "/v1", ChatModel: c.model})
			requests := []llm.Request{said, warmly, coldly}
			for i, r := range requests {
				if _, _, err := chat(t.Context(), client, r); err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
			}
			for i, r := range got {
				want := c.live
				if i > 0 {
					want = c.judged
				}
				if (sent{r.Effort, r.Limit, r.OldLimit, r.Temperature != nil}) != want {
					t.Errorf("request %d: effort %q, limits %d and %d, temperature %v; want %+v", i, r.Effort, r.Limit, r.OldLimit, r.Temperature, want)
				}
			}
			if c.judged.warm && (*got[1].Temperature != 0.4 || *got[2].Temperature > 1e-9) {
				t.Errorf("temperatures %v and %v; want 0.4 and 0", *got[1].Temperature, *got[2].Temperature)
			}
		})
	}
}

// A setting decides over what is asked.
func TestEffortOfTheSettings(t *testing.T) {
	var got openaitest.ChatRequest
	stub := openaitest.New(openaitest.Options{Reply: func(r openaitest.ChatRequest) openaitest.Scripted {
		got = r
		return openaitest.Scripted{Text: "Well."}
	}})
	client := of(t, stub, openai.Config{BaseURL: "/v1", Effort: "high"})
	if _, _, err := chat(t.Context(), client, said); err != nil || got.Effort != "high" {
		t.Errorf("effort %q, %v; want high", got.Effort, err)
	}
}

func TestWhatNoModelCanDoIsRefusedForItsForm(t *testing.T) {
	stub := openaitest.New(openaitest.Options{})
	for model, r := range map[string]llm.Request{"gpt-4-turbo": warmly, openai.DefaultChatModel: {Schema: json.RawMessage(`{"type":"object"}`)}} {
		_, _, err := chat(t.Context(), of(t, stub, openai.Config{BaseURL: "/v1", ChatModel: model}), r)
		if fault.KindOf(err) != fault.BadRequest || !fault.Form(err) {
			t.Errorf("%s: %v", model, err)
		}
	}
	for _, f := range []openaitest.Fault{{Status: 400, Code: "content_filter"}, {Status: 401}, {Status: 500}} {
		stub.Fail(openaitest.Chat, f)
		if _, _, err := chat(t.Context(), of(t, stub, openai.Config{BaseURL: "/v1"}), said); err == nil || fault.Form(err) {
			t.Errorf("%+v counts as a refusal of the form: %v", f, err)
		}
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	stub := openaitest.New(openaitest.Options{})
	stub.Fail(openaitest.Chat, openaitest.Fault{Status: 429, RetryAfter: 7 * time.Second})
	stub.Fail(openaitest.Speech, openaitest.Fault{Status: 429, RetryAfter: 7 * time.Second})
	c := of(t, stub, openai.Config{BaseURL: "/v1", SpeechLimits: fault.Limits{Retry: &fault.Retry{}}})
	for endpoint, ask := range requests {
		if endpoint == openaitest.Transcriptions {
			continue
		}
		err := ask(t.Context(), c)
		if known, is := asFault(err); !is || known.RetryAfter != 7*time.Second {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

// azure is a server with deployments: the stub behind other addresses.
func azure(stub http.Handler, seen *[]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.URL.Path+" "+r.URL.Query().Get("api-version")+" "+r.Header.Get("api-key")+r.Header.Get("Authorization"))
		path := r.URL.Path
		for _, d := range []string{"/openai/deployments/talk", "/openai/deployments/gpt-4o-mini-tts", "/openai/deployments/gpt-4o-mini-transcribe", "/openai"} {
			if rest, is := strings.CutPrefix(path, d); is {
				r.URL.Path = "/v1" + rest
				break
			}
		}
		stub.ServeHTTP(w, r)
	})
}

func TestAzure(t *testing.T) {
	var seen []string
	var schema string
	stub := openaitest.New(openaitest.Options{Reply: func(r openaitest.ChatRequest) openaitest.Scripted {
		schema = string(r.ResponseFormat)
		return openaitest.Scripted{Text: `{"level":3}`}
	}})
	c := of(t, azure(stub, &seen), openai.Config{API: openai.Azure, Deployments: map[string]string{"gpt-5-mini": "talk"}, ChatModel: "gpt-5-mini"})
	if err := c.Prewarm(t.Context()); err != nil {
		t.Error(err)
	}
	if _, _, err := chat(t.Context(), c, warmly); err != nil {
		t.Error(err)
	}
	for _, endpoint := range []openaitest.Endpoint{openaitest.Speech, openaitest.Transcriptions} {
		if err := requests[endpoint](t.Context(), c); err != nil {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	want := []string{
		"/openai/models 2025-04-01-preview secret-key", "/openai/deployments/talk/chat/completions 2025-04-01-preview secret-key",
		"/openai/deployments/gpt-4o-mini-tts/audio/speech 2025-04-01-preview secret-key",
		"/openai/deployments/gpt-4o-mini-transcribe/audio/transcriptions 2025-04-01-preview secret-key",
	}
	if strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(schema, "minimum") || !strings.Contains(schema, "level") {
		t.Errorf("sent the schema %s; Azure refuses bounds", schema)
	}
}

func TestNewRefusesWhatTheModelDoesNotOffer(t *testing.T) {
	for want, cfg := range map[string]openai.Config{
		"none, low, medium": {APIKey: "k", Effort: "minimal"},
		"none at all":       {APIKey: "k", ChatModel: "gpt-4o-mini", Effort: "low"},
		"Chat Completions":  {APIKey: "k", ChatModel: "gpt-5-pro"},
		"OPENAI_BASE_URL":   {APIKey: "k", API: openai.Azure},
		"OPENAI_API_KEY":    {BaseURL: "https://x.openai.azure.com", API: openai.Azure},
		"no way":            {APIKey: "k", API: "bedrock"},
	} {
		if _, err := openai.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", cfg, err, want)
		}
	}
}

// The first words are here before the second ones are sent: nothing between the connection and the reader waits for more.
func TestFirstWordsDoNotWait(t *testing.T) {
	goOn := make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"Well"}}]}`+"\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "\n"+`data: {"choices":[{"delta":{"content":", yes."},"finish_reason":"stop"}]}`+"\n\n")
	})
	s, err := of(t, h, openai.Config{BaseURL: "/v1"}).Model().Stream(t.Context(), said)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Next(); err != nil || d.Text != "Well" {
		t.Errorf("%q, %v", d.Text, err)
	}
	close(goOn)
	if d, err := s.Next(); err != nil || d.Text != ", yes." {
		t.Errorf("%q, %v", d.Text, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
