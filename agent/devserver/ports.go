package devserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// PortError reports a port that could not be opened.
type PortError struct {
	Option  string // the field of Options that chose the port: "SignalPort", "TCPPort" or "UDPPort"
	Network string // "tcp" or "udp"
	Port    int
	Err     error // what the system said
}

// Error says which option to change.
func (e *PortError) Error() string {
	return fmt.Sprintf("%s %d/%s cannot be opened (%v): stop the program that holds it, often another LiveKit server, or choose another %s",
		e.Option, e.Port, e.Network, e.Err, e.Option)
}

// Unwrap gives the system's error.
func (e *PortError) Unwrap() error { return e.Err }

// ports are what one server was given. The front listener is open and its owner closes it; the others were found free.
type ports struct {
	front net.Listener // the public signalling port
	inner int          // livekit-server's own HTTP port, behind the front
	udp   int
}

// claimPorts opens the public port for good and proves that the others can be opened. livekit-server insists on opening
// those itself, so another program could take one in between; it then reports that in its own words.
func claimPorts(ctx context.Context, opts Options) (ports, error) {
	front, err := listen(ctx, "SignalPort", thisHost, opts.SignalPort)
	if err != nil {
		return ports{}, err
	}
	p := ports{front: front}
	if err := p.probe(ctx, opts); err != nil {
		return ports{}, errors.Join(err, front.Close())
	}
	return p, nil
}

func (p *ports) probe(ctx context.Context, opts Options) error {
	inner, err := listen(ctx, "SignalPort", thisHost, 0)
	if err != nil {
		return err
	}
	p.inner = portOf(inner.Addr())
	if err := inner.Close(); err != nil {
		return fmt.Errorf("release port %d: %w", p.inner, err)
	}
	if p.udp, err = freeUDP(ctx, opts.UDPPort); err != nil {
		return err
	}
	return tcpIsFree(ctx, opts.TCPPort)
}

func listen(ctx context.Context, option, host string, port int) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, &PortError{Option: option, Network: "tcp", Port: port, Err: err}
	}
	return ln, nil
}

func freeUDP(ctx context.Context, port int) (int, error) {
	var lc net.ListenConfig
	conn, err := lc.ListenPacket(ctx, "udp", net.JoinHostPort(thisHost, strconv.Itoa(port)))
	if err != nil {
		return 0, &PortError{Option: "UDPPort", Network: "udp", Port: port, Err: err}
	}
	free := portOf(conn.LocalAddr())
	if err := conn.Close(); err != nil {
		return 0, fmt.Errorf("release port %d: %w", free, err)
	}
	return free, nil
}

// tcpIsFree looks at all interfaces, as livekit-server will.
func tcpIsFree(ctx context.Context, port int) error {
	if port == 0 {
		return nil
	}
	ln, err := listen(ctx, "TCPPort", "", port)
	if err != nil {
		return err
	}
	if err := ln.Close(); err != nil {
		return fmt.Errorf("release port %d: %w", port, err)
	}
	return nil
}

func portOf(addr net.Addr) int {
	switch a := addr.(type) {
	case *net.TCPAddr:
		return a.Port
	case *net.UDPAddr:
		return a.Port
	}
	return 0
}
