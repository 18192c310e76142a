package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWholeFile(t *testing.T) {
	path := writeFile(t, `# production
livekit:
  url: "wss://example.livekit.cloud"
  api_key: APIabc
  api_secret: |
    a-long-enough-secret
agent_name: viva-eu
engines: {stt: local, llm: scripted, tts: local}
worker:
  drain_limit: 45m
  load_threshold: 0.5
room:
  reconnect_grace: # left as it is
store:
  # url: /var/lib/viva/interviews.db
log.level: debug
web:
  enabled: yes-please
`)
	problems := problemsOf(t, LoadOptions{Command: CommandStart, File: path})
	if len(problems) != 1 || problems[0].Key != "web.enabled" {
		t.Fatalf("problems = %v, want web.enabled alone", problems)
	}
	s, err := Load(LoadOptions{Command: CommandStart, File: path, Flags: map[string]string{"web": "false"}})
	if err != nil {
		t.Fatal(err)
	}
	if s.LiveKit.APISecret.Reveal() != "a-long-enough-secret" || s.Worker.DrainLimit != 45*time.Minute ||
		s.Worker.LoadThreshold != 0.5 || s.Room.ReconnectGrace != 20*time.Second || s.Log.Level != "debug" {
		t.Errorf("values not taken: %+v", s)
	}
}

func TestFileProblems(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // each a part of one problem, in order
	}{
		{"unknown key", "worker:\n  max_job: 3\n", []string{"worker.max_job (viva.yaml:2:3) is not a setting: did you mean worker.max_jobs?"}},
		{"wrong section", "server:\n  api_key: x\n", []string{"did you mean livekit.api_key?"}},
		{"nothing near", "colour: red\n", []string{"colour (viva.yaml:1:1) is not a setting: see docs/settings.md"}},
		{"section as value", "livekit: ws://x\n", []string{"livekit (viva.yaml:1:1) is a section"}},
		{"list as value", "agent_name: [a, b]\n", []string{"agent_name (viva.yaml:1:1) a single text, number, true or false, or a section, belongs here, not a list"}},
		{"setting as section", "agent_name:\n  first: a\n", []string{"agent_name.first (viva.yaml:2:3) is not a setting"}},
		{"list as file", "- a\n- b\n", []string{"(viva.yaml:1:1) a single text"}},
		{"text as file", "hello\n", []string{"does not hold settings"}},
		{"two documents", "agent_name: a\n---\nagent_name: b\n", []string{"the file holds 2 documents"}},
		{"twice", "agent_name: a\nagent_name: b\n", []string{"this is not YAML"}},
		{"tab", "worker:\n\tmax_jobs: 3\n", []string{"(viva.yaml:2:1) this is not YAML"}},
		{"huge", strings.Repeat("# padding\n", 200_000), []string{"settings file (viva.yaml) the file has "}},
		{"all at once", "agent_name: a b\nworker:\n  max_jobs: many\n  load_threshold: 70\nlog:\n  level: loud\nfoo: 1\n",
			[]string{"foo (", "agent_name (", "worker.max_jobs (", "worker.load_threshold (", "log.level ("}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeFile(t, tt.text)
			problems := problemsOf(t, LoadOptions{Command: CommandDev, File: path})
			if len(problems) != len(tt.want) {
				t.Fatalf("%v\nwant %d problems", problems, len(tt.want))
			}
			for i, part := range tt.want {
				text := strings.ReplaceAll(problems[i].String(), path, "viva.yaml")
				if !strings.Contains(text, part) {
					t.Errorf("problem %d = %q, want it to hold %q", i, text, part)
				}
			}
		})
	}
}

func TestEmptyFilesAreFine(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing yet\n", "---\n"} {
		mustLoad(t, LoadOptions{Command: CommandDev, File: writeFile(t, text)})
	}
}

func TestUnreadableFile(t *testing.T) {
	tests := map[string]string{
		"absent":    filepath.Join(t.TempDir(), "none.yaml"),
		"directory": t.TempDir(),
	}
	for name, path := range tests {
		s, err := Load(LoadOptions{Command: CommandDev, File: path})
		if _, isProblems := errors.AsType[Problems](err); err == nil || isProblems || s != nil {
			t.Errorf("%s: got (%v, %v), want an error alone", name, s, err)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"openai", "local", "scripted"}
	for word, want := range map[string]string{"opnai": "openai", "LOCAL": "local", "scripted-words": "scripted", "whisper": "", "": ""} {
		if got := nearest(word, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add("agent_name: a\n")
	f.Add("livekit: {url: x, api_key: [1]}\n---\n- ? !!x &a *a\n")
	f.Add("<<: &a {b: *a}\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _ = Load(LoadOptions{Command: CommandDev, File: path}) // must return
	})
}
