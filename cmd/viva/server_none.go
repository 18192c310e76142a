//go:build !devserver

package main

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// embed: the production binary has no LiveKit server in it.
func embed(context.Context, *settings.Settings, *zap.Logger) (func(), error) {
	return nil, errors.New("this binary has no LiveKit server built in: set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET, or use `make run`, which builds one in (go build -tags devserver)")
}
