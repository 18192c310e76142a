package main

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/openai"
	"github.com/vivavoice/viva/pipeline/speak"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/pipeline/vad"
)

// voiceCache bounds the kept speech of fixed sentences, in bytes: some twenty minutes at 24 kHz.
const voiceCache = 48 << 20

// cooldown is how long an engine that failed is passed over.
const cooldown = 30 * time.Second

// engines builds what the settings choose. Cloud engines fall back on the local ones where those are installed: a
// candidate is better served by a plain voice than by silence.
func engines(ctx context.Context, s *settings.Settings, log *zap.Logger) (agent.Engines, func(), error) {
	var e agent.Engines
	var err error
	if e.VAD, err = vad.Load(); err != nil {
		return e, nil, fmt.Errorf("load voice activity detection: %w", err)
	}
	var cloud *openai.Client
	if s.Engines.STT == settings.EngineOpenAI || s.Engines.LLM == settings.EngineOpenAI || s.Engines.TTS == settings.EngineOpenAI {
		if cloud, err = client(s); err != nil {
			return e, nil, err
		}
		e.Prewarm = prewarm(cloud, log)
	}
	home, err := localEngines(ctx, s, log)
	if err != nil {
		return e, nil, err
	}
	if s.Engines.LLM == settings.EngineOpenAI {
		e.LLM = cloud.Model()
	}
	e.STT, e.TTS = home.recogniser(s, cloud), home.synthesizer(s, cloud)
	return e, func() { home.close(log); closeClient(cloud) }, nil
}

func client(s *settings.Settings) (*openai.Client, error) {
	return openai.New(openai.Config{
		BaseURL: s.OpenAI.BaseURL, APIKey: s.OpenAI.APIKey.Reveal(),
		ChatModel: s.OpenAI.ChatModel, TranscriptionModel: s.OpenAI.STTModel, SpeechModel: s.OpenAI.TTSModel, Voice: s.OpenAI.Voice,
	})
}

func closeClient(c *openai.Client) {
	if c != nil {
		c.CloseIdleConnections()
	}
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

// prewarm opens connections at most every ten seconds, in the background, so that joining never waits for it.
func prewarm(c *openai.Client, log *zap.Logger) func(context.Context) {
	slots := make(chan struct{}, 1)
	return func(ctx context.Context) {
		select {
		case slots <- struct{}{}:
		default:
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		go func() {
			defer func() { cancel(); <-slots }()
			if err := c.Prewarm(ctx); err != nil {
				log.Warn("provider.prewarm", zap.Error(err))
			}
		}()
	}
}

// onMachine are the engines of this machine, as far as they are wanted and there.
type onMachine struct {
	sphinx *local.Sphinx
	flite  *local.Flite
}

func localEngines(ctx context.Context, s *settings.Settings, log *zap.Logger) (onMachine, error) {
	var home onMachine
	var err error
	home.sphinx, err = local.NewSphinx(local.SphinxOptions{ModelDir: s.Local.PocketsphinxModel})
	if s.Engines.STT == settings.EngineLocal {
		if err != nil {
			return home, fmt.Errorf("prepare the local recogniser: %w", err)
		}
		warmUp(ctx, home.sphinx, log)
	}
	if home.flite, err = local.NewFlite(local.FliteOptions{Voice: s.Local.Voice}); err != nil && s.Engines.TTS == settings.EngineLocal {
		return home, fmt.Errorf("prepare the local voice: %w", err)
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

func (h onMachine) recogniser(s *settings.Settings, cloud *openai.Client) stt.Recognizer {
	switch {
	case s.Engines.STT == settings.EngineLocal:
		return h.sphinx
	case h.sphinx != nil:
		return stt.NewFallback(cooldown, cloud.Recognizer(), h.sphinx) // its models are loaded when they are first needed
	}
	return cloud.Recognizer()
}

func (h onMachine) synthesizer(s *settings.Settings, cloud *openai.Client) tts.Synthesizer {
	var engine tts.Synthesizer = h.flite
	if s.Engines.TTS == settings.EngineOpenAI {
		engine = cloud.Synthesizer()
		if h.flite != nil {
			engine = tts.NewFallback(cooldown, engine, h.flite)
		}
	}
	return speak.NewCache(engine, voiceCache)
}

func (h onMachine) close(log *zap.Logger) {
	if h.sphinx == nil {
		return
	}
	if err := h.sphinx.Close(); err != nil {
		log.Warn("stt.close", zap.Error(err))
	}
}

// describe names the engines for a person.
func describe(s *settings.Settings) string {
	return fmt.Sprintf("stt %s, llm %s, tts %s", s.Engines.STT, s.Engines.LLM, s.Engines.TTS)
}
