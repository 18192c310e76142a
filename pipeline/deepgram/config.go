package deepgram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/stt/socket"
)

// Defaults of Config.
const (
	DefaultBaseURL  = "wss://api.deepgram.com/v1"
	DefaultModel    = "nova-3"
	DefaultLanguage = "en"
)

const provider = "deepgram"

// Config says which server to use and how. Only APIKey is required, for Deepgram's own servers.
type Config struct {
	// APIKey is sent as a token. DEEPGRAM_API_KEY by convention.
	APIKey string
	// BaseURL ends before "/listen" and begins with wss, or ws for a server of one's own; https and http are taken for them.
	// DEEPGRAM_BASE_URL by convention.
	BaseURL string
	Model   string
	// Language is used for streams that name none, as a BCP 47 tag or "multi".
	Language string
	// Keyterms are names and words to expect (Nova 3).
	Keyterms []string
	Limits   socket.Limits
}

// Recognizer transcribes speech while it is spoken. It is safe for concurrent use and holds nothing between streams.
type Recognizer struct {
	cfg     Config
	address *url.URL
	live    *stt.Segmented
}

var _ stt.Recognizer = (*Recognizer)(nil)

// New checks cfg and makes a recognizer. It does not connect.
func New(cfg Config) (*Recognizer, error) {
	fill(&cfg.BaseURL, DefaultBaseURL)
	fill(&cfg.Model, DefaultModel)
	fill(&cfg.Language, DefaultLanguage)
	address, err := parse(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if cfg.APIKey == "" && strings.HasSuffix(address.Hostname(), ".deepgram.com") {
		return nil, errors.New("DEEPGRAM_API_KEY is not set; set it, or set DEEPGRAM_BASE_URL to a server that needs no key")
	}
	if strings.ContainsFunc(cfg.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("DEEPGRAM_API_KEY holds a space, a line break or another character that no key has")
	}
	r := &Recognizer{cfg: cfg, address: address}
	r.live = socket.New(r.dialect(), cfg.Limits)
	return r, nil
}

// Open starts a stream and begins to connect; see stt.Recognizer.
func (r *Recognizer) Open(ctx context.Context, o stt.Options) (stt.Stream, error) {
	return r.live.Open(ctx, o)
}

// Check opens a connection and closes it. It tells of a wrong key or address before the first candidate does, and is bounded by
// ctx and the limits.
func (r *Recognizer) Check(ctx context.Context) error {
	return socket.Check(ctx, r.dialect(), r.cfg.Limits, "")
}

func parse(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err == nil {
		switch u.Scheme {
		case "https":
			u.Scheme = "wss"
		case "http":
			u.Scheme = "ws"
		}
	}
	if err != nil || u.Host == "" || (u.Scheme != "wss" && u.Scheme != "ws") {
		return nil, fmt.Errorf("DEEPGRAM_BASE_URL %q is not an address such as %s", base, DefaultBaseURL)
	}
	return u.JoinPath("listen"), nil
}

// request gives the address and headers of a connection.
func (r *Recognizer) request(language string) (string, http.Header) {
	fill(&language, r.cfg.Language)
	query := url.Values{
		"model": {r.cfg.Model}, "language": {language},
		"encoding": {"linear16"}, "sample_rate": {strconv.Itoa(stt.SampleRate)}, "channels": {"1"},
		"interim_results": {"true"}, "endpointing": {"false"}, "punctuate": {"true"}, "smart_format": {"true"},
	}
	for _, term := range r.cfg.Keyterms {
		query.Add("keyterm", term)
	}
	address := *r.address
	address.RawQuery = query.Encode()
	header := http.Header{}
	if r.cfg.APIKey != "" {
		header.Set("Authorization", "Token "+r.cfg.APIKey)
	}
	return address.String(), header
}

func fill(s *string, value string) {
	if *s == "" {
		*s = value
	}
}
