package room

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"
)

// hall is a view in memory.
type hall struct {
	people map[string]Participant
	tracks map[string][]publication
}

func (h *hall) everybody() []string {
	var all []string
	for id := range h.people {
		all = append(all, id)
	}
	return all
}

func (h *hall) look(identity string) (Participant, []publication, bool) {
	p, ok := h.people[identity]
	return p, h.tracks[identity], ok
}

type rosterTest struct {
	*roster
	hall      *hall
	events    []Event
	candidate candidate
	asked     []string
	refuse    error
	now       time.Time
}

func newRosterTest(t *testing.T, opts Options) *rosterTest {
	t.Helper()
	rt := &rosterTest{
		hall: &hall{people: map[string]Participant{}, tracks: map[string][]publication{}}, now: time.Unix(1000, 0),
	}
	opts.Handler = func(ev Event) { rt.events = append(rt.events, ev) }
	opts.Logger = zap.NewNop()
	opts.ReconnectGrace = 20 * time.Second
	rt.roster = newRoster(&opts, rt.hall, func(c candidate) { rt.candidate = c })
	return rt
}

func (rt *rosterTest) enter(p Participant, tracks ...Track) {
	rt.hall.people[p.Identity] = p
	rt.hall.tracks[p.Identity] = nil
	for _, tr := range tracks {
		rt.hall.tracks[p.Identity] = append(rt.hall.tracks[p.Identity], publication{
			track: tr, id: new(int), subscribe: func() error {
				if rt.refuse == nil {
					rt.asked = append(rt.asked, tr.SID)
				}
				return rt.refuse
			},
		})
	}
	rt.fact(somebodyChanged{identity: p.Identity})
}

func (rt *rosterTest) fact(f any) bool { return rt.handle(f, rt.now) }

func (rt *rosterTest) expect(t *testing.T, want ...Event) {
	t.Helper()
	if diff := cmp.Diff(want, rt.events); diff != "" {
		t.Error(diff)
	}
	rt.events = nil
}

func microphoneOf(p Participant, sid string) Track {
	return Track{SID: sid, Source: livekit.TrackSource_MICROPHONE, Identity: p.Identity, Kind: p.Kind}
}

func quietReader(tr Track) *reader {
	return &reader{log: zap.NewNop(), track: tr, source: &script{}, hear: func([]int16, int64) {}}
}

func TestRosterListensToTheCandidateOnly(t *testing.T) {
	rt := newRosterTest(t, Options{})
	mic := microphoneOf(ann, "TR_ann")
	music := Track{SID: "TR_music", Source: livekit.TrackSource_SCREEN_SHARE_AUDIO, Identity: "ann"}
	rt.enter(robot, microphoneOf(robot, "TR_robot"))
	rt.enter(ann, mic, music)
	rt.enter(bob, microphoneOf(bob, "TR_bob"))
	if diff := cmp.Diff([]string{"TR_ann"}, rt.asked); diff != "" {
		t.Error(diff)
	}
	rt.expect(t, ParticipantJoined{robot}, ParticipantJoined{ann}, CandidateJoined{ann}, ParticipantJoined{bob})

	rd := quietReader(mic)
	rt.fact(readingStarted{rd})
	rt.expect(t, TrackSubscribed{mic})
	if !rd.heard.Load() || rt.candidate != (candidate{"ann", "TR_ann"}) {
		t.Errorf("heard = %v, candidate = %+v", rd.heard.Load(), rt.candidate)
	}

	rt.fact(unpublished{"TR_ann"})
	if !rd.stopped.Load() {
		t.Error("the reader was not stopped")
	}
	rt.fact(readingEnded{rd})
	rt.expect(t)
	if rd.heard.Load() || len(rt.roster.asked) != 0 {
		t.Errorf("left over: heard %v, asked %v", rd.heard.Load(), rt.roster.asked)
	}
}

func TestRosterSubscribesToAll(t *testing.T) {
	rt := newRosterTest(t, Options{Everybody: true})
	rt.enter(robot, microphoneOf(robot, "TR_robot"))
	rt.enter(ann, microphoneOf(ann, "TR_ann"))
	rt.enter(ann, microphoneOf(ann, "TR_new"))
	rt.fact(lookAround{})
	if diff := cmp.Diff([]string{"TR_robot", "TR_ann", "TR_new"}, rt.asked); diff != "" {
		t.Error(diff)
	}
}

func TestRosterAsksAgainAfterAFailure(t *testing.T) {
	rt := newRosterTest(t, Options{})
	rt.refuse = errors.New("broken pipe")
	rt.enter(ann, microphoneOf(ann, "TR_ann"))
	rt.refuse = nil
	rt.fact(connectionBack{})
	if diff := cmp.Diff([]string{"TR_ann"}, rt.asked); diff != "" {
		t.Error(diff)
	}
}

// TestRosterFullRejoin: the SDK reports everybody as gone with an unknown reason and then as there again, under new
// publications. Nobody left; the microphone is asked for again.
func TestRosterFullRejoin(t *testing.T) {
	rt := newRosterTest(t, Options{})
	mic := microphoneOf(ann, "TR_ann")
	rt.enter(ann, mic)
	rt.enter(bob)
	rt.events = nil

	rt.fact(connectionBroke{})
	delete(rt.hall.people, "ann")
	delete(rt.hall.people, "bob")
	rt.fact(somebodyChanged{"ann", unknown})
	rt.fact(somebodyChanged{"bob", unknown})
	rt.now = rt.now.Add(time.Minute)
	rt.expire(rt.now)
	rt.enter(ann, mic)
	rt.fact(connectionBack{})
	rt.expect(t, Reconnecting{}, ParticipantLeft{bob, unknown}, Reconnected{})
	if diff := cmp.Diff([]string{"TR_ann", "TR_ann"}, rt.asked); diff != "" {
		t.Error(diff)
	}
}

// TestRosterIgnoresStaleReports: call-backs come from several goroutines, so an old departure may be reported after a return.
func TestRosterIgnoresStaleReports(t *testing.T) {
	rt := newRosterTest(t, Options{})
	rt.enter(ann)
	rt.events = nil
	rt.fact(somebodyChanged{"ann", onOwn})
	rt.fact(somebodyChanged{"stranger", onOwn})
	rt.expect(t)
	again := ann
	again.SID = "PA_2"
	rt.enter(again)
	rt.expect(t, ParticipantLeft{ann, livekit.DisconnectReason_DUPLICATE_IDENTITY}, ParticipantJoined{again})
}

func TestRosterCandidateLeaves(t *testing.T) {
	rt := newRosterTest(t, Options{})
	rt.enter(ann)
	delete(rt.hall.people, "ann")
	rt.events = nil
	rt.fact(somebodyChanged{"ann", dropped})
	rt.now = rt.now.Add(20 * time.Second)
	rt.expire(rt.now)
	rt.expect(t, ParticipantLeft{ann, dropped}, CandidateAway{dropped}, CandidateGone{dropped})
	if rt.fact(connectionLost{livekit.DisconnectReason_ROOM_CLOSED}) {
		t.Error("facts after the last one")
	}
	rt.expect(t, Disconnected{livekit.DisconnectReason_ROOM_CLOSED})
}

// The absence is seen while everybody is looked at, and the reason comes after it: who left on purpose is not waited for.
func TestRosterHearsTheReasonLate(t *testing.T) {
	rt := newRosterTest(t, Options{})
	rt.enter(ann)
	delete(rt.hall.people, "ann")
	rt.events = nil
	rt.fact(lookAround{})
	unknown := livekit.DisconnectReason_UNKNOWN_REASON
	rt.expect(t, ParticipantLeft{ann, unknown}, CandidateAway{unknown})
	rt.fact(somebodyChanged{"ann", dropped})
	rt.fact(somebodyChanged{"stranger", onOwn})
	rt.expect(t)
	rt.fact(somebodyChanged{"ann", onOwn})
	rt.expect(t, CandidateGone{onOwn})
}

func TestRosterTextsAndAttributes(t *testing.T) {
	rt := newRosterTest(t, Options{})
	rt.fact(attributesChanged{"ann", map[string]string{"a": "0"}}) // before ann is known
	rt.enter(ann)
	rt.enter(bob)
	rt.events = nil
	rt.fact(received{Text{From: "bob", Text: "psst"}})
	rt.fact(received{Text{From: "ann", Text: "hello"}})
	rt.fact(attributesChanged{"ann", map[string]string{"a": "1"}})
	rt.expect(t, Text{From: "ann", Text: "hello"}, ParticipantAttributes{"ann", map[string]string{"a": "1"}})
}

// TestNewestMicrophoneWins: one of two microphones is listened to, and the other one again when it ends.
func TestNewestMicrophoneWins(t *testing.T) {
	rt := newRosterTest(t, Options{})
	first, second := microphoneOf(ann, "TR_1"), microphoneOf(ann, "TR_2")
	rt.enter(ann, first, second)
	rt.events = nil
	one, two := quietReader(first), quietReader(second)
	rt.fact(readingStarted{one})
	rt.fact(readingStarted{two})
	rt.expect(t, TrackSubscribed{first}, TrackSubscribed{second})
	if one.heard.Load() || !two.heard.Load() {
		t.Error("both or neither are heard")
	}
	rt.fact(readingEnded{two})
	if !one.heard.Load() || two.heard.Load() {
		t.Error("the first is not heard again")
	}
}
