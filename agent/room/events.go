package room

import "github.com/livekit/protocol/livekit"

// Event is something that happened in the room. The types below are all there are.
type Event interface{ event() }

// Participant describes somebody else in the room at one moment.
type Participant struct {
	Identity   string // unique in the room, chosen by the token
	SID        string // changes with every join
	Name       string
	Metadata   string
	Kind       livekit.ParticipantInfo_Kind
	Attributes map[string]string // belongs to the receiver of the event
}

// Track describes a remote audio track.
type Track struct {
	SID      string
	Name     string
	Source   livekit.TrackSource
	Identity string // whose it is
	Kind     livekit.ParticipantInfo_Kind
}

// CandidateJoined says who is being interviewed. It comes once, before any other event of the candidate.
type CandidateJoined struct{ Participant Participant }

// CandidateAway says that the candidate left but may come back within the grace. CandidateBack or CandidateGone follows,
// unless the agent itself is disconnected first.
type CandidateAway struct{ Reason livekit.DisconnectReason }

// CandidateBack says that the candidate came back within the grace.
type CandidateBack struct{ Participant Participant }

// CandidateGone says that the candidate left for good: on purpose, or for longer than the grace. It comes at most once.
type CandidateGone struct{ Reason livekit.DisconnectReason }

// ParticipantJoined says that somebody is in the room, the candidate too.
type ParticipantJoined struct{ Participant Participant }

// ParticipantLeft says that somebody is no longer in the room.
type ParticipantLeft struct {
	Participant Participant
	Reason      livekit.DisconnectReason
}

// ParticipantAttributes says that somebody's attributes changed; a removed one has an empty value.
type ParticipantAttributes struct {
	Identity string
	Changed  map[string]string
}

// TrackSubscribed says that a remote audio track is being received. Its packets may precede the event.
type TrackSubscribed struct{ Track Track }

// Text is a message that somebody typed (topic lk.chat), complete. Unless everybody is heard, texts, data and files of
// others than the candidate are dropped while there is a candidate.
type Text struct {
	ID    string // of the stream
	From  string // identity
	Text  string // at most MaxText bytes, valid UTF-8
	Again bool   // it was sent before, to an interviewer that has gone since (attribute viva.again)
}

// Data is a user packet, at most MaxData bytes.
type Data struct {
	Topic   string
	From    string // identity
	Payload []byte // belongs to the receiver of the event
}

// TranscriptReceived is an update of somebody's lk.transcription stream, with the whole text of that stream so far.
type TranscriptReceived struct {
	From    string // whose words they are
	Segment string // updates with the same segment replace each other
	Track   string // SID, may be empty
	Text    string
	Final   bool
	Closed  bool // no more text in this stream
}

// Reconnecting says that the connection broke and is being restored. Until Reconnected nothing is known of the others.
type Reconnecting struct{}

// Reconnected says that the connection is restored and the participants have been compared.
type Reconnected struct{}

// Disconnected is the last event, once the room is lost for good: removed, room deleted, or reconnecting given up. It does
// not come after Leave.
type Disconnected struct{ Reason livekit.DisconnectReason }

func (CandidateJoined) event()       {}
func (CandidateAway) event()         {}
func (CandidateBack) event()         {}
func (CandidateGone) event()         {}
func (ParticipantJoined) event()     {}
func (ParticipantLeft) event()       {}
func (ParticipantAttributes) event() {}
func (TrackSubscribed) event()       {}
func (Text) event()                  {}
func (Data) event()                  {}
func (TranscriptReceived) event()    {}
func (Reconnecting) event()          {}
func (Reconnected) event()           {}
func (Disconnected) event()          {}
