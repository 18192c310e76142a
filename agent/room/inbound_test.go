package room

import (
	"fmt"
	"strings"
	"testing"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
)

func userPacket(topic, payload string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{Topic: &topic, Payload: []byte(payload)}}}
}

// listening is a room without a connection, whose candidate is known.
func listening(opts Options) *Room {
	r := &Room{opts: opts, log: zap.NewNop(), mailbox: newQueue[any]()}
	r.candidate.Store(&candidate{identity: "ada"})
	return r
}

func waiting(r *Room) int {
	r.mailbox.mu.Lock()
	defer r.mailbox.mu.Unlock()
	return len(r.mailbox.items)
}

// A stranger who sends without end fills neither the queue of what waits nor the streams under way: the candidate is heard.
func TestStrangersFillNothing(t *testing.T) {
	r := listening(Options{})
	w := newWire()
	w.hears, w.post = r.hears, r.postReceived
	for i := range 2 * receivedLimit {
		w.from(t, "mallory", userPacket("viva.code", "x"))
		w.from(t, "mallory", text(fmt.Sprint("s", i), "hello")...)
		w.from(t, fmt.Sprint("mallory", i), headerPacket("open", topicChat, "", nil)) // never closed
		w.from(t, fmt.Sprint("mallory", i), fileHeader("f", "papers", "cv.txt", MaxFile, nil))
	}
	if n := waiting(r); n != 0 {
		t.Fatalf("%d messages of strangers wait", n)
	}
	if len(w.texts.open) > 0 || w.files.bytes > 0 {
		t.Errorf("%d streams and %d bytes of files of strangers are under way", len(w.texts.open), w.files.bytes)
	}
	w.from(t, "ada", userPacket("viva.code", "for"))
	w.from(t, "ada", text("t", "hello")...)
	if n := waiting(r); n != 2 || r.dropped.Load() > 0 {
		t.Errorf("%d of the candidate's messages wait, %d were dropped", n, r.dropped.Load())
	}
}

// Facts about strangers leave room for those about the candidate.
func TestFactsAboutStrangersLeaveRoom(t *testing.T) {
	r := listening(Options{})
	for range 2 * mailboxLimit {
		r.postAbout("mallory", attributesChanged{identity: "mallory"})
	}
	before := waiting(r)
	r.overflowed.Store(false)
	r.postAbout("ada", unpublished{sid: "TR"})
	if n := waiting(r); n != before+1 || r.overflowed.Load() {
		t.Errorf("%d facts wait, then %d", before, n)
	}
}

// Who is heard follows from who the candidate is, or is to be.
func TestWhoIsHeard(t *testing.T) {
	for name, c := range map[string]struct {
		opts Options
		who  string // the candidate; empty = nobody yet
		want string
	}{
		"nobody yet":          {Options{}, "", "ada bob"},
		"nobody yet, but one": {Options{CandidateIdentity: "ada"}, "", "ada"},
		"the candidate":       {Options{}, "ada", "ada"},
		"everybody":           {Options{Everybody: true}, "ada", "ada bob"},
	} {
		r := &Room{opts: c.opts}
		if c.who != "" {
			r.candidate.Store(&candidate{identity: c.who})
		}
		var heard []string
		for _, identity := range []string{"ada", "bob"} {
			if r.hears(identity) {
				heard = append(heard, identity)
			}
		}
		if got := strings.Join(heard, " "); got != c.want {
			t.Errorf("%s: %s are heard, want %s", name, got, c.want)
		}
	}
}

// What Options.Admit refuses never waits.
func TestAdmission(t *testing.T) {
	w := newWire()
	w.admit = func(ev Event) bool {
		d, is := ev.(Data)
		return !is || d.Topic == "good"
	}
	w.from(t, "ada", userPacket("bad", "x"), userPacket("good", "y"))
	w.from(t, "ada", text("t", "hello")...)
	w.expect(t, Data{Topic: "good", From: "ada", Payload: []byte("y")}, Text{ID: "t", From: "ada", Text: "hello"})
}
