package candidate

import (
	"math"
	"slices"
	"time"
)

// Measurements are the raw measures of one conversation.
type Measurements struct {
	Joined     []time.Duration // dispatch → agent in the room; at most one
	FirstVoice []time.Duration // dispatch → first voice packet; at most one
	// Responses: last voiced own frame sent → first voice packet of the answer.
	Responses []time.Duration
	// InterruptionResponses: the same after an own interruption.
	InterruptionResponses []time.Duration
	// Decided: the agent said that it had begun to think (lk.agent.state) → first voice packet of the answer. Only ordinary answers
	// within a stage, of agents that say so.
	Decided []time.Duration
	// Handoffs: the same where the answer began another stage.
	Handoffs []time.Duration
	// Stops: first voiced frame of an interruption sent → last voice packet before 250 ms of silence.
	Stops []time.Duration
	// Gaps: audio of a stretch that came later than it should, by RTP time, or never; lengths above 60 ms.
	Gaps []time.Duration
	// Overlaps: how long two tracks were voiced at once, above 20 ms.
	Overlaps []time.Duration
	// Crosstalk: how long agent and candidate were voiced at once, above 20 ms, other than in an interruption of the candidate's.
	Crosstalk []time.Duration

	Counters
}

// Counters of one conversation or, added up, of a run.
type Counters struct {
	Turns                int `json:"turns"`                 // utterances finished by the candidate
	TurnsUnfinished      int `json:"turns_unfinished"`      // begun, but the conversation ended meanwhile
	Answers              int `json:"answers"`               // heard after the end of own speech
	EarlyAnswers         int `json:"early_answers"`         // begun before the candidate had ended, and gone on with for 1 s after it
	StaleBursts          int `json:"stale_bursts"`          // voice of less than 200 ms in place of an answer
	AnswersMissing       int `json:"answers_missing"`       // not begun within the time limit
	GreetingsMissing     int `json:"greetings_missing"`     // the agent had said nothing before the candidate's first words
	Interruptions        int `json:"interruptions"`         // begun while the agent talked
	InterruptionsHeeded  int `json:"interruptions_heeded"`  // the agent stopped
	InterruptionsIgnored int `json:"interruptions_ignored"` // the agent talked on for 3 s
	InterruptionsMissed  int `json:"interruptions_missed"`  // planned, but the agent had finished too early
	TalkOvers            int `json:"talk_overs"`            // the agent began while the candidate talked
	TalkedOver           int `json:"talked_over"`           // turns during which it did so, once or more
	CutIns               int `json:"cut_ins"`               // of these, begun in a pause of the candidate's, 200 ms or more after the last voice
	Collisions           int `json:"collisions"`            // both began within 200 ms, the candidate first
	Gaps                 int `json:"gaps"`
	Overlaps             int `json:"overlaps"`

	PacketsReceived int64 `json:"packets_received"`
	PacketsLost     int64 `json:"packets_lost"`
	BytesReceived   int64 `json:"bytes_received"` // of audio payload
}

// Distribution summarises samples of one measure, in milliseconds. Percentiles are by nearest rank: the smallest sample that at least
// that share of the samples does not exceed, so every figure is one that was measured.
type Distribution struct {
	Count int     `json:"count"`
	Min   float64 `json:"min_ms"`
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
}

// distribution sorts the samples in place.
func distribution(samples []time.Duration) Distribution {
	if len(samples) == 0 {
		return Distribution{}
	}
	slices.Sort(samples)
	at := func(share float64) float64 {
		rank := int(math.Ceil(share * float64(len(samples))))
		return milliseconds(samples[max(rank, 1)-1])
	}
	return Distribution{
		Count: len(samples), Min: at(0), P50: at(0.50), P95: at(0.95), P99: at(0.99), Max: at(1),
	}
}

// milliseconds is d in ms, to the microsecond.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
