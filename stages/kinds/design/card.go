package design

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// cardPath is where an agent publishes its card (A2A protocol 1.0, section 8.2, registered under RFC 8615).
const cardPath = ".well-known/agent-card.json"

// cardAge is how long a card is believed.
const cardAge = 10 * time.Minute

// Names of transports in agent cards.
const (
	overREST    = "HTTP+JSON"
	overJSONRPC = "JSONRPC"
)

// discovery is where a card said that the service is.
type discovery struct {
	base *url.URL
	at   time.Time
}

// agentCard is what is read of an A2A agent card: protocol 1.0 lists supportedInterfaces in order of preference, 0.3 has
// one url with its preferredTransport and additionalInterfaces.
type agentCard struct {
	SupportedInterfaces []struct {
		URL     string `json:"url"`
		Binding string `json:"protocolBinding"`
	} `json:"supportedInterfaces"`
	URL       string `json:"url"`
	Transport string `json:"preferredTransport"`
	Also      []struct {
		URL       string `json:"url"`
		Transport string `json:"transport"`
	} `json:"additionalInterfaces"`
}

// address returns the address of the first interface that speaks JSON over HTTP: the service's calls stand below it.
// JSON-RPC serves where there is no other, for it is HTTP at least.
func (c *agentCard) address() (string, error) {
	type offer struct{ url, transport string }
	var offers []offer
	for _, i := range c.SupportedInterfaces {
		offers = append(offers, offer{i.URL, i.Binding})
	}
	if len(offers) == 0 && c.URL != "" {
		offers = append(offers, offer{c.URL, cmp.Or(c.Transport, overJSONRPC)}) // the default of 0.3
		for _, i := range c.Also {
			offers = append(offers, offer{i.URL, i.Transport})
		}
	}
	for _, wanted := range []string{overREST, overJSONRPC} {
		for _, o := range offers {
			if strings.EqualFold(o.transport, wanted) && o.url != "" {
				return o.url, nil
			}
		}
	}
	return "", errors.New("the agent card names no interface over HTTP (HTTP+JSON or JSONRPC)")
}

// endpoint returns the address below which the service's calls stand, from the card where there is one. Two callers may
// fetch the card at the same time; it does no harm.
func (s *service) endpoint(ctx context.Context) (*url.URL, error) {
	if s.base != nil {
		return s.base, nil
	}
	if d := s.found.Load(); d != nil && time.Since(d.at) < cardAge {
		return d.base, nil
	}
	const call = "agent card"
	at := s.card
	if !strings.HasSuffix(at.Path, ".json") {
		at = at.JoinPath(cardPath)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return nil, s.failed(call, KindMalformed, err)
	}
	var card agentCard
	if err := s.do(req, call, &card); err != nil { // without the token: cards are public
		return nil, err
	}
	text, err := card.address()
	if err != nil {
		return nil, s.failed(call, KindMalformed, err)
	}
	base, err := url.Parse(text)
	if err != nil || base.Hostname() == "" || base.User != nil {
		return nil, s.failed(call, KindMalformed, errors.New("the agent card names no http address without user and password"))
	}
	if base.Scheme != "https" && (base.Scheme != "http" || at.Scheme == "https") {
		return nil, s.failed(call, KindNotAllowed, fmt.Errorf("the agent card leads from %s to %s: %w", at.Scheme, base.Scheme, errNotAllowed))
	}
	if err := s.allowed.host(base); err != nil {
		return nil, s.failed(call, KindNotAllowed, err)
	}
	if s.token != "" && !s.confidential(base) {
		return nil, s.failed(call, KindNotAllowed, fmt.Errorf("the agent card would have the token sent over plain http: %w", errNotAllowed))
	}
	s.found.Store(&discovery{base: base, at: time.Now()})
	return base, nil
}
