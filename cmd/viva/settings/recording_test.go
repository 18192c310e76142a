package settings

import (
	"strings"
	"testing"
	"time"
)

// Durations may be days and weeks: nobody thinks of retention in hours.
func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "2w": 336 * time.Hour, "1d12h": 36 * time.Hour, "1w1d": 192 * time.Hour, "90m": 90 * time.Minute, "0s": 0, "1h30m": 90 * time.Minute,
		"0d": 0, "-5s": -5 * time.Second,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", text, got, err, want)
		}
	}
	for _, wrong := range []string{"", "d", "30", "-3d", "1.5d", "3d-1h", "d3", "30 d", "3dd", "99999999d", "1x"} {
		if got, err := ParseDuration(wrong); err == nil {
			t.Errorf("%q is %v", wrong, got)
		}
	}
}

// Sound is kept where somebody said so (dev: beside its database), and only where a database knows it.
func TestRecordingSettings(t *testing.T) {
	for name, test := range map[string]struct {
		command Command
		env     map[string]string
		dir     string
		wrong   string
	}{
		"dev":              {CommandDev, nil, "viva-data/recordings", ""},
		"start":            {CommandStart, nil, "", ""},
		"start, asked for": {CommandStart, map[string]string{"VIVA_RECORDING_DIR": "/sound", "VIVA_RECORDING_RETENTION": "30d"}, "/sound", ""},
		"no database":      {CommandDev, map[string]string{"VIVA_RECORDING_DIR": "/sound", "VIVA_STORE_URL": "memory"}, "", "store.url is no database"},
		"dev in memory":    {CommandDev, map[string]string{"VIVA_STORE_URL": "memory"}, "viva-data/recordings", ""},
		"a bad time":       {CommandDev, map[string]string{"VIVA_RECORDING_RETENTION": "a month"}, "", "such as"},
		"a time to come":   {CommandDev, map[string]string{"VIVA_RECORDING_RETENTION": "-3h"}, "", "negative"},
	} {
		env := map[string]string{"LIVEKIT_URL": "ws://x:1", "LIVEKIT_API_KEY": "k", "LIVEKIT_API_SECRET": "s", "VIVA_STT": EngineLocal, "VIVA_LLM": EngineScripted, "VIVA_TTS": EngineLocal}
		for k, v := range test.env {
			env[k] = v
		}
		s, err := Load(LoadOptions{Command: test.command, Env: environment(env)})
		switch {
		case test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)):
			t.Errorf("%s: %v", name, err)
		case test.wrong == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.wrong == "" && s.Recording.Dir != test.dir:
			t.Errorf("%s: %q, want %q", name, s.Recording.Dir, test.dir)
		}
	}
}
