package room

import (
	"sync"

	"github.com/go-logr/logr"
	"github.com/livekit/protocol/logger"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"go.uber.org/zap"
)

// sdkLogOnce guards the logger that the SDK keeps for the whole process: replacing it while a room uses it would be a data
// race.
var sdkLogOnce sync.Once

// LogSDK says where the part of the SDK's messages goes that belongs to no room (WebRTC's, mostly), at debug and warn. Only
// the first call counts, and only before the first Join; without it they are discarded.
func LogSDK(log *zap.Logger) {
	sdkLogOnce.Do(func() { lksdk.SetLogger(newSDKLogger(log)) })
}

// newSDKLogger hands the SDK's messages to log, one level lower than the SDK rates them: what matters to the interview is
// reported by this package.
func newSDKLogger(log *zap.Logger) logger.Logger {
	return logger.LogRLogger(logr.New(logSink{log: log.Named("livekit")}))
}

// logSink writes logr entries to zap: info as debug, errors (which is also how warnings arrive) as warnings.
type logSink struct{ log *zap.Logger }

var _ logr.LogSink = logSink{}

// Init has nothing to set up.
func (s logSink) Init(logr.RuntimeInfo) {}

// Enabled leaves out what the SDK and pion say at debug: it is about single packets.
func (s logSink) Enabled(level int) bool { return level == 0 && s.log.Core().Enabled(zap.DebugLevel) }

// Info writes an entry.
func (s logSink) Info(_ int, msg string, kv ...any) { s.log.Sugar().Debugw(msg, kv...) }

// Error writes an entry.
func (s logSink) Error(err error, msg string, kv ...any) {
	if err != nil {
		kv = append(kv[:len(kv):len(kv)], zap.Error(err))
	}
	s.log.Sugar().Warnw(msg, kv...)
}

// WithValues adds fields.
func (s logSink) WithValues(kv ...any) logr.LogSink {
	return logSink{log: s.log.Sugar().With(kv...).Desugar()}
}

// WithName adds to the name.
func (s logSink) WithName(name string) logr.LogSink { return logSink{log: s.log.Named(name)} }
