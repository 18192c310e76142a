package settings

import (
	"fmt"
	"slices"
	"strings"
)

// contradictions finds settings that are each fine but do not go together, as far as the command uses them.
func contradictions(s *Settings) Problems {
	var problems Problems
	if slices.Contains(onModel, s.Command) || s.Command == CommandConfig {
		problems = append(problems, s.engineProblems()...)
		problems = append(problems, s.modelProblems()...)
		problems = append(problems, s.azureProblems()...)
	}
	if s.Command == CommandDev || s.Command == CommandConfig {
		problems = append(problems, s.credentialProblems()...)
	}
	if slices.Contains(onWorker, s.Command) {
		problems = append(problems, s.turnProblems()...)
		problems = append(problems, s.pageProblems()...)
		problems = append(problems, s.reportProblems()...)
		problems = append(problems, s.recordingProblems()...)
		problems = append(problems, s.webhookProblems()...)
		problems = append(problems, s.evaluatorProblems()...)
		problems = append(problems, s.replicaProblems()...)
	}
	return problems
}

// replicaProblems: workers without a common disk need a common database, or each loses what it kept when its disk goes.
func (s *Settings) replicaProblems() Problems {
	if s.Worker.Replicas <= 1 || s.Store.Shared() {
		return nil
	}
	wrong := fmt.Sprintf("is no PostgreSQL, but worker.replicas says that there are %d workers which share no disk: no other could take up "+
		"an interview of this one, and its reports would go with its disk", s.Worker.Replicas)
	return s.problem("store.url", wrong,
		"set VIVA_STORE_URL to postgres://…, the same for all, or run one worker (VIVA_REPLICAS=1)")
}

// engineProblems names every engine that needs a service which is not configured. Console, evaluator, eval and calibrate have no sound.
func (s *Settings) engineProblems() Problems {
	var problems Problems
	silent := slices.Contains([]Command{CommandConsole, CommandEvaluator, CommandEval, CommandCalibrate}, s.Command)
	if s.Engines.STT == EngineDeepgram && s.Deepgram.APIKey == "" && !silent {
		problems = append(problems, s.problem("engines.stt", "is deepgram, but there is no key for it",
			"set DEEPGRAM_API_KEY, or choose --stt "+EngineLocal)...)
	}
	if s.OpenAI.APIKey != "" || s.OpenAI.BaseURL != "" {
		return problems
	}
	engines := []struct{ flag, chosen, instead string }{
		{"stt", s.Engines.STT, EngineLocal},
		{"llm", s.Engines.LLM, EngineScripted},
		{"tts", s.Engines.TTS, EngineLocal},
	}
	for _, e := range engines {
		if e.chosen != EngineOpenAI && e.chosen != EngineRealtime || (silent && e.flag != "llm") {
			continue
		}
		key := "engines." + e.flag
		problems = append(problems, s.problem(key, "is "+e.chosen+", but there is no key for it",
			fmt.Sprintf("set OPENAI_API_KEY (or OPENAI_BASE_URL for a service without keys), or choose --%s %s", e.flag, e.instead))...)
	}
	return problems
}

// minServerSecret is the least length of an embedded server's secret, in bytes.
const minServerSecret = 32

// credentialProblems is for dev, which requires nothing but cannot do with half of it.
func (s *Settings) credentialProblems() Problems {
	key, secret, server := s.LiveKit.APIKey != "", s.LiveKit.APISecret != "", s.LiveKit.URL != ""
	switch {
	case server && !key && !secret:
		return s.problem("livekit.url", "names a server, but its key and secret are missing",
			"set LIVEKIT_API_KEY and LIVEKIT_API_SECRET too, or unset the address to use the embedded server")
	case key && !secret:
		return Problems{{Key: "livekit.api_secret", Wrong: "is missing beside livekit.api_key", Fix: "set LIVEKIT_API_SECRET, or unset LIVEKIT_API_KEY"}}
	case secret && !key:
		return Problems{{Key: "livekit.api_key", Wrong: "is missing beside livekit.api_secret", Fix: "set LIVEKIT_API_KEY, or unset LIVEKIT_API_SECRET"}}
	case secret && !server && len(s.LiveKit.APISecret) < minServerSecret:
		return s.problem("livekit.api_secret", fmt.Sprintf("has fewer than %d characters, too few for the embedded server", minServerSecret),
			"make one with: openssl rand -hex 32, or unset it and livekit.api_key: dev then makes one itself")
	}
	return nil
}

// AudioModelOurs is the value of turn.audio_model that is no file.
const AudioModelOurs = "built-in"

// AudioModelFile is the ONNX file of the model of turns, or "".
func (s *Settings) AudioModelFile() string {
	if s.Turn.AudioModel == AudioModelOurs {
		return ""
	}
	return s.Turn.AudioModel
}

// turnProblems: the model of turns is a file and a command, or neither.
func (s *Settings) turnProblems() Problems {
	file, command := s.AudioModelFile() != "", strings.TrimSpace(s.Turn.AudioRunner) != ""
	switch {
	case file && !command:
		return s.problem("turn.audio_model", "names a model, but nothing to run it with",
			`set VIVA_TURN_AUDIO_RUNNER or pass --turn-audio-runner, such as "python3 docs/smart_turn_runner.py" (pip install numpy onnxruntime)`)
	case command && !file:
		return s.problem("turn.audio_runner", "is there, but no model for it to run",
			"set VIVA_TURN_AUDIO_MODEL or pass --turn-audio-model with a file such as smart-turn-v3.2-cpu.onnx")
	}
	return nil
}

// pageProblems: the page gives tokens to somebody, and to nobody by mistake.
func (s *Settings) pageProblems() Problems {
	if !s.Web.Enabled || s.Web.OpenTokens {
		return nil
	}
	switch {
	case listensBeyondLoopback(s.Web.Address):
		return s.problem("web.address", "can be reached from other machines, but web.open_tokens is off, so every candidate there would be refused",
			"listen on 127.0.0.1, or pass --web-open-tokens")
	case !s.Web.LocalTokens:
		return s.problem("web.open_tokens", "is off, and so is web.local_tokens, so every candidate would be refused",
			"pass --web-open-tokens to let everybody who reaches the page start interviews, or, where no proxy of this machine leads others to it, --web-local-tokens")
	case s.Web.PublicURL != "" && !loopbackSite(s.Web.PublicURL):
		return s.othersProblem("web.public_url")
	case len(s.Web.TrustedProxies()) > 0:
		return s.othersProblem("web.trusted_proxies")
	}
	return nil
}

// othersProblem is about a setting that says that others come to the page, while tokens are for this machine.
func (s *Settings) othersProblem(key string) Problems {
	return s.problem(key, "says that others come to the page through a proxy, but tokens are for this machine only (web.local_tokens)",
		"pass --web-open-tokens, with a sign-in of your own before the page, or unset it")
}
