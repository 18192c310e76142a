package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

func (p *program) healthCommand() *cli.Command {
	return &cli.Command{
		Name: "health", Usage: "ask a worker on this machine whether it is well; exit code 0 means yes",
		Flags: flags(settings.CommandHealth),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s, err := load(cmd, settings.CommandHealth)
			if err != nil {
				return err
			}
			return p.health(ctx, s.Health.Address)
		},
	}
}

func (p *program) health(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("health address %q: %w", address, err)
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no worker answers at %s: %w", address, err)
	}
	defer func() { _ = resp.Body.Close() }() // read below as far as it is wanted
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if err != nil {
		return fmt.Errorf("read the worker's answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the worker says %d: %s", resp.StatusCode, text)
	}
	_, err = fmt.Fprintf(p.out, "%s\n", text)
	return err
}
