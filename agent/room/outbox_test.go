package room

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

func numbered(i int) *livekit.DataPacket { return &livekit.DataPacket{Sequence: uint32(i)} }

func TestOutboxSendsInOrderAndFinishes(t *testing.T) {
	var got []uint32
	o := newOutbox(zap.NewNop(), func(p *livekit.DataPacket) error {
		got = append(got, p.GetSequence())
		return errors.New("one packet that fails does not stop the others")
	})
	for i := range 10 {
		if err := o.put(numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	o.packets.close()
	o.run(nil)
	if diff := cmp.Diff([]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got); diff != "" || o.busy() {
		t.Error(diff, o.busy())
	}
	if err := o.put(numbered(11)); !errors.Is(err, ErrLeft) {
		t.Errorf("error = %v, want ErrLeft", err)
	}
}

func TestOutboxRefusesAllOrNothing(t *testing.T) {
	o := newOutbox(zap.NewNop(), nil)
	for i := range outboxLimit - 1 {
		if err := o.put(numbered(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.put(numbered(1), numbered(2)); !errors.Is(err, ErrBusy) {
		t.Errorf("error = %v, want ErrBusy", err)
	}
	if err := o.putBelow(rpcOutboxLimit, numbered(1)); !errors.Is(err, ErrBusy) {
		t.Errorf("error of a refusal = %v, want ErrBusy", err)
	}
	if err := o.put(numbered(1)); err != nil {
		t.Errorf("the last place: %v", err)
	}
}

func TestOutboxAborts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		abort, done := make(chan struct{}), make(chan struct{})
		o := newOutbox(zap.NewNop(), func(*livekit.DataPacket) error { time.Sleep(5 * time.Second); return nil })
		if err := o.put(numbered(1), numbered(2), numbered(3)); err != nil {
			t.Fatal(err)
		}
		go func() { defer close(done); o.run(abort) }()
		started := time.Now()
		synctest.Wait()
		close(abort)
		<-done
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("took %v: more than the packet in work was waited for", took)
		}
	})
}

func TestAttributesAreMergedAndOrdered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent []map[string]string
		gate := make(chan struct{})
		w := newAttributeWriter(func(a map[string]string) {
			<-gate
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, a)
		})
		done, ended := make(chan struct{}), make(chan struct{})
		go func() { defer close(ended); w.run(done) }()
		w.set(map[string]string{"state": "listening"})
		synctest.Wait() // it is being sent
		w.set(map[string]string{"state": "thinking", "stage": "1"})
		w.set(map[string]string{"state": "speaking"})
		close(gate)
		synctest.Wait()
		w.again()
		synctest.Wait()
		close(done)
		<-ended
		all := map[string]string{"state": "speaking", "stage": "1"}
		if diff := cmp.Diff([]map[string]string{{"state": "listening"}, all, all}, sent); diff != "" {
			t.Error(diff)
		}
	})
}

// record keeps packets and refuses when told to.
type record struct {
	packets []*livekit.DataPacket
	err     error
}

func (r *record) put(p ...*livekit.DataPacket) error {
	if r.err != nil {
		return r.err
	}
	for _, one := range p {
		one = proto.CloneOf(one)
		if h := one.GetStreamHeader(); h != nil {
			h.Timestamp = 0
		}
		r.packets = append(r.packets, one)
	}
	return nil
}

// TestAgentSegmentPackets holds what LiveKit's clients read: a delta stream, and the older packet with the whole text.
func TestAgentSegmentPackets(t *testing.T) {
	rec := &record{}
	seg := newSegment(rec.put, "agent-1", "TR_voice")
	for _, words := range []string{"Hello", "", " there."} {
		if err := seg.Append(words); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := seg.Close(); err != nil {
			t.Fatal(err)
		}
	}
	header := headerPacket(seg.stream, "lk.transcription", "", map[string]string{
		"lk.segment_id": seg.ID(), "lk.transcription_final": "false", "lk.transcribed_track_id": "TR_voice",
	})
	header.GetStreamHeader().Timestamp = 0
	want := []*livekit.DataPacket{
		header,
		chunkPackets(seg.stream, 0, "Hello")[0],
		transcriptionPacket("agent-1", "TR_voice", seg.ID(), "Hello", false),
		chunkPackets(seg.stream, 1, " there.")[0],
		transcriptionPacket("agent-1", "TR_voice", seg.ID(), "Hello there.", false),
		trailerPacket(seg.stream, map[string]string{"lk.transcription_final": "true", "lk.transcribed_track_id": "TR_voice"}),
		transcriptionPacket("agent-1", "TR_voice", seg.ID(), "Hello there.", true),
	}
	if diff := cmp.Diff(want, rec.packets, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(seg.ID(), "SG_") || len(seg.ID()) != 15 {
		t.Errorf("id = %q", seg.ID())
	}
}

func TestSegmentKeepsWhatWasRefused(t *testing.T) {
	rec := &record{err: ErrBusy}
	seg := newSegment(rec.put, "agent-1", "")
	if err := seg.Append("Hello"); !errors.Is(err, ErrBusy) {
		t.Fatalf("error = %v", err)
	}
	rec.err = nil
	if err := seg.Append(" there."); err != nil {
		t.Fatal(err)
	}
	rec.err = ErrBusy
	if err := seg.Close(); !errors.Is(err, ErrBusy) {
		t.Fatalf("error = %v", err)
	}
	rec.err = nil
	if err := seg.Close(); err != nil {
		t.Fatal(err)
	}
	w := newWire()
	w.from(t, "agent-1", rec.packets...)
	w.expect(t,
		TranscriptReceived{From: "agent-1", Segment: seg.ID(), Text: "Hello there."},
		TranscriptReceived{From: "agent-1", Segment: seg.ID(), Text: "Hello there.", Final: true, Closed: true})
}

func TestEmptySegmentSendsNothing(t *testing.T) {
	rec := &record{}
	if err := newSegment(rec.put, "agent-1", "TR").Close(); err != nil || len(rec.packets) != 0 {
		t.Errorf("error = %v, packets = %v", err, rec.packets)
	}
}

func TestUserTranscriptPackets(t *testing.T) {
	packets := userTranscriptPackets("ann", "TR_ann", "SG_1", "so far", false, nil)
	stream := packets[0].GetStreamHeader().GetStreamId()
	header := headerPacket(stream, "lk.transcription", "ann", map[string]string{
		"lk.segment_id": "SG_1", "lk.transcription_final": "false", "lk.transcribed_track_id": "TR_ann",
	})
	packets[0].GetStreamHeader().Timestamp = header.GetStreamHeader().GetTimestamp()
	want := []*livekit.DataPacket{
		header,
		chunkPackets(stream, 0, "so far")[0],
		trailerPacket(stream, nil),
		transcriptionPacket("ann", "TR_ann", "SG_1", "so far", false),
	}
	if diff := cmp.Diff(want, packets, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if err := (&Room{}).UserTranscript("SG_1", "x", true, nil); !errors.Is(err, errNoCandidate) {
		t.Errorf("error without a candidate = %v", err)
	}
}

func TestChunksDoNotCutCharacters(t *testing.T) {
	for _, text := range []string{
		"", "a", strings.Repeat("é", chunkBytes), "x" + strings.Repeat("面", chunkBytes), strings.Repeat("\x80", 2*chunkBytes),
	} {
		var whole strings.Builder
		for i, p := range chunkPackets("s", 3, text) {
			c := p.GetStreamChunk()
			if len(c.GetContent()) > chunkBytes || len(c.GetContent()) == 0 || c.GetChunkIndex() != uint64(3+i) {
				t.Errorf("chunk %d: %d bytes, index %d", i, len(c.GetContent()), c.GetChunkIndex())
			}
			if strings.ToValidUTF8(text, "") == text && strings.ToValidUTF8(string(c.GetContent()), "") != string(c.GetContent()) {
				t.Errorf("chunk %d cuts a character", i)
			}
			whole.Write(c.GetContent())
		}
		if whole.String() != text {
			t.Errorf("chunks of %d bytes do not make the text", len(text))
		}
	}
}

func TestQueueLimits(t *testing.T) {
	q := newQueue[int]()
	if !q.put(3, 1, 2) || q.put(3, 3, 4) || !q.put(3, 3) || q.put(3, 4) {
		t.Error("limit not kept")
	}
	items, closed := q.take(nil)
	if diff := cmp.Diff([]int{1, 2, 3}, items); diff != "" || closed {
		t.Error(diff, closed)
	}
	q.close()
	q.close()
	if q.put(3, 5) {
		t.Error("put after close")
	}
}

func TestOptionsSayWhatToDo(t *testing.T) {
	for _, tc := range []struct {
		opts Options
		want string
	}{
		{Options{Token: "t"}, "LIVEKIT_URL"},
		{Options{URL: "localhost:7880", Token: "t"}, "ws://"},
		{Options{URL: "ftp://x", Token: "t"}, "ws://"},
		{Options{URL: "ws://x:%zz", Token: "t"}, "LIVEKIT_URL"},
		{Options{URL: "ws://x"}, "token"},
		{Options{URL: "ws://x", Token: "t", ReconnectGrace: -1}, "grace"},
	} {
		_, err := Join(t.Context(), tc.opts)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: error = %v, want a word on %s", tc.opts, err, tc.want)
		}
	}
}

// TestFloodKeepsTheConnectionFacts: what participants send is dropped first, facts make way for a look around.
func TestFloodKeepsTheConnectionFacts(t *testing.T) {
	r := &Room{log: zap.NewNop(), mailbox: newQueue[any]()}
	for i := range 10_000 {
		r.postReceived(Text{ID: fmt.Sprint(i)})
	}
	for range 10_000 {
		r.post(unpublished{})
	}
	r.postVital(connectionBroke{})
	facts, _ := r.mailbox.take(nil)
	if len(facts) != mailboxLimit+1 || r.dropped.Load() != 10_000-receivedLimit || !r.overflowed.Load() {
		t.Errorf("%d facts, %d dropped, overflowed %v", len(facts), r.dropped.Load(), r.overflowed.Load())
	}
	if _, ok := facts[mailboxLimit].(connectionBroke); !ok {
		t.Errorf("last fact is %T", facts[mailboxLimit])
	}
}
