package speak

import (
	"context"
	"errors"
	"fmt"
	"io"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/tts"
)

// delivery carries one utterance from its source to the gate, in two goroutines: fetch asks the engine for a clause when it
// gets a permit, write moves the sound of the clause before to the gate and gives the permits. So at most one clause is
// ahead of the one being written.
type delivery struct {
	engine  tts.Synthesizer
	request tts.Request
	source  Source
	out     *playout.Utterance
	log     *zap.Logger

	permits chan struct{} // capacity 1; write sends, fetch receives
	ready   chan voiced   // fetch sends and closes
	script  script

	// Belong to write until it ended, then to Speak.
	err     error
	granted bool
	silence silence

	reported string // belongs to Speak
}

// voiced is a clause and its sound, or the error that ended the source or the engine.
type voiced struct {
	clause Clause
	sound  tts.Audio
	err    error
}

// fetch pulls clauses and starts their synthesis until the source ends or fails.
func (d *delivery) fetch(ctx context.Context) {
	defer close(d.ready)
	for {
		select {
		case <-d.permits:
		case <-ctx.Done():
			return
		}
		v, more := d.next(ctx)
		if !more {
			return
		}
		select {
		case d.ready <- v:
		case <-ctx.Done():
			v.close(d.log)
			return
		}
		if v.err != nil {
			return
		}
	}
}

func (d *delivery) next(ctx context.Context) (v voiced, more bool) {
	clause, err := d.source.Next(ctx)
	switch {
	case errors.Is(err, io.EOF):
		return voiced{}, false
	case err != nil:
		return voiced{err: fmt.Errorf("next clause: %w", err)}, true
	}
	request := d.request
	request.Text, request.Fixed = clause.Text, clause.Fixed
	sound, err := d.engine.Synthesize(ctx, request)
	if err != nil {
		return voiced{clause: clause, err: fmt.Errorf("synthesise clause: %w", err)}, true
	}
	return voiced{clause: clause, sound: sound}, true
}

func (v voiced) close(log *zap.Logger) {
	if v.sound == nil {
		return
	}
	if err := v.sound.Close(); err != nil {
		log.Debug("speak.close_failed", zap.Error(err))
	}
}

// write moves the clauses' sound to the gate and finishes the utterance, unless it was cut: then it is not complete.
func (d *delivery) write(ctx context.Context) {
	d.transfer(ctx)
	if ctx.Err() == nil {
		d.out.Finish()
	}
}

func (d *delivery) transfer(ctx context.Context) {
	d.grant()
	for v := range d.ready {
		if v.clause.Text != "" {
			d.script.begin(v.clause.Text)
		}
		if v.err == nil {
			v.err = d.speak(ctx, v)
		}
		v.close(d.log)
		if v.err != nil {
			d.fail(ctx, v.err)
			return
		}
	}
}

// fail keeps the error that ended the utterance, unless it was cut on purpose.
func (d *delivery) fail(ctx context.Context, err error) {
	if ctx.Err() == nil && !errors.Is(err, playout.ErrCancelled) {
		d.err = err
	}
}

// speak writes the sound of one clause and lets the next one be fetched as soon as little enough waits.
func (d *delivery) speak(ctx context.Context, v voiced) error {
	d.granted = false
	convert, err := audio.NewResampler(v.sound.Rate(), audio.VoiceRate)
	if err != nil {
		return fmt.Errorf("voice engine: %w", err)
	}
	in := make([]int16, v.sound.Rate()/25) // 40 ms
	pcm := make([]int16, 0, 2*audio.VoiceFrame+16)
	total := 0
	for {
		n, err := v.sound.Read(in)
		total += n
		pcm = convert.Resample(pcm[:0], in[:n])
		last := errors.Is(err, io.EOF)
		if last {
			pcm = convert.Flush(pcm)
		}
		if writeErr := d.put(ctx, pcm); writeErr != nil {
			return writeErr
		}
		if last {
			break
		}
		if err != nil {
			return fmt.Errorf("read clause: %w", err)
		}
	}
	if total == 0 {
		return ErrNoAudio
	}
	d.script.end()
	return d.awaitRoom(ctx)
}

// put writes samples of the current clause, without the silence the utterance begins with.
func (d *delivery) put(ctx context.Context, pcm []int16) error {
	pcm = d.silence.trim(pcm)
	if err := d.out.Write(ctx, pcm); err != nil {
		return fmt.Errorf("write clause: %w", err)
	}
	d.script.wrote(len(pcm))
	if d.out.Lead() < ahead {
		d.grant()
	}
	return nil
}

// awaitRoom gives the permit for the next clause once less than ahead waits, if it was not given yet.
func (d *delivery) awaitRoom(ctx context.Context) error {
	if d.granted {
		return nil
	}
	if err := d.out.WaitLead(ctx, ahead); err != nil {
		return fmt.Errorf("wait for room: %w", err)
	}
	d.grant()
	return nil
}

func (d *delivery) grant() {
	if !d.granted {
		d.granted = true
		d.permits <- struct{}{} // has room: one permit a clause, and fetch took the last
	}
}

const (
	// leadIn is the silence left in front of the first sound: 60 ms.
	leadIn = 60 * audio.VoiceRate / 1000
	// audible is the level, about −50 dBFS, from which a sample counts as sound.
	audible = 100
)

// silence trims the start of an utterance. Engines begin with up to half a second of silence, which the candidate would wait
// through.
type silence struct {
	over bool
	held []int16 // the last silent samples, at most leadIn
}

// trim returns what is to be written of pcm; the result is valid until the next call.
func (s *silence) trim(pcm []int16) []int16 {
	if s.over {
		return pcm
	}
	for i, v := range pcm {
		if sounds(v) {
			s.over = true
			s.hold(pcm[:i])
			return append(s.held, pcm[i:]...)
		}
	}
	s.hold(pcm)
	return nil
}

func (s *silence) hold(pcm []int16) {
	s.held = append(s.held, pcm...)
	if extra := len(s.held) - leadIn; extra > 0 {
		s.held = s.held[:copy(s.held, s.held[extra:])]
	}
}
