package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// logged is the action of a command that works with its settings and a log.
func logged(c settings.Command, do func(context.Context, *settings.Settings, *zap.Logger) error) cli.ActionFunc {
	return func(ctx context.Context, cmd *cli.Command) error {
		s, err := load(cmd, c)
		if err != nil {
			return err
		}
		log, err := logger(s)
		if err != nil {
			return err
		}
		return do(ctx, s, log)
	}
}

// logger makes the program's log: JSON lines for machines, a readable console for people.
func logger(s *settings.Settings) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(s.Log.Level)
	if err != nil {
		return nil, fmt.Errorf("log level %q: %w", s.Log.Level, err)
	}
	cfg := zap.NewProductionConfig()
	cfg.EncoderConfig.EncodeTime = zapcore.ISO8601TimeEncoder
	cfg.EncoderConfig.EncodeDuration = zapcore.StringDurationEncoder
	cfg.EncoderConfig.TimeKey = "time"
	if s.Log.Format == settings.LogConsole {
		cfg.Encoding = "console"
		cfg.EncoderConfig.EncodeLevel = zapcore.CapitalLevelEncoder
		cfg.EncoderConfig.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
	}
	cfg.Level = zap.NewAtomicLevelAt(level)
	cfg.Sampling, cfg.DisableStacktrace, cfg.DisableCaller = nil, true, true
	return cfg.Build()
}
