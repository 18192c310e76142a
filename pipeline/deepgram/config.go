package deepgram

import (
	"cmp"
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
	DefaultBaseURL = "wss://api.deepgram.com/v1"
	DefaultModel   = "nova-3"
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
	Limits  socket.Limits
}

// service is where to connect to, and how.
type service struct {
	key, model string
	address    *url.URL
}

// New checks cfg and makes a recognizer that transcribes speech while it is spoken. It does not connect.
func New(cfg Config) (*stt.Segmented, error) {
	cfg.BaseURL = cmp.Or(cfg.BaseURL, DefaultBaseURL)
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
	s := &service{key: cfg.APIKey, model: cmp.Or(cfg.Model, DefaultModel), address: address}
	return socket.New(s.dialect(), cfg.Limits), nil
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
func (s *service) request(language string) (string, http.Header) {
	query := url.Values{
		"model": {s.model}, "language": {cmp.Or(language, "en")},
		"encoding": {"linear16"}, "sample_rate": {strconv.Itoa(stt.SampleRate)}, "channels": {"1"},
		"interim_results": {"true"}, "endpointing": {"false"}, "punctuate": {"true"}, "smart_format": {"true"},
	}
	address := *s.address
	address.RawQuery = query.Encode()
	header := http.Header{}
	if s.key != "" {
		header.Set("Authorization", "Token "+s.key)
	}
	return address.String(), header
}
