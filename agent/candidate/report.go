package candidate

import (
	"encoding/json"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"time"
)

// Report is what a run measured. Its JSON names are stable; all times are milliseconds.
type Report struct {
	Started     time.Time `json:"started"`
	Duration    float64   `json:"duration_ms"`
	Interrupted bool      `json:"interrupted"` // ended before all rooms were through; the rest is what there is

	Settings Settings `json:"settings"`
	Machine  Machine  `json:"machine"`

	RoomsCompleted int `json:"rooms_completed"`
	RoomsAgentLeft int `json:"rooms_agent_left"`
	RoomsStopped   int `json:"rooms_stopped"`
	RoomsFailed    int `json:"rooms_failed"`

	Measures Measures `json:"measures"`
	Counters Counters `json:"counters"`
	// TalkedOverShare is TalkedOver / (Turns + TurnsUnfinished).
	TalkedOverShare float64 `json:"talked_over_share"`

	Tool      Tool          `json:"tool"`
	Processes []ProcessCost `json:"processes,omitempty"`
	Rooms     []RoomResult  `json:"rooms"`
}

// Settings of the run, with the defaults filled in.
type Settings struct {
	Rooms           int     `json:"rooms"`
	Turns           int     `json:"turns"`
	BargeIns        int     `json:"barge_ins"`
	Interruptions   int     `json:"interruptions"`
	Pauses          bool    `json:"pauses"`
	ProviderTime    float64 `json:"provider_time_ms"`
	AgentName       string  `json:"agent_name"`
	Ramp            float64 `json:"ramp_ms"`
	Seed            uint64  `json:"seed"`
	DTX             bool    `json:"dtx"` // candidates do not send most of their silence
	Threshold       float64 `json:"threshold_dbfs"`
	Silence         float64 `json:"silence_ms"`
	AnswerTimeout   float64 `json:"answer_timeout_ms"`
	EarliestBargeIn float64 `json:"earliest_barge_in_ms"`
	LatestBargeIn   float64 `json:"latest_barge_in_ms"`
}

// Machine is where the run took place.
type Machine struct {
	CPUs    int    `json:"cpus"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Go      string `json:"go"`
	Version string `json:"version"`     // of the program
	SDK     string `json:"livekit_sdk"` // of the LiveKit client
}

// Measures are the distributions over all rooms; Measurements says what each means.
type Measures struct {
	Joined                Distribution `json:"dispatch_to_joined"`
	FirstVoice            Distribution `json:"dispatch_to_first_voice"`
	Responses             Distribution `json:"response"`
	InterruptionResponses Distribution `json:"response_after_interruption"`
	Decided               Distribution `json:"decided_to_voice"`
	Handoffs              Distribution `json:"handoff"`
	HandoffAdded          Distribution `json:"handoff_added"` // handoff without Settings.ProviderTime, not below 0
	Stops                 Distribution `json:"interruption_to_silence"`
	Gaps                  Distribution `json:"gap"`
	Overlaps              Distribution `json:"overlap"`
}

// Tool says how well the test tool itself did, and what it cost. Late, skipped and dropped packets make the measures doubtful.
type Tool struct {
	SenderStats
	PacketsDropped int64        `json:"packets_dropped"` // heard, but the candidate was too slow
	Undecodable    int64        `json:"packets_undecodable"`
	Cost           *ProcessCost `json:"cost,omitempty"`
}

// RoomResult is the outcome of one room.
type RoomResult struct {
	Number   int     `json:"number"`
	Room     string  `json:"room"`
	Outcome  Outcome `json:"outcome"`
	Error    string  `json:"error,omitempty"`
	Duration float64 `json:"duration_ms"`
	Counters

	tool     Tool
	measured Measurements
}

// JSON writes the report as one indented object.
func (r Report) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// newReport adds up the rooms.
func newReport(p Plan, version string, rooms []RoomResult) Report {
	r := Report{Settings: settings(p), Machine: machine(version), Rooms: rooms}
	var all Measurements
	for _, room := range rooms {
		all.add(room.measured)
		r.Tool.add(room.tool)
		switch room.Outcome {
		case OutcomeCompleted:
			r.RoomsCompleted++
		case OutcomeAgentLeft:
			r.RoomsAgentLeft++
		case OutcomeStopped:
			r.RoomsStopped++
		case OutcomeFailed:
			r.RoomsFailed++
		}
	}
	r.Counters = all.Counters
	if turns := all.Turns + all.TurnsUnfinished; turns > 0 {
		r.TalkedOverShare = float64(all.TalkedOver) / float64(turns)
	}
	r.Measures = Measures{
		Joined:                distribution(all.Joined),
		FirstVoice:            distribution(all.FirstVoice),
		Responses:             distribution(all.Responses),
		InterruptionResponses: distribution(all.InterruptionResponses),
		Decided:               distribution(all.Decided),
		HandoffAdded:          distribution(beyond(all.Handoffs, p.ProviderTime)),
		Handoffs:              distribution(all.Handoffs),
		Stops:                 distribution(all.Stops),
		Gaps:                  distribution(all.Gaps),
		Overlaps:              distribution(all.Overlaps),
	}
	return r
}

// beyond takes what was known before off every sample.
func beyond(samples []time.Duration, known time.Duration) []time.Duration {
	var rest []time.Duration
	for _, s := range samples {
		rest = append(rest, max(0, s-known))
	}
	return rest
}

func (m *Measurements) add(o Measurements) {
	m.Joined = append(m.Joined, o.Joined...)
	m.FirstVoice = append(m.FirstVoice, o.FirstVoice...)
	m.Responses = append(m.Responses, o.Responses...)
	m.InterruptionResponses = append(m.InterruptionResponses, o.InterruptionResponses...)
	m.Decided = append(m.Decided, o.Decided...)
	m.Handoffs = append(m.Handoffs, o.Handoffs...)
	m.Stops = append(m.Stops, o.Stops...)
	m.Gaps = append(m.Gaps, o.Gaps...)
	m.Overlaps = append(m.Overlaps, o.Overlaps...)
	m.Crosstalk = append(m.Crosstalk, o.Crosstalk...)
	sum(&m.Counters, o.Counters)
}

// sum adds up two structs of whole numbers, field by field.
func sum[T any](to *T, more T) {
	all, some := reflect.ValueOf(to).Elem(), reflect.ValueOf(more)
	for i := range all.NumField() {
		all.Field(i).SetInt(all.Field(i).Int() + some.Field(i).Int())
	}
}

func (t *Tool) add(o Tool) {
	sum(&t.SenderStats, o.SenderStats)
	t.PacketsDropped += o.PacketsDropped
	t.Undecodable += o.Undecodable
}

func settings(p Plan) Settings {
	return Settings{
		Rooms: p.Rooms, Turns: p.Turns, BargeIns: p.BargeIns, AgentName: p.AgentName, Ramp: milliseconds(max(p.Ramp, 0)), Seed: p.Seed,
		Interruptions: p.Interruptions, DTX: p.DTX, ProviderTime: milliseconds(p.ProviderTime),
		Threshold: Threshold, Silence: milliseconds(p.Silence), AnswerTimeout: milliseconds(p.AnswerTimeout),
		EarliestBargeIn: milliseconds(earliestBargeIn), LatestBargeIn: milliseconds(latestBargeIn),
	}
}

func machine(version string) Machine {
	m := Machine{CPUs: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Version: version}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/livekit/server-sdk-go/v2" {
				m.SDK = dep.Version
			}
		}
	}
	return m
}
