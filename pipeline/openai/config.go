package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/fault"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/openai/family"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

// Defaults of Config.
const (
	DefaultBaseURL            = "https://api.openai.com/v1"
	DefaultChatModel          = "gpt-6-luna"
	DefaultTranscriptionModel = "gpt-4o-mini-transcribe"
	DefaultSpeechModel        = "gpt-4o-mini-tts"
	DefaultVoice              = "alloy"
)

// connectTimeout bounds dialling and, separately, the TLS handshake.
const connectTimeout = 5 * time.Second

// API is a way to address a server.
type API string

// The ways. Azure is the one with deployments and a version; Azure's newer address, which ends with /openai/v1, is OpenAI's own way.
const (
	OpenAI API = ""
	Azure  API = "azure"
)

// DefaultAPIVersion is the last that Azure gave a date: the last one that is no preview, 2024-10-21, knows no reasoning_effort.
const DefaultAPIVersion = "2025-04-01-preview"

// Config says which server to use and how. Only APIKey or BaseURL is required.
type Config struct {
	// BaseURL ends before "/chat/completions"; empty means OpenAI's own. OPENAI_BASE_URL by convention.
	BaseURL string
	// APIKey is sent as a bearer token. It is required for OpenAI's own server; others may do without. OPENAI_API_KEY by
	// convention.
	APIKey string
	// API is OpenAI or Azure. With Azure, BaseURL ends with the host, and APIKey is required.
	API API
	// APIVersion is Azure's; empty means DefaultAPIVersion.
	APIVersion string
	// Deployments are Azure's names by model, where they are not the same.
	Deployments map[string]string

	ChatModel string
	// Effort is the reasoning_effort of every request to the chat model; empty leaves it to llm.Request.Effort. One that the model
	// is known not to offer is an error of New; what is known of models, package family says.
	Effort             string
	TranscriptionModel string
	SpeechModel        string
	// Voice is used for requests that name none.
	Voice string

	// HTTPClient replaces the client's own connection pool. It must have no Timeout, which would cut long streams.
	HTTPClient *http.Client

	ChatLimits          fault.Limits
	SpeechLimits        fault.Limits
	TranscriptionLimits stt.SegmenterOptions
}

// Client is a connection to one server.
type Client struct {
	cfg  Config
	http *http.Client
	own  bool // the server is OpenAI's own
}

// New checks cfg and makes a client. It does not connect.
func New(cfg Config) (*Client, error) {
	fill(&cfg.BaseURL, DefaultBaseURL)
	fill(&cfg.ChatModel, DefaultChatModel)
	fill(&cfg.TranscriptionModel, DefaultTranscriptionModel)
	fill(&cfg.SpeechModel, DefaultSpeechModel)
	fill(&cfg.Voice, DefaultVoice)
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	fill(&cfg.APIVersion, DefaultAPIVersion)
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("OPENAI_BASE_URL %q is not a web address such as %s", cfg.BaseURL, DefaultBaseURL)
	}
	own := u.Hostname() == "api.openai.com"
	if own && cfg.APIKey == "" {
		return nil, errors.New("OPENAI_API_KEY is not set; set it, or set OPENAI_BASE_URL to a server that needs no key")
	}
	if strings.ContainsFunc(cfg.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("OPENAI_API_KEY holds a space, a line break or another character that no key has")
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, http: cfg.HTTPClient, own: own}
	if c.http == nil {
		c.http = &http.Client{Transport: newTransport()}
	}
	return c, nil
}

// check finds what does not go together.
func (cfg *Config) check() error {
	switch f := family.Of(cfg.ChatModel); {
	case cfg.API != OpenAI && cfg.API != Azure:
		return fmt.Errorf("there is no way %q to address a server; known are none and %q", cfg.API, Azure)
	case cfg.API == Azure && cfg.APIKey == "":
		return errors.New("OPENAI_API_KEY is not set; Azure asks for one")
	case cfg.API == Azure && cfg.BaseURL == DefaultBaseURL:
		return errors.New("OPENAI_BASE_URL is not set; Azure's is such as https://your-resource.openai.azure.com")
	case f.Elsewhere:
		return fmt.Errorf("the model %s is not offered by Chat Completions; choose another one, such as %s", cfg.ChatModel, DefaultChatModel)
	case cfg.Effort != "" && !f.Offers(cfg.Effort):
		return fmt.Errorf("the model %s has no reasoning effort %q; it has %s", cfg.ChatModel, cfg.Effort, cmp.Or(strings.Join(f.Efforts, ", "), "none at all"))
	}
	return nil
}

// Model gives the chat model, bounded by Config.ChatLimits.
func (c *Client) Model() *llm.Limited {
	return llm.NewLimited(provider, &chatModel{c}, c.cfg.ChatLimits)
}

// Recognizer gives transcription of segments, bounded by Config.TranscriptionLimits. It sends no partials.
func (c *Client) Recognizer() *stt.Segmented {
	return stt.NewSegmenter(provider, &transcriber{c}, c.cfg.TranscriptionLimits)
}

// Synthesizer gives speech at SpeechRate, bounded by Config.SpeechLimits.
func (c *Client) Synthesizer() *tts.Limited {
	return tts.NewLimited(provider, &synthesizer{c}, c.cfg.SpeechLimits)
}

// CloseIdleConnections closes connections that are not in use.
func (c *Client) CloseIdleConnections() { c.http.CloseIdleConnections() }

func fill(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// newTransport keeps enough idle connections for the interviews of one worker; net/http's two per host would make most
// requests dial anew.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          128,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}
