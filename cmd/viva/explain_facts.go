package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/state"
)

// explainFacts prints what an interview answers when it begins, in each of the languages, and what it could not answer.
func explainFacts(out io.Writer, arg, dir string, locales []string) error {
	for _, locale := range locales {
		iv, err := findInterview(arg, dir, locale)
		if err != nil {
			return err
		}
		begun := begun(iv)
		if err := printSheet(out, iv.Sheet(begun), iv.Now(begun), locale); err != nil {
			return err
		}
	}
	return nil
}

// begun is the state of an interview that has just begun, with nothing chosen.
func begun(iv *engine.Interview) *state.UserData {
	u, _ := iv.Step(&state.UserData{}, 0, engine.Started{Session: "facts", Locale: iv.Words.Locale()})
	return u
}

func printSheet(out io.Writer, sheet facts.Sheet, now facts.Now, locale string) error {
	_, err := fmt.Fprintf(out, "%s:\n", locale)
	for _, f := range sheet {
		if f.Tell == facts.Never {
			continue
		}
		said, failed := f.Answer(locale, now)
		if failed != nil {
			said = failed.Error()
		}
		_, wrote := fmt.Fprintf(out, "  %-20s %s\n", f.ID, said)
		err = errors.Join(err, wrote)
	}
	for _, lack := range sheet.Lacks(locale) {
		_, wrote := fmt.Fprintf(out, "  missing: %s\n", lack)
		err = errors.Join(err, wrote)
	}
	return err
}
