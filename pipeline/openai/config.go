package openai

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/pipeline/stt"
	"github.com/vivavoice/viva/pipeline/tts"
)

// Defaults of Config.
const (
	DefaultBaseURL            = "https://api.openai.com/v1"
	DefaultChatModel          = "gpt-4o-mini"
	DefaultTranscriptionModel = "gpt-4o-mini-transcribe"
	DefaultSpeechModel        = "gpt-4o-mini-tts"
	DefaultVoice              = "alloy"
)

// connectTimeout bounds dialling and, separately, the TLS handshake.
const connectTimeout = 5 * time.Second

// Config says which server to use and how. Only APIKey or BaseURL is required.
type Config struct {
	// BaseURL ends before "/chat/completions"; empty means OpenAI's own. OPENAI_BASE_URL by convention.
	BaseURL string
	// APIKey is sent as a bearer token. It is required for OpenAI's own server; others may do without. OPENAI_API_KEY by
	// convention.
	APIKey string

	ChatModel          string
	TranscriptionModel string
	SpeechModel        string
	// Voice is used for requests that name none.
	Voice string
	// SpeechInstructions tell the speech model how to sound; empty sends none.
	SpeechInstructions string

	// HTTPClient replaces the client's own connection pool. It must have no Timeout, which would cut long streams.
	HTTPClient *http.Client

	ChatLimits          llm.Limits
	SpeechLimits        tts.Limits
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
	c := &Client{cfg: cfg, http: cfg.HTTPClient, own: own}
	if c.http == nil {
		c.http = &http.Client{Transport: newTransport()}
	}
	return c, nil
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
