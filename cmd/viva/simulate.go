package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// maxRuns bounds the interviews of one command.
const maxRuns = 100_000

// everybody is the name for all candidates.
const everybody = "all"

func (p *program) simulateCommand() *cli.Command {
	return &cli.Command{
		Name: "simulate", Usage: "hold whole interviews in virtual time, without sound, and check them", ArgsUsage: "FILE|KIND",
		Description: "One interview prints its transcript and scorecard, several (--runs) statistics. The same seed gives the same interview.\n" +
			"Candidates: strong, weak, silent, rambling, hostile, mixed-language, or all. The exit code is 1 if an invariant was broken.\n" +
			"Nobody was there: --journal keeps such interviews as files for replay and evaluate --sessions, never among those of candidates (--store).",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "candidate", Usage: "the `MANNER` of the candidate", Value: string(simulate.Strong)},
			&cli.Uint64Flag{Name: "seed", Usage: "the first seed", Value: 1},
			&cli.IntFlag{Name: "runs", Usage: "how many interviews, with seeds counted up", Value: 1},
			&cli.BoolFlag{Name: "model", Usage: "play a language model that helps, fails, stalls and lies"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.StringFlag{Name: "trace", Usage: "write what was decided and why, event by event, to `FILE` (JSON Lines; one interview)"},
			&cli.StringFlag{Name: "journal", Usage: "write journals, final states and reports to `DIR`, for viva replay and viva report --store dir:DIR"},
			&cli.StringFlag{Name: "report", Usage: "write the report to `FILE`, whose name ends in .json, .md, .html or .pdf; - prints it after the talk (one interview)"},
			&cli.StringFlag{Name: "problem", Usage: "`ID` of the problem"},
			&cli.StringFlag{Name: "company", Usage: "the `COMPANY` whose phases are used"},
			&cli.StringFlag{Name: "name", Usage: "the candidate's `NAME`"},
			localeFlag(), interviewsFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			arg, err := oneArgument(cmd, "the interview to simulate")
			if err != nil {
				return err
			}
			s, err := newSimulation(cmd, arg)
			if err != nil {
				return err
			}
			return p.simulate(ctx, s)
		},
	}
}

// simulation is what the command line asks for.
type simulation struct {
	iv         *engine.Interview
	candidates []simulate.Candidate
	options    simulate.Options
	runs       int
	json       bool
	trace      string
	journal    string
	report     string
}

func newSimulation(cmd *cli.Command, arg string) (*simulation, error) {
	iv, err := findInterview(arg, cmd.String("interviews"), cmd.String("locale"))
	if err != nil {
		return nil, err
	}
	s := &simulation{
		iv: iv, runs: cmd.Int("runs"), json: cmd.Bool("json"), trace: cmd.String("trace"), journal: cmd.String("journal"), report: cmd.String("report"),
		options: simulate.Options{
			Seed: cmd.Uint64("seed"), Model: cmd.Bool("model"), Name: cmd.String("name"), Vars: make(map[string]string), Replay: true, Honest: true,
		},
	}
	s.candidates = simulate.Candidates()
	if name := cmd.String("candidate"); name != everybody {
		c, err := simulate.ParseCandidate(name)
		if err != nil {
			return nil, err
		}
		s.candidates = []simulate.Candidate{c}
	}
	if s.runs < 1 || s.runs > maxRuns {
		return nil, fmt.Errorf("--runs: %d is not between 1 and %d", s.runs, maxRuns)
	}
	if s.journal, err = journalFolder(s.journal); err != nil {
		return nil, err
	}
	if s.trace != "" && s.many() {
		return nil, errors.New("--trace records one interview: choose one candidate, and leave --runs out")
	}
	if err := s.checkReport(); err != nil {
		return nil, err
	}
	return s, errors.Join(s.choose("problem", cmd.String("problem")), s.choose("company", cmd.String("company")))
}

// journalFolder is the folder that --journal names, with or without the "dir:" of store.url. A database is refused: simulated
// interviews are no sessions, and would be listed, counted and judged among those of candidates.
func journalFolder(name string) (string, error) {
	folder := strings.TrimPrefix(name, settings.StoreDir)
	info, err := os.Stat(folder)
	file := err == nil && !info.IsDir()
	if file || strings.Contains(name, "://") || strings.HasPrefix(name, "sqlite:") || slices.Contains([]string{".db", ".sqlite"}, filepath.Ext(folder)) {
		return "", fmt.Errorf("--journal %s: simulated interviews are kept in a folder, not in a database among those of candidates: name a folder", settings.Store{URL: settings.Secret(name)}.Shown())
	}
	return folder, nil
}

func (s *simulation) many() bool { return s.runs > 1 || len(s.candidates) > 1 }

// choose sets the variable of the interview that holds a choice.
func (s *simulation) choose(what, id string) error {
	if id == "" {
		return nil
	}
	def := s.iv.Def
	switch {
	case what == "problem" && def.Problems != nil && def.Problems.Pick != "":
		if ids := s.iv.Problems.IDs(); !slices.Contains(ids, id) {
			return fmt.Errorf("--problem: there is no problem %q: there are %s", id, strings.Join(ids, ", "))
		}
		s.options.Vars[def.Problems.Pick] = id
		return nil
	case what == "company" && def.Provider != nil && def.Provider.Company != "":
		f, err := design.NewFactory(design.Options{})
		if err != nil {
			return err
		}
		if all := f.Companies(); !slices.Contains(all, id) {
			return fmt.Errorf("--company: there is no company %q: there are %s", id, strings.Join(all, ", "))
		}
		s.options.Vars[def.Provider.Company] = id
		return nil
	}
	return fmt.Errorf("--%s: interview %s has no %s to choose", what, def.Kind, what)
}

// simulate holds the interviews and shows them. It stops early when ctx ends.
func (p *program) simulate(ctx context.Context, s *simulation) error {
	broken := false
	for _, c := range s.candidates {
		results, err := s.hold(ctx, c)
		if err != nil {
			return err
		}
		for _, r := range results {
			broken = broken || len(r.Violations) > 0
		}
		if err := errors.Join(p.showSimulation(s, c, results), p.reportSimulation(s, results)); err != nil {
			return err
		}
	}
	if broken {
		return cli.Exit("", exitFailure)
	}
	return nil
}

func (s *simulation) hold(ctx context.Context, c simulate.Candidate) (results []*simulate.Result, err error) {
	o := s.options
	o.Candidate = c
	finish := func() error { return nil }
	if s.trace != "" {
		if finish, err = s.record(&o); err != nil {
			return nil, err
		}
	}
	for i := range s.runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o.Seed = s.options.Seed + uint64(i)
		r := simulate.Run(s.iv, o) //nolint:contextcheck // virtual time: nothing in there waits
		if err := s.keep(ctx, r); err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, finish()
}

// record writes every step to the trace, whose file and folder are made before the interview begins (R003-98).
func (s *simulation) record(o *simulate.Options) (finish func() error, err error) {
	f, err := createFile(s.trace)
	if err != nil {
		return nil, fmt.Errorf("write the trace (--trace): %w", err)
	}
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	var failed error
	o.Observe = func(step simulate.Step) { failed = errors.Join(failed, lines.Encode(step)) }
	return func() error {
		if err := errors.Join(failed, w.Flush(), f.Close()); err != nil {
			return fmt.Errorf("write the trace (--trace): %w", err)
		}
		return nil
	}, nil
}

// keep writes the journal as a worker would, and the final state beside it.
func (s *simulation) keep(ctx context.Context, r *simulate.Result) error {
	if s.journal == "" {
		return nil
	}
	j, err := state.Dir(s.journal).Create(ctx, r.Session)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w: the same interview was written there before; choose another --journal", err)
	}
	if err != nil {
		return err
	}
	for _, e := range r.Journal {
		if err := j.Append(e); err != nil {
			return errors.Join(err, j.Close())
		}
	}
	if err := j.Close(); err != nil {
		return err
	}
	text, err := json.Marshal(r.State)
	if err != nil {
		return err
	}
	if err := os.WriteFile(statePath(s.journal, r.Session), append(text, '\n'), 0o600); err != nil || r.Report == nil {
		return err
	}
	return fileReport(s.journal, r.Session, r.Report)
}
