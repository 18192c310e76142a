package turneval

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/turn"
)

// Outcome is what the chain did with a case.
type Outcome struct {
	Case  Case
	Noise Noise
	// CutIn says that a turn was ended before its speech was over, CutPause that it was ended in the pause inside the thought.
	CutIn, CutPause bool
	// Wait is the time from the true end of the speech to the decision; negative if there was none.
	Wait time.Duration
	// NoWords says that the turn ended without words.
	NoWords bool
	// Floor is what became of the agent's voice, Silence the time from the onset to its first pause or end, negative if there was none.
	Floor   turn.Floor
	Silence time.Duration
	// Settled is the time from the end of the sound to the voice going on; negative if it did not stop.
	Settled time.Duration
	Reason  string
	Text    string
}

// Measure lets the chain hear a case.
func (s *Studio) Measure(ctx context.Context, ch Chain, c Case, n Noise) (Outcome, error) {
	clip := s.render(c, n)
	agent := c.Set.agentSpeaks()
	events, err := ch.hear(ctx, &clip, agent, nil)
	if err != nil {
		return Outcome{}, fmt.Errorf("hear %s: %w", c.Name, err)
	}
	out := Outcome{Case: c, Noise: n, Wait: -1, Silence: -1, Settled: -1}
	if agent {
		out.overlap(events, &clip)
	} else {
		out.turns(events, &clip)
	}
	return out, nil
}

func (o *Outcome) turns(events []heard, c *clip) {
	end := c.parts[len(c.parts)-1].to
	for _, e := range events {
		switch ev := e.event.(type) {
		case listen.Turn:
			o.Reason, o.Text = ev.Reason, ev.Text
		case listen.NoWords:
			o.NoWords, o.Reason = true, ev.Reason
		default:
			continue
		}
		if e.at < end {
			o.CutIn = true
			o.CutPause = o.CutPause || len(c.parts) > 1 && e.at >= c.parts[0].to && e.at <= c.parts[1].from+ms(100)
			continue
		}
		o.Wait = turn.Duration(int64(e.at - end))
		return
	}
}

func (o *Outcome) overlap(events []heard, c *clip) {
	start, end := c.parts[0].from, c.parts[0].to
	for _, e := range events {
		switch ev := e.event.(type) {
		case listen.Partial:
			o.Text = ev.Text
		case listen.Floor:
			o.Floor, o.Reason = o.Floor.Apply(ev.Move), ev.Reason
			stopped := ev.Move == turn.Pause || ev.Move == turn.Interrupt
			if stopped && o.Silence < 0 {
				o.Silence = turn.Duration(int64(e.at - start))
			}
			if ev.Move == turn.Resume {
				o.Settled = turn.Duration(int64(e.at - end))
			}
		}
	}
}

// Row is a line of the table: the outcomes of a set under one level of noise.
type Row struct {
	Set  Set
	SNR  float64 // 0 for none
	Half Half
	Kind string // of all cases, or empty for any
	N    int
	// Good is how many came out as they should: not cut, on time, gone on, stopped.
	Good int
	// Mean, P50 and P95 are of the waits or silences.
	Mean, P50, P95 time.Duration
	NoWords, Late  int
}

// Tabulate sums outcomes up by set, noise and half, and by kind if asked.
func Tabulate(outcomes []Outcome, kinds bool) (rows []Row) {
	type key struct {
		set  Set
		snr  float64
		half Half
		kind string
	}
	groups := make(map[key][]Outcome)
	var keys []key
	for _, o := range outcomes {
		k := key{o.Case.Set, o.Noise.SNR, o.Case.Half, ""}
		if kinds {
			k.kind = o.Case.Kind
		}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], o)
	}
	for _, k := range keys {
		rows = append(rows, summarise(Row{Set: k.set, SNR: k.snr, Half: k.half, Kind: k.kind}, groups[k]))
	}
	return rows
}

func summarise(r Row, outcomes []Outcome) Row {
	var times []time.Duration
	for _, o := range outcomes {
		r.N++
		if o.Good() {
			r.Good++
		}
		if o.NoWords {
			r.NoWords++
		}
		t := o.Wait
		if r.Set.agentSpeaks() {
			t = o.Silence
		}
		if t < 0 {
			r.Late++
			continue
		}
		times = append(times, t)
	}
	slices.Sort(times)
	if n := len(times); n > 0 {
		for _, t := range times {
			r.Mean += t / time.Duration(n)
		}
		r.P50, r.P95 = times[n/2], times[n*95/100]
	}
	return r
}

// Good says that the case came out as it should.
func (o *Outcome) Good() bool {
	switch o.Case.Set {
	case Ends, Pauses, Gaps:
		return !o.CutIn
	case Noises, Backchannels:
		return o.Floor == turn.Playing
	case Interruptions:
		return o.Floor == turn.Taken
	}
	return false
}

// Print writes the table of one recogniser.
func Print(w io.Writer, recognizer string, rows []Row) error {
	for _, r := range rows {
		noise := "none"
		if r.SNR > 0 {
			noise = fmt.Sprintf("%.0f dB", r.SNR)
		}
		round := func(d time.Duration) int64 { return d.Milliseconds() }
		_, err := fmt.Fprintf(w, "%-8s %-11s %-14s %-22s %-6s n=%-4d good %5.1f %%  mean %5d  p50 %5d  p95 %5d ms  no words %d  none in time %d\n",
			recognizer, r.Half, r.Set, r.Kind, noise, r.N, 100*float64(r.Good)/float64(r.N), round(r.Mean), round(r.P50), round(r.P95), r.NoWords, r.Late)
		if err != nil {
			return err
		}
	}
	return nil
}
