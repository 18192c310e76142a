package settings

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/settings.md from the table")

func TestSecretsAreMaskedEverywhere(t *testing.T) {
	s := mustLoad(t, LoadOptions{Command: CommandStart, Env: environment(server(map[string]string{
		"LIVEKIT_API_SECRET": "hunter2-hunter2-tail", "OPENAI_API_KEY": "short"}))})
	var listing strings.Builder
	if err := s.Explain(&listing); err != nil {
		t.Fatal(err)
	}
	text, err := s.LiveKit.APISecret.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{listing.String(), string(text), fmt.Sprintf("%v %+v %#v", s, s, s)} {
		if strings.Contains(view, "hunter2") || strings.Contains(view, "short") {
			t.Errorf("a secret is shown in:\n%s", view)
		}
	}
	if !strings.Contains(listing.String(), "****tail") {
		t.Errorf("the end of a long secret is not shown:\n%s", listing.String())
	}
}

func TestExplainSaysWhereFrom(t *testing.T) {
	path := writeFile(t, "openai:\n  api_key: sk-0123456789ab\nworker:\n  max_jobs: 7\n")
	s := mustLoad(t, LoadOptions{Command: CommandDev, File: path, Env: environment(map[string]string{"VIVA_LOCALE": "en-GB"}),
		Flags: map[string]string{"tts": "local"}})
	var b strings.Builder
	if err := s.Explain(&b); err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]string)
	for line := range strings.Lines(b.String()) {
		fields := strings.Fields(line)
		lines[fields[0]] = strings.Join(fields[1:], " ")
	}
	want := map[string]string{
		"SETTING":           "VALUE FROM",
		"agent_name":        "viva default",
		"livekit.url":       "- default",
		"openai.api_key":    "****89ab " + path + ":2",
		"worker.max_jobs":   "7 " + path + ":4",
		"interviews.locale": "en-GB environment VIVA_LOCALE",
		"engines.tts":       "local flag --tts",
		"engines.llm":       "openai default, because openai.api_key is set",
	}
	for key, text := range want {
		if lines[key] != text {
			t.Errorf("%s: %q, want %q", key, lines[key], text)
		}
	}
}

func TestExplainWorksOnBrokenSettings(t *testing.T) {
	s, err := Load(LoadOptions{Command: CommandStart, Env: environment(map[string]string{"VIVA_MAX_JOBS": "many"})})
	if err == nil {
		t.Fatal("no error")
	}
	var b strings.Builder
	if err := s.Explain(&b); err != nil || !strings.Contains(b.String(), "many") {
		t.Errorf("Explain = %v:\n%s", err, b.String())
	}
}

func TestTableIsSound(t *testing.T) {
	seen := make(map[string]string)
	for _, d := range Table() {
		names := slices.Concat([]string{d.Key}, d.Env)
		if d.Flag != "" {
			names = append(names, "--"+d.Flag)
		}
		for _, name := range names {
			if other := seen[name]; other != "" {
				t.Errorf("%s belongs to %s and to %s", name, other, d.Key)
			}
			seen[name] = d.Key
		}
		if len(d.Env) == 0 || d.Help == "" || len(d.Used) == 0 {
			t.Errorf("%s lacks a variable, help or users", d.Key)
		}
		if d.Default != "" && len(d.Choices) > 0 && !slices.Contains(d.Choices, d.Default) {
			t.Errorf("%s: default %q is not a choice", d.Key, d.Default)
		}
		for _, c := range d.Required {
			if !d.UsedBy(c) {
				t.Errorf("%s is required by %s, which does not use it", d.Key, c)
			}
		}
		if _, secret := d.bind(new(Settings)).(*Secret); secret != (d.Secret || d.mask != nil) {
			t.Errorf("%s: Secret = %v, field is a Secret: %v", d.Key, d.Secret, secret)
		}
	}
}

func TestBooleanFlagsAreKnown(t *testing.T) {
	var got []string
	for _, d := range Table() {
		if d.Boolean() {
			got = append(got, d.Flag)
		}
	}
	if diff := cmp.Diff([]string{"speculate", "listening-signal", "web", "web-open-tokens", "web-local-tokens"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReference(t *testing.T) {
	const path = "../../../docs/settings.md"
	if *update {
		if err := os.WriteFile(path, []byte(reference()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reference(), string(got)); diff != "" {
		t.Errorf("docs/settings.md differs from the table; run this test with -update (-want +got):\n%s", diff)
	}
}
