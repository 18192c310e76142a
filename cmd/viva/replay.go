package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

func (p *program) replayCommand() *cli.Command {
	return &cli.Command{
		Name: "replay", Usage: "fold a journal, and show what was decided and why", ArgsUsage: "SESSION|JOURNAL",
		Description: "Shows every turn, reading and timer of a session in the store (--store), or of a journal's file (SESSION.jsonl), with\n" +
			"the decision, its reason and its effects. The resulting state is compared with SESSION.state.json beside the file, or with\n" +
			"--check, byte by byte.",
		Flags: append(flags(settings.CommandReplay),
			&cli.StringFlag{Name: "interview", Usage: "the `FILE|KIND` that was held; needed when neither journal nor recorded state tell"},
			&cli.StringFlag{Name: "check", Usage: "compare the resulting state with that in `STATE`; a difference gives exit code 1"},
			&cli.BoolFlag{Name: "all", Usage: "show every event, the sounds and silent ones too"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object a step"},
			localeFlag(), interviewsFlag()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			name, err := oneArgument(cmd, "the session, or the journal's file, to replay")
			if err != nil {
				return err
			}
			r, err := newReplay(ctx, cmd, name)
			if err != nil {
				return err
			}
			return p.replay(r)
		},
	}
}

// replaying is a journal with all that is needed to fold it.
type replaying struct {
	iv        *engine.Interview
	journal   []state.Entry
	all, json bool
	recorded  []byte // the state as it was recorded, without white space; nil = it was not
	where     string
}

// statePath is where the final state of a session is kept, beside its journal.
func statePath(dir, session string) string { return filepath.Join(dir, session+".state.json") }

func newReplay(ctx context.Context, cmd *cli.Command, name string) (*replaying, error) {
	r := &replaying{all: cmd.Bool("all"), json: cmd.Bool("json"), where: cmd.String("check")}
	var err error
	if r.journal, err = readJournal(ctx, cmd, name); err != nil {
		return nil, err
	}
	if len(r.journal) == 0 {
		return nil, fmt.Errorf("%s holds no event", name)
	}
	if r.where == "" {
		r.where = statePath(filepath.Dir(name), strings.TrimSuffix(filepath.Base(name), ".jsonl"))
	}
	if err := r.readState(cmd.String("check") != ""); err != nil {
		return nil, err
	}
	return r, r.find(cmd)
}

// readJournal reads a file, or else a session of the store.
func readJournal(ctx context.Context, cmd *cli.Command, name string) ([]state.Entry, error) {
	f, err := os.Open(name) //nolint:gosec // the operator names the file
	if errors.Is(err, os.ErrNotExist) && filepath.Base(name) == name && filepath.Ext(name) == "" {
		return storedJournal(ctx, cmd, name)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	entries, err := state.ReadEntries(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return entries, nil
}

func storedJournal(ctx context.Context, cmd *cli.Command, session string) ([]state.Entry, error) {
	s, err := load(cmd, settings.CommandReplay)
	if err != nil {
		return nil, err
	}
	kept, err := openKeeping(ctx, s, zap.NewNop())
	if err != nil {
		return nil, err
	}
	defer kept.close(zap.NewNop())
	entries, err := kept.journals.Read(ctx, session)
	if errors.Is(err, state.ErrNoJournal) {
		return nil, fmt.Errorf("%s is no file here, and %s has no such session", session, s.Store.Shown())
	}
	return entries, err
}

// readState reads the recorded state, which has to be there if it was asked for.
func (r *replaying) readState(needed bool) error {
	text, err := os.ReadFile(r.where)
	if errors.Is(err, os.ErrNotExist) && !needed {
		return nil
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return fmt.Errorf("%s is no recorded state: %w", r.where, err)
	}
	r.recorded = b.Bytes()
	return nil
}

// find chooses the interview: the one named, or what the first event or the recorded state tell.
func (r *replaying) find(cmd *cli.Command) error {
	var start, recorded origin
	if err := json.Unmarshal(r.journal[0].Data, &start); err != nil {
		return fmt.Errorf("the first event of the journal cannot be read: %w", err)
	}
	if r.recorded != nil {
		if err := json.Unmarshal(r.recorded, &recorded); err != nil {
			return fmt.Errorf("%s is no recorded state: %w", r.where, err)
		}
	}
	name := cmp.Or(cmd.String("interview"), start.Kind, recorded.Kind)
	if name == "" {
		return errors.New("the journal does not tell which interview it is of: pass --interview FILE|KIND")
	}
	iv, err := findInterview(name, cmd.String("interviews"), cmp.Or(cmd.String("locale"), start.Locale, recorded.Locale))
	if err != nil {
		return err
	}
	was := recorded.DefHash
	if was == "" && !cmd.IsSet("interview") { // who names another definition wants to see what comes of it
		was = start.DefHash
	}
	r.iv = iv
	return unchanged(iv, name, was)
}

// origin is what a journal's first event, or the state beside it, tells of the interview that was held.
type origin struct {
	Kind    string `json:"kind"`
	Locale  string `json:"locale"`
	DefHash string `json:"def_hash"`
}

// unchanged refuses a definition that is not the one that was held: it would fold the journal into something else.
func unchanged(iv *engine.Interview, name, was string) error {
	if was == "" || was == iv.Def.Hash() {
		return nil
	}
	return fmt.Errorf("interview %s has changed since the journal was written (it was %s and is %s): pass the definition of then with --interview FILE",
		name, was, iv.Def.Hash())
}

func (p *program) replay(r *replaying) error {
	var failed error
	show := func(s simulate.Step) { failed = errors.Join(failed, p.showStep(s, r)) }
	u, err := simulate.Refold(r.iv, r.journal, show)
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	if r.json {
		return p.compare(r, u)
	}
	in := r.iv.Inspect(u)
	text := fmt.Sprintf("\n%d events over %s; stage %s, %d messages", len(r.journal), u.Now.Duration(), strings.TrimSpace(in.Stage+" "+in.Item), in.Messages)
	if in.Pattern != "" {
		text += ", identified pattern " + in.Pattern
	}
	if u.Ended != "" {
		text += ", ended as " + u.Ended
	}
	if err := lines(p.out, text); err != nil {
		return err
	}
	return p.compare(r, u)
}

// unshown are events that are not shown unless asked for: sounds, and what only moves the floor.
var unshown = []string{"speech.started", "speech.stopped", "voice.started", "voice.ended", "long_speech"}

func (p *program) showStep(s simulate.Step, r *replaying) error {
	if r.json {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return lines(p.out, string(line))
	}
	decided := slices.ContainsFunc(s.Facts, func(n simulate.Note) bool { return n.Name == "handoff.done" || n.Name == "session.end" })
	if slices.Contains(unshown, s.Event) && !decided && !r.all {
		return nil
	}
	out := []string{fmt.Sprintf("%s  #%d %s %s  [%s]", clock(s.At), s.Seq, s.Event, s.Data, strings.TrimSpace(s.Stage+" "+s.Item))}
	for _, n := range s.Facts {
		if r.all || !strings.HasPrefix(n.Name, "timer.") && n.Name != "prompt.issued" {
			out = append(out, "            because "+n.String())
		}
	}
	for i := range s.Patches {
		x := &s.Patches[i]
		out = append(out, fmt.Sprintf("            patch %d of %s by %s: %s → %s", x.ID, x.Field, x.Author, orNothing(x.Before), orNothing(x.After)))
		if d := x.Delta; d != nil {
			out[len(out)-1] = fmt.Sprintf("            patch %d of %s by %s: after %d bytes, %q → %q", x.ID, x.Field, x.Author, d.Keep, d.Cut, d.Put)
		}
	}
	for _, n := range s.Effects {
		if r.all || n.Name != "arm" && n.Name != "disarm" {
			out = append(out, "            → "+n.String())
		}
	}
	return lines(p.out, out...)
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return string(raw)
}

// compare reports whether the folded state is the recorded one.
func (p *program) compare(r *replaying, u *state.UserData) error {
	if r.recorded == nil {
		return nil
	}
	folded, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if bytes.Equal(folded, r.recorded) {
		return lines(p.errs, fmt.Sprintf("the state is that of %s, byte by byte (%d)", r.where, len(folded)))
	}
	diff, err := difference(r.recorded, folded)
	if err != nil {
		return fmt.Errorf("compare with %s: %w", r.where, err)
	}
	if err := lines(p.errs, append([]string{"the state differs from " + r.where + " (recorded, then folded):"}, diff...)...); err != nil {
		return err
	}
	return cli.Exit("", exitFailure)
}

// maxDifferences bounds what is shown of a difference.
const maxDifferences = 20

// difference lists the paths at which two JSON texts differ.
func difference(a, b []byte) ([]string, error) {
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	was, is := make(map[string]string), make(map[string]string)
	leaves("", x, was)
	leaves("", y, is)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if was[path] != is[path] {
			out = append(out, fmt.Sprintf("  %s: %s, then %s", strings.TrimPrefix(path, "."), shown(was[path]), shown(is[path])))
		}
	}
	switch {
	case len(out) == 0:
		out = []string{"  only the order or spelling of the text"}
	case len(out) > maxDifferences:
		out = append(out[:maxDifferences], fmt.Sprintf("  … and %d more", len(out)-maxDifferences))
	}
	return out, nil
}

// leaves are the single values of a JSON text, by their paths.
func leaves(path string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			leaves(path+"."+key, inner, out)
		}
	case []any:
		for i, inner := range v {
			leaves(fmt.Sprintf("%s[%d]", path, i), inner, out)
		}
	default:
		raw, _ := json.Marshal(v) // it was JSON
		out[path] = string(raw)
	}
}

// shown is a value as it is told: shortened, and "nothing" when it is not there.
func shown(value string) string {
	if runes := []rune(value); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return cmp.Or(value, "nothing")
}
