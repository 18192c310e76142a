package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/state"
)

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "draw the stages of an interview with their limits", ArgsUsage: "FILE|KIND",
		Description: "Prints the graph as Mermaid text, with the longest that the interview can last; --svg writes a drawing.\n" +
			"--facts prints what the interviewer answers when it is asked, in every language of the interview, and what it could not answer.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "svg", Usage: "write the drawing to `FILE`"},
			&cli.BoolFlag{Name: "facts", Usage: "print what the interviewer can be asked about, as the interview begins"}, interviewsFlag(),
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			arg, err := oneArgument(cmd, "the interview to explain")
			if err != nil {
				return err
			}
			def, err := readDefinition(arg, cmd.String("interviews"))
			if err != nil {
				return err
			}
			if cmd.Bool("facts") {
				return explainFacts(p.out, arg, cmd.String("interviews"), def.Locales)
			}
			if out := cmd.String("svg"); out != "" {
				if err := os.WriteFile(out, definition.SVG(def), 0o644); err != nil { //nolint:gosec // a drawing for everybody, where the operator wants it
					return fmt.Errorf("write the drawing (--svg): %w", err)
				}
			}
			_, err = fmt.Fprint(p.out, definition.Graph(def))
			return err
		},
	}
}

func (p *program) schemaCommand() *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of interview definitions, for editors",
		Description: "In an editor with a YAML language server, put this line on top of a definition:\n" +
			"# yaml-language-server: $schema=interview.schema.json",
		Action: func(context.Context, *cli.Command) error {
			schema, err := definition.Schema()
			if err != nil {
				return err
			}
			_, err = p.out.Write(schema)
			return err
		},
	}
}

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
