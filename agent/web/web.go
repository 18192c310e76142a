package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/prompts"
)

const (
	tokenTTL    = 2 * time.Hour    // a reload can resume an interview only while its token lives
	startWithin = 10 * time.Minute // a token begins one interview, within this time
	// DefaultRatePerMinute is that of Options.
	DefaultRatePerMinute = 10
)

// Options configures a Handler.
type Options struct {
	LiveKitURL string // required; ws, wss, http or https, the address as the candidate's browser reaches it
	APIKey     string // required; signs the tokens
	APISecret  string // required
	AgentName  string // required; the worker that is dispatched

	Interviews       []agent.Kind // at least one, with distinct IDs
	DefaultInterview string       // preselected and used when a request names none; "" is the first

	// OpenTokens serves /api to whoever reaches it. LocalTokens serves it to browsers of this machine, as far as they can be
	// told: where a proxy of this machine leads others here, it must be off. With neither nobody is served.
	OpenTokens, LocalTokens bool
	// TrustedProxies are believed what X-Forwarded-For says of their clients, whose limits are then apart. What they pass on is
	// never local.
	TrustedProxies []netip.Prefix

	RatePerMinute int // tokens per client address, in a burst or spread out; 0 is DefaultRatePerMinute

	Logger *zap.Logger // nil discards
}

// Handler is the page and its API.
type Handler struct {
	answers
	opts    Options
	byID    map[string]agent.Kind
	limiter *limiter
	clients *clients
}

// answers have headers that go out with each of them.
type answers struct {
	headers http.Header
	routes  http.Handler
}

var _ http.Handler = answers{}

// New checks opts and reports everything that is wrong with them at once.
func New(opts Options) (*Handler, error) {
	return newHandler(opts, staticFiles)
}

func newHandler(opts Options, static fs.FS) (*Handler, error) {
	opts = opts.withDefaults()
	byID, err := opts.validate()
	if err != nil {
		return nil, fmt.Errorf("candidate's page: %w", err)
	}
	h := &Handler{
		opts:    opts,
		byID:    byID,
		limiter: newLimiter(opts.RatePerMinute),
		clients: newClients(opts.TrustedProxies, opts.Logger),
		answers: answers{headers: securityHeaders(opts.LiveKitURL)},
	}
	assets, err := newAssets(static)
	if err != nil {
		return nil, fmt.Errorf("candidate's page: read embedded files: %w", err)
	}
	if !assets.has(clientBundle) {
		opts.Logger.Warn("web.client_bundle_missing", zap.String("fix", "run `make setup`, then build again"))
	}
	h.routes = h.newRoutes(assets)
	return h, nil
}

func (h *Handler) newRoutes(assets *assets) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", assets.page())
	mux.Handle("GET /static/", assets)
	mux.Handle("GET /api/interviews", h.guarded(h.listInterviews))
	mux.Handle("POST /api/token", h.guarded(h.issueToken))
	return mux
}

// ServeHTTP answers one request.
func (s answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, values := range s.headers {
		w.Header()[name] = values
	}
	s.routes.ServeHTTP(w, r)
}

func (h *Handler) listInterviews(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, struct {
		Interviews []agent.Kind `json:"interviews"`
		Default    string       `json:"default"`
	}{h.opts.Interviews, h.opts.DefaultInterview})
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.RatePerMinute == 0 {
		o.RatePerMinute = DefaultRatePerMinute
	}
	if o.DefaultInterview == "" && len(o.Interviews) > 0 {
		o.DefaultInterview = o.Interviews[0].ID
	}
	return o
}

// validate gives the interviews by ID, or all errors. What is in an interview was checked with its definition.
func (o Options) validate() (map[string]agent.Kind, error) {
	var errs []error
	for _, required := range []struct{ name, value string }{
		{"LiveKitURL", o.LiveKitURL}, {"APIKey", o.APIKey}, {"APISecret", o.APISecret}, {"AgentName", o.AgentName},
	} {
		if required.value == "" {
			errs = append(errs, fmt.Errorf("%s is required", required.name))
		}
	}
	if o.RatePerMinute < 0 {
		errs = append(errs, errors.New("RatePerMinute must not be negative"))
	}
	byID := make(map[string]agent.Kind, len(o.Interviews))
	for _, i := range o.Interviews {
		byID[i.ID] = i
	}
	if _, ok := byID[o.DefaultInterview]; !ok {
		errs = append(errs, fmt.Errorf("DefaultInterview %q is not among Interviews", o.DefaultInterview))
	}
	return byID, errors.Join(errs...)
}

// speaks tells whether one of the locales is a language: in the variant asked for, or in another.
func speaks(locales []string, locale string) bool {
	if locale == "" || len(locales) == 0 {
		return true
	}
	language := prompts.Language(locale)
	return slices.ContainsFunc(locales, func(has string) bool {
		return strings.EqualFold(has, locale) || strings.EqualFold(has, language)
	})
}

// writeJSON sends v. A client that has gone away is no error of ours.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// writeError sends a sentence the page shows as it is.
func writeError(w http.ResponseWriter, status int, sentence string) {
	writeJSON(w, status, struct {
		Error string `json:"error"`
	}{sentence})
}

// writeTooMany tells a client that it has to wait.
func writeTooMany(w http.ResponseWriter, sentence string, wait time.Duration) {
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	w.Header().Set("Retry-After", seconds)
	writeError(w, http.StatusTooManyRequests, sentence+" Try again in "+seconds+" s.")
}
