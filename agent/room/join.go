package room

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/interceptor"
	"go.uber.org/zap"
)

const (
	// connectTimeout bounds one attempt of the SDK to connect, also later when it reconnects.
	connectTimeout = 5 * time.Second
	// diagnoseTimeout bounds finding out why joining failed.
	diagnoseTimeout = 2 * time.Second
	// farewellTimeout bounds sending what is queued when the room is left.
	farewellTimeout = 500 * time.Millisecond
	// goodbyeTimeout bounds waiting for the server to answer that the room is left.
	goodbyeTimeout = time.Second
	// farewellPoll is how often the data still in SCTP's buffer is looked at then.
	farewellPoll = 5 * time.Millisecond
)

var (
	// ErrUnreachable says that no LiveKit server answers at the address.
	ErrUnreachable = errors.New("no LiveKit server answers there: check LIVEKIT_URL, and that the server runs and can be reached")
	// ErrRefused says that the server did not accept the token.
	ErrRefused = errors.New("the server refused the token: check that LIVEKIT_API_KEY and LIVEKIT_API_SECRET are this server's, and that the clocks agree")
)

// Room is a joined room. See the package comment for order and concurrency.
type Room struct {
	opts Options
	log  *zap.Logger
	sdk  *lksdk.Room

	mailbox    *queue[any] // facts for the event goroutine
	overflowed atomic.Bool
	dropped    atomic.Uint64 // received events
	outbox     *outbox
	attributes *attributeWriter
	goodbye    goodbye
	readers    readers
	voices     voices
	candidate  atomic.Pointer[candidate]
	microphone atomic.Pointer[func([]int16, int64)]
	hearing    atomic.Bool // a frame is being passed on

	done      chan struct{}  // closed when the room is being left
	tasks     sync.WaitGroup // goroutines other than readers
	startLock sync.Mutex     // guards done against start
	leaveOnce sync.Once
	left      chan struct{} // closed when all goroutines have ended
}

// Join connects to the server and takes the token's seat; ctx bounds that and nothing later. Errors say what to do and wrap
// ErrUnreachable or ErrRefused where that is the reason. The caller leaves the room, also after Disconnected.
func Join(ctx context.Context, opts Options) (*Room, error) {
	if err := opts.complete(); err != nil {
		return nil, fmt.Errorf("join room: %w", err)
	}
	started := time.Now()
	r := newRoom(opts)
	if err := r.connect(ctx); err != nil {
		return nil, fmt.Errorf("join room at %s: %w", opts.URL, redact(err, opts.Token))
	}
	ros := newRoster(&r.opts, sdkView{r.sdk}, func(c candidate) { r.candidate.Store(&c) })
	r.start(func() { r.deliverEvents(ros) })
	r.start(func() { r.outbox.run(r.done) })
	r.start(func() { r.attributes.run(r.done) })
	r.post(lookAround{})
	r.log.Info("room.joined", zap.String("identity", r.Identity()),
		zap.Duration("took", time.Since(started)))
	return r, nil
}

func newRoom(opts Options) *Room {
	r := &Room{
		opts: opts, log: opts.Logger,
		mailbox: newQueue[any](),
		goodbye: goodbye{limit: goodbyeTimeout},
		done:    make(chan struct{}), left: make(chan struct{}),
	}
	LogSDK(zap.NewNop()) // unless the program chose; left alone, the SDK would write to stderr
	r.sdk = lksdk.NewRoom(r.callbacks())
	r.sdk.SetLogger(newSDKLogger(opts.Logger))
	r.outbox = newOutbox(r.log, r.publishData)
	r.attributes = newAttributeWriter(func(a map[string]string) { r.sdk.LocalParticipant.SetAttributes(a) })
	return r
}

func (r *Room) publishData(p *livekit.DataPacket) error {
	return r.sdk.LocalParticipant.PublishDataPacket(dataPacket{p}, lksdk.WithDataPublishReliable(true),
		lksdk.WithDataPublishDestination(p.GetDestinationIdentities()))
}

// connect joins through the SDK. The SDK reads the first message of the server without regard to the context, so it is cut
// off from outside.
func (r *Room) connect(ctx context.Context) error {
	in := &inbound{
		log: r.log, guard: r.opts.Guard, self: r.Identity, hears: r.hears, admit: r.opts.Admit, post: r.postReceived,
		texts: newStreams(ofTexts, r.topics()...), files: newStreams(ofFiles, r.opts.Files...),
		reply: func(p ...*livekit.DataPacket) { _ = r.outbox.putBelow(rpcOutboxLimit, p...) }, // callers have time-outs
	}
	t := newTap(in.receive, &r.goodbye)
	t.subscriber = r.sdk.LocalParticipant.GetSubscriberPeerConnection
	r.start(func() { t.run(r.done) })

	result := make(chan error, 1)
	r.start(func() {
		result <- r.opts.Guard.Try("room", func() error {
			return r.sdk.JoinWithContextAndToken(ctx, r.opts.URL, r.opts.Token,
				lksdk.WithAutoSubscribe(false),
				lksdk.WithConnectTimeout(connectTimeout),
				lksdk.WithInterceptors([]interceptor.Factory{t}),
				lksdk.WithIncludeDefaultInterceptors(true))
		})
	})
	var err error
	select {
	case err = <-result:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		r.opts.Guard.Start("room", r.stop) // ends when the SDK gives up what it is waiting for, a few seconds at most
		return fmt.Errorf("not connected in time: %w (%w)", ErrUnreachable, context.Cause(ctx))
	}
	r.stop()
	return r.explain(ctx, err)
}

// hears reports whether what a participant sends is wanted: the candidate's, once there is one, unless everybody's is.
func (r *Room) hears(identity string) bool {
	if r.opts.Everybody {
		return true
	}
	if c := r.candidate.Load(); c != nil && c.identity != "" {
		return identity == c.identity
	}
	return r.opts.CandidateIdentity == "" || identity == r.opts.CandidateIdentity
}

func (r *Room) topics() []string {
	if r.opts.Transcripts {
		return []string{topicChat, topicTranscription}
	}
	return []string{topicChat}
}

// explain finds the reason of a failed attempt. The SDK gives it as text only, so the server is asked once more.
func (r *Room) explain(ctx context.Context, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	status, err := validate(ctx, r.opts.URL, r.opts.Token)
	switch {
	case err != nil:
		return fmt.Errorf("%w (%w)", ErrUnreachable, err)
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%w (%w)", ErrRefused, cause)
	case status == http.StatusNotFound:
		return fmt.Errorf("%w (something else answers at the address)", ErrUnreachable)
	}
	return cause
}

// validate asks the server what it thinks of the token and returns the HTTP status.
func validate(ctx context.Context, server, token string) (int, error) {
	u, err := url.Parse(server)
	if err != nil {
		return 0, err
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("rtc", "validate").String(), http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// redacted is an error whose text may quote the token: servers and the SDK repeat it in what they say of it.
type redacted struct {
	err   error
	token string
}

// redact keeps the token out of the error's text. What it wraps stays reachable.
func redact(err error, token string) error {
	if err == nil || token == "" || !strings.Contains(err.Error(), token) {
		return err
	}
	return redacted{err, token}
}

func (r redacted) Error() string { return strings.ReplaceAll(r.err.Error(), r.token, "[token]") }

func (r redacted) Unwrap() error { return r.err }

// Identity is the own identity.
func (r *Room) Identity() string { return r.sdk.LocalParticipant.Identity() }

// start runs a task that Leave waits for; false if the room is being left. The room outlives a panic in it: the task begins anew.
func (r *Room) start(task func()) bool {
	r.startLock.Lock()
	defer r.startLock.Unlock()
	select {
	case <-r.done:
		return false
	default:
	}
	g := r.opts.Guard
	g.Beside(&r.tasks, "room", func() { g.Keep("room", task) })
	return true
}

// Leave sends what is queued (for half a second at most), leaves the room, waits until the server has said goodbye (for a
// second at most) and until the goroutines of this package have ended, no longer than ctx allows. Callbacks may come until it returns, none after it returned nil. It must not be
// called from a callback. It is idempotent; later calls wait for the first.
func (r *Room) Leave(ctx context.Context) error {
	r.leaveOnce.Do(func() { r.opts.Guard.Start("room", r.leave) })
	select {
	case <-r.left:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("leave room: goroutines still running: %w", context.Cause(ctx))
	}
}

func (r *Room) leave() {
	r.outbox.packets.close()
	r.farewell()
	r.stop()
	r.log.Info("room.left")
	close(r.left)
}

// farewell waits until queued data is on its way, so that the last words' transcript is not lost.
func (r *Room) farewell() {
	limit := time.NewTimer(farewellTimeout)
	defer limit.Stop()
	poll := time.NewTicker(farewellPoll)
	defer poll.Stop()
	for r.outbox.busy() || r.unsent() > 0 {
		select {
		case <-limit.C:
			return
		case <-poll.C:
		}
	}
}

// unsent is how many bytes of data the peer has not acknowledged.
func (r *Room) unsent() int {
	if pc := r.sdk.LocalParticipant.GetPublisherPeerConnection(); pc != nil {
		return pc.SCTP().BufferedAmount()
	}
	return 0
}

// stop disconnects and waits for the server's goodbye and the goroutines.
func (r *Room) stop() {
	r.startLock.Lock()
	close(r.done)
	r.startLock.Unlock()
	r.outbox.packets.close()
	r.readers.close()
	if r.sdk.ConnectionState() == lksdk.ConnectionStateConnected { // else nothing can be sent, and nobody answers
		r.goodbye.say()
	}
	r.sdk.Disconnect()
	if !r.goodbye.wait() {
		r.log.Warn("room.leave_unanswered", zap.Duration("limit", goodbyeTimeout))
	}
	r.readers.tasks.Wait()
	r.mailbox.close()
	r.tasks.Wait()
}
