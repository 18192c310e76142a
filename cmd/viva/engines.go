package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/deepgram"
	ears "github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/pipeline/tts/diskcache"
	"github.com/vivavoice/viva/pipeline/turn/audiomodel"
	"github.com/vivavoice/viva/pipeline/turn/smartturn"
	"github.com/vivavoice/viva/pipeline/vad"
)

// voiceCache bounds the kept speech of fixed sentences, in bytes: some twenty minutes at 24 kHz.
const voiceCache = 48 << 20

// cooldown is how long an engine that failed is passed over.
const cooldown = 30 * time.Second

// prewarmLimit bounds an attempt to open connections in advance.
const prewarmLimit = 5 * time.Second

// engines builds what the settings choose. Cloud engines fall back on the local ones where those are installed: a
// candidate is better served by a plain voice than by silence.
func engines(ctx context.Context, s *settings.Settings, log *zap.Logger) (agent.Engines, func(), error) {
	var e agent.Engines
	var err error
	if e.VAD, err = vad.Load(); err != nil {
		return e, nil, fmt.Errorf("load voice activity detection: %w", err)
	}
	var cloud *openai.Client
	var warm *prewarmer
	if s.Engines.STT == settings.EngineOpenAI || s.Engines.STT == settings.EngineRealtime || s.Engines.LLM == settings.EngineOpenAI || s.Engines.TTS == settings.EngineOpenAI {
		if cloud, err = client(s); err != nil {
			return e, nil, err
		}
		warm = &prewarmer{client: cloud, log: log}
		e.Prewarm = warm.prewarm
	}
	home, err := localEngines(ctx, s, log)
	if err != nil {
		return e, nil, err
	}
	if s.Engines.LLM == settings.EngineOpenAI {
		e.LLM = cloud.Model()
	}
	var closeEvaluators func()
	if e.Evaluators, closeEvaluators, err = evaluators(s); err != nil {
		return e, nil, err
	}
	e.Models, e.Speech = models(s), s.Engines.TTS
	if e.STT, err = home.recogniser(s, cloud, log); err != nil {
		return e, nil, err
	}
	if e.TTS, err = home.synthesizer(s, cloud, log); err != nil {
		return e, nil, err
	}
	var closeJudge func()
	if e.AudioModel, closeJudge, err = audioModel(ctx, s, log); err != nil {
		return e, nil, err
	}
	return e, func() {
		closeJudge()
		if warm != nil {
			warm.close()
		}
		home.close(log)
		closeEvaluators()
		if cloud != nil {
			cloud.CloseIdleConnections()
		}
	}, nil
}

// audioModel is what judges turns by their sound, nil for nothing. Of a file it starts the runner.
func audioModel(ctx context.Context, s *settings.Settings, log *zap.Logger) (m ears.AudioModel, closeModel func(), err error) {
	file := s.AudioModelFile()
	switch {
	case file != "":
	case s.Turn.AudioModel == settings.AudioModelOurs:
		m, err := audiomodel.Load()
		return m, func() {}, err
	default:
		return nil, func() {}, nil
	}
	if _, err := os.Stat(file); err != nil {
		return nil, nil, fmt.Errorf("the turn model cannot be read (--turn-audio-model or VIVA_TURN_AUDIO_MODEL): %w", err)
	}
	p, err := smartturn.StartProcess(ctx, smartturn.ProcessOptions{
		Command: append(strings.Fields(s.Turn.AudioRunner), file), Env: withoutSecrets(os.Environ()), Logger: log,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: check --turn-audio-runner or VIVA_TURN_AUDIO_RUNNER by running it, or unset the turn model", err)
	}
	return smartturn.New(p), func() {
		if err := p.Close(); err != nil {
			log.Warn("turn_model.close", zap.Error(err))
		}
	}, nil
}

// withoutSecrets leaves out the variables that other programs need not know.
func withoutSecrets(env []string) []string {
	secret := make(map[string]bool)
	for _, d := range settings.Table() {
		for _, name := range d.Env {
			secret[name] = d.Secret
		}
	}
	return slices.DeleteFunc(env, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return secret[name]
	})
}

func client(s *settings.Settings) (*openai.Client, error) {
	cfg := service(s)
	cfg.ChatModel, cfg.Effort = s.OpenAI.ChatModel, s.OpenAI.Effort
	cfg.TranscriptionModel, cfg.SpeechModel, cfg.Voice = s.OpenAI.STTModel, s.OpenAI.TTSModel, s.OpenAI.Voice
	cfg.TranscriptionLimits.Late = !s.Engines.Speculate
	return openai.New(cfg)
}

// service is where the service is, and how it is spoken to.
func service(s *settings.Settings) openai.Config {
	cfg := openai.Config{BaseURL: s.OpenAI.BaseURL, APIKey: s.OpenAI.APIKey.Reveal()}
	if s.OpenAI.API == settings.APIAzure {
		cfg.API, cfg.APIVersion, cfg.Deployments = openai.Azure, s.OpenAI.APIVersion, s.OpenAI.DeploymentOf()
	}
	return cfg
}

// model returns the language model alone, for the console; nil for scripted words.
func model(s *settings.Settings) (llm.Model, error) {
	if s.Engines.LLM != settings.EngineOpenAI {
		return nil, nil
	}
	c, err := client(s)
	if err != nil {
		return nil, err
	}
	return c.Model(), nil
}

// prewarmer opens connections to a provider in the background, one attempt at a time, so that joining never waits for it.
type prewarmer struct {
	client *openai.Client
	log    *zap.Logger
	busy   sync.Mutex // an attempt is under way
	tasks  sync.WaitGroup
}

func (p *prewarmer) prewarm(ctx context.Context) {
	if !p.busy.TryLock() {
		return
	}
	p.tasks.Go(func() {
		defer p.busy.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), prewarmLimit)
		defer cancel()
		if err := p.client.Prewarm(ctx); err != nil {
			p.log.Warn("provider.prewarm", zap.Error(err))
		}
	})
}

// close waits for an attempt under way, at most prewarmLimit.
func (p *prewarmer) close() { p.tasks.Wait() }

// onMachine are the engines of this machine, as far as they are wanted and there.
type onMachine struct {
	sphinx *local.Sphinx
	flite  *local.Flite
	espeak *local.Espeak
}

func localEngines(ctx context.Context, s *settings.Settings, log *zap.Logger) (onMachine, error) {
	var home onMachine
	var err error
	home.sphinx, err = local.NewSphinx(local.SphinxOptions{ModelDir: s.Local.PocketsphinxModel, Decoders: s.Local.Decoders})
	if s.Engines.STT == settings.EngineLocal {
		if err != nil {
			return home, fmt.Errorf("prepare the local recogniser: %w", err)
		}
		warmUp(ctx, home.sphinx, log)
	}
	if home.flite, err = local.NewFlite(local.FliteOptions{Voice: s.Local.Voice}); err != nil && s.Engines.TTS == settings.EngineLocal {
		return home, fmt.Errorf("prepare the local voice: %w", err)
	}
	home.espeak, err = local.NewEspeak(local.EspeakOptions{Program: s.Local.Espeak, Voice: s.Local.Voice})
	if err != nil && s.Engines.TTS == settings.EngineLocal {
		log.Warn("voice.missing", zap.Strings("languages", []string{"zh", "vi"}), zap.Error(err)) // English is spoken all the same
	}
	return home, nil
}

// warmUp loads the models before the first candidate needs them.
func warmUp(ctx context.Context, sphinx *local.Sphinx, log *zap.Logger) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := sphinx.Prewarm(ctx); err != nil {
		log.Warn("stt.prewarm", zap.Error(err))
	}
}

// quiet is how long a recogniser with partials may stay silent while somebody speaks, before its connection is taken to
// be dead.
const quiet = 4 * time.Second

// recogniser gives the chosen recogniser, watched, with the local one behind it where that is installed: its models are
// loaded when they are first needed.
func (h onMachine) recogniser(s *settings.Settings, cloud *openai.Client, log *zap.Logger) (stt.Recognizer, error) {
	if s.Engines.STT == settings.EngineLocal {
		return h.sphinx, nil
	}
	engine, err := streaming(s, cloud, log)
	if err != nil {
		return nil, err
	}
	if h.sphinx == nil {
		return engine, nil
	}
	return stt.NewFallback(cooldown, engine, h.sphinx), nil
}

func streaming(s *settings.Settings, cloud *openai.Client, log *zap.Logger) (stt.Recognizer, error) {
	switch s.Engines.STT {
	case settings.EngineDeepgram:
		d, err := deepgram.New(deepgram.Config{APIKey: s.Deepgram.APIKey.Reveal(), BaseURL: s.Deepgram.BaseURL, Model: s.Deepgram.Model})
		if err != nil {
			return nil, fmt.Errorf("prepare Deepgram: %w", err)
		}
		return stt.NewWatched(d, stt.WatchOptions{Name: settings.EngineDeepgram, Quiet: quiet, Logger: log}), nil
	case settings.EngineRealtime:
		r := cloud.RealtimeRecognizer(openai.RealtimeOptions{Model: s.OpenAI.Realtime})
		return stt.NewWatched(r, stt.WatchOptions{Name: settings.EngineRealtime, Logger: log}), nil
	}
	return cloud.Recognizer(), nil // it opens a request for each segment, with limits of its own
}

func (h onMachine) synthesizer(s *settings.Settings, cloud *openai.Client, log *zap.Logger) (tts.Synthesizer, error) {
	here := local.NewByLanguage(h.flite, h.espeak)
	if s.Engines.TTS != settings.EngineOpenAI {
		return speak.NewCache(here, voiceCache), nil
	}
	engine, err := kept(cloud.Synthesizer(), s, log)
	if err != nil {
		return nil, err
	}
	if h.flite != nil {
		engine = tts.NewFallback(cooldown, engine, here)
	}
	return speak.NewCache(engine, voiceCache), nil
}

// kept puts the cache on disk, where it is wanted, in front of a voice that is paid for and far away. It is behind the fallback:
// what stood in for a voice is not kept in its name. The local voice is quicker than to be worth it.
func kept(voice tts.Synthesizer, s *settings.Settings, log *zap.Logger) (tts.Synthesizer, error) {
	if s.Voice.Cache == "" || s.Voice.CacheSize == 0 {
		return voice, nil
	}
	return diskcache.New(voice, diskcache.Options{
		Dir: s.Voice.Cache, Limit: int64(s.Voice.CacheSize) << 20, Logger: log,
		Voice: diskcache.Voice{
			Engine: settings.EngineOpenAI + " " + s.OpenAI.BaseURL, Model: s.OpenAI.TTSModel, Name: s.OpenAI.Voice, Rate: openai.SpeechRate,
		},
	})
}

func (h onMachine) close(log *zap.Logger) {
	if h.sphinx == nil {
		return
	}
	if err := h.sphinx.Close(); err != nil {
		log.Warn("stt.close", zap.Error(err))
	}
}

// models names the models in use by what they do, for reports.
func models(s *settings.Settings) map[string]string {
	out := map[string]string{"recognition": s.Engines.STT, "voice": s.Engines.TTS}
	if s.Engines.STT == settings.EngineOpenAI {
		out["recognition"] = s.OpenAI.STTModel
	}
	if s.Engines.TTS == settings.EngineOpenAI {
		out["voice"] = s.OpenAI.TTSModel
	}
	if s.Engines.LLM == settings.EngineOpenAI {
		out["interviewer"] = s.OpenAI.ChatModel
		out["evaluators"] = cmp.Or(s.Evaluators.Model, s.OpenAI.ChatModel)
	}
	return out
}

// describe names the engines for a person.
func describe(s *settings.Settings) string {
	return fmt.Sprintf("stt %s, llm %s, tts %s", s.Engines.STT, s.Engines.LLM, s.Engines.TTS)
}
