package candidate

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestDistribution(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = ms(100 - i)
	}
	tests := []struct {
		name    string
		samples []time.Duration
		want    Distribution
	}{
		{"none", nil, Distribution{}},
		{"one", durations(7), Distribution{1, 7, 7, 7, 7, 7}},
		{"two", durations(9, 1), Distribution{2, 1, 1, 9, 9, 9}},
		{"1 to 100", hundred, Distribution{100, 1, 50, 95, 99, 100}},
		{"below a millisecond", []time.Duration{1500 * time.Microsecond}, Distribution{1, 1.5, 1.5, 1.5, 1.5, 1.5}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, distribution(test.samples)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func testReport() Report {
	rooms := []RoomResult{
		{
			Number: 1, Room: "loadtest-a-1", Outcome: OutcomeCompleted, tool: Tool{SenderStats: SenderStats{Frames: 100, Late: 2}, PacketsDropped: 1},
			measured: Measurements{Joined: durations(150), Responses: durations(800, 900), Counters: Counters{Turns: 2, Answers: 2, TalkedOver: 1, CutIns: 1}},
		},
		{
			Number: 2, Room: "loadtest-a-2", Outcome: OutcomeFailed, Error: ErrNoAgent.Error(), tool: Tool{SenderStats: SenderStats{Frames: 50}},
			measured: Measurements{Responses: durations(700), Counters: Counters{Turns: 1, Answers: 1, PacketsLost: 3}},
		},
	}
	r := newReport(Plan{Rooms: 2, Turns: 2, AgentName: "viva"}.withDefaults(), "1.0", rooms)
	r.Processes = []ProcessCost{{PID: 12345, Name: "viva", RSSStart: 61.2, RSSMax: 93.5, RSSPerRoom: 15.2, CPUPerRoom: 0.041}}
	r.Tool.Cost = &ProcessCost{PID: 54321, Name: "viva"}
	return r
}

func TestReportAddsUp(t *testing.T) {
	r := testReport()
	if r.RoomsCompleted != 1 || r.RoomsFailed != 1 {
		t.Errorf("completed %d, failed %d", r.RoomsCompleted, r.RoomsFailed)
	}
	if diff := cmp.Diff(Counters{Turns: 3, Answers: 3, TalkedOver: 1, CutIns: 1, PacketsLost: 3}, r.Counters); diff != "" {
		t.Errorf("counters: %s", diff)
	}
	if diff := cmp.Diff(Distribution{3, 700, 800, 900, 900, 900}, r.Measures.Responses); diff != "" {
		t.Errorf("responses: %s", diff)
	}
	if r.TalkedOverShare != 1.0/3 {
		t.Errorf("talked over in a share of %v of the turns, want a third", r.TalkedOverShare)
	}
	if r.Tool.Frames != 150 || r.Tool.Late != 2 || r.Tool.PacketsDropped != 1 {
		t.Errorf("tool: %+v", r.Tool)
	}
}

func TestReportTable(t *testing.T) {
	var out strings.Builder
	if err := testReport().WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"agent viva", "end of speech → first voice", "800", "failed 1", "talked over in 1 turns (33.3 %), in a pause in 1", "loadtest-a-2: no agent came", "15.2", "0.041", "(this test)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}

// Scripts read these names; a change breaks them.
func TestReportJSON(t *testing.T) {
	var out bytes.Buffer
	if err := testReport().JSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Settings struct {
			Ramp    float64 `json:"ramp_ms"`
			Silence float64 `json:"silence_ms"`
		}
		Machine  struct{ CPUs int }
		Measures map[string]map[string]float64
		Counters map[string]int64
		Tool     map[string]any
		Rooms    []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Settings.Ramp != 500 || got.Settings.Silence != 600 || got.Machine.CPUs < 1 {
		t.Errorf("settings %+v, machine %+v", got.Settings, got.Machine)
	}
	want := map[string]float64{"count": 3, "min_ms": 700, "p50_ms": 800, "p95_ms": 900, "p99_ms": 900, "max_ms": 900}
	if diff := cmp.Diff(want, got.Measures["response"]); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	for _, name := range []string{
		"dispatch_to_joined", "dispatch_to_first_voice", "response_after_interruption", "interruption_to_silence", "gap", "overlap",
		"decided_to_voice", "handoff", "handoff_added",
	} {
		if got.Measures[name] == nil {
			t.Errorf("no measure %s", name)
		}
	}
	if got.Counters["talked_over"] != 1 || got.Counters["cut_ins"] != 1 || got.Counters["packets_lost"] != 3 || got.Tool["frames_late"] != 2.0 || got.Rooms[1]["outcome"] != "failed" || got.Rooms[0]["turns"] == nil {
		t.Errorf("counters %v, tool %v, rooms %v", got.Counters, got.Tool, got.Rooms)
	}
}
