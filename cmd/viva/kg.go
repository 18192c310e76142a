package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
)

func (p *program) kgCommand() *cli.Command {
	folder := func() cli.Flag {
		return &cli.StringFlag{Name: "knowledge", Usage: "`DIR` with *.yaml files of your own, beside the shipped ones; one of the same name takes its place"}
	}
	kg := &cli.Command{
		Name: "kg", Usage: "ask and check the knowledge graph of the persona interview", ArgsUsage: "query|check",
		Action: func(_ context.Context, cmd *cli.Command) error {
			if name := cmd.Args().First(); name != "" {
				return &usageError{command: cmd.FullName(), err: fmt.Errorf("there is no command %q", name)}
			}
			return cli.ShowSubcommandHelp(cmd)
		},
		Commands: []*cli.Command{
			{
				Name: "query", Usage: "print every way in which a pattern holds", ArgsUsage: "PREDICATE ARGUMENT…", Flags: []cli.Flag{folder()},
				Description: "Arguments that begin with $ are variables; quote them for the shell. $_ is anything.\n" +
					"  viva kg query focus_skill hr '$skill'\n  viva kg query persona_priority hr '$topic' '$weight'\n" +
					"A pattern without variables prints yes or no. Without arguments the predicates are listed.",
				Action: func(_ context.Context, cmd *cli.Command) error { return p.kgQuery(cmd) },
			},
			{
				Name: "check", Usage: "check files of facts and questions", ArgsUsage: "FILE…", Flags: []cli.Flag{folder()},
				Description: "Reports everything that is wrong with line and column. The files are read together with the shipped ones.",
				Action:      func(_ context.Context, cmd *cli.Command) error { return p.kgCheck(cmd) },
			},
		},
	}
	for _, c := range kg.Commands {
		c.OnUsageError = misused
	}
	return kg
}

// knowledgeFrom are the shipped graph and that of a folder; "" = none.
func knowledgeFrom(dir string) ([]fs.FS, error) {
	from := []fs.FS{knowledge.Shipped()}
	if dir == "" {
		return from, nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--knowledge: %q is no folder", dir)
	}
	return append(from, os.DirFS(dir)), nil
}

func (p *program) kgQuery(cmd *cli.Command) error {
	from, err := knowledgeFrom(cmd.String("knowledge"))
	if err != nil {
		return err
	}
	g, err := knowledge.Load(from...)
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

func (p *program) kgCheck(cmd *cli.Command) error {
	if cmd.Args().Len() == 0 {
		return &usageError{command: cmd.FullName(), err: errors.New("name the files to check")}
	}
	from, err := knowledgeFrom(cmd.String("knowledge"))
	if err != nil {
		return err
	}
	own := fileSet{}
	for _, name := range cmd.Args().Slice() {
		if base := filepath.Base(name); filepath.Ext(base) != ".yaml" {
			return fmt.Errorf("%s: a file of the graph is called *.yaml", name)
		} else if other, taken := own[base]; taken {
			return fmt.Errorf("%s and %s have the same name: one would take the place of the other", other, name)
		}
		own[filepath.Base(name)] = name
	}
	g, err := knowledge.Load(append(from, own)...)
	if err != nil {
		_, _ = fmt.Fprintln(p.errs, err)
		return cli.Exit("", exitFailure)
	}
	_, err = fmt.Fprintf(p.out, "%s: good; with the shipped files there are %d roles and %d questions\n",
		strings.Join(cmd.Args().Slice(), ", "), len(g.Roles()), len(g.Questions("", "")))
	return err
}

// fileSet is a file system of files that lie anywhere, by their last names.
type fileSet map[string]string

func (s fileSet) Open(name string) (fs.File, error) {
	file, there := s[name]
	if !there {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(file) //nolint:gosec // the operator names the file
}

func (s fileSet) Glob(pattern string) ([]string, error) {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		match, err := path.Match(pattern, name)
		if err != nil {
			return nil, err
		}
		if match {
			found = append(found, name)
		}
	}
	return found, nil
}
