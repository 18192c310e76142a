package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"github.com/vivavoice/viva/pipeline/audio"
)

// A command that cannot be understood, or that lacks settings, says in one message all that is wrong and how to mend it.
func TestBadCommandLines(t *testing.T) {
	tests := []struct {
		name  string
		env   []string
		args  []string
		code  int
		wants []string
	}{
		{"a server", nil, []string{"start"}, exitUsage, []string{
			"3 settings need attention", "set LIVEKIT_URL, pass --url", "set LIVEKIT_API_KEY", "set LIVEKIT_API_SECRET",
		}},
		{"the room too", nil, []string{"dispatch"}, exitUsage, []string{"4 settings need attention", "LIVEKIT_URL", "pass --room"}},
		{"only the room", server("ws://127.0.0.1:1"), []string{"dispatch"}, exitUsage, []string{"1 setting needs attention", "pass --room"}},
		{"load test", nil, []string{"loadtest"}, exitUsage, []string{"3 settings need attention"}},
		{"half a server", []string{"LIVEKIT_URL=ws://127.0.0.1:1"}, []string{"dev"}, exitUsage, []string{"LIVEKIT_API_KEY and LIVEKIT_API_SECRET"}},
		{"model without a key", nil, []string{"console", "--llm", "openai"}, exitUsage, []string{
			"engines.llm (flag --llm) is openai", "OPENAI_API_KEY", "--llm scripted",
		}},
		{"all engines without a key", server("ws://127.0.0.1:1"), []string{"start", "--stt=openai", "--llm=openai", "--tts=openai"}, exitUsage, []string{
			"3 settings need attention", "--stt local", "--llm scripted", "--tts local",
		}},
		{"no such engine", nil, []string{"console", "--llm", "opnai"}, exitUsage, []string{`"opnai" is not a choice`, "did you mean openai?"}},
		{"a wrong address", server("livekit.example"), []string{"start"}, exitUsage, []string{"is not a whole address", "environment LIVEKIT_URL"}},
		{"an unknown key in the file", nil, []string{"config", "--config", "testdata/settings.yaml"}, exitUsage, []string{
			"testdata/settings.yaml:4:1", "agent_nam", "did you mean agent_name?",
		}},
		{"no such file", nil, []string{"config", "--config", "testdata/none.yaml"}, exitFailure, []string{"testdata/none.yaml", "no such file"}},
		{"no such command", nil, []string{"interview"}, exitUsage, []string{`there is no command "interview"`, "viva --help"}},
		{"no such flag", nil, []string{"start", "--bogus"}, exitUsage, []string{"-bogus", "viva start --help"}},
		{"an argument too many", nil, []string{"console", "two_stage"}, exitUsage, []string{`"two_stage" is not expected here`}},
		{"not a number", server("ws://127.0.0.1:1"), []string{"loadtest", "--rooms", "many"}, exitUsage, []string{`"many"`, "rooms"}},
		{"files to validate", nil, []string{"validate"}, exitFailure, []string{"viva validate FILE"}},
		{"no such interview", nil, []string{"console", "--interview", "chess"}, exitFailure, []string{`"chess"`, "conversation, evaluation, persona_interview, system_design, two_stage"}},
		{"no such default", nil, []string{"console", "--default-interview", "chess"}, exitFailure, []string{`"chess"`, "conversation, evaluation, persona_interview, system_design, two_stage"}},
		{"no such folder", nil, []string{"console", "--interviews", "testdata/none"}, exitFailure, []string{"testdata/none", "--interviews"}},
		{"a bad file in the folder", nil, []string{"console", "--interviews", "testdata/interviews"}, exitFailure, []string{
			"five_errors.yaml:1:1: kind", "five_errors.yaml:12:22: stages[0].no_input[0].do",
		}},
		{"nobody to ask for health", nil, []string{"health", "--health-address", closedAddress(t)}, exitFailure, []string{"no worker answers"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			setting(t, test.env...)
			viva(t, nobody(), test.args...).wants(t, test.code, test.wants...)
		})
	}
}

func TestHelp(t *testing.T) {
	setting(t)
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		viva(t, nobody(), args...).wants(t, 0, "start", "console", "dispatch", "loadtest", "validate", "config")
	}
	viva(t, nobody(), "start", "--help").wants(t, 0, "--drain-limit", "[$LIVEKIT_URL]", "SIGTERM drains")
}

func TestConfigShowsValuesAndSources(t *testing.T) {
	setting(t, append(server("ws://127.0.0.1:7880"), "OPENAI_API_KEY="+openAIKey)...)
	o := viva(t, nobody(), "config", "--max-jobs", "9")
	o.wants(t, 0)
	lines := make(map[string]string)
	for line := range strings.Lines(o.out) {
		if f := strings.Fields(line); len(f) > 2 {
			lines[f[0]] = strings.Join(f[1:], " ")
		}
	}
	for key, want := range map[string]string{
		"livekit.url":        "ws://127.0.0.1:7880 environment LIVEKIT_URL",
		"livekit.api_secret": "****-see environment LIVEKIT_API_SECRET",
		"openai.api_key":     "****-see environment OPENAI_API_KEY",
		"worker.max_jobs":    "9 flag --max-jobs",
		"engines.llm":        "openai default, because openai.api_key is set",
		"agent_name":         "viva default",
	} {
		if lines[key] != want {
			t.Errorf("%s: %q, want %q", key, lines[key], want)
		}
	}
}

func TestValidate(t *testing.T) {
	setting(t)
	shipped, err := filepath.Glob("../../stages/kinds/*.yaml")
	if err != nil || len(shipped) < 2 {
		t.Fatalf("shipped interviews: %v, %v", shipped, err)
	}
	viva(t, nobody(), append([]string{"validate"}, shipped...)...).wants(t, 0, "two_stage, 3 stages, [en], at most 6m50s: good", "conversation")

	o := viva(t, nobody(), "validate", shipped[0], "testdata/interviews/five_errors.yaml", "testdata/none.yaml")
	o.wants(t, exitFailure, "good", "testdata/none.yaml: no such file", "testdata/interviews/five_errors.yaml: 6 problems",
		`1:1: kind: "Broken Kind"`, `2:1: title: give the interview a title`, `7:5: stages[0].goals: unknown key "goals"; did you mean "goal"?`,
		`10:14: stages[0].limits.hard: "soon"`, `12:22: stages[0].no_input[0].do: unknown move "shout"`,
		"the words for language en are missing")
}

func TestHealth(t *testing.T) {
	setting(t)
	status := http.StatusOK
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "state of the worker") // the client's loss
	}))
	defer worker.Close()
	address := worker.Listener.Addr().String()
	viva(t, nobody(), "health", "--health-address", address).wants(t, 0, "state of the worker")
	status = http.StatusServiceUnavailable
	viva(t, nobody(), "health", "--health-address", address).wants(t, exitFailure, "503", "state of the worker")
	http.DefaultClient.CloseIdleConnections()
}

func TestDispatch(t *testing.T) {
	var got livekit.CreateAgentDispatchRequest
	var answer http.HandlerFunc
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || proto.Unmarshal(body, &got) != nil {
			t.Errorf("read the request: %v", err)
		}
		answer(w, r)
	}))
	defer api.Close()
	defer http.DefaultClient.CloseIdleConnections()

	t.Run("made", func(t *testing.T) {
		setting(t, server(api.URL)...)
		answer = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/twirp/livekit.AgentDispatchService/CreateDispatch" {
				t.Errorf("asked for %s", r.URL.Path)
			}
			body, err := proto.Marshal(&livekit.AgentDispatch{Id: "AD_1", AgentName: got.GetAgentName(), Room: got.GetRoom()})
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/protobuf")
			_, _ = w.Write(body) // the client's loss
		}
		viva(t, nobody(), "dispatch", "--room", "r1", "--interview", "two_stage", "--name", "Ada").wants(t, 0, `AD_1: agent "viva" into room "r1"`)
		if want := `{"interview":"two_stage","candidate":{"name":"Ada"}}`; got.GetMetadata() != want || got.GetAgentName() != "viva" {
			t.Errorf("asked with %q for %q, want %q", got.GetMetadata(), got.GetAgentName(), want)
		}
	})
	t.Run("wrong key", func(t *testing.T) {
		setting(t, server(api.URL)...)
		answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"unauthenticated","msg":"invalid API key"}`)
		}
		viva(t, nobody(), "dispatch", "--room", "r1").wants(t, exitFailure, "invalid API key", "check LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET")
	})
	t.Run("a web page", func(t *testing.T) {
		setting(t, server(api.URL)...)
		answer = page404
		viva(t, nobody(), "dispatch", "--room", "r1").wants(t, exitFailure, api.URL, "check LIVEKIT_URL")
	})
	t.Run("nobody", func(t *testing.T) {
		address := closedAddress(t)
		setting(t, server("ws://"+address)...)
		viva(t, nobody(), "dispatch", "--room", "r1").wants(t, exitFailure, address, "connection refused", "check LIVEKIT_URL")
	})
}

// Metadata that a worker would refuse is refused before anything is sent.
func TestDispatchRefusesBadMetadata(t *testing.T) {
	setting(t, server("ws://127.0.0.1:1")...)
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"broken off":  {[]string{"--metadata", `{"interview":`}, "must be JSON such as"},
		"no JSON":     {[]string{"--metadata", `two_stage`}, "goes wrong at byte 2"},
		"wrong type":  {[]string{"--metadata", `{"interview":7}`}, "interview must be string, not number"},
		"unknown key": {[]string{"--metadata", `{"intervju":"x"}`}, "intervju"},
		"1 MB":        {[]string{"--metadata", `{"vars":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`}, "at most 65536 are taken"},
		"said twice":  {[]string{"--metadata", `{}`, "--name", "Ada"}, "--metadata replaces --interview, --name and --resume"},
	} {
		t.Run(name, func(t *testing.T) {
			o := viva(t, nobody(), append([]string{"dispatch", "--room", "r"}, test.args...)...)
			o.wants(t, exitFailure, test.want)
			if len(o.errs) > 1000 {
				t.Errorf("the message has %d bytes", len(o.errs))
			}
		})
	}
}

func TestLoadTestFailures(t *testing.T) {
	wav := recording(t)
	t.Run("bad numbers", func(t *testing.T) {
		setting(t, server("ws://127.0.0.1:1")...)
		viva(t, nobody(), "loadtest", "--wav", wav, "--rooms", "0", "--turns=-1", "--barge-ins", "9").wants(t, exitFailure,
			"rooms: 0 is not between 1 and 10000", "turns: -1 is not between", "barge-ins: 9 is not between")
	})
	t.Run("no such recording", func(t *testing.T) {
		setting(t, server("ws://127.0.0.1:1")...)
		viva(t, nobody(), "loadtest", "--wav", "none.wav").wants(t, exitFailure, "none.wav")
	})
	t.Run("nobody", func(t *testing.T) {
		address := closedAddress(t)
		setting(t, server("ws://"+address)...)
		viva(t, nobody(), "loadtest", "--wav", wav, "--rooms", "2", "--ramp", "0s").wants(t, exitFailure,
			"failed 2", "no room got through", address, "check LIVEKIT_URL")
	})
}

// recording writes a second of a buzz.
func recording(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "buzz.wav")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w, err := audio.NewWAVWriter(f, 16000, 1)
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, 16000)
	for i := range pcm {
		pcm[i] = int16(i % 100 * 100)
	}
	if err := w.Write(pcm); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func page404(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, "<!doctype html><title>Not here</title>") // the client's loss
}

// closedAddress is one at which nobody listens.
func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
