package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

// Defaults of Options. Load threshold, drain time and retries are those of LiveKit's own agent frameworks.
const (
	DefaultLoadThreshold = 0.7
	DefaultMaxRetries    = 16
	DefaultDrainTimeout  = time.Hour
	DefaultStopTimeout   = 10 * time.Second
)

// DefaultJobCost is what an interview takes, generously, whose speech is understood and spoken by services.
func DefaultJobCost() Cost { return Cost{CPU: 0.01, Memory: 4 << 20} }

// DialFunc opens a network connection, like net.Dialer.DialContext.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Options configure a Worker. The zero value of an optional field means the default given with it.
type Options struct {
	// URL is the LiveKit server: ws, wss, http or https. Required (LIVEKIT_URL).
	URL string
	// APIKey and APISecret sign the worker's tokens. Required (LIVEKIT_API_KEY, LIVEKIT_API_SECRET).
	APIKey    string
	APISecret string
	// AgentName is the name dispatches ask for. Empty means automatic dispatch into every new room.
	AgentName string
	// Version is reported to the server and at /worker; informational.
	Version string

	// MaxJobs is the number of jobs, accepted or running, that count as load 1. With a LoadThreshold of 0.7 the worker
	// takes seven tenths of them; with one of 1 or more, all. Zero: as many as fit, by what they cost.
	MaxJobs int
	// JobCost is what a job is taken to cost until that was measured, and while it is too fresh to be. Zero: DefaultJobCost.
	JobCost Cost
	// Answers tell how soon jobs answer; while they are slow the worker is full. Nil: nobody tells.
	Answers *Answers
	// LoadFunc measures the CPU's load, 0 idle to 1 busy, from which nothing is learned of what jobs cost. It is called every
	// 0.5 s, never concurrently, and must return at once. Nil: the CPU used by this process, averaged over 2.5 s, over the
	// CPUs it may use.
	LoadFunc func() float64
	// SystemCPU makes the default LoadFunc look at the whole machine. On a shared machine that can starve the worker,
	// because servers stop dispatching at 0.7. It cannot be combined with LoadFunc.
	SystemCPU bool
	// LoadThreshold is the load from which on the worker declares itself full. Zero: DefaultLoadThreshold. Above 0.7
	// (+Inf: never full by load) the reported load is held just under 0.7 as long as the worker is not full.
	LoadThreshold float64

	// DrainTimeout limits how long Drain lets running jobs go on. Zero: DefaultDrainTimeout; to end jobs at once, end Run's
	// context instead of draining.
	DrainTimeout time.Duration
	// StopTimeout limits how long cancelled jobs may take to leave before Run gives up on them. Zero: DefaultStopTimeout.
	StopTimeout time.Duration
	// MaxRetries is how many attempts to connect may fail in a row before Run gives up. Zero: DefaultMaxRetries;
	// negative: never give up.
	MaxRetries int

	// Dial opens the network connection. Nil: a net.Dialer, through the proxy of HTTP_PROXY/HTTPS_PROXY if set.
	Dial DialFunc
	// Logger receives the worker's log. Nil: no log.
	Logger *zap.Logger
	// Registerer receives the worker's metrics. Nil: no metrics.
	Registerer prometheus.Registerer
}

// withDefaults fills the optional fields that are zero.
func (o Options) withDefaults() Options {
	setDefault(&o.JobCost, DefaultJobCost())
	setDefault(&o.LoadThreshold, DefaultLoadThreshold)
	setDefault(&o.MaxRetries, DefaultMaxRetries)
	setDefault(&o.DrainTimeout, DefaultDrainTimeout)
	setDefault(&o.StopTimeout, DefaultStopTimeout)
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return o
}

func setDefault[T comparable](field *T, value T) { *field = cmp.Or(*field, value) }

// validate reports every problem at once; call it after withDefaults.
func (o Options) validate() error {
	_, urlProblem := endpointURL(o.URL)
	return errors.Join(
		urlProblem,
		require(o.APIKey != "", "API key is missing: set LIVEKIT_API_KEY"),
		require(o.APISecret != "", "API secret is missing: set LIVEKIT_API_SECRET"),
		require(o.MaxJobs >= 0, "max jobs is %d: must not be negative", o.MaxJobs),
		require(o.JobCost.CPU > 0 && o.JobCost.Memory >= 0, "job cost is %v: must be above 0", o.JobCost),
		require(o.LoadThreshold > 0 && !math.IsNaN(o.LoadThreshold), "load threshold is %v: must be above 0", o.LoadThreshold),
		require(o.LoadFunc == nil || !o.SystemCPU, "system CPU and a load function exclude each other: choose one"),
		require(o.DrainTimeout > 0, "drain timeout is %v: must be above 0", o.DrainTimeout),
		require(o.StopTimeout > 0, "stop timeout is %v: must be above 0", o.StopTimeout),
	)
}

func require(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}
