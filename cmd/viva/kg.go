package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
)

func (p *program) kgCommand() *cli.Command {
	kg := &cli.Command{
		Name: "kg", Usage: "ask the knowledge graph of the persona interview", ArgsUsage: "query",
		Action: func(_ context.Context, cmd *cli.Command) error {
			if name := cmd.Args().First(); name != "" {
				return &usageError{command: cmd.FullName(), err: fmt.Errorf("there is no command %q", name)}
			}
			return cli.ShowSubcommandHelp(cmd)
		},
		Commands: []*cli.Command{
			{
				Name: "query", Usage: "print every way in which a pattern holds", ArgsUsage: "PREDICATE ARGUMENT…",
				Description: "Arguments that begin with $ are variables; quote them for the shell. $_ is anything.\n" +
					"  viva kg query focus_skill hr '$skill'\n  viva kg query persona_priority hr '$topic' '$weight'\n" +
					"A pattern without variables prints yes or no. Without arguments the predicates are listed.",
				Action: func(_ context.Context, cmd *cli.Command) error { return p.kgQuery(cmd) },
			},
		},
	}
	for _, c := range kg.Commands {
		c.OnUsageError = misused
	}
	return kg
}

func (p *program) kgQuery(cmd *cli.Command) error {
	g, err := knowledge.Default()
	if err != nil {
		return err
	}
	pred, args := cmd.Args().First(), cmd.Args().Tail()
	if pred == "" {
		return p.kgPredicates(g)
	}
	if err := fits(g, pred, args); err != nil {
		return &usageError{command: cmd.FullName(), err: err}
	}
	found := g.Match(pred, args...)
	variables := variablesIn(args)
	if len(variables) == 0 {
		answer := "no"
		if len(found) > 0 {
			answer = "yes"
		}
		_, err = fmt.Fprintln(p.out, answer)
		return err
	}
	for _, b := range found {
		cells := make([]string, len(variables))
		for i, name := range variables {
			cells[i] = b[name]
		}
		if _, err := fmt.Fprintln(p.out, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// variablesIn returns the names of the variables in the order of the arguments, each once.
func variablesIn(args []string) []string {
	var out []string
	seen := map[string]bool{"_": true}
	for _, a := range args {
		if name, is := strings.CutPrefix(a, "$"); is && !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

// fits says what is wrong with a pattern that can have no bindings.
func fits(g *knowledge.Graph, pred string, args []string) error {
	var names []string
	for _, known := range g.Predicates() {
		if known.Name != pred {
			names = append(names, known.Name)
			continue
		}
		if n := len(known.Arguments); n != len(args) {
			return fmt.Errorf("%s takes %d arguments (%s), not %d", pred, n, strings.Join(known.Arguments, ", "), len(args))
		}
		return nil
	}
	return fmt.Errorf("there is no predicate %q: there are %s", pred, strings.Join(names, ", "))
}

func (p *program) kgPredicates(g *knowledge.Graph) error {
	for _, pred := range g.Predicates() {
		if _, err := fmt.Fprintf(p.out, "%s %s\n", pred.Name, strings.Join(pred.Arguments, " ")); err != nil {
			return err
		}
	}
	return nil
}
