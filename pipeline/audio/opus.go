package audio

import (
	"errors"
	"fmt"

	"gopkg.in/hraban/opus.v2"
)

// ErrFrameLength reports a slice of the wrong length for the call.
var ErrFrameLength = errors.New("wrong number of samples")

const (
	// DefaultBitrate of the voice in bit/s: RFC 7587 §3.1.1 finds 28 to 40 kbit/s right for speech in full band.
	DefaultBitrate = 32000
	// DefaultComplexity of the encoder: encoding speech at 10 takes nearly twice the processor time, at 1 half of it.
	DefaultComplexity = 5

	// maxOpusFrame is the largest Opus frame in bytes (RFC 6716 §3.2.1); an encoder's 20 ms packet has one, behind a byte of header.
	maxOpusFrame = 1275
	// maxPacketSamples is the longest packet, 120 ms (RFC 6716 §3.1), at InputRate.
	maxPacketSamples = InputRate * 120 / 1000
	// concealStep is what lengths of concealment are multiples of: 2.5 ms at InputRate.
	concealStep = InputRate / 400
	// silentLead is how many silent frames an encoder is fed before its packets stop changing.
	silentLead = 25
)

// EncoderConfig chooses how the voice is encoded. The zero value is DefaultBitrate and DefaultComplexity, without FEC and DTX.
type EncoderConfig struct {
	// Bitrate in bit/s, 6000 … 128000.
	Bitrate int
	// Complexity of the encoder, 1 … 10.
	Complexity int
	// FEC repeats each frame, coarsely, in the next packet, for receivers that have lost it. It spends bits only if ExpectedLoss is set.
	FEC bool
	// ExpectedLoss is the share of packets lost, in percent.
	ExpectedLoss int
	// DTX makes packets of silence so short (at most 2 bytes) that they need not be sent.
	DTX bool
}

func (c EncoderConfig) withDefaults() EncoderConfig {
	if c.Bitrate == 0 {
		c.Bitrate = DefaultBitrate
	}
	if c.Complexity == 0 {
		c.Complexity = DefaultComplexity
	}
	return c
}

// Encoder makes 20 ms Opus packets of the agent's voice.
type Encoder struct {
	opus   *opus.Encoder
	packet [1 + maxOpusFrame]byte
}

// NewEncoder returns an encoder for VoiceRate mono speech. Its memory is freed by the garbage collector.
func NewEncoder(cfg EncoderConfig) (*Encoder, error) {
	cfg = cfg.withDefaults()
	if cfg.Bitrate < 6000 || cfg.Bitrate > 128000 {
		return nil, fmt.Errorf("opus bitrate is %d bit/s, want 6000 to 128000", cfg.Bitrate)
	}
	enc, err := opus.NewEncoder(VoiceRate, 1, opus.AppVoIP)
	if err != nil {
		return nil, fmt.Errorf("create opus encoder: %w", err)
	}
	err = errors.Join(
		wrap("bitrate", enc.SetBitrate(cfg.Bitrate)),
		wrap("complexity", enc.SetComplexity(cfg.Complexity)),
		wrap("FEC", enc.SetInBandFEC(cfg.FEC)),
		wrap("expected loss", enc.SetPacketLossPerc(cfg.ExpectedLoss)),
		wrap("DTX", enc.SetDTX(cfg.DTX)),
	)
	if err != nil {
		return nil, err
	}
	return &Encoder{opus: enc}, nil
}

func wrap(setting string, err error) error {
	if err != nil {
		return fmt.Errorf("set opus %s: %w", setting, err)
	}
	return nil
}

// Encode appends the packet for VoiceFrame samples to dst and returns the extended slice. With DTX, a packet of at most 2 bytes need not
// be sent. On an error dst is returned as it was; ErrFrameLength reports a frame of another length.
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

// SilencePacket returns a 20 ms packet of silence as an encoder with this configuration makes it once it has settled, for tails and for
// keeping a track alive without encoding. Make it once and keep it: it costs half a second's worth of encoding.
func SilencePacket(cfg EncoderConfig) ([]byte, error) {
	cfg.DTX = false
	enc, err := NewEncoder(cfg)
	if err != nil {
		return nil, err
	}
	var packet []byte
	silence := make([]int16, VoiceFrame)
	for range silentLead {
		if packet, err = enc.Encode(packet[:0], silence); err != nil {
			return nil, err
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
