package room

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"
)

var (
	ann   = Participant{Identity: "ann", Kind: livekit.ParticipantInfo_STANDARD}
	bob   = Participant{Identity: "bob", Kind: livekit.ParticipantInfo_STANDARD}
	robot = Participant{Identity: "robot", Kind: livekit.ParticipantInfo_AGENT}
)

const (
	dropped = livekit.DisconnectReason_SIGNAL_CLOSE
	unknown = livekit.DisconnectReason_UNKNOWN_REASON
	onOwn   = livekit.DisconnectReason_CLIENT_INITIATED
)

// at is a step of a scenario: something happens so many seconds after the start.
type at struct {
	s  int
	do func(*link, time.Time) Event
}

func comes(p Participant) func(*link, time.Time) Event {
	return func(l *link, _ time.Time) Event { return l.present(p) }
}

func goes(p Participant, why livekit.DisconnectReason) func(*link, time.Time) Event {
	return func(l *link, now time.Time) Event { return l.absent(p.Identity, why, now) }
}

func breaks(l *link, _ time.Time) Event { l.suspend(); return nil }

func mends(l *link, now time.Time) Event { l.resume(now); return nil }

func nothing(*link, time.Time) Event { return nil }

// TestLink runs scenarios with a grace of 20 s. Before each step the time is looked at, as the event goroutine does.
func TestLink(t *testing.T) {
	gone := func(why livekit.DisconnectReason) Event { return CandidateGone{Reason: why} }
	for _, tc := range []struct {
		name  string
		want  string
		steps []at
		out   []Event
	}{
		{"first human is linked", "", []at{{0, comes(robot)}, {1, comes(ann)}, {2, comes(bob)}},
			[]Event{CandidateJoined{ann}}},
		{"configured identity is linked, whatever its kind", "robot", []at{{0, comes(ann)}, {1, comes(robot)}},
			[]Event{CandidateJoined{robot}}},
		{"leaving on purpose is final", "", []at{{0, comes(ann)}, {1, goes(ann, onOwn)}, {2, comes(ann)}, {3, comes(bob)}},
			[]Event{CandidateJoined{ann}, gone(onOwn)}},
		{"room deleted is final", "", []at{{0, comes(ann)}, {1, goes(ann, livekit.DisconnectReason_ROOM_DELETED)}},
			[]Event{CandidateJoined{ann}, gone(livekit.DisconnectReason_ROOM_DELETED)}},
		{"rejected is final", "", []at{{0, comes(ann)}, {1, goes(ann, livekit.DisconnectReason_USER_REJECTED)}},
			[]Event{CandidateJoined{ann}, gone(livekit.DisconnectReason_USER_REJECTED)}},
		{"back within the grace", "", []at{{0, comes(ann)}, {10, goes(ann, dropped)}, {29, comes(ann)}, {60, nothing}},
			[]Event{CandidateJoined{ann}, CandidateAway{dropped}, CandidateBack{ann}}},
		{"gone after the grace", "", []at{{0, comes(ann)}, {10, goes(ann, dropped)}, {30, nothing}, {31, comes(ann)}},
			[]Event{CandidateJoined{ann}, CandidateAway{dropped}, gone(dropped)}},
		{"gone on purpose while away", "", []at{{0, comes(ann)}, {1, goes(ann, dropped)}, {2, goes(ann, onOwn)}},
			[]Event{CandidateJoined{ann}, CandidateAway{dropped}, gone(onOwn)}},
		{"away is said once", "", []at{{0, comes(ann)}, {1, goes(ann, dropped)}, {2, goes(ann, unknown)}, {20, nothing}, {21, nothing}},
			[]Event{CandidateJoined{ann}, CandidateAway{dropped}, gone(dropped)}},
		{"the reason comes after the absence", "", []at{{0, comes(ann)}, {1, goes(ann, unknown)}, {2, goes(ann, dropped)}, {21, nothing}},
			[]Event{CandidateJoined{ann}, CandidateAway{unknown}, gone(dropped)}},
		{"others do not matter", "", []at{{0, comes(ann)}, {1, comes(bob)}, {2, goes(bob, onOwn)}, {3, goes(robot, onOwn)}},
			[]Event{CandidateJoined{ann}}},
		{"nobody takes the place of the candidate", "", []at{{0, comes(ann)}, {1, goes(ann, dropped)}, {2, comes(bob)}},
			[]Event{CandidateJoined{ann}, CandidateAway{dropped}}},
		{"a full rejoin makes nobody leave", "", []at{{0, comes(ann)}, {1, breaks}, {1, goes(ann, unknown)}, {9, mends}, {9, comes(ann)}},
			[]Event{CandidateJoined{ann}}},
		{"not there after a rejoin", "", []at{{0, comes(ann)}, {1, breaks}, {9, mends}, {9, goes(ann, unknown)}, {29, nothing}},
			[]Event{CandidateJoined{ann}, CandidateAway{unknown}, gone(unknown)}},
		{"a rejoin renews the grace", "", []at{{0, comes(ann)}, {1, goes(ann, dropped)}, {2, breaks}, {40, mends}, {59, comes(ann)}},
			[]Event{CandidateJoined{ann}, CandidateAway{dropped}, CandidateBack{ann}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			start := time.Unix(1000, 0)
			l := link{want: tc.want, grace: 20 * time.Second}
			var out []Event
			for _, step := range tc.steps {
				now := start.Add(time.Duration(step.s) * time.Second)
				for _, ev := range []Event{l.expire(now), step.do(&l, now)} {
					if ev != nil {
						out = append(out, ev)
					}
				}
			}
			if diff := cmp.Diff(tc.out, out); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhoIsEligible(t *testing.T) {
	for kind, want := range map[livekit.ParticipantInfo_Kind]bool{
		livekit.ParticipantInfo_STANDARD:  true,
		livekit.ParticipantInfo_SIP:       true,
		livekit.ParticipantInfo_CONNECTOR: true,
		livekit.ParticipantInfo_AGENT:     false,
		livekit.ParticipantInfo_EGRESS:    false,
		livekit.ParticipantInfo_INGRESS:   false,
	} {
		l := link{}
		if got := l.eligible(Participant{Identity: "x", Kind: kind}); got != want {
			t.Errorf("%v eligible = %v", kind, got)
		}
		avatar := Participant{Identity: "x", Kind: kind, Attributes: map[string]string{attributePublishOnBehalf: "robot"}}
		if l.eligible(avatar) {
			t.Errorf("%v on behalf of another is eligible", kind)
		}
	}
}

func TestWhoseTextCounts(t *testing.T) {
	l := link{grace: time.Second}
	if !l.hears("bob") {
		t.Error("nobody is heard before there is a candidate")
	}
	l.present(ann)
	if l.hears("bob") || !l.hears("ann") {
		t.Error("not the candidate alone is heard")
	}
	l.absent("ann", onOwn, time.Unix(0, 0))
	if l.interviews("ann") {
		t.Error("a candidate who has gone is still interviewed")
	}
}
