package worker

import (
	"strings"

	"github.com/livekit/protocol/livekit"
)

// agentNameAttribute is what LiveKit's frameworks set and clients look for; the server adds a lk.agent_name of its own.
const agentNameAttribute = "lk.agent.name"

// maxErrorText bounds the reason in a job's status, in bytes.
const maxErrorText = 1024

func registration(o Options) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Register{Register: &livekit.RegisterWorkerRequest{
		Type:      livekit.JobType_JT_ROOM,
		AgentName: o.AgentName,
		Version:   o.Version,
		AllowedPermissions: &livekit.ParticipantPermission{
			CanPublish: true, CanSubscribe: true, CanPublishData: true, CanUpdateMetadata: true,
		},
	}}}
}

// refusal answers an offer with no: the server asks another worker.
func refusal(jobID string) *livekit.WorkerMessage {
	return availability(&livekit.AvailabilityResponse{JobId: jobID})
}

// acceptance answers an offer with yes. Text from the handler is made valid UTF-8, without which a message cannot be encoded.
func acceptance(jobID, identity, agentName string, d Decision) *livekit.WorkerMessage {
	attributes := map[string]string{agentNameAttribute: agentName}
	for key, value := range d.Attributes {
		attributes[validText(key)] = validText(value)
	}
	return availability(&livekit.AvailabilityResponse{
		JobId:                 jobID,
		Available:             true,
		ParticipantIdentity:   identity,
		ParticipantName:       validText(d.Name),
		ParticipantAttributes: attributes,
	})
}

func availability(r *livekit.AvailabilityResponse) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Availability{Availability: r}}
}

func jobUpdate(jobID string, status livekit.JobStatus, text string) *livekit.WorkerMessage {
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
	}
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_UpdateJob{UpdateJob: &livekit.UpdateJobStatus{
		JobId: jobID, Status: status, Error: validText(text),
	}}}
}

func workerStatus(full bool, load float64, jobs int) *livekit.WorkerMessage {
	status := livekit.WorkerStatus_WS_AVAILABLE
	if full {
		status = livekit.WorkerStatus_WS_FULL
	}
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_UpdateWorker{UpdateWorker: &livekit.UpdateWorkerStatus{
		Status: &status, Load: float32(load), JobCount: uint32(max(jobs, 0)),
	}}}
}

func migration(jobIDs []string) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_MigrateJob{MigrateJob: &livekit.MigrateJobRequest{JobIds: jobIDs}}}
}

func pingMessage(timestamp int64) *livekit.WorkerMessage {
	return &livekit.WorkerMessage{Message: &livekit.WorkerMessage_Ping{Ping: &livekit.WorkerPing{Timestamp: timestamp}}}
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
