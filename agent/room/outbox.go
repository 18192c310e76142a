package room

import (
	"errors"
	"sync/atomic"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"go.uber.org/zap"
)

// outboxLimit is how many data packets may wait: some fifty seconds of transcripts while a connection is restored.
const outboxLimit = 512

var (
	// ErrBusy says that too much data waits to be sent; nothing of the call was queued. It may be repeated later.
	ErrBusy = errors.New("too much data waits to be sent to the room")
	// ErrLeft says that the room was left, or lost for good.
	ErrLeft = errors.New("the room was left")
)

// outbox sends data packets in order from one goroutine, because the SDK may wait seconds for a connection. When it is
// full, new packets are refused.
type outbox struct {
	log     *zap.Logger
	publish func(*livekit.DataPacket) error
	packets *queue[*livekit.DataPacket]
	refused atomic.Uint64
	failed  atomic.Uint64
	waiting atomic.Int64 // queued or being published
}

func newOutbox(log *zap.Logger, publish func(*livekit.DataPacket) error) *outbox {
	return &outbox{log: log, publish: publish, packets: newQueue[*livekit.DataPacket]()}
}

// put queues all packets or, with ErrBusy or ErrLeft, none. The outbox owns them from then on.
func (o *outbox) put(packets ...*livekit.DataPacket) error {
	return o.putBelow(outboxLimit, packets...)
}

// putBelow is put for less important packets, which leave part of the queue to others.
func (o *outbox) putBelow(limit int, packets ...*livekit.DataPacket) error {
	o.waiting.Add(int64(len(packets)))
	if o.packets.put(limit, packets...) {
		return nil
	}
	o.waiting.Add(-int64(len(packets)))
	if o.packets.isClosed() {
		return ErrLeft
	}
	if o.refused.Add(1) == 1 {
		o.log.Warn("room.outbox_full", zap.Int("limit", limit))
	}
	return ErrBusy
}

// busy says whether something is queued or being sent.
func (o *outbox) busy() bool { return o.waiting.Load() > 0 }

// run sends until the outbox is closed and empty, or until abort is closed.
func (o *outbox) run(abort <-chan struct{}) {
	var batch []*livekit.DataPacket
	for {
		var closed bool
		batch, closed = o.packets.take(batch)
		if !o.sendAll(batch, abort) || closed && len(batch) == 0 {
			return
		}
		if closed || len(batch) > 0 {
			continue
		}
		select {
		case <-o.packets.wake:
		case <-abort:
			return
		}
	}
}

// sendAll reports false when it was aborted.
func (o *outbox) sendAll(batch []*livekit.DataPacket, abort <-chan struct{}) bool {
	for _, p := range batch {
		select {
		case <-abort:
			return false
		default:
		}
		if err := o.publish(p); err != nil && o.failed.Add(1) == 1 {
			o.log.Warn("room.data_not_sent", zap.Error(err))
		}
		o.waiting.Add(-1)
	}
	return true
}

// dataPacket lets the SDK send a packet as it is.
type dataPacket struct{ proto *livekit.DataPacket }

var _ lksdk.DataPacket = dataPacket{}

// ToProto returns the packet.
func (p dataPacket) ToProto() *livekit.DataPacket { return p.proto }
