package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/candidate"
	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/tts"
)

// candidateVoice is the Flite voice of synthetic candidates, another one than the interviewer's.
const candidateVoice = "rms"

// evalAloud prepares talks in real rooms. The worker that is dispatched there holds them, with its own model.
func evalAloud(cmd *cli.Command, s *settings.Settings, o *eval.Options) (*eval.Aloud, error) {
	var problems []error
	if o.Against {
		problems = append(problems, errors.New("--voice holds talks with a worker, and a plain prompt has none: leave --against out"))
	}
	if o.Cassettes != "" {
		problems = append(problems, errors.New("a talk in a real room is never the same twice: leave --record, --replay and --refresh out of --voice"))
	}
	if s.LiveKit.URL == "" || s.LiveKit.APIKey == "" || s.LiveKit.APISecret == "" {
		problems = append(problems, errors.New("--voice needs a LiveKit server and a worker there: set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET, and start bin/viva start"))
	}
	flite, err := local.NewFlite(local.FliteOptions{Voice: candidateVoice})
	if err != nil {
		problems = append(problems, fmt.Errorf("the candidates have no voice: %w", err))
	}
	espeak, err := local.NewEspeak(local.EspeakOptions{Program: s.Local.Espeak})
	if err != nil {
		espeak = nil // English is spoken all the same
	}
	a := &eval.Aloud{AgentName: s.AgentName, Record: soundIn(cmd.String("sound"), &problems)}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	room.LogSDK(zap.NewNop())
	server := candidate.NewLiveKit(s.LiveKit.URL, s.LiveKit.APIKey, s.LiveKit.APISecret.Reveal(), zap.NewNop())
	a.Deps = candidate.Deps{Server: server}
	voices := local.NewByLanguage(flite, espeak)
	a.Voice = func(locale string) candidate.Voice {
		return candidate.Whole(voices, tts.Request{Language: locale, Voice: candidateVoice})
	}
	return a, nil
}

// soundIn says where the sound of a talk is kept; "" = nowhere.
func soundIn(dir string, problems *[]error) func(string) string {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		*problems = append(*problems, fmt.Errorf("make the folder for sound (--sound): %w", err))
	}
	return func(scenario string) string { return filepath.Join(dir, strings.ReplaceAll(scenario, "/", "-")+".wav") }
}
