package candidate

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the report for a person, at most 100 columns wide.
func (r Report) WriteTable(w io.Writer) error {
	var text strings.Builder
	r.writeHead(&text)
	r.writeMeasures(&text)
	r.writeCounters(&text)
	r.writeProcesses(&text)
	r.writeFailures(&text)
	_, err := io.WriteString(w, text.String())
	return err
}

func (r Report) writeHead(w io.Writer) {
	s := r.Settings
	agent := s.AgentName
	if agent == "" {
		agent = "(automatic dispatch)"
	}
	_, _ = fmt.Fprintf(w, "agent %s  rooms %d  turns %d  barge-ins %d  ramp %.0f ms  seed %d\n", agent, s.Rooms, s.Turns, s.BargeIns, s.Ramp, s.Seed)
	_, _ = fmt.Fprintf(w, "took %.1f s on %d CPUs  completed %d  agent left %d  failed %d  stopped %d\n",
		r.Duration/1000, r.Machine.CPUs, r.RoomsCompleted, r.RoomsAgentLeft, r.RoomsFailed, r.RoomsStopped)
	if r.Interrupted {
		_, _ = fmt.Fprintln(w, "INTERRUPTED: this report is partial")
	}
	_, _ = fmt.Fprintln(w)
}

func (r Report) writeMeasures(w io.Writer) {
	rows := []struct {
		name string
		d    Distribution
	}{
		{"dispatch → agent joined", r.Measures.Joined},
		{"dispatch → first voice", r.Measures.FirstVoice},
		{"end of speech → first voice", r.Measures.Responses},
		{"  the same after an interruption", r.Measures.InterruptionResponses},
		{"turn decided → first voice", r.Measures.Decided},
		{"  the same at a handoff", r.Measures.Handoffs},
		{"  added to the providers' time", r.Measures.HandoffAdded},
		{"interruption onset → silence", r.Measures.Stops},
		{"gap inside agent speech", r.Measures.Gaps},
		{"overlap of agent streams", r.Measures.Overlaps},
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, padded("measure (ms)")+"\tcount\tmin\tp50\tp95\tp99\tmax\t")
	for _, row := range rows {
		d := row.d
		if d.Count == 0 {
			_, _ = fmt.Fprintf(table, "%s\t0\t–\t–\t–\t–\t–\t\n", padded(row.name))
			continue
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", padded(row.name), d.Count, d.Min, d.P50, d.P95, d.P99, d.Max)
	}
	_ = table.Flush() // the builder below cannot fail
	_, _ = fmt.Fprintln(w)
}

// padded makes the first column as wide as its widest entry, so that it is aligned left in a table aligned right.
func padded(name string) string { return fmt.Sprintf("%-34s", name) }

func (r Report) writeCounters(w io.Writer) {
	c, t := r.Counters, r.Tool
	_, _ = fmt.Fprintf(w, "turns %d (and %d unfinished): answered %d, early %d, missing %d; greetings missing %d; stale bursts %d\n",
		c.Turns, c.TurnsUnfinished, c.Answers, c.EarlyAnswers, c.AnswersMissing, c.GreetingsMissing, c.StaleBursts)
	_, _ = fmt.Fprintf(w, "interruptions %d: heeded %d, ignored %d; came too late %d\n",
		c.Interruptions, c.InterruptionsHeeded, c.InterruptionsIgnored, c.InterruptionsMissed)
	_, _ = fmt.Fprintf(w, "talked over in %d turns (%.1f %%), in a pause in %d of them; gaps %d, overlaps %d\n",
		c.TalkedOver, 100*r.TalkedOverShare, c.CutIns, c.Gaps, c.Overlaps)
	_, _ = fmt.Fprintf(w, "agent began over the candidate %d times, at the same moment %d\n", c.TalkOvers, c.Collisions)
	_, _ = fmt.Fprintf(w, "received %d packets (%d bytes), lost %d, undecodable %d\n",
		c.PacketsReceived, c.BytesReceived, c.PacketsLost, t.Undecodable)
	_, _ = fmt.Fprintf(w, "sent %d frames, %d late by more than 5 ms, %d left out, %d failed; %d packets heard too slowly\n",
		t.Frames, t.Late, t.Skipped, t.Failed, t.PacketsDropped)
}

func (r Report) writeProcesses(w io.Writer) {
	processes := r.Processes
	if r.Tool.Cost != nil {
		own := *r.Tool.Cost
		own.Name += " (this test)"
		processes = append(processes[:len(processes):len(processes)], own)
	}
	if len(processes) == 0 {
		return
	}
	_, _ = fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, padded("process")+"\tMiB start\tmean\tmax\tper room\tcores mean\tmax\tper room\t")
	for _, p := range processes {
		_, _ = fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.3f\t\n",
			padded(fmt.Sprintf("%d %s", p.PID, p.Name)), p.RSSStart, p.RSSMean, p.RSSMax, p.RSSPerRoom, p.CPUMean, p.CPUMax, p.CPUPerRoom)
	}
	_ = table.Flush() // the builder below cannot fail
}

// maxFailuresShown bounds the list of errors; the JSON report has all of them.
const maxFailuresShown = 10

func (r Report) writeFailures(w io.Writer) {
	shown := 0
	for _, room := range r.Rooms {
		if room.Error == "" {
			continue
		}
		if shown++; shown > maxFailuresShown {
			continue
		}
		_, _ = fmt.Fprintf(w, "\n%s: %s", room.Room, strings.ReplaceAll(room.Error, "\n", "; "))
	}
	if shown > 0 {
		_, _ = fmt.Fprintln(w)
	}
	if more := shown - maxFailuresShown; more > 0 {
		_, _ = fmt.Fprintf(w, "… and %d more with errors\n", more)
	}
}
