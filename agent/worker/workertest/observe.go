package workertest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// Behaviour is the one in force.
func (s *Server) Behaviour() Behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.behaviour
}

// Attempts counts calls of Dial.
func (s *Server) Attempts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts
}

// Pings counts the WebSocket pings that workers have sent.
func (s *Server) Pings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pings
}

// Workers lists the ids of registered workers, in order of registration.
func (s *Server) Workers() []string {
	var ids []string
	for _, c := range s.registered() {
		ids = append(ids, c.workerID())
	}
	return ids
}

// Received lists the messages of all workers since the server was made, in order of arrival. They must not be changed.
func (s *Server) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// JobState is what the server has in its books about a job: nil if it knows of none or has forgotten it.
func (s *Server) JobState(jobID string) *livekit.JobState {
	s.mu.Lock()
	defer s.mu.Unlock()
	job := s.jobs[jobID]
	if job == nil {
		return nil
	}
	return proto.CloneOf(job.state)
}

// Await waits until done, called after each change of what the server knows, returns true. It is called without locks and
// may use the server's other methods.
func (s *Server) Await(ctx context.Context, done func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if done() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("workertest: await: %w", context.Cause(ctx))
		}
	}
}

// AwaitWorkers waits until that many workers are registered.
func (s *Server) AwaitWorkers(ctx context.Context, count int) error {
	return s.Await(ctx, func() bool { return len(s.registered()) == count })
}

func (s *Server) registered() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var registered []*session
	for _, c := range s.sessions {
		if c.id != "" {
			registered = append(registered, c)
		}
	}
	return registered
}

func (s *Server) record(msg *livekit.WorkerMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, Received{At: time.Now(), Message: msg})
	s.notifyLocked()
}
