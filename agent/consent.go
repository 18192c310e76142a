package agent

import (
	"context"

	"github.com/vivavoice/viva/stages/engine"
)

// attributeRecording is "on" while the sound is kept.
const attributeRecording = "viva.recording"

// Consent is what the candidate agreed to before the interview.
type Consent struct {
	Recording bool   `json:"recording" yaml:"recording"`
	By        string `json:"by,omitempty" yaml:"by"` // page, where the candidate's own page asked; empty = whoever dispatched
}

// agreed is how the candidate agreed to be recorded before the interview; empty where they did not, or nothing can be kept
// here: then nobody is told that it is.
func (a *attendance) agreed() string {
	c := a.meta.Consent
	if c == nil || !c.Recording || a.i.o.Recordings == nil {
		return ""
	}
	if c.By == engine.ConsentPage {
		return engine.ConsentPage
	}
	return engine.ConsentMetadata
}

// consent takes the word of the candidate's page about a recording.
func (a *attendance) consent(recording bool) {
	if recording && a.i.o.Recordings == nil {
		a.log.Warn("recording.unavailable")
		return
	}
	a.post(engine.Consent{Recording: recording, By: engine.ConsentPage})
}

// newRecording is what the session hands consent to; nil where nothing can be kept. What an earlier worker has recorded of the
// interview is gone on with, or deleted if consent was taken back and the worker died over it.
func (a *attendance) newRecording(ctx context.Context, held *beginning) *recording {
	if a.i.o.Recordings == nil || a.interview.Def.Recording == nil {
		return nil
	}
	r := &recording{guard: a.guard, o: a.i.o.Recordings, tape: &a.tape, session: held.start.Session, show: a.presence.recording, log: a.log}
	if held.resume != nil {
		if r.inherit = held.resume.State.Recording != ""; !r.inherit {
			r.guard.Beside(&r.swept, "recording", func() { r.sweep(ctx) })
		}
	}
	return r
}

// recording shows whether the sound is kept.
func (p *presence) recording(on bool) {
	value := ""
	if on {
		value = "on"
	}
	p.room.SetAttributes(map[string]string{attributeRecording: value})
}
