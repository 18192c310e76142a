package agent

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
)

// What a candidate says they said is text, of a segment; control characters are none of it.
func TestMendingPackets(t *testing.T) {
	for payload, want := range map[string]mending{
		`{"segment":"SG_1","text":" a mail\u0007 server "}`: {"SG_1", "a mail server"},
		`{"segment":"SG_1","text":"   "}`:                   {},
		`{"segment":"","text":"a mail server"}`:             {},
		`{"text":"a mail server"}`:                          {},
		`{"segment":7,"text":"a mail server"}`:              {},
		`a mail server`:                                     {},
	} {
		if m, ok := parseMending([]byte(payload)); ok != (want != mending{}) || ok && m != want {
			t.Errorf("%s is %+v, %v", payload, m, ok)
		}
	}
}

// Only the latest turn can be mended, once it is over.
func TestSegmentThatCanBeMended(t *testing.T) {
	p := newPresence(&room.Room{}, nil, nil, zap.NewNop())
	if p.turns("") != 0 {
		t.Error("before anything was said")
	}
	p.Candidate(0, "I work on the", session.Interim)
	first := p.turnID
	if p.turns(first) != 0 {
		t.Error("a turn that goes on")
	}
	p.Candidate(0, "I work on the male server.", session.Unsure)
	if p.turns(first) != 1 || p.turns("SG_another") != 0 || !strings.HasPrefix(first, "SG_") {
		t.Errorf("%d turns at %q", p.turns(first), first)
	}
	p.Candidate(1, "And", session.Interim)
	if p.turns(first) != 0 {
		t.Error("a turn that another one follows")
	}
}
