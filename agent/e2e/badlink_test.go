package e2e

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// weather is what becomes of packets on their way, each way for itself. Jitter also brings them out of order.
type weather struct {
	loss, twice float64       // shares of the packets
	jitter      time.Duration // each packet takes a time between none and this
}

// badLink is the network between candidates, or workers, and a LiveKit server on this machine. Signalling passes as it is, but for the server's address: the
// candidate is told that of a relay here, and the server none of the candidate's. So all that is not signalling goes through the relay.
type badLink struct {
	t       *testing.T
	server  address
	site    *httptest.Server
	relay   net.PacketConn
	weather weather

	mu     sync.Mutex
	random *rand.Rand                      // guarded by mu
	target *net.UDPAddr                    // guarded by mu: the server's, once it has told it
	flows  map[string]*net.UDPConn         // guarded by mu: towards the server, by the candidate's address
	tally  struct{ sent, lost, twice int } // guarded by mu
	late   sync.WaitGroup                  // packets under way, and readers of flows
	over   bool                            // guarded by mu
	cut    chan struct{}                   // guarded by mu: nothing passes until it is closed; nil: everything does
}

// newBadLink lies before the server until the test ends. The seed draws what is lost.
func newBadLink(t *testing.T, to address, w weather, seed uint64) *badLink {
	t.Helper()
	relay, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &badLink{t: t, server: to, relay: relay, weather: w, random: rand.New(rand.NewPCG(seed, seed)), flows: make(map[string]*net.UDPConn)}
	b.site = httptest.NewServer(http.HandlerFunc(b.pass))
	b.late.Go(b.fromCandidates)
	t.Cleanup(b.close)
	return b
}

// URL implements address.
func (b *badLink) URL() string { return "ws" + b.site.URL[len("http"):] }

func (b *badLink) close() {
	b.mend()
	b.site.CloseClientConnections()
	b.site.Close()
	b.mu.Lock()
	b.over = true
	_ = b.relay.Close() // it is read until then
	for _, f := range b.flows {
		_ = f.Close()
	}
	b.mu.Unlock()
	b.late.Wait()
}

// sever has nothing pass any more, as a switch that lost its power: no connection is closed.
func (b *badLink) sever() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut = make(chan struct{})
}

// mend has everything pass again.
func (b *badLink) mend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cut != nil {
		close(b.cut)
		b.cut = nil
	}
}

// whole waits until something may pass.
func (b *badLink) whole(ctx context.Context) {
	b.mu.Lock()
	cut := b.cut
	b.mu.Unlock()
	if cut == nil {
		return
	}
	select {
	case <-ctx.Done():
	case <-cut:
	}
}

// pass passes on what is asked of the server: signalling, what workers and the server say to each other, and calls of its API.
func (b *badLink) pass(w http.ResponseWriter, r *http.Request) {
	b.whole(r.Context())
	switch {
	case strings.HasPrefix(r.URL.Path, "/rtc"):
		b.socket(w, r, b.outward, b.inward)
	case websocket.IsWebSocketUpgrade(r):
		b.socket(w, r, asItIs, asItIs)
	default:
		to, err := url.Parse("http" + strings.TrimPrefix(b.server.URL(), "ws"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
	}
}

func asItIs(message []byte) ([]byte, error) { return message, nil }

// socket passes messages on, both ways.
func (b *badLink) socket(w http.ResponseWriter, r *http.Request, outward, inward func([]byte) ([]byte, error)) {
	ctx := r.Context()
	up, response, err := websocket.DefaultDialer.DialContext(ctx, b.server.URL()+r.URL.RequestURI(), http.Header{"Authorization": r.Header["Authorization"]})
	if response != nil {
		defer func() { _ = response.Body.Close() }()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = up.Close() }()
	down, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return // it has been told
	}
	defer func() { _ = down.Close() }()
	var ways sync.WaitGroup
	ways.Go(func() { b.pump(ctx, up, down, outward) })
	ways.Go(func() { b.pump(ctx, down, up, inward) })
	ways.Wait()
}

// pump passes on what to makes of each message, until one end closes; then both are closed.
func (b *badLink) pump(ctx context.Context, to, from *websocket.Conn, change func([]byte) ([]byte, error)) {
	defer func() { _, _ = to.Close(), from.Close() }()
	for {
		kind, message, err := from.ReadMessage()
		b.whole(ctx) // also that a connection is closed is not heard of sooner
		if err != nil {
			return
		}
		if kind == websocket.BinaryMessage {
			if message, err = change(message); err != nil || message == nil {
				continue
			}
		}
		if to.WriteMessage(kind, message) != nil {
			return
		}
	}
}

var (
	// anyCandidate is a line of a session description with an address.
	anyCandidate = regexp.MustCompile(`a=candidate:[^\r\n]*\r?\n`)
	// hostPort is the address in the server's.
	hostPort = regexp.MustCompile(`(?i)( udp \d+ )127\.0\.0\.1 (\d+)`)
)

// outward takes the candidate's addresses out of what it says.
func (b *badLink) outward(message []byte) ([]byte, error) {
	var m livekit.SignalRequest
	if err := proto.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	switch said := m.GetMessage().(type) {
	case *livekit.SignalRequest_Trickle:
		return nil, nil
	case *livekit.SignalRequest_Offer:
		said.Offer.Sdp = anyCandidate.ReplaceAllString(said.Offer.GetSdp(), "")
	case *livekit.SignalRequest_Answer:
		said.Answer.Sdp = anyCandidate.ReplaceAllString(said.Answer.GetSdp(), "")
	}
	return proto.Marshal(&m)
}

// inward puts the relay's address in place of the server's.
func (b *badLink) inward(message []byte) ([]byte, error) {
	var m livekit.SignalResponse
	if err := proto.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	switch said := m.GetMessage().(type) {
	case *livekit.SignalResponse_Trickle:
		said.Trickle.CandidateInit = b.moved(said.Trickle.GetCandidateInit())
	case *livekit.SignalResponse_Offer:
		said.Offer.Sdp = b.moved(said.Offer.GetSdp())
	case *livekit.SignalResponse_Answer:
		said.Answer.Sdp = b.moved(said.Answer.GetSdp())
	}
	return proto.Marshal(&m)
}

func (b *badLink) moved(text string) string {
	return hostPort.ReplaceAllStringFunc(text, func(found string) string {
		parts := hostPort.FindStringSubmatch(found)
		port, err := strconv.Atoi(parts[2])
		if err != nil {
			return found
		}
		b.mu.Lock()
		b.target = &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
		b.mu.Unlock()
		return parts[1] + "127.0.0.1 " + strconv.Itoa(b.relay.LocalAddr().(*net.UDPAddr).Port)
	})
}

const datagram = 2048 // bytes; none of WebRTC's is longer

// fromCandidates passes on what candidates send.
func (b *badLink) fromCandidates() {
	buf := make([]byte, datagram)
	for {
		n, from, err := b.relay.ReadFrom(buf)
		if err != nil {
			return
		}
		if flow := b.flow(from); flow != nil {
			b.travel(buf[:n], func(packet []byte) { _, _ = flow.Write(packet) })
		}
	}
}

// flow is the socket of a candidate's address towards the server; what comes back to it goes to the candidate.
func (b *badLink) flow(from net.Addr) *net.UDPConn {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, known := b.flows[from.String()]
	if known || b.over || b.target == nil {
		return f
	}
	f, err := net.DialUDP("udp", nil, b.target)
	if err != nil {
		b.t.Error(err)
		return nil
	}
	b.flows[from.String()] = f
	b.late.Go(func() {
		buf := make([]byte, datagram)
		for {
			n, err := f.Read(buf)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil { // else the server is away
				b.travel(buf[:n], func(packet []byte) { _, _ = b.relay.WriteTo(packet, from) })
			}
		}
	})
	return f
}

// travel sends a packet on after its time, once, twice or not at all.
func (b *badLink) travel(packet []byte, send func([]byte)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return
	}
	times := 1
	b.tally.sent++
	if b.cut != nil {
		b.tally.lost++
		return
	}
	switch chance := b.random.Float64(); {
	case chance < b.weather.loss:
		b.tally.lost++
		return
	case chance < b.weather.loss+b.weather.twice:
		b.tally.twice++
		times = 2
	}
	packet = append([]byte(nil), packet...)
	for range times {
		b.late.Add(1)
		time.AfterFunc(time.Duration(b.random.Int64N(int64(b.weather.jitter)+1)), func() {
			defer b.late.Done()
			send(packet)
		})
	}
}

// passed is how many packets came into the link, and how many of them were lost and doubled.
func (b *badLink) passed() (sent, lost, twice int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tally.sent, b.tally.lost, b.tally.twice
}
