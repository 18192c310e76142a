package devserver

import (
	"fmt"
	"strings"
	"sync"

	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"
	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/logger/zaputil"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// setLogger guards livekit's process-wide logger: replacing it while goroutines of an earlier server still log would be a
// data race.
var setLogger sync.Once

// initProcess prepares what livekit-server keeps once per process. Without the metrics the first join panics.
func initProcess(node routing.LocalNode, opts Options) error {
	setLogger.Do(func() { logger.SetLogger(newBridge(opts.Logger, opts.Debug), "livekit") })
	if err := prometheus.Init(string(node.NodeID()), node.NodeType()); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// bridge hands livekit's log entries to zap. livekit's own zap logger writes to stderr and nowhere else.
type bridge struct {
	zap   *zap.SugaredLogger
	debug bool
}

var _ logger.Logger = bridge{}

func newBridge(log *zap.Logger, debug bool) bridge {
	b := bridge{zap: log.WithOptions(zap.AddCallerSkip(1)).Sugar(), debug: debug}
	if debug {
		return b
	}
	return b.atLeast(zapcore.ErrorLevel) // its warnings are about every connection that ends
}

// atLeast drops entries below level.
func (b bridge) atLeast(level zapcore.Level) bridge {
	b.zap = b.zap.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		raised, err := zapcore.NewIncreaseLevelCore(c, level)
		if err != nil {
			return c // it is already stricter
		}
		return raised
	}))
	return b
}

func (b bridge) Debugw(msg string, kv ...any) { b.zap.Debugw(msg, kv...) }

func (b bridge) Infow(msg string, kv ...any) { b.zap.Infow(msg, kv...) }

func (b bridge) Warnw(msg string, err error, kv ...any) { b.zap.Warnw(msg, withError(err, kv)...) }

func (b bridge) Errorw(msg string, err error, kv ...any) { b.zap.Errorw(msg, withError(err, kv)...) }

func withError(err error, kv []any) []any {
	if err == nil {
		return kv
	}
	return append(kv[:len(kv):len(kv)], zap.Error(err))
}

func (b bridge) WithValues(kv ...any) logger.Logger {
	b.zap = b.zap.With(kv...)
	return b
}

func (b bridge) WithUnlikelyValues(kv ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(b, kv...)
}

func (b bridge) WithName(name string) logger.Logger {
	b.zap = b.zap.Named(name)
	return b
}

// WithComponent keeps pion quiet below errors, as livekit-server's default configuration does: its warnings are about
// candidate pairs that lost.
func (b bridge) WithComponent(component string) logger.Logger {
	b.zap = b.zap.Named(component)
	if strings.HasPrefix(component, "pion") && !b.debug {
		return b.atLeast(zapcore.ErrorLevel)
	}
	return b
}

func (b bridge) WithCallDepth(depth int) logger.Logger {
	b.zap = b.zap.WithOptions(zap.AddCallerSkip(depth))
	return b
}

func (b bridge) WithItemSampler() logger.Logger { return b }

func (b bridge) WithoutSampler() logger.Logger { return b }

func (b bridge) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	late := &zaputil.Deferrer{}
	b.zap = b.zap.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zaputil.NewDeferredValueCore(c, late)
	}))
	return b, late
}
