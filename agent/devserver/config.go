package devserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"

	"github.com/livekit/livekit-server/pkg/config"
)

const (
	// A room nobody has entered yet is kept this long (s): enough to type `viva dispatch` and then open the page.
	emptyTimeout = 120
	// A room all people have left is kept this long (s): longer than the interview's grace for a reconnect (20 s), so
	// that the interview decides when it is over and not the server.
	departureTimeout = 60
	// Without a STUN server of its own, livekit-server names public ones to its clients: a request off this machine. This
	// one is the discard port, where nobody answers and nobody needs to: all candidates are on loopback.
	noSTUN = thisHost + ":9"
)

// newConfig says in livekit-server's settings what this package promises (as JSON, which is YAML too). The server's `development` mode stays off: it
// registers handlers on the process-wide default mux and panics when a second server does so too.
func newConfig(p ports, opts Options) (*config.Config, error) {
	interfaces, err := loopbackInterfaces()
	if err != nil {
		return nil, err
	}
	doc := map[string]any{
		"port":           p.inner,
		"bind_addresses": []string{thisHost},
		"keys":           map[string]string{opts.APIKey: opts.APISecret},
		"rtc": map[string]any{
			"udp_port":                  p.udp,
			"tcp_port":                  opts.TCPPort,
			"node_ip":                   thisHost,
			"use_external_ip":           false,
			"enable_loopback_candidate": true,
			"interfaces":                map[string]any{"includes": interfaces},
			"ips":                       map[string]any{"includes": []string{thisHost + "/32"}},
			"stun_servers":              []string{noSTUN},
		},
		"room": map[string]any{
			"empty_timeout":     emptyTimeout,
			"departure_timeout": departureTimeout,
		},
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	conf, err := config.NewConfig(string(text), true, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return conf, nil
}

// loopbackInterfaces names them, because they are called differently on each system (lo, lo0).
func loopbackInterfaces() ([]string, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list network interfaces: %w", err)
	}
	var names []string
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 && i.Flags&net.FlagUp != 0 {
			names = append(names, i.Name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no loopback network interface is up")
	}
	return names, nil
}
