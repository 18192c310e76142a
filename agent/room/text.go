package room

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/livekit/protocol/livekit"
)

const (
	topicChat = "lk.chat"
	mimeText  = "text/plain"
	// chunkBytes is the size of a stream's chunks in LiveKit's SDKs; with its envelope it stays below SCTP's 16 KiB.
	chunkBytes = 15_000
)

// SendText sends a complete text stream to everybody, as a chat client does with topic lk.chat. It does not wait; ErrBusy
// and ErrLeft as for SendData.
func (r *Room) SendText(topic, text string) error {
	stream := newStreamID()
	packets := []*livekit.DataPacket{headerPacket(stream, topic, "", nil)}
	packets = append(packets, chunkPackets(stream, 0, text)...)
	return r.outbox.put(append(packets, trailerPacket(stream, nil))...)
}

// SendData sends a reliable user packet of at most 15 000 bytes to everybody. It does not wait and keeps payload, which
// must not be changed afterwards. It returns ErrBusy when too much waits, ErrLeft after Leave or Disconnected.
func (r *Room) SendData(topic string, payload []byte) error {
	if len(payload) > chunkBytes {
		return fmt.Errorf("send data on %q: %d bytes, at most %d fit a packet", topic, len(payload), chunkBytes)
	}
	user := &livekit.UserPacket{Payload: payload}
	if topic != "" {
		user.Topic = &topic
	}
	return r.outbox.put(&livekit.DataPacket{Value: &livekit.DataPacket_User{User: user}})
}

func newStreamID() string { return randomHex(16) }

// headerPacket opens a text stream. A sender other than oneself is honoured for agents only.
func headerPacket(stream, topic, sender string, attrs map[string]string) *livekit.DataPacket {
	return &livekit.DataPacket{
		ParticipantIdentity: sender,
		Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{
			StreamId:   stream,
			Timestamp:  time.Now().UnixMilli(),
			Topic:      topic,
			MimeType:   mimeText,
			Attributes: attrs,
			ContentHeader: &livekit.DataStream_Header_TextHeader{
				TextHeader: &livekit.DataStream_TextHeader{OperationType: livekit.DataStream_CREATE},
			},
		}},
	}
}

// chunkPackets splits text at character boundaries; first is the index of the first chunk.
func chunkPackets(stream string, first uint64, text string) []*livekit.DataPacket {
	var packets []*livekit.DataPacket
	for text != "" {
		n := splitAt(text, chunkBytes)
		packets = append(packets, &livekit.DataPacket{
			Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{
				StreamId:   stream,
				ChunkIndex: first + uint64(len(packets)),
				Content:    []byte(text[:n]),
			}},
		})
		text = text[n:]
	}
	return packets
}

// splitAt is the length of the longest start of text that has at most limit bytes and does not cut a character.
func splitAt(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	n := limit
	for n > limit-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func trailerPacket(stream string, attrs map[string]string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{
		StreamTrailer: &livekit.DataStream_Trailer{StreamId: stream, Attributes: attrs},
	}}
}
