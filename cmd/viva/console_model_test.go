package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// personaAnswers are a whole persona interview.
const personaAnswers = `the senior developer
I studied statistics and cleaned survey data for two years.
First I compared both tables by hand, then I wrote a script that found the doubled rows.
I measured it and cut the run from two hours to ten minutes.
I planned the work for three people and kept to the date.
I asked a colleague to check my numbers because the result surprised me.
No, thank you.
`

// Whatever the model, nothing that an interviewer who leads and judges ask is refused by a service that refuses what the real one does.
func TestNoModelIsAskedForWhatItRefuses(t *testing.T) {
	for _, model := range []string{"", "gpt-5-mini", "gpt-5.1", "gpt-5.6-luna", "o4-mini", "gpt-4.1-mini", "llama3.3"} {
		t.Run(model, func(t *testing.T) {
			stub := openaitest.New(openaitest.Options{Key: openAIKey})
			service := httptest.NewServer(stub)
			defer service.Close()
			setting(t, "OPENAI_BASE_URL="+service.URL+"/v1", "OPENAI_API_KEY="+openAIKey, "OPENAI_CHAT_MODEL="+model)
			o := viva(t, strings.NewReader(personaAnswers), "console", "--interview", "persona_interview", "--name", "Ada")
			o.wants(t, 0)
			if n := stub.Counts(); n.Refused != 0 || n.Chats < 8 {
				t.Errorf("%d of %d requests were refused", n.Refused, n.Chats)
			}
			if strings.Contains(o.out, "Refused by a model") {
				t.Errorf("the report tells of refusals:\n%s", o.out)
			}
		})
	}
}

// What is refused all the same is told where the report says how it was made.
func TestReportTellsWhatWasRefused(t *testing.T) {
	stub := openaitest.New(openaitest.Options{Key: openAIKey})
	stub.Fail(openaitest.Chat, openaitest.Fault{Status: 400, Code: "unsupported_value"})
	service := httptest.NewServer(stub)
	defer service.Close()
	setting(t, "OPENAI_BASE_URL="+service.URL+"/v1", "OPENAI_API_KEY="+openAIKey)
	o := viva(t, strings.NewReader(personaAnswers), "console", "--interview", "persona_interview", "--name", "Ada")
	o.wants(t, 0)
	inOrder(t, o.out, "Goodbye!", "Interview report: Ada", "Refused by a model", "evaluators: openai: chat: the request was refused: status 400", "interviewer: openai")
	if strings.Contains(o.out, "Are you ready to begin?") || strings.Count(o.out, "\nInterviewer:") != 10 {
		t.Errorf("the rules did not take every turn at once:\n%s", o.out)
	}
}
