package room

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// fileHeader opens a byte stream as livekit-client does.
func fileHeader(stream, topic, name string, size int, attrs map[string]string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{
		StreamId: stream, Topic: topic, TotalLength: proto.Uint64(uint64(size)), Attributes: attrs,
		ContentHeader: &livekit.DataStream_Header_ByteHeader{ByteHeader: &livekit.DataStream_ByteHeader{Name: name}},
	}}}
}

func fileChunk(stream string, n uint64, content []byte) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{StreamId: stream, ChunkIndex: n, Content: content}}}
}

func TestAFileArrivesWhole(t *testing.T) {
	w := newWire()
	data := bytes.Repeat([]byte{0, 1, 0xff}, 10_000)
	w.from(t, "ann", fileHeader("f1", "papers", "cv.pdf", len(data), map[string]string{"kind": "resume"}),
		fileChunk("f1", 0, data[:15_000]), fileChunk("f1", 1, data[15_000:]), trailerPacket("f1", nil))
	w.expect(t, File{ID: "f1", Topic: "papers", From: "ann", Name: "cv.pdf", Attributes: map[string]string{"kind": "resume"}, Data: data})
	inline := fileHeader("f2", "papers", "cv.txt", 3, nil)
	inline.GetStreamHeader().InlineContent = []byte("abc")
	w.from(t, "ann", inline)
	w.expect(t, File{ID: "f2", Topic: "papers", From: "ann", Name: "cv.txt", Data: []byte("abc")})
	if w.files.bytes != 0 || len(w.files.open) != 0 {
		t.Errorf("%d bytes of %d files are still counted", w.files.bytes, len(w.files.open))
	}
}

// What is longer than announced or allowed, comes out of order, on a topic that nobody asked for, compressed or from another
// sender does not arrive, and holds no memory.
func TestFilesThatAreNotTaken(t *testing.T) {
	compressed := fileHeader("f", "papers", "x", 1, nil)
	compressed.GetStreamHeader().Compression = livekit.DataStream_DEFLATE_RAW
	endless := fileHeader("f", "papers", "x", 1, nil)
	endless.GetStreamHeader().TotalLength = nil
	for name, packets := range map[string][]*livekit.DataPacket{
		"too large":     {fileHeader("f", "papers", "x", MaxFile+1, nil), fileChunk("f", 0, []byte("a")), trailerPacket("f", nil)},
		"longer":        {fileHeader("f", "papers", "x", 1, nil), fileChunk("f", 0, []byte("ab")), trailerPacket("f", nil)},
		"shorter":       {fileHeader("f", "papers", "x", 3, nil), fileChunk("f", 0, []byte("ab")), trailerPacket("f", nil)},
		"out of order":  {fileHeader("f", "papers", "x", 2, nil), fileChunk("f", 1, []byte("a")), fileChunk("f", 0, []byte("b")), trailerPacket("f", nil)},
		"another topic": {fileHeader("f", "pictures", "x", 1, nil), fileChunk("f", 0, []byte("a")), trailerPacket("f", nil)},
		"compressed":    {compressed, fileChunk("f", 0, []byte("a")), trailerPacket("f", nil)},
		"no length":     {endless, fileChunk("f", 0, []byte("a")), trailerPacket("f", nil)},
	} {
		w := newWire()
		w.from(t, "ann", packets...)
		if len(w.events) != 0 || w.files.bytes != 0 || len(w.files.open) != 0 {
			t.Errorf("%s: %v, %d bytes, %d open", name, w.events, w.files.bytes, len(w.files.open))
		}
	}
	w := newWire()
	w.from(t, "ann", fileHeader("f", "papers", "x", 1, nil))
	w.from(t, "bob", fileChunk("f", 0, []byte("b")), trailerPacket("f", nil))
	w.from(t, "ann", fileChunk("f", 0, []byte("a")), trailerPacket("f", nil))
	w.expect(t, File{ID: "f", Topic: "papers", From: "ann", Name: "x", Data: []byte("a")})
}

// A sender has two files open at a time and sixteen in all; one that stands still makes room.
func TestFilesAreBounded(t *testing.T) {
	w := newWire()
	for n := range 3 {
		w.from(t, "ann", fileHeader(fmt.Sprint("open", n), "papers", "x", MaxFile/2, nil))
	}
	if len(w.files.open) != maxFilesOpen {
		t.Errorf("%d are open", len(w.files.open))
	}
	for k := range w.files.open {
		w.files.open[k].lastSeen = time.Now().Add(-2 * maxStreamIdle)
	}
	for n := range maxFiles {
		id := fmt.Sprint("f", n)
		w.from(t, "ann", fileHeader(id, "papers", "x", 1, nil), fileChunk(id, 0, []byte("a")), trailerPacket(id, nil))
	}
	if len(w.events) != maxFiles-maxFilesOpen || w.files.bytes != 0 {
		t.Errorf("%d arrived, %d bytes are held", len(w.events), w.files.bytes)
	}
}
