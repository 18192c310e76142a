package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

const concluded = `{"locale":"en","text":"a haystack of twice the size is one more look","time":"log n","space":""}
{"locale":"en","text":"We carry a pair of fences and every visitor is greeted by name.","time":"n","space":"1"}
{"locale":"zh","text":"我还没想好。","time":"","space":""}
{"locale":"vi","text":"em chưa chắc","time":"","space":""}
`

// reads are what the model of the test answers, by words of the conclusion.
var reads = map[string]string{
	"one more look":    `{"turn":1,"text":"one more look","of":"time","condition":"none","form":"log n"}`,
	"every visitor is": `{"turn":1,"text":"every visitor","of":"time","condition":"none","form":"n"},{"turn":1,"text":"A PAIR of fences","of":"space","condition":"worst","form":"O(1)"}`,
	"我还没想好":            ``,
	"em chưa chắc":     `{"turn":1,"text":"chắc","of":"time","condition":"none","form":"n^2"}`, // nobody concluded that
}

// modelOf serves a model that reads costs; it counts what it is asked, and how much of that at a time.
func modelOf(t *testing.T, asked, most *atomic.Int32) string {
	t.Helper()
	var now atomic.Int32
	both := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var request struct {
			Messages []struct{ Role, Content string }
			Format   struct {
				Schema struct {
					Strict bool
					Schema json.RawMessage
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal(body, &request); err != nil || !request.Format.Schema.Strict || !strings.Contains(string(request.Format.Schema.Schema), `"costs"`) {
			t.Errorf("asked %s, %v", body, err)
		}
		if n := asked.Add(1); n == 2 {
			close(both) // two are under way at a time
		}
		most.Store(max(most.Load(), now.Add(1)))
		<-both
		defer now.Add(-1)
		costs := ""
		for words, read := range reads {
			if strings.Contains(request.Messages[len(request.Messages)-1].Content, words) {
				costs = read
			}
		}
		text, err := json.Marshal(`{"sections":[],"costs":[` + costs + `],"confidence":0.9}`)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", text)
	}))
	t.Cleanup(service.Close)
	return service.URL + "/v1"
}

// Conclusions are read by the call that an interview makes, several at a time, and counted; what the model answered is replayed without it.
func TestCalibrateConclusions(t *testing.T) {
	var asked, most atomic.Int32
	setting(t)
	dir := inFolder(t, map[string]string{"said.jsonl": concluded, "bad.jsonl": `{"locale":"fr","text":" ","time":"quick"}` + "\n" + `{"words":1}`})
	in, tape, run := filepath.Join(dir, "said.jsonl"), filepath.Join(dir, "tape.json"), filepath.Join(dir, "run.json")
	viva(t, nobody(), "calibrate", "--conclusions", in).wants(t, 0, "grader: rules; conclusions: 4", "all       1 of 2 (50.0 %)  2 of 2 (100.0 %)          0 of 4")
	setting(t, "OPENAI_BASE_URL="+modelOf(t, &asked, &most))
	recorded := viva(t, nobody(), "calibrate", "--conclusions", in, "--llm", "openai", "--evaluators-model", "reader", "--parallel", "2", "--record", tape)
	table := []string{"grader: reader", "all       2 of 2 (100.0 %)  1 of 2 (50.0 %)           1 of 4 (25.0 %)", "vi        –                 0 of 1 (0.0 %)            1 of 1 (100.0 %)"}
	recorded.wants(t, 0, table...)
	if asked.Load() != 4 || most.Load() != 2 {
		t.Errorf("%d questions, %d at a time", asked.Load(), most.Load())
	}
	setting(t)
	viva(t, nobody(), "calibrate", "--conclusions", in, "--replay", tape, "--json", run).wants(t, 0, table...)
	viva(t, nobody(), "calibrate", "--conclusions", in, "--replay", filepath.Join(dir, "none.json")).wants(t, exitFailure, "no recording")
	viva(t, nobody(), "calibrate", "--conclusions", in, "--record", tape).wants(t, exitFailure, "--llm openai")
	viva(t, nobody(), "calibrate", "--conclusions", in, "--half", "all").wants(t, exitUsage, "--half")
	viva(t, nobody(), "calibrate", "--conclusions", in, "--parallel", "0").wants(t, exitUsage, "--parallel")
	viva(t, nobody(), "calibrate", "--conclusions", filepath.Join(dir, "bad.jsonl")).wants(t, exitFailure, "text is missing", `"fr"`, `"quick" is no expression`, "line 2: unknown field")
}

// RM-30: held-out conclusions, in the words of people who saw neither the grammar nor the prompt: what a model reads of them, by the call
// that an interview makes, as it was recorded.
func TestRecordedConclusions(t *testing.T) {
	setting(t)
	for set, table := range map[string]string{
		"heldout-1": "all       119 of 120 (99.2 %)  60 of 60 (100.0 %)        1 of 180 (0.6 %)        0                0",
		"heldout-2": "all       180 of 180 (100.0 %)  60 of 60 (100.0 %)        0 of 240 (0.0 %)        0                0",
	} {
		path := filepath.Join("..", "..", "stages", "conclusion", "testdata", set)
		viva(t, nobody(), "calibrate", "--conclusions", path+".jsonl", "--replay", path+".model.json").wants(t, 0, table)
	}
}
