package agent

import (
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// The clocks of two hosts are five minutes apart. Dispatched by mistake, the second interviewer does not speak, whoever of the two it takes
// for the older; once the first has stood still for a lease it takes the interview up, and the first is silent and writes nothing.
func TestHostsWithClocksApart(t *testing.T) {
	for name, skew := range map[string]time.Duration{"ahead": 5 * time.Minute, "behind": -5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "viva.db")
			first, second := apply(t, file), apply(t, file)
			elder := first.begun(t, skew)
			younger := second.attend(worker.Job{ID: "AJ_2", Identity: "agent-AJ_2", RoomName: "room", AgentName: "viva", Metadata: withResume})
			younger.interview, younger.lost = elder.interview, func(error) {}
			younger.claim.joined(room.Participant{Identity: elder.job.Identity, Kind: livekit.ParticipantInfo_AGENT, Attributes: map[string]string{
				attributeFloor: strconv.FormatInt(elder.claim.since, 10),
			}})
			if free, _ := younger.claim.state(); free != (skew > 0) {
				t.Errorf("the floor is free: %t", free)
			}
			if younger.reserve(t.Context()); younger.leased() {
				t.Error("a lease beside an interview that is being held")
			}
			if held, err := younger.open(t.Context(), jordan); !errors.Is(err, errTaken) {
				t.Fatalf("held by two: %+v, %v", held.start, err)
			}

			first.dead.Store(true)
			m, called := second.rescued(t)
			if !called || m.Resume != "AJ_1" {
				t.Fatalf("called: %t, with %+v", called, m)
			}
			taker := second.attend(worker.Job{ID: "AJ_3", Identity: "agent-AJ_3", RoomName: "room", AgentName: "viva"})
			taker.meta, taker.interview, taker.lost = m, elder.interview, func(error) {}
			taker.reserve(t.Context())
			held, err := taker.open(t.Context(), jordan)
			if err != nil || held.resume == nil || !taker.lease.speaks() {
				t.Fatalf("taken up: %+v, %v", held.start, err)
			}
			defer taker.lease.end(t.Context(), true)
			if gap := held.resume.Gap; gap < 0 || gap > max(0, -skew)+time.Minute {
				t.Errorf("the gap is %v", gap)
			}
			first.dead.Store(false)
			<-elder.silenced
			if elder.lease.speaks() {
				t.Error("two voices")
			}
			if err := elder.journal.Append(state.Entry{Seq: 3, Type: "late"}); !errors.Is(err, store.ErrLost) {
				t.Errorf("written by two: %v", err)
			}
		})
	}
}

// speaker is an attendance that holds its interview.
type speaker struct {
	*attendance
	journal  state.Journal
	silenced chan struct{} // closed when another has the interview
}

// begun has the applicant hold an interview since three seconds ago, by a clock that is wrong by skew.
func (a *applicant) begun(t *testing.T, skew time.Duration) *speaker {
	t.Helper()
	s := &speaker{silenced: make(chan struct{})}
	s.attendance = a.attend(worker.Job{ID: "AJ_1", Identity: "agent-AJ_1", RoomName: "room", AgentName: "viva", Metadata: withResume})
	s.claim, s.lost = newClaim(time.Now().Add(skew).UnixNano()), func(error) { close(s.silenced) }
	s.reserve(t.Context())
	held, err := s.open(t.Context(), jordan)
	if s.filing.Wait(); err != nil || !s.leased() {
		t.Fatalf("begun: %v", err)
	}
	s.journal = held.journal
	for i, ev := range []engine.Event{held.start, engine.VoiceStarted{Utterance: 2}} {
		e, err := engine.Encode(uint64(i+1), state.Millis(3000*i), ev)
		if err == nil {
			err = held.journal.Append(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := a.SaveSession(t.Context(), store.Session{ID: "AJ_1", Began: time.Now().Add(skew - 3*time.Second)}); err != nil {
		t.Fatal(err)
	}
	return s
}
