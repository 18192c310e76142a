package audio

import (
	"errors"
	"fmt"

	"gopkg.in/hraban/opus.v2"
)

// ErrFrameLength reports a slice of the wrong length for the call.
var ErrFrameLength = errors.New("wrong number of samples")

const (
	// VoiceBitrate is right for the voice, in bit/s: RFC 7587 §3.1.1 finds 28 to 40 kbit/s right for speech in full band.
	VoiceBitrate = 32000
	// complexity of the encoder: encoding speech at 10 takes nearly twice the processor time, at 1 half of it.
	complexity = 5

	// maxOpusFrame is the largest Opus frame in bytes (RFC 6716 §3.2.1); an encoder's 20 ms packet has one, behind a byte of header.
	maxOpusFrame = 1275
	// maxPacketSamples is the longest packet, 120 ms (RFC 6716 §3.1), at InputRate.
	maxPacketSamples = InputRate * 120 / 1000
	// concealStep is what lengths of concealment are multiples of: 2.5 ms at InputRate.
	concealStep = InputRate / 400
	// silentLead is how many silent frames an encoder is fed before its packets stop changing.
	silentLead = 25
)

// Encoder makes 20 ms Opus packets of the agent's voice.
type Encoder struct {
	opus   *opus.Encoder
	packet [1 + maxOpusFrame]byte
}

// NewEncoder returns an encoder for VoiceRate mono speech at a bitrate in bit/s. Its memory is freed by the garbage collector.
func NewEncoder(bitrate int) (*Encoder, error) {
	enc, err := opus.NewEncoder(VoiceRate, 1, opus.AppVoIP)
	if err != nil {
		return nil, fmt.Errorf("create opus encoder: %w", err)
	}
	if err := errors.Join(enc.SetBitrate(bitrate), enc.SetComplexity(complexity)); err != nil {
		return nil, fmt.Errorf("set up opus encoder for %d bit/s: %w", bitrate, err)
	}
	return &Encoder{opus: enc}, nil
}

// Encode appends the packet for VoiceFrame samples to dst and returns the extended slice. On an error dst is returned as it was; ErrFrameLength reports a frame of another length.
func (e *Encoder) Encode(dst []byte, pcm []int16) ([]byte, error) {
	if len(pcm) != VoiceFrame {
		return dst, fmt.Errorf("encode opus: %w: %d, want %d", ErrFrameLength, len(pcm), VoiceFrame)
	}
	n, err := e.opus.Encode(pcm, e.packet[:])
	if err != nil {
		return dst, fmt.Errorf("encode opus: %w", err)
	}
	return append(dst, e.packet[:n]...), nil
}

// SilencePacket has an encoder make a 20 ms packet of silence as it makes it once it has settled, for tails and for keeping a track alive
// without encoding. Make it once and keep it: it costs half a second's worth of encoding.
func SilencePacket(enc interface {
	Encode(dst []byte, pcm []int16) ([]byte, error)
}) (packet []byte, err error) {
	silence := make([]int16, VoiceFrame)
	for range silentLead {
		if packet, err = enc.Encode(packet[:0], silence); err != nil {
			return nil, fmt.Errorf("encode silence: %w", err)
		}
	}
	return packet, nil
}

// Decoder turns Opus packets of any kind (mono or stereo, 2.5 to 120 ms) into InputRate mono. Stereo is mixed down.
type Decoder struct {
	opus *opus.Decoder
}

// NewDecoder returns a decoder. Its memory is freed by the garbage collector.
func NewDecoder() (*Decoder, error) {
	dec, err := opus.NewDecoder(InputRate, 1)
	if err != nil {
		return nil, fmt.Errorf("create opus decoder: %w", err)
	}
	return &Decoder{opus: dec}, nil
}

// Decode decodes packet into dst and returns the number of samples written. 1920 samples (120 ms) hold every packet; it fails if dst is
// too short or the packet is not Opus.
func (d *Decoder) Decode(dst []int16, packet []byte) (int, error) {
	n, err := d.opus.Decode(packet, dst[:len(dst):len(dst)]) // the binding writes up to the capacity
	if err != nil {
		return 0, fmt.Errorf("decode opus: %w", err)
	}
	return n, nil
}

// Conceal fills dst with a plausible continuation of what was decoded last; the length is a multiple of 40 samples (2.5 ms).
func (d *Decoder) Conceal(dst []int16) error {
	if len(dst) == 0 || len(dst)%concealStep != 0 {
		return fmt.Errorf("conceal opus loss: %w: %d, want a multiple of %d", ErrFrameLength, len(dst), concealStep)
	}
	if err := d.opus.DecodePLC(dst[:len(dst):len(dst)]); err != nil {
		return fmt.Errorf("conceal opus loss: %w", err)
	}
	return nil
}

// Recover fills dst with the audio lost just before the packet next, from the coarse copy (FEC) that next may carry; without one it
// conceals. The length is a multiple of 40 samples (2.5 ms). next must be decoded afterwards as usual.
func (d *Decoder) Recover(dst []int16, next []byte) error {
	if len(dst) == 0 || len(dst)%concealStep != 0 {
		return fmt.Errorf("recover opus loss: %w: %d, want a multiple of %d", ErrFrameLength, len(dst), concealStep)
	}
	if err := d.opus.DecodeFEC(next, dst[:len(dst):len(dst)]); err != nil {
		return fmt.Errorf("recover opus loss: %w", err)
	}
	return nil
}

// packetSamples returns how much audio a packet holds, in samples at InputRate, from its first bytes (RFC 6716 §3.1), or 0 if that is
// not possible in Opus.
func packetSamples(packet []byte) int {
	if len(packet) == 0 {
		return 0
	}
	frames := 1
	switch packet[0] & 3 {
	case 1, 2:
		frames = 2
	case 3:
		if len(packet) < 2 {
			return 0
		}
		frames = int(packet[1] & 0x3f)
	}
	n := frames * tocSamples(packet[0])
	if n > maxPacketSamples {
		return 0
	}
	return n
}

// tocSamples returns the length of one frame for the configuration in the upper five bits of a packet's first byte.
func tocSamples(toc byte) int {
	const ms = InputRate / 1000
	config := toc >> 3
	switch {
	case config < 12: // SILK
		return [4]int{10 * ms, 20 * ms, 40 * ms, 60 * ms}[config&3]
	case config < 16: // hybrid
		return [2]int{10 * ms, 20 * ms}[config&1]
	default: // CELT
		return concealStep << (config & 3)
	}
}
