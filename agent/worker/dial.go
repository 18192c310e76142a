package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/auth"
)

const (
	dialTimeout = 10 * time.Second
	// tokenLifetime need only cover the upgrade request and clocks that differ: the server does not look again.
	tokenLifetime = time.Hour
	// maxServerMessage is far above the 512 KiB of metadata that newer servers allow by default, because older ones check
	// nothing, and a message over the limit costs every worker that is offered it the connection.
	maxServerMessage = 16 << 20
)

var webSocketSchemes = map[string]string{"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}

// endpointURL is where workers register: <base>/agent, by WebSocket. What is wrong with the base is told without repeating it: it
// may hold a password.
func endpointURL(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || webSocketSchemes[u.Scheme] == "" || u.Host == "" || u.User != nil {
		return nil, errors.New("set LIVEKIT_URL to the server's address, such as wss://livekit.example.com or http://127.0.0.1:7880, without a user name")
	}
	u.Scheme = webSocketSchemes[u.Scheme]
	u.Path = strings.TrimRight(u.Path, "/") + "/agent"
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	return u, nil
}

// newToken makes a token that allows to register as a worker, and nothing else.
func newToken(key, secret string) (string, error) {
	token, err := auth.NewAccessToken(key, secret).
		SetVideoGrant(&auth.VideoGrant{Agent: true}).
		SetValidFor(tokenLifetime).
		ToJWT()
	if err != nil {
		return "", fmt.Errorf("sign worker token: %w", err)
	}
	return token, nil
}

// dialServer opens a WebSocket to the worker endpoint, with a token of its own. Its errors wrap ErrUnauthorized,
// ErrNameLookup, ErrUnreachable or ErrNotLiveKit. The caller closes the connection.
func dialServer(ctx context.Context, o Options) (*websocket.Conn, error) {
	endpoint, err := endpointURL(o.URL)
	if err != nil {
		return nil, err
	}
	token, err := newToken(o.APIKey, o.APISecret)
	if err != nil {
		return nil, err
	}
	dialer := websocket.Dialer{HandshakeTimeout: dialTimeout, NetDialContext: o.Dial}
	if o.Dial == nil {
		dialer.Proxy = http.ProxyFromEnvironment
		dialer.NetDialContext = (&net.Dialer{}).DialContext
	}
	release := closeOnCancel(ctx, &dialer)
	defer release()
	header := http.Header{"Authorization": {"Bearer " + token}}
	conn, resp, err := dialer.DialContext(ctx, endpoint.String(), header)
	if resp != nil {
		_ = resp.Body.Close() // in memory already: the dialer keeps the first bytes only
	}
	if err != nil {
		return nil, connectError(endpoint, resp, err)
	}
	conn.SetReadLimit(maxServerMessage)
	return conn, nil
}

// closeOnCancel makes the dialer's handshake end when ctx does; by itself it heeds only the deadline. The function returned
// must be called when the handshake is over.
func closeOnCancel(ctx context.Context, dialer *websocket.Dialer) (release func()) {
	dial := dialer.NetDialContext
	stop := func() bool { return true }
	dialer.NetDialContext = func(dialCtx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(dialCtx, network, addr)
		if err != nil {
			return nil, err
		}
		stop = context.AfterFunc(ctx, func() { _ = conn.Close() }) // the dialer reports it
		return conn, nil
	}
	return func() { stop() }
}
