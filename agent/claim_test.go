package agent

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
)

func interviewer(identity string, since int64) room.Participant {
	return room.Participant{
		Identity: identity, Kind: livekit.ParticipantInfo_AGENT,
		Attributes: map[string]string{attributeFloor: strconv.FormatInt(since, 10)},
	}
}

// R001-2, R001-45: of two interviewers in a room exactly one speaks, whichever sees the other first.
func TestTheOlderInterviewerSpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		older, younger := newClaim(100), newClaim(200)
		older.joined(interviewer("b", 200))
		younger.joined(interviewer("a", 100))
		younger.joined(room.Participant{Identity: "person", Kind: livekit.ParticipantInfo_STANDARD, Attributes: map[string]string{attributeFloor: "1"}})
		if err := older.await(t.Context(), zap.NewNop()); err != nil {
			t.Errorf("the older one: %v", err)
		}
		began := time.Now()
		if err := younger.await(t.Context(), zap.NewNop()); !errors.Is(err, errTaken) || time.Since(began) != claimWait {
			t.Errorf("the younger one: %v after %s", err, time.Since(began))
		}
	})
}

// A dead interviewer's successor takes over when it has gone, unless the interview had been held.
func TestTheYoungerTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClaim(200)
		c.joined(interviewer("a", 100))
		time.AfterFunc(20*time.Second, func() { c.left(interviewer("a", 100)) })
		if err := c.await(t.Context(), zap.NewNop()); err != nil {
			t.Error(err)
		}
		c.joined(interviewer("a", 100))
		c.attributes("a", map[string]string{attributeState: "done"})
		c.left(interviewer("a", 100))
		if err := c.await(t.Context(), zap.NewNop()); !errors.Is(err, errTaken) {
			t.Errorf("after an interview that was held: %v", err)
		}
	})
}
