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
	// Floor is what became of the agent's voice, Silence the time from the onset to its first silence of silenceCounts or more; negative
	// if there was none.
	Floor   turn.Floor
	Silence time.Duration
	// Unheard is how long the voice was silent before it came back; Back says that it did. Paused says that it was held or dropped.
	Unheard      time.Duration
	Back, Paused bool
	Reason       string
	Text         string

	between bool // it is of a gap in a story, not of its end
}

// Measure lets the chain hear a case. A story has an outcome for each of its gaps and one for its end, other cases have one.
func (s *Studio) Measure(ctx context.Context, ch Chain, c Case, n Noise) ([]Outcome, error) {
	clip := s.render(c, n)
	agent := c.Set.agentSpeaks()
	events, err := ch.hear(ctx, &clip, agent, nil)
	if err != nil {
		return nil, fmt.Errorf("hear %s: %w", c.Name, err)
	}
	out := Outcome{Case: c, Noise: n, Wait: -1, Silence: -1}
	switch {
	case c.Set == Stories:
		return out.told(events, &clip), nil
	case agent:
		out.overlap(events, &clip)
	default:
		out.turns(events, &clip)
	}
	return []Outcome{out}, nil
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

// silenceCounts is the silence that is one, as agent/candidate measures it.
const silenceCounts = 250 * time.Millisecond

func (o *Outcome) overlap(events []heard, c *clip) {
	start, silent := c.parts[0].from, -1
	for _, e := range events {
		switch ev := e.event.(type) {
		case listen.Partial:
			o.Text = ev.Text
		case listen.Floor:
			o.Floor, o.Reason = o.Floor.Apply(ev.Move), ev.Reason
			o.Paused = o.Paused || ev.Move == turn.Pause || ev.Move == turn.Interrupt
			switch {
			case o.Floor != turn.Playing && silent < 0:
				silent = e.at
			case o.Floor == turn.Playing && silent >= 0:
				o.Back = true
				o.silence(start, silent, e.at)
				o.Unheard += turn.Duration(int64(e.at - silent))
				silent = -1
			}
		}
	}
	if silent >= 0 {
		o.silence(start, silent, len(c.pcm)+ms(1000))
	}
}

// silence notes a silence of the voice.
func (o *Outcome) silence(start, from, to int) {
	if o.Silence < 0 && turn.Duration(int64(to-from)) >= silenceCounts {
		o.Silence = turn.Duration(int64(from - start))
	}
}

// Row is a line of the table: the outcomes of a set under one level of noise.
type Row struct {
	Set  Set
	SNR  float64 // 0 for none, anyNoise for all levels
	Half Half
	Kind string // of all cases, or empty for any
	N    int
	// Good is how many came out as they should: not cut, on time, gone on, stopped.
	Good int
	// Mean, P50 and P95 are of the waits, of the times to silence, or, of noises and backchannels, of the times unheard.
	Mean, P50, P95      time.Duration
	NoWords, Late, Back int
}

// anyNoise is the level of rows that sum up all levels of noise.
const anyNoise = -1

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
		if k.set == Onsets && !kinds { // their bar is one of all together
			k.snr, k.kind = anyNoise, "all"
			groups[k] = append(groups[k], o)
		}
	}
	for _, half := range []Half{Train, HeldOut} {
		if k := (key{Onsets, anyNoise, half, "all"}); groups[k] != nil {
			keys = append(keys, k)
		}
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
		if o.Back {
			r.Back++
		}
		t := o.Wait
		switch r.Set {
		case Interruptions, Onsets:
			t = o.Silence
		case Noises, Backchannels:
			t = o.Unheard
		case Ends, Pauses, Gaps, Stories:
		}
		if t < 0 {
			if !o.between {
				r.Late++
			}
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

// silentWithin is the bar for the slowest beginnings of speech, from the onset to the silence of the voice.
const silentWithin = 330 * time.Millisecond

// Good says that the case came out as it should.
func (o *Outcome) Good() bool {
	switch o.Case.Set {
	case Ends, Pauses, Gaps, Stories:
		return !o.CutIn
	case Noises, Backchannels:
		return o.Floor == turn.Playing && !o.Paused
	case Interruptions:
		return o.Floor == turn.Taken
	case Onsets:
		return o.Silence >= 0 && o.Silence <= silentWithin
	}
	return false
}

// Print writes the table of one recogniser.
func Print(w io.Writer, recognizer string, rows []Row) error {
	for _, r := range rows {
		noise := "none"
		switch {
		case r.SNR == anyNoise:
			noise = "any"
		case r.SNR > 0:
			noise = fmt.Sprintf("%.0f dB", r.SNR)
		}
		round := func(d time.Duration) int64 { return d.Milliseconds() }
		_, err := fmt.Fprintf(w, "%-8s %-11s %-14s %-22s %-6s n=%-4d good %5.1f %%  mean %5d  p50 %5d  p95 %5d ms  no words %d  none in time %d  came back %d\n",
			recognizer, r.Half, r.Set, r.Kind, noise, r.N, 100*float64(r.Good)/float64(r.N), round(r.Mean), round(r.P50), round(r.P95), r.NoWords, r.Late, r.Back)
		if err != nil {
			return err
		}
	}
	return nil
}
