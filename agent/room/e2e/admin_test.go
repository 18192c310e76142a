package e2e

import (
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

func deleteRoom(t *testing.T) {
	t.Helper()
	_, err := lksdk.NewRoomServiceClient(server.URL(), testKey, testSecret).DeleteRoom(t.Context(),
		&livekit.DeleteRoomRequest{Room: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
}
