package e2e

import (
	"slices"
	"testing"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
)

func removeParticipant(t *testing.T, identity string) {
	t.Helper()
	_, err := lksdk.NewRoomServiceClient(server.URL(), testKey, testSecret).RemoveParticipant(t.Context(),
		&livekit.RoomParticipantIdentity{Room: t.Name(), Identity: identity})
	if err != nil {
		t.Fatal(err)
	}
}

// present says whether the server counts the participant among those in the test's room.
func present(t *testing.T, identity string) bool {
	t.Helper()
	all, err := lksdk.NewRoomServiceClient(server.URL(), testKey, testSecret).ListParticipants(t.Context(),
		&livekit.ListParticipantsRequest{Room: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(all.GetParticipants(), func(p *livekit.ParticipantInfo) bool { return p.GetIdentity() == identity })
}

func deleteRoom(t *testing.T) {
	t.Helper()
	_, err := lksdk.NewRoomServiceClient(server.URL(), testKey, testSecret).DeleteRoom(t.Context(),
		&livekit.DeleteRoomRequest{Room: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
}
