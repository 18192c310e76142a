package agent

import (
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
)

// Attributes of the agent's participant that the candidate's page reads, besides LiveKit's own lk.agent.state, and of what the candidate said.
const (
	attributeState    = "viva.state" // active, done or refused
	AttributeStage    = "viva.stage"
	attributeTitle    = "viva.stage_title"
	attributeProgress = "viva.progress" // "1/2"
	attributeDeadline = "viva.deadline" // seconds the stage may take
	attributeTurn     = "viva.turn"     // auto, or manual: the page shows a button to talk
	attributePhase    = "viva.phase"    // "2/5": the place of the sub-phase, in a stage that is held as several
	attributeItem     = "viva.item"     // the sub-phase's name
	attributeUnsure   = "viva.unsure"   // of a transcript: true, where much of it may be wrong
	attributeCode     = "viva.code"     // on: the stage looks at what the candidate writes (topic viva.code)
)

// presence shows the session to the room. Its calls only queue.
type presence struct {
	room      *room.Room
	interview *engine.Interview // nil: the interview is refused
	guard     *guard.Guard      // the interview's; may be nil
	log       *zap.Logger

	taskAsked, menuAsked seldom

	mu      sync.Mutex
	track   *room.Voice   // guarded by mu: its SID changes when the room is rejoined
	segment *room.Segment // guarded by mu: the utterance being shown
	shown   uint64        // guarded by mu: its number
	text    string        // guarded by mu: what was appended
	turn    uint64        // guarded by mu
	turnID  string        // guarded by mu: the segment id of the candidate's turn
	heard   bool          // guarded by mu: that turn is over
	task    []byte        // guarded by mu: the packet that shows the problem; nil = there is none
	again   *time.Timer   // guarded by mu: shows it to a candidate who came back
	leased  bool          // guarded by mu: without a reason for its end, another worker goes on with the interview
}

var (
	_ session.Presence = (*presence)(nil)
	_ session.Sheet    = (*presence)(nil)
)

func newPresence(r *room.Room, iv *engine.Interview, g *guard.Guard, log *zap.Logger) *presence {
	return &presence{room: r, interview: iv, guard: g, log: log}
}

// setLeased says whether another worker goes on with an interview that ends without a reason.
func (p *presence) setLeased(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leased = on
}

func (p *presence) setTrack(v *room.Voice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.track = v
}

// State implements session.Presence.
func (p *presence) State(s string) { p.room.SetState(s) }

// Stage implements session.Presence.
func (p *presence) Stage(e engine.Publish) {
	attributes := stageAttributes(e, takesCode(p.interview, e.Stage))
	maps.Copy(attributes, personaAttributes(p.interview, e.Stage))
	p.room.SetAttributes(attributes)
	if attributes[attributeMenu] == "on" {
		p.showMenu()
	}
}

func stageAttributes(e engine.Publish, code bool) map[string]string {
	a := map[string]string{
		attributeState: "active", AttributeStage: e.Stage, attributeTitle: e.Title, attributeProgress: "", attributeDeadline: "",
		attributeTurn: "auto", attributePhase: "", attributeItem: "", attributeCode: "",
	}
	if e.Item != "" {
		a[attributePhase], a[attributeItem] = strconv.Itoa(e.Phase)+"/"+strconv.Itoa(e.Phases), e.Title
	}
	if code {
		a[attributeCode] = "on"
	}
	if e.Index > 0 {
		a[attributeProgress] = strconv.Itoa(e.Index) + "/" + strconv.Itoa(e.Total)
	}
	if e.Left > 0 {
		a[attributeDeadline] = strconv.Itoa(int(e.Left.Seconds()))
	}
	if e.Turn == "manual" {
		a[attributeTurn] = "manual"
	}
	return a
}

// Words implements session.Presence.
func (p *presence) Words(utterance uint64, more string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.openLocked(utterance)
	p.text += more
	p.sent(p.segment.Append(more))
}

// Said implements session.Presence: it appends what was not shown yet and closes the segment.
func (p *presence) Said(utterance uint64, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.openLocked(utterance)
	if rest, ok := strings.CutPrefix(text, p.text); ok {
		p.sent(p.segment.Append(rest))
	}
	p.closeLocked()
}

func (p *presence) openLocked(utterance uint64) {
	if p.segment != nil && p.shown == utterance {
		return
	}
	p.closeLocked()
	p.segment, p.shown, p.text = p.room.AgentSegment(p.track.TrackSID()), utterance, ""
}

func (p *presence) closeLocked() {
	if p.segment != nil {
		p.sent(p.segment.Close())
		p.segment = nil
	}
}

// Candidate implements session.Presence.
func (p *presence) Candidate(turn uint64, text string, c session.Certainty) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turnID == "" || p.turn != turn {
		p.turn, p.turnID = turn, room.NewSegmentID()
	}
	p.heard = c != session.Interim
	var attributes map[string]string
	if c == session.Unsure {
		attributes = map[string]string{attributeUnsure: "true"}
	}
	p.sent(p.room.UserTranscript(p.turnID, text, p.heard, attributes))
}

// turns is how many turns the candidate has spoken if the segment is the last of them; 0: it is not.
func (p *presence) turns(segment string) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.heard || segment != p.turnID {
		return 0
	}
	return p.turn + 1
}

// Done implements session.Presence.
func (p *presence) Done(reason string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeLocked()
	if p.again != nil {
		p.again.Stop()
	}
	if reason == "" && p.leased {
		return
	}
	p.room.SetAttributes(map[string]string{attributeState: "done", attributeCode: "", attributeMenu: "", attributeMaterials: ""})
	p.room.SetState("idle")
}

// send sends the page a packet, unless it could not be made. One that is lost is asked for again, or shows by what does not happen.
func (p *presence) send(topic string, packet []byte, err error) {
	if err == nil {
		err = p.room.SendData(topic, packet)
	}
	if err != nil {
		p.log.Debug("packet.unsent", zap.String("topic", topic), zap.Error(err))
	}
}

// sent: a transcript that the room cannot take now is not worth stopping an interview for.
func (p *presence) sent(err error) {
	if err != nil {
		p.log.Debug("transcript.dropped", zap.Error(err))
	}
}
