package room

import (
	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"
)

// Labels of the data channels on which the server forwards participants' packets.
const (
	labelReliable = "_reliable"
	labelLossy    = "_lossy"
)

// tap learns when the SDK makes a peer connection, on joining and on every full reconnect, and takes over the data channels
// on it as they open. The SDK still knows the channels, it only no longer reads them.
//
// The SDK has no call-back for a new peer connection, but asks the interceptor factories for each, while it holds the lock
// that GetSubscriberPeerConnection takes. So the factory only rings a bell; the goroutine that answers it waits in that call
// until the connection is set up, and is done long before the channels open, which takes several round trips. A packet that
// still slipped through to the SDK would be ignored there: no stream handler is registered.
type tap struct {
	created    chan struct{} // holds a token when a peer connection was made
	subscriber func() *webrtc.PeerConnection
	receive    func(raw []byte, reliable bool)
	bye        *goodbye
}

var _ interceptor.Factory = (*tap)(nil)

func newTap(receive func(raw []byte, reliable bool), bye *goodbye) *tap {
	return &tap{created: make(chan struct{}, 1), receive: receive, bye: bye}
}

// NewInterceptor is called by the SDK for each new peer connection. What it returns leaves all packets alone and holds the
// end of the connection up for a goodbye.
func (t *tap) NewInterceptor(string) (interceptor.Interceptor, error) {
	select {
	case t.created <- struct{}{}:
	default: // a token is there already
	}
	return &doorstop{bye: t.bye}, nil
}

// run takes channels over until done is closed.
func (t *tap) run(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-t.created:
		}
		if pc := t.subscriber(); pc != nil {
			pc.SCTP().OnDataChannelOpened(t.take)
		}
	}
}

func (t *tap) take(c *webrtc.DataChannel) {
	reliable := c.Label() == labelReliable
	if !reliable && c.Label() != labelLossy {
		return
	}
	c.OnMessage(func(m webrtc.DataChannelMessage) { t.receive(m.Data, reliable) })
}
