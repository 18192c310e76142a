package workertest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

const (
	// dispatchTimeout is the deadline of the real server's internal call; it covers all workers that are asked.
	dispatchTimeout = 3 * time.Second
	joinTokenLife   = time.Hour
	targetLoad      = 0.7 // from which on a worker gets no jobs
)

// Ways in which a dispatch fails.
var (
	// ErrNoWorker means no worker matches, is available and has load to spare, or all that had have refused.
	ErrNoWorker = errors.New("workertest: no worker available")
	// ErrNoAnswer means that a worker was asked and did not answer in time. Nobody else is asked.
	ErrNoAnswer = errors.New("workertest: worker did not answer in time")
)

// Outcome is what came of a dispatch.
type Outcome struct {
	// JobID is the job's, also if the dispatch failed.
	JobID string
	// Asked lists the ids of the workers that were asked, in order.
	Asked []string
	// Answer is the last answer.
	Answer *livekit.AvailabilityResponse
}

// jobRecord is a job in the server's books.
type jobRecord struct {
	owner *session
	state *livekit.JobState
}

// Dispatch offers a job to the workers of its agent's name, one after the other, and assigns it to the first that accepts. A job
// without an id or a room gets one.
func (s *Server) Dispatch(ctx context.Context, job *livekit.Job) (Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dispatchTimeout, ErrNoAnswer)
	defer cancel()
	job = s.complete(job)
	outcome := Outcome{JobID: job.GetId()}
	for {
		c := s.choose(job, outcome.Asked)
		if c == nil {
			return outcome, ErrNoWorker
		}
		outcome.Asked = append(outcome.Asked, c.workerID())
		answer, err := c.ask(ctx, job)
		outcome.Answer = answer
		switch {
		case errors.Is(err, errDropped):
			continue
		case err != nil:
			return outcome, err
		case answer.GetAvailable():
			return outcome, s.assign(c, job, answer)
		}
	}
}

func (s *Server) complete(job *livekit.Job) *livekit.Job {
	job = proto.CloneOf(job)
	if job.Id == "" {
		job.Id = s.newID("AJ_")
	}
	if job.Room == nil {
		job.Room = &livekit.Room{Name: "room-" + job.Id, Sid: "RM_" + job.Id, TurnPassword: "turn-secret"}
	}
	job.State = &livekit.JobState{Status: livekit.JobStatus_JS_RUNNING, StartedAt: time.Now().UnixNano()}
	return job
}

// choose returns the first eligible worker that has not been asked.
func (s *Server) choose(job *livekit.Job, asked []string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sessions {
		if c.id == "" || slices.Contains(asked, c.id) {
			continue
		}
		if c.register.GetAgentName() == job.GetAgentName() && c.status == livekit.WorkerStatus_WS_AVAILABLE && c.load < targetLoad {
			return c
		}
	}
	return nil
}

// ask offers the job and waits for the answer.
func (c *session) ask(ctx context.Context, job *livekit.Job) (*livekit.AvailabilityResponse, error) {
	answer := make(chan *livekit.AvailabilityResponse, 1)
	c.server.mu.Lock()
	c.answers[job.GetId()] = answer
	c.server.mu.Unlock()
	defer func() {
		c.server.mu.Lock()
		defer c.server.mu.Unlock()
		delete(c.answers, job.GetId())
	}()
	err := c.send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Availability{
		Availability: &livekit.AvailabilityRequest{Job: job},
	}})
	if err != nil {
		return nil, errDropped
	}
	select {
	case r := <-answer:
		return r, nil
	case <-c.done:
		return nil, errDropped
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// assign sends the assignment with a join token and enters the job in the books.
func (s *Server) assign(c *session, job *livekit.Job, answer *livekit.AvailabilityResponse) error {
	b := s.Behaviour()
	if !c.pause(b.HoldAssignment) {
		return errDropped
	}
	token, err := auth.NewAccessToken(s.opts.APIKey, s.opts.APISecret).
		SetIdentity(answer.GetParticipantIdentity()).
		SetKind(livekit.ParticipantInfo_AGENT).
		SetVideoGrant(&auth.VideoGrant{RoomJoin: true, Room: job.GetRoom().GetName(), Agent: true}).
		SetValidFor(joinTokenLife).
		ToJWT()
	if err != nil {
		return err
	}
	job.State.ParticipantIdentity = answer.GetParticipantIdentity()
	err = c.send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Assignment{
		Assignment: &livekit.JobAssignment{Job: job, Token: token},
	}})
	if err != nil || !c.pause(b.RecordDelay) {
		return errDropped
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[job.GetId()] = &jobRecord{owner: c, state: proto.CloneOf(job.GetState())}
	s.notifyLocked()
	return nil
}

// pause waits; false if the session ended first.
func (c *session) pause(d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.done:
		return false
	}
}

// Terminate ends a job as deleting its dispatch does: the job counts as a success and its worker is told.
func (s *Server) Terminate(jobID string) error {
	return s.end(jobID, livekit.JobStatus_JS_SUCCESS, "")
}

// LeaveRoom is what the server sees when the job's agent leaves the room, for whatever reason. A job that has not ended
// before counts as failed and its worker is told; one that has is left in peace.
func (s *Server) LeaveRoom(jobID string) error {
	return s.end(jobID, livekit.JobStatus_JS_FAILED, "agent worker left the room")
}

func (s *Server) end(jobID string, status livekit.JobStatus, text string) error {
	s.mu.Lock()
	job := s.jobs[jobID]
	if job == nil || ended(job.state) {
		s.mu.Unlock()
		return nil
	}
	endLocked(job, status, text)
	s.notifyLocked()
	s.mu.Unlock()
	return job.owner.send(&livekit.ServerMessage{Message: &livekit.ServerMessage_Termination{
		Termination: &livekit.JobTermination{JobId: jobID},
	}})
}

// updateJob enters a worker's update, unless the job is another's, unknown, or over.
func (s *Server) updateJob(c *session, u *livekit.UpdateJobStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if job := s.jobs[u.GetJobId()]; job != nil && job.owner == c && !ended(job.state) {
		endLocked(job, u.GetStatus(), u.GetError())
		s.notifyLocked()
	}
}

func endLocked(job *jobRecord, status livekit.JobStatus, text string) {
	job.state.Status, job.state.Error = status, text
	job.state.UpdatedAt = time.Now().UnixNano()
	if ended(job.state) {
		job.state.EndedAt = job.state.UpdatedAt
	}
}

func ended(state *livekit.JobState) bool {
	return state.GetStatus() == livekit.JobStatus_JS_SUCCESS || state.GetStatus() == livekit.JobStatus_JS_FAILED
}
