package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

// stubCommand serves the fixed-latency stand-in for an OpenAI-compatible service that measurements are made against.
func (p *program) stubCommand() *cli.Command {
	delay := openaitest.Typical()
	return &cli.Command{
		Name: "openai-stub", Usage: "serve a fixed-latency stand-in for an OpenAI-compatible service, for measurements", Hidden: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8089", Usage: "`ADDRESS`, on loopback"},
			&cli.DurationFlag{Name: "transcription", Value: delay.Transcription, Destination: &delay.Transcription},
			&cli.DurationFlag{Name: "first-token", Value: delay.FirstToken, Destination: &delay.FirstToken},
			&cli.DurationFlag{Name: "per-token", Value: delay.PerToken, Destination: &delay.PerToken},
			&cli.DurationFlag{Name: "first-audio", Value: delay.FirstAudio, Destination: &delay.FirstAudio},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			ctx, stop := untilSignal(ctx)
			defer stop()
			listener, err := listen(ctx, "the stub", cmd.String("listen"), "--listen")
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(p.out, "OPENAI_BASE_URL=http://%s/v1\n", listener.Addr())
			return serveHTTP(ctx, listener, openaitest.New(delay))
		},
	}
}
