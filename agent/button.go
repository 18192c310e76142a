package agent

import (
	"encoding/json"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
)

// topicTurn is the topic of the packets by which the page tells of its button to talk: {"type":"press"} and {"type":"release"}.
const topicTurn = "viva.turn"

// button takes a packet about the candidate's button.
func (a *attendance) button(d room.Data) {
	push, ok := parsePush(d.Payload)
	if !ok {
		a.log.Debug("turn.packet_refused", zap.Int("bytes", len(d.Payload)))
		return
	}
	if s := a.session.Load(); s != nil {
		s.Post(push)
	}
}

func parsePush(payload []byte) (push session.Push, ok bool) {
	var m struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return push, false
	}
	return session.Push{Down: m.Type == "press"}, m.Type == "press" || m.Type == "release"
}
