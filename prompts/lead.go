package prompts

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"text/template"
)

// leadFile holds what a model that leads the turns is told: at the top how to talk, whatever the interview; in a catalogue's folder how this
// interview goes.
const leadFile = "lead.txt"

// Lead is what the texts for a model that leads may use.
type Lead struct {
	Title, Name, Language string
	Minutes               int    // that the whole interview takes; 0 = it has no limit
	Task                  string // the problem or the question
	Company, Role         string
	Persona, Tone, Focus  string // who is played
	Questions             int    // numbered ones; 0 = they are not counted
	Parts                 []LeadPart
	Recorded, Report      bool
	Others                string // languages that the interview can change over to; empty = none
	Course                string // how this interview goes, rendered from its own text; empty = from Parts
}

// LeadPart is one part of the interview.
type LeadPart struct{ Title, Goal string }

// readLead reads the two texts; a catalogue without one of its own, or read from elsewhere, has the shipped one or none.
func (c *Catalogue) readLead(from fs.FS) error {
	for i, at := range []struct {
		fs   fs.FS
		file string
	}{{files, leadFile}, {from, path.Join(c.name, leadFile)}} {
		text, err := fs.ReadFile(at.fs, at.file)
		if errors.Is(err, fs.ErrNotExist) && i == 1 {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", at.file, err)
		}
		t, err := template.New(at.file).Option("missingkey=error").Parse(string(text))
		if err == nil {
			_, err = render(t, Lead{})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at.file, err)
		}
		c.lead[i] = t
	}
	return nil
}

// Lead renders what a model that leads is told of who it is and how the interview goes.
func (c *Catalogue) Lead(l Lead) (string, error) {
	if own := c.lead[1]; own != nil {
		course, err := render(own, l)
		if err != nil {
			return "", fmt.Errorf("render %s: %w", path.Join(c.name, leadFile), err)
		}
		l.Course = course
	}
	out, err := render(c.lead[0], l)
	if err != nil {
		return "", fmt.Errorf("render %s: %w", leadFile, err)
	}
	return out, nil
}
