package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"
)

const (
	// registerTimeout is the time the server, too, allows for registering.
	registerTimeout = 10 * time.Second
	// statusInterval is that of LiveKit's frameworks.
	statusInterval = 2500 * time.Millisecond
	// pingInterval and readTimeout find a half-open connection: three pings, the server's or ours, may go missing.
	pingInterval = 10 * time.Second
	readTimeout  = 30 * time.Second
	writeTimeout = 5 * time.Second
	// sendQueueLength is the number of messages that may wait for the writer; then senders wait.
	sendQueueLength = 64
)

// link is one connection to the server. Two goroutines work on it: serve's caller reads and its writer writes; only the
// writer closes the connection and the channel done. All other methods may be called from anywhere.
type link struct {
	conn   *websocket.Conn
	logger *zap.Logger
	id     string // the worker's id on this connection; written by register, before the link is shared

	queue     chan []byte   // messages for the writer
	pings     chan string   // payload of the latest ping to answer; an unanswered one is dropped, the next will do
	statusNow chan struct{} // asks for a status before the next tick
	done      chan struct{} // closed when nothing will be written any more

	mu       sync.Mutex
	lastPing int64                   // guarded by mu
	pongs    map[int64]chan struct{} // by the timestamp of the ping; guarded by mu
}

func newLink(conn *websocket.Conn, logger *zap.Logger) *link {
	l := &link{
		conn:      conn,
		logger:    logger,
		queue:     make(chan []byte, sendQueueLength),
		pings:     make(chan string, 1),
		statusNow: make(chan struct{}, 1),
		done:      make(chan struct{}),
		pongs:     make(map[int64]chan struct{}),
	}
	conn.SetPingHandler(l.pinged)
	conn.SetPongHandler(func(string) error { return l.extendDeadline() })
	return l
}

// register is the handshake: the request, and the first answer to it. It closes the connection if it fails.
func (l *link) register(ctx context.Context, request *livekit.WorkerMessage) (*livekit.RegisterWorkerResponse, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, registerTimeout, errRegisterTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	response, err := l.exchange(request)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return response, nil
	}
	_ = l.conn.Close() // already failed
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return nil, fmt.Errorf("register worker: %w", err)
}

func (l *link) exchange(request *livekit.WorkerMessage) (*livekit.RegisterWorkerResponse, error) {
	if err := l.writeMessage(request); err != nil {
		return nil, err
	}
	for {
		msg, err := l.read()
		if err != nil {
			return nil, err
		}
		if response := msg.GetRegister(); response != nil {
			l.id = response.GetWorkerId()
			return response, nil
		}
		l.logger.Debug("server.message.before_registration")
	}
}

// serve works the connection of a registered worker until ctx ends or the connection fails, and returns why. It calls
// ready once and then handle for each message, in order and on its own goroutine; status is called on the writer's.
func (l *link) serve(ctx context.Context, status func() *livekit.WorkerMessage, ready func(), handle func(*livekit.ServerMessage)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var writer sync.WaitGroup
	writer.Go(func() { cancel(l.writeLoop(ctx, status)) })
	ready()
	for {
		msg, err := l.read()
		if err != nil {
			cancel(fmt.Errorf("read from server: %w", err))
			writer.Wait()
			return context.Cause(ctx)
		}
		handle(msg)
	}
}

// read returns the next message it understands. What it does not understand it passes over: servers are newer than
// workers, and a text frame is never an answer to the binary ones sent here.
func (l *link) read() (*livekit.ServerMessage, error) {
	for {
		if err := l.extendDeadline(); err != nil {
			return nil, err
		}
		kind, data, err := l.conn.ReadMessage()
		if err != nil {
			return nil, err
		}
		msg := &livekit.ServerMessage{}
		if kind != websocket.BinaryMessage {
			l.logger.Warn("server.frame.not_binary", zap.Int("bytes", len(data)))
			continue
		}
		if err := proto.Unmarshal(data, msg); err != nil {
			l.logger.Warn("server.frame.unreadable", zap.Int("bytes", len(data)), zap.Error(err))
			continue
		}
		return msg, nil
	}
}

func (l *link) extendDeadline() error {
	return l.conn.SetReadDeadline(time.Now().Add(readTimeout))
}

// pinged runs on the reader, which must never wait for a write: the writer answers.
func (l *link) pinged(payload string) error {
	select {
	case l.pings <- payload:
	default:
	}
	return l.extendDeadline()
}

func (l *link) writeLoop(ctx context.Context, status func() *livekit.WorkerMessage) error {
	defer close(l.done)
	defer func() { _ = l.conn.Close() }() // the loop's own error says more
	statusTick, pingTick := time.NewTicker(statusInterval), time.NewTicker(pingInterval)
	defer statusTick.Stop()
	defer pingTick.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return l.farewell(ctx)
		case data := <-l.queue:
			err = l.write(data)
		case payload := <-l.pings:
			err = l.writeControl(websocket.PongMessage, []byte(payload))
		case <-pingTick.C:
			err = l.writeControl(websocket.PingMessage, nil)
		case <-statusTick.C:
			err = l.writeMessage(status())
		case <-l.statusNow:
			err = l.writeMessage(status())
		}
		if err != nil {
			return fmt.Errorf("write to server: %w", err)
		}
	}
}

// farewell writes what is still queued and takes leave. Neither is owed to a server that is gone, so errors end it.
func (l *link) farewell(ctx context.Context) error {
	for {
		select {
		case data := <-l.queue:
			if l.write(data) == nil {
				continue
			}
		default:
			_ = l.writeControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
		}
		return context.Cause(ctx)
	}
}

func (l *link) write(data []byte) error {
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return l.conn.WriteMessage(websocket.BinaryMessage, data)
}

func (l *link) writeMessage(msg *livekit.WorkerMessage) error {
	data, err := proto.Marshal(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	return l.write(data)
}

func (l *link) writeControl(kind int, payload []byte) error {
	return l.conn.WriteControl(kind, payload, time.Now().Add(writeTimeout))
}

// send queues a message. It waits while the queue is full, at most until the link is gone: writeTimeout bounds that.
func (l *link) send(msg *livekit.WorkerMessage) error {
	data, err := proto.Marshal(msg)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	select {
	case <-l.done:
		return errLinkClosed
	default:
	}
	select {
	case l.queue <- data:
		return nil
	case <-l.done:
		return errLinkClosed
	}
}

// askStatus makes the writer send a status soon. Requests that come before it does count as one.
func (l *link) askStatus() {
	select {
	case l.statusNow <- struct{}{}:
	default:
	}
}

// deliver sends a message and waits until the server has handled it. The protocol acknowledges nothing, but the server
// handles a worker's messages in order and answers pings, so the pong to a ping sent after the message is the proof. It
// returns errLinkClosed, or the context's error when there is no pong in time; the message may have arrived even so.
func (l *link) deliver(ctx context.Context, msg *livekit.WorkerMessage) error {
	timestamp, ponged := l.expectPong()
	defer l.forgetPong(timestamp)
	if err := l.send(msg); err != nil {
		return err
	}
	if err := l.send(pingMessage(timestamp)); err != nil {
		return err
	}
	select {
	case <-ponged:
		return nil
	case <-l.done:
		return errLinkClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// expectPong reserves a timestamp, in Unix ms and unlike any before it on this link.
func (l *link) expectPong() (int64, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastPing = max(l.lastPing+1, time.Now().UnixMilli())
	ponged := make(chan struct{}, 1)
	l.pongs[l.lastPing] = ponged
	return l.lastPing, ponged
}

func (l *link) forgetPong(timestamp int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pongs, timestamp)
}

func (l *link) ponged(timestamp int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if waiting, ok := l.pongs[timestamp]; ok {
		delete(l.pongs, timestamp)
		waiting <- struct{}{} // has room: one pong per timestamp
	}
}
