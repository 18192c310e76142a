package room

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/playout"
)

// Names of published tracks: what LiveKit's agent frameworks and its browser client call theirs.
const (
	voiceTrackName      = "roomio_audio"
	microphoneTrackName = "microphone"
)

// rtpPerVoiceSample is the ratio of the RTP clock of Opus (48 kHz, RFC 7587 §4.1) to the rate that playout counts in.
const rtpPerVoiceSample = 2

// PublishVoice publishes the agent's voice. It returns when the server has accepted the track, without waiting for anybody
// to receive it; ctx bounds it. The track ends with Leave.
func (r *Room) PublishVoice(ctx context.Context) (*Voice, error) {
	return r.publish(ctx, voiceTrackName, false)
}

// PublishMicrophone publishes a synthetic candidate's microphone; otherwise it is like PublishVoice. With dtx receivers are told that
// silence may not be sent (discontinuous transmission).
func (r *Room) PublishMicrophone(ctx context.Context, dtx bool) (*Voice, error) {
	return r.publish(ctx, microphoneTrackName, dtx)
}

func (r *Room) publish(ctx context.Context, name string, dtx bool) (*Voice, error) {
	voice, err := newVoice()
	if err == nil {
		err = r.announce(ctx, voice, &lksdk.TrackPublicationOptions{Name: name, Source: livekit.TrackSource_MICROPHONE, DisableDTX: !dtx})
	}
	if err != nil {
		return nil, fmt.Errorf("publish track %s: %w", name, err)
	}
	r.log.Info("room.published", zap.String("track", name), zap.String("sid", voice.TrackSID()))
	return voice, nil
}

// announce hands the track to the SDK, which waits up to 10 s for the server whatever the context says.
func (r *Room) announce(ctx context.Context, v *Voice, o *lksdk.TrackPublicationOptions) error {
	r.voices.add(v)
	result := make(chan error, 1)
	task := func() {
		_, err := r.sdk.LocalParticipant.PublishTrack(v.track, o)
		result <- err
	}
	if !r.start(task) {
		return ErrLeft
	}
	select {
	case err := <-result:
		if errors.Is(err, lksdk.ErrTrackPublishTimeout) {
			return fmt.Errorf("the server did not accept it; may the token publish (canPublish)? %w", err)
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-r.done:
		return ErrLeft
	}
}

// Voice is a published Opus track. Its packets are sent by one goroutine; the other methods are safe for concurrent use. It
// survives reconnects.
type Voice struct {
	track  *webrtc.TrackLocalStaticRTP
	stream packetiser

	sid        atomic.Pointer[string]
	subscribed chan struct{} // closed with once when somebody receives the track
	once       sync.Once
}

var _ playout.FrameWriter = (*Voice)(nil)

func newVoice() (*Voice, error) {
	track, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{
		MimeType:    webrtc.MimeTypeOpus,
		ClockRate:   48000,
		Channels:    2, // always 2 in signalling, also for mono (RFC 7587 §7)
		SDPFmtpLine: "minptime=10;useinbandfec=1",
	}, "voice-"+randomHex(6), "voice")
	if err != nil {
		return nil, err
	}
	return &Voice{track: track, stream: newPacketiser(track), subscribed: make(chan struct{})}, nil
}

// WriteFrame sends one Opus frame of playout. It keeps nothing and allocates nothing. While the track is not connected (at
// first, and during a reconnect) the frame is lost and no error returned: live sound is not sent late.
func (v *Voice) WriteFrame(opus []byte, f playout.FrameInfo) error {
	return v.stream.write(opus, Packet{ // the RTP clock is modulo 2^32
		Gap:    uint32(f.Gap) * rtpPerVoiceSample,
		Length: uint32(f.Samples) * rtpPerVoiceSample,
		Marker: f.Marker,
	})
}

// WritePacket sends one Opus packet, like WriteFrame.
func (v *Voice) WritePacket(opus []byte, p Packet) error {
	return v.stream.write(opus, p)
}

// WaitSubscribed waits until somebody receives the track for the first time. What is said before is heard by nobody.
func (v *Voice) WaitSubscribed(ctx context.Context) error {
	select {
	case <-v.subscribed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a subscriber of the voice: %w", context.Cause(ctx))
	}
}

// TrackSID is the server's id of the track; a full reconnect changes it.
func (v *Voice) TrackSID() string {
	if sid := v.sid.Load(); sid != nil {
		return *sid
	}
	return ""
}

// Packet says how an Opus packet lies on the clock of its track, in samples at 48 kHz.
type Packet struct {
	Gap    uint32 // time before the packet in which nothing was sent
	Length uint32 // of the packet; 20 ms are 960
	Marker bool   // it begins a talk spurt
}

// rtpWriter is the track as the packetiser needs it. It does not keep the packet.
type rtpWriter interface {
	WriteRTP(*rtp.Packet) error
}

// packetiser numbers and times packets. It belongs to one goroutine.
type packetiser struct {
	out    rtpWriter
	packet rtp.Packet // reused
	next   uint32     // RTP timestamp at which the latest packet ended
}

// newPacketiser starts at a random sequence number and timestamp, as RFC 3550 §5.1 asks.
func newPacketiser(out rtpWriter) packetiser {
	return packetiser{
		out:    out,
		packet: rtp.Packet{Header: rtp.Header{Version: 2, SequenceNumber: uint16(rand.Uint32())}}, //nolint:gosec // not a secret
		next:   rand.Uint32(),                                                                     //nolint:gosec // not a secret
	}
}

func (s *packetiser) write(payload []byte, p Packet) error {
	s.packet.SequenceNumber++
	s.packet.Timestamp = s.next + p.Gap
	s.packet.Marker = p.Marker
	s.packet.Payload = payload
	s.next = s.packet.Timestamp + p.Length
	err := s.out.WriteRTP(&s.packet)
	s.packet.Payload = nil
	return err
}

// voices finds a published track by the SDK's publication. It is safe for concurrent use.
type voices struct {
	mu   sync.Mutex
	byID map[string]*Voice // guarded by mu; by the local track's id
}

func (vs *voices) add(v *Voice) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if vs.byID == nil {
		vs.byID = map[string]*Voice{}
	}
	vs.byID[v.track.ID()] = v
}

func (vs *voices) find(pub *lksdk.LocalTrackPublication) *Voice {
	track := pub.TrackLocal()
	if track == nil {
		return nil
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.byID[track.ID()]
}

// published takes note of the track's id, after every publication.
func (vs *voices) published(pub *lksdk.LocalTrackPublication) {
	if v := vs.find(pub); v != nil {
		sid := pub.SID()
		v.sid.Store(&sid)
	}
}

func (vs *voices) subscribed(pub *lksdk.LocalTrackPublication) {
	if v := vs.find(pub); v != nil {
		v.once.Do(func() { close(v.subscribed) })
	}
}
