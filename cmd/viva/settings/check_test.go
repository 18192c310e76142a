package settings

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissingSettingsAreNamedTogether(t *testing.T) {
	problems := problemsOf(t, LoadOptions{Command: CommandStart, Flags: map[string]string{"llm": "openai"}})
	want := `4 settings need attention:
  - livekit.url is missing: set LIVEKIT_URL, pass --url or write livekit.url in the settings file
  - livekit.api_key is missing: set LIVEKIT_API_KEY, pass --api-key or write livekit.api_key in the settings file
  - livekit.api_secret is missing: set LIVEKIT_API_SECRET, pass --api-secret or write livekit.api_secret in the settings file
  - engines.llm (flag --llm) is openai, but there is no key for it: set OPENAI_API_KEY (or OPENAI_BASE_URL for a service without keys), or choose --llm scripted`
	if diff := cmp.Diff(want, problems.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestRequiredByCommand(t *testing.T) {
	tests := map[Command]int{CommandDev: 0, CommandStart: 3, CommandConsole: 0, CommandDispatch: 3, CommandLoadTest: 3,
		CommandValidate: 0, CommandHealth: 0, CommandConfig: 0}
	for command, want := range tests {
		_, err := Load(LoadOptions{Command: command})
		problems, _ := errors.AsType[Problems](err)
		if len(problems) != want {
			t.Errorf("%s: %v, want %d problems", command, err, want)
		}
	}
}

func TestUnusedSettingsDoNotStopACommand(t *testing.T) {
	bad := environment(map[string]string{"LIVEKIT_URL": "nonsense", "VIVA_MAX_JOBS": "many", "VIVA_STT": "openai"})
	for _, command := range []Command{CommandConsole, CommandValidate, CommandHealth} {
		if _, err := Load(LoadOptions{Command: command, Env: bad}); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestValueProblems(t *testing.T) {
	tests := []struct{ name, variable, value, want string }{
		{"no scheme", "LIVEKIT_URL", "localhost:7880", "livekit.url (environment LIVEKIT_URL) is not a whole address"},
		{"wrong scheme", "LIVEKIT_URL", "ftp://host", "starts with ftp://"},
		{"password in address", "LIVEKIT_URL", "wss://user:hunter2@host", "holds a user name or password"},
		{"pasted line break", "LIVEKIT_API_SECRET", "hunter2\n", "livekit.api_secret (environment LIVEKIT_API_SECRET) holds a space"},
		{"websocket base URL", "OPENAI_BASE_URL", "ws://host/v1", "starts with ws://"},
		{"whole call", "OPENAI_BASE_URL", "http://host/v1/chat/completions/", "write http://host/v1"},
		{"mistyped engine", "VIVA_LLM", "scriptd", "did you mean scripted?"},
		{"impossible engine", "VIVA_STT", "scripted", "choose one of [openai openai-realtime deepgram local]"},
		{"no jobs", "VIVA_MAX_JOBS", "-1", "from 0 to 10000"},
		{"no unit", "VIVA_DRAIN_LIMIT", "30", "with its unit"},
		{"negative", "VIVA_RECONNECT_GRACE", "-1s", "is negative"},
		{"threshold", "VIVA_LOAD_THRESHOLD", "NaN", "above 0 and at most 1"},
		{"cache size", "VIVA_VOICE_CACHE_SIZE", "64MiB", "whole number"},
		{"boolean", "VIVA_WEB", "on", "write true or false"},
		{"address", "VIVA_HEALTH_ADDRESS", "8081", "host:port"},
		{"proxies", "VIVA_WEB_TRUSTED_PROXIES", "nginx", "no address or range"},
		{"port", "VIVA_WEB_ADDRESS", "127.0.0.1:99999", "host:port"},
		{"dev port", "VIVA_DEV_TCP_PORT", "70000", "from 0 to 65535"},
		{"locale", "VIVA_LOCALE", "english please", "en-GB"},
		{"helpline of two lines", "VIVA_HELPLINE_EN", "Call 988.\nOr a friend.", "one line"},
		{"helpline that is a number", "VIVA_HELPLINE_EN", "988", "whole sentence"},
		{"helpline that goes on and on", "VIVA_HELPLINE_ZH", strings.Repeat("打电话", 120) + "。", "300 characters"},
		{"level", "LIVEKIT_LOG_LEVEL", "warning", "did you mean warn?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := server(map[string]string{tt.variable: tt.value})
			problems := problemsOf(t, LoadOptions{Command: CommandDev, Env: environment(env)})
			if len(problems) != 1 || !strings.Contains(problems.Error(), tt.want) {
				t.Errorf("%v\nwant one problem with %q", problems, tt.want)
			}
			if strings.Contains(problems.Error(), "hunter2") {
				t.Errorf("a secret is shown: %v", problems)
			}
		})
	}
}

func TestContradictions(t *testing.T) {
	tests := []struct {
		name    string
		command Command
		env     map[string]string
		flags   map[string]string
		want    []string
	}{
		{"all engines without a key", CommandDev, nil, map[string]string{"stt": "openai", "llm": "openai", "tts": "openai"},
			[]string{"engines.stt", "engines.llm", "engines.tts"}},
		{"console has no sound", CommandConsole, nil, map[string]string{"stt": "openai", "llm": "openai"}, []string{"engines.llm"}},
		{"dev on a server without key", CommandDev, map[string]string{"LIVEKIT_URL": "ws://h"}, nil, []string{"livekit.url"}},
		{"key without secret", CommandDev, map[string]string{"LIVEKIT_API_KEY": "k"}, nil, []string{"livekit.api_secret"}},
		{"secret without key", CommandDev, map[string]string{"LIVEKIT_API_SECRET": "s"}, nil, []string{"livekit.api_key"}},
		{"a short secret of one's own", CommandDev, map[string]string{"LIVEKIT_API_KEY": "k", "LIVEKIT_API_SECRET": "s"}, nil, []string{"livekit.api_secret"}},
		{"page for others without tokens", CommandDev, nil, map[string]string{"web-address": ":7890"}, []string{"web.address"}},
		{"page for nobody", CommandStart, server(nil), map[string]string{"web": "true"}, []string{"web.open_tokens"}},
		{"page of a site for this machine", CommandDev, nil, map[string]string{"public-url": "https://talks.example"}, []string{"web.public_url"}},
		{"page behind a proxy for this machine", CommandDev, nil, map[string]string{"web-trusted-proxies": "127.0.0.1"}, []string{"web.trusted_proxies"}},
		{"turn model without a runner", CommandDev, nil, map[string]string{"turn-audio-model": "m.onnx", "turn-audio-runner": " "}, []string{"turn.audio_model"}},
		{"turn model's runner without a model", CommandStart, server(map[string]string{"VIVA_TURN_AUDIO_RUNNER": "run"}), nil, []string{"turn.audio_runner"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var keys []string
			for _, p := range problemsOf(t, LoadOptions{Command: tt.command, Env: environment(tt.env), Flags: tt.flags}) {
				keys = append(keys, p.Key)
			}
			if diff := cmp.Diff(tt.want, keys); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoContradiction(t *testing.T) {
	tests := []map[string]string{
		{"web-address": "0.0.0.0:7890", "web-open-tokens": "true"},
		{"web-address": "[::1]:7890"},
		{"public-url": "http://localhost:7890"},
		{"web-open-tokens": "true", "public-url": "https://talks.example", "web-trusted-proxies": "127.0.0.1, 10.0.0.0/24,2001:db8::/32"},
		{"turn-audio-model": "m.onnx", "turn-audio-runner": "python3 run.py"},
		{"web-address": "localhost:7890"},
		{"web": "false", "web-address": ":8081"},
		{"web-address": "127.0.0.1:0", "health-address": "127.0.0.1:0", "dev-signal-port": "0", "dev-tcp-port": "0"},
	}
	for _, flags := range tests {
		if _, err := Load(LoadOptions{Command: CommandDev, Flags: flags}); err != nil {
			t.Errorf("%v: %v", flags, err)
		}
	}
}

func TestUnknownFlagIsRefused(t *testing.T) {
	if _, err := Load(LoadOptions{Command: CommandDev, Flags: map[string]string{"colour": "red"}}); err == nil {
		t.Error("a flag outside the table was accepted")
	}
}
