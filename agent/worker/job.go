package worker

import (
	"context"
	"fmt"

	"github.com/livekit/protocol/livekit"
	"go.uber.org/zap/zapcore"
)

// Handler decides on offered jobs and attends those that are assigned. Its methods are called concurrently, for
// different jobs.
type Handler interface {
	// Accept decides on an offered job. It must return within AnswerBudget, after which ctx is cancelled and the
	// job is refused so that another worker may have it. The job carries no token yet.
	Accept(ctx context.Context, job Job) Decision
	// Join enters the room of an assigned job. If it fails the job is reported as failed with the error's text, which
	// is how a job that should not have been dispatched (unknown interview, malformed metadata) gets its reason into
	// the job's status. The context is the one Attendance.Run gets.
	Join(ctx context.Context, job Job) (Attendance, error)
}

// Attendance is the agent's presence in the room of one job. The methods are called once each, in this order.
type Attendance interface {
	// Run does the job. It must still be in the room when it returns: the job's status (success for nil, failed with
	// the error's text otherwise) is sent before Leave. The text is logged, and at most 1 KiB of it sent; it must not
	// contain the candidate's words. The context is cancelled, with ErrTerminated, ErrStopped or
	// ErrDrainTimeout as its cause, when the job must end now; three seconds after a termination the server removes the
	// agent.
	Run(ctx context.Context) error
	// Leave leaves the room and frees what Join acquired. It has three seconds.
	Leave(ctx context.Context) error
}

// Decision is a Handler's answer to an offered job. The zero value refuses it and lets the server ask another worker.
type Decision struct {
	// Accept takes the job. To get the reason of a refusal recorded by the server, accept the job and let Join fail.
	Accept bool
	// Reason of a refusal, for the log. It must not contain the candidate's data.
	Reason string

	Name string // of the agent in the room
	// Attributes of the agent in the room, besides lk.agent.name, which is set to the agent's name unless given here.
	Attributes map[string]string
	// Void, if set, is called once if an acceptance comes to nothing: it is too late, cannot be sent, or no assignment follows it in
	// time. The job's place stays taken until it returns.
	Void func()
}

func (d *Decision) void() {
	if d.Void != nil {
		d.Void()
	}
}

// Job is one dispatch of the agent into a room. It is a plain value and shares nothing with the protocol's messages.
// It can be printed and logged: the token and the metadata, which names the candidate, are left out.
type Job struct {
	ID         string
	DispatchID string
	RoomName   string
	RoomSID    string
	// Metadata is the dispatch's; a server may pass up to 512 KiB, or more when configured so.
	Metadata  string `json:"-"`
	AgentName string
	// Identity is the agent's own in the room.
	Identity string
	// URL and Token are for joining the room; the token is empty until the job is assigned.
	URL   string
	Token string `json:"-"`
}

var (
	_ fmt.Stringer            = Job{}
	_ fmt.GoStringer          = Job{}
	_ zapcore.ObjectMarshaler = Job{}
)

// newJob copies what a job needs out of the server's message. The room's other fields, the TURN password among them, are
// left behind.
func newJob(j *livekit.Job, serverURL string) Job {
	return Job{
		ID:         j.GetId(),
		Identity:   "agent-" + j.GetId(),
		DispatchID: j.GetDispatchId(),
		RoomName:   j.GetRoom().GetName(),
		RoomSID:    j.GetRoom().GetSid(),
		Metadata:   j.GetMetadata(),
		AgentName:  j.GetAgentName(),
		URL:        serverURL,
	}
}

// String names the job and its room, nothing else.
func (j Job) String() string { return fmt.Sprintf("job %s in room %s", j.ID, j.RoomName) }

// GoString is String, so that %#v does not print the token.
func (j Job) GoString() string { return j.String() }

// MarshalLogObject logs what identifies the job.
func (j Job) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("job_id", j.ID)
	enc.AddString("dispatch_id", j.DispatchID)
	enc.AddString("room", j.RoomName)
	enc.AddString("room_sid", j.RoomSID)
	enc.AddString("identity", j.Identity)
	return nil
}
