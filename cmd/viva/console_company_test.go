package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const companyToken = "a-companys-token-that-nobody-may-ever-see"

// remoteCompany is a company's own service, which passes everybody at once; down makes it fail.
type remoteCompany struct {
	*httptest.Server
	mu    sync.Mutex
	down  bool
	calls map[string]int
	wrong []string // what was wrong with requests
}

func startCompany(t *testing.T) *remoteCompany {
	c := &remoteCompany{calls: make(map[string]int)}
	answers := map[string]string{
		"/start_interview": `{}`, "/get_question": `{"question":"Design a search engine for recipes."}`,
		"/get_phases": `{"phases":[{"id":"goals","name":"Goals","description":"What it is for","keywords":["users","non-goals"]},
			{"id":"deep_dive","name":"Deep Dive","description":"One part in depth","keywords":["bottleneck","cache"]}]}`,
		"/evaluate_phase": `{"decision":"next_phase","score":8.5,"feedback":"Well done.","gaps":[]}`,
	}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.calls[r.URL.Path]++
		if r.Header.Get("Authorization") != "Bearer "+companyToken {
			c.wrong = append(c.wrong, r.URL.Path+" without its token")
		}
		var judged struct {
			PhaseID string `json:"phase_id"`
			History []any  `json:"conversation_history"`
		}
		if r.URL.Path == "/evaluate_phase" {
			if err := json.NewDecoder(r.Body).Decode(&judged); err != nil || judged.PhaseID == "" || len(judged.History) == 0 {
				c.wrong = append(c.wrong, "a judgement of nothing")
			}
		}
		if c.down && r.URL.Path == "/evaluate_phase" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answers[r.URL.Path])
	}))
	t.Cleanup(c.Close)
	return c
}

// folder is an interviews folder that knows the company as far.
func (c *remoteCompany) folder(t *testing.T) string {
	dir := t.TempDir()
	file := filepath.Join(dir, "companies", "far.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	text := "company: far\ninterviews: {system_design: {remote: {url: '" + c.URL + "'}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const designAnswers = `Yes, ready.
I am a backend engineer at a bank.
It is for users who cook, and recommendations are non-goals.
They search by what is in the fridge.
The bottleneck is the index, so I put a cache in front.
The cache holds the hundred most frequent searches.
I would improve the monitoring.
`

// A whole system-design interview held as a company does, whose service has the question, the sub-phases and the judgement
// (R000-6, R000-64, R000-65, R000-66, R000-68).
func TestConsoleRemoteCompany(t *testing.T) {
	c := startCompany(t)
	setting(t, "VIVA_COMPANY_HOSTS=127.0.0.1", "VIVA_COMPANY_TOKENS=far="+companyToken)
	o := viva(t, strings.NewReader(designAnswers), "console", "--interview", "system_design", "--interviews", c.folder(t), "--var", "company=far")
	o.wants(t, 0)
	inOrder(t, o.out, "Goals (3 of 4, part 1 of 2)", "Design a search engine for recipes.", "Deep Dive (3 of 4, part 2 of 2)", "Closing (4 of 4)", "the interview is over (done)")
	if len(c.wrong) > 0 || c.calls["/get_phases"] != 1 || c.calls["/evaluate_phase"] != 2 {
		t.Errorf("%v, %v", c.wrong, c.calls)
	}
	if strings.Contains(o.out+o.errs, companyToken) {
		t.Error("the token was told")
	}
}

// A company whose judge fails does not hold anybody up: keywords decide, and say that they stand in (R000-55, R000-69).
func TestConsoleCompanyWithoutJudge(t *testing.T) {
	c := startCompany(t)
	c.down = true
	setting(t, "VIVA_COMPANY_HOSTS=127.0.0.1", "VIVA_COMPANY_TOKENS=far="+companyToken)
	journals := t.TempDir()
	o := viva(t, strings.NewReader(designAnswers), "console", "--interview", "system_design", "--interviews", c.folder(t), "--var", "company=far", "--store", "dir:"+journals)
	o.wants(t, 0)
	inOrder(t, o.out, "part 1 of 2", "part 2 of 2", "Closing (4 of 4)", "the interview is over (done)")
	degraded := 0
	for _, e := range journal(t, journals) {
		if e.Type == "task.done" && strings.Contains(string(e.Data), `"status":"degraded"`) {
			degraded++
		}
	}
	if degraded != c.calls["/evaluate_phase"] || degraded == 0 {
		t.Errorf("%d judgements were degraded; the company was asked %v", degraded, c.calls)
	}
}

// A company whose host is not on the list is an error at the start that names the setting.
func TestConsoleCompanyThatIsNotAllowed(t *testing.T) {
	c := startCompany(t)
	setting(t)
	viva(t, strings.NewReader(designAnswers), "console", "--interview", "system_design", "--interviews", c.folder(t)).wants(t, exitFailure, "far", "VIVA_COMPANY_HOSTS")
}

// A whole algorithm interview typed in the terminal, in both languages: the task is shown, and the interview ends by itself
// or with the input.
func TestConsoleCoach(t *testing.T) {
	setting(t)
	for locale, c := range map[string]struct {
		lines []string
		wants []string
	}{
		"en": {
			[]string{"I get a price list and a value and return two positions.", "For every pair I check whether the prices add up to the value.", "That is quadratic time, O(n^2)."},
			[]string{"── The gift card", "A shop gives you a gift card", "Understanding the task (1 of 7)", "Here is the task", "Idea (2 of 7)"},
		},
		"zh": {
			[]string{"我拿到一份价格表和面值，要返回两件商品的位置。", "先用暴力，两重循环逐对检查价格之和。", "时间是平方级。"},
			[]string{"── 礼品卡", "Understanding the task (1 of 7)", "Idea (2 of 7)"},
		},
	} {
		o := viva(t, strings.NewReader(strings.Join(c.lines, "\n")+"\n"), "console", "--interview", "algorithm_coach", "--locale", locale, "--var", "problem=gift_pair", "--name", "Ada")
		o.wants(t, 0)
		inOrder(t, o.out, c.wants...)
		if strings.Contains(o.out, "hash map") || strings.Contains(o.out, "哈希") {
			t.Errorf("the pattern was told:\n%s", o.out)
		}
	}
}
