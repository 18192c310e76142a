package settings

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// environment answers like os.LookupEnv from a map.
func environment(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "viva.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// server is what start needs beyond the defaults.
func server(more map[string]string) map[string]string {
	all := map[string]string{"LIVEKIT_URL": "ws://127.0.0.1:7880", "LIVEKIT_API_KEY": "devkey", "LIVEKIT_API_SECRET": "a-long-enough-secret"}
	for name, value := range more {
		all[name] = value
	}
	return all
}

func mustLoad(t *testing.T, o LoadOptions) *Settings {
	t.Helper()
	s, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func problemsOf(t *testing.T, o LoadOptions) Problems {
	t.Helper()
	_, err := Load(o)
	problems, ok := errors.AsType[Problems](err)
	if !ok {
		t.Fatalf("Load error = %v, want Problems", err)
	}
	return problems
}

func TestDevNeedsNothing(t *testing.T) {
	cacheHome, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this user has no cache directory:", err)
	}
	got := mustLoad(t, LoadOptions{Command: CommandDev})
	got.found = nil
	want := &Settings{
		Command: CommandDev, AgentName: "viva",
		Engines:    Engines{STT: EngineLocal, LLM: EngineScripted, TTS: EngineLocal, Speculate: true},
		OpenAI:     OpenAI{API: APIOpenAI, ChatModel: "gpt-6-luna", STTModel: "gpt-4o-mini-transcribe", TTSModel: "gpt-4o-mini-tts", Voice: "alloy"},
		Local:      Local{PocketsphinxModel: "/usr/share/pocketsphinx/model/en-us", Espeak: "espeak-ng", Voice: "slt", Decoders: 2},
		Companies:  Companies{Wait: 8 * time.Second},
		Evaluator:  Evaluator{Address: "127.0.0.1:8092", Calls: 8},
		Eval:       Eval{ReplyTime: 700 * time.Millisecond, TaskTime: 1500 * time.Millisecond, ModelWait: 10 * time.Minute},
		Voice:      Voice{Cache: filepath.Join(cacheHome, "viva", "voices"), CacheSize: 64},
		Interviews: Interviews{Default: "two_stage", Locale: "en"},
		Store:      Store{URL: "viva-data/interviews.db"},
		Recording:  Recording{Dir: "viva-data/recordings"},
		Worker:     Worker{LoadThreshold: 0.7, LoadSource: LoadProcess, MaxRetries: 16, Replicas: 1},
		Room:       Room{ReconnectGrace: 20 * time.Second},
		Health:     Health{Address: "127.0.0.1:8081"},
		Trace:      Trace{Sample: 1},
		Log:        Log{Level: "info", Format: LogConsole},
		Web:        Web{Enabled: true, Address: "127.0.0.1:7890", LocalTokens: true},
		Dev:        Dev{SignalPort: 7880, UDPPort: 7882, ServerFile: "viva-data/dev-server.yaml"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Settings{})); diff != "" {
		t.Error(diff)
	}
	if !got.EmbeddedServer() {
		t.Error("dev without LIVEKIT_URL does not start its own server")
	}
}

func TestVoiceCacheIsForTheUser(t *testing.T) {
	tests := []struct {
		name, home, file string
		flags            map[string]string
		want             string
	}{
		{name: "default", home: "/home/ada", want: filepath.Join("/home/ada", ".cache", "viva", "voices")},
		{name: "no home", want: ""},
		{name: "chosen", home: "/home/ada", flags: map[string]string{"voice-cache": "/srv/voices"}, want: "/srv/voices"},
		{name: "none by flag", home: "/home/ada", flags: map[string]string{"voice-cache": ""}, want: ""},
		{name: "none by file", home: "/home/ada", file: "voice: {cache: \"\"}\n", want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS != "linux" {
				t.Skip("the directory has another name here")
			}
			t.Setenv("HOME", tt.home)
			t.Setenv("XDG_CACHE_HOME", "")
			o := LoadOptions{Command: CommandDev, Flags: tt.flags}
			if tt.file != "" {
				o.File = writeFile(t, tt.file)
			}
			if got := mustLoad(t, o).Voice.Cache; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStartDiffersFromDev(t *testing.T) {
	s := mustLoad(t, LoadOptions{Command: CommandStart, Env: environment(server(nil))})
	if s.Web.Enabled || s.Log.Format != LogJSON || s.Health.Address != ":8081" || s.Worker.DrainLimit != 30*time.Minute || s.EmbeddedServer() {
		t.Errorf("production defaults not in force: %+v", s)
	}
}

func TestLaterSourceWins(t *testing.T) {
	file := "agent_name: from-file\n"
	tests := []struct {
		name       string
		file       string
		env        map[string]string
		flags      map[string]string
		want, from string
	}{
		{"default", "", nil, nil, "viva", "default"},
		{"file", file, nil, nil, "from-file", "viva.yaml:1"},
		{"variable", file, map[string]string{"VIVA_AGENT_NAME": "v"}, nil, "v", "environment VIVA_AGENT_NAME"},
		{"second variable", file, map[string]string{"LIVEKIT_AGENT_NAME": "lk"}, nil, "lk", "environment LIVEKIT_AGENT_NAME"},
		{"first of two variables", "", map[string]string{"LIVEKIT_AGENT_NAME": "lk", "VIVA_AGENT_NAME": "v"}, nil, "v", "environment VIVA_AGENT_NAME"},
		{"empty variable is none", file, map[string]string{"VIVA_AGENT_NAME": ""}, nil, "from-file", "viva.yaml:1"},
		{"flag", file, map[string]string{"VIVA_AGENT_NAME": "v"}, map[string]string{"agent-name": "f"}, "f", "flag --agent-name"},
		{"override", file, map[string]string{"LIVEKIT_AGENT_NAME_OVERRIDE": "o"}, map[string]string{"agent-name": "f"}, "o", "environment LIVEKIT_AGENT_NAME_OVERRIDE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := LoadOptions{Command: CommandDev, Env: environment(tt.env), Flags: tt.flags}
			if tt.file != "" {
				o.File = writeFile(t, tt.file)
			}
			s := mustLoad(t, o)
			if s.AgentName != tt.want || !strings.HasSuffix(s.found["agent_name"].from, tt.from) {
				t.Errorf("got %q from %q, want %q from %q", s.AgentName, s.found["agent_name"].from, tt.want, tt.from)
			}
		})
	}
}

func TestFileNamedByVariable(t *testing.T) {
	path := writeFile(t, "worker:\n  max_jobs: 3\n")
	s := mustLoad(t, LoadOptions{Command: CommandDev, Env: environment(map[string]string{FileVariable: path})})
	if s.Worker.MaxJobs != 3 {
		t.Errorf("max jobs = %d, want 3", s.Worker.MaxJobs)
	}
}

func TestEnginesFollowTheService(t *testing.T) {
	key := map[string]string{"OPENAI_API_KEY": "sk-0123456789"}
	tests := []struct {
		name  string
		env   map[string]string
		flags map[string]string
		file  string
		want  Engines
	}{
		{"nothing", nil, nil, "", Engines{EngineLocal, EngineScripted, EngineLocal, true}},
		{"key", key, nil, "", Engines{EngineOpenAI, EngineOpenAI, EngineOpenAI, true}},
		{"base URL alone", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}, nil, "", Engines{EngineOpenAI, EngineOpenAI, EngineOpenAI, true}},
		{"key in the file", nil, nil, "openai:\n  api_key: sk-0123456789\n", Engines{EngineOpenAI, EngineOpenAI, EngineOpenAI, true}},
		{"key, local ears", key, map[string]string{"stt": "local"}, "", Engines{EngineLocal, EngineOpenAI, EngineOpenAI, true}},
		{"key, no model", key, map[string]string{"llm": "scripted"}, "", Engines{EngineOpenAI, EngineScripted, EngineOpenAI, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := LoadOptions{Command: CommandDev, Env: environment(tt.env), Flags: tt.flags}
			if tt.file != "" {
				o.File = writeFile(t, tt.file)
			}
			if diff := cmp.Diff(tt.want, mustLoad(t, o).Engines); diff != "" {
				t.Error(diff)
			}
		})
	}
}
