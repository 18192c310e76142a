// Command viva holds spoken interviews in LiveKit rooms. It has the conventions of LiveKit's own agents: dev, start,
// console and dispatch, health on :8081, a drain on SIGTERM.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// version is set by the build.
var version = "dev"

// Exit codes.
const (
	exitFailure = 1
	exitUsage   = 2 // settings are missing or contradict each other, or the command line makes no sense
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	p := &program{in: in, out: out, errs: errs}
	err := p.command().Run(ctx, args)
	var problems settings.Problems
	var usage *usageError
	var code cli.ExitCoder
	switch {
	case err == nil:
		return 0
	case errors.As(err, &problems):
		_, _ = fmt.Fprintln(errs, "viva:", problems.Error())
		return exitUsage
	case errors.As(err, &usage):
		_, _ = fmt.Fprintln(errs, "viva:", usage.Error())
		return exitUsage
	case errors.As(err, &code) && err.Error() == "":
		return code.ExitCode() // the command has said why
	}
	_, _ = fmt.Fprintln(errs, "viva:", err)
	return exitFailure
}

// untilSignal ends the context when somebody ends the program.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // the last: its window was closed
}

// program is what commands read from and write to.
type program struct {
	in        io.Reader
	out, errs io.Writer
}

func (p *program) command() *cli.Command {
	root := &cli.Command{
		Name: "viva", Usage: "a voice interviewer for LiveKit", Version: version,
		Reader: p.in, Writer: p.out, ErrWriter: p.errs, ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Action: overview, OnUsageError: misused,
		Commands: []*cli.Command{
			p.devCommand(), p.startCommand(), p.consoleCommand(), p.dispatchCommand(), p.loadtestCommand(),
			p.validateCommand(), p.explainCommand(), p.evalCommand(), p.simulateCommand(), p.replayCommand(), p.schemaCommand(), p.configCommand(), p.healthCommand(),
			p.evaluateCommand(), p.calibrateCommand(), p.evaluatorCommand(), p.reportCommand(), p.sessionsCommand(), p.stubCommand(),
		},
	}
	root.Commands = append(root.Commands, p.documentCommands()...)
	for _, c := range root.Commands {
		c.OnUsageError = misused
		if c.ArgsUsage == "" {
			c.Before = noArguments
		}
	}
	return root
}

// overview is viva without a command.
func overview(_ context.Context, cmd *cli.Command) error {
	if name := cmd.Args().First(); name != "" {
		return &usageError{command: cmd.FullName(), err: fmt.Errorf("there is no command %q", name)}
	}
	return cli.ShowRootCommandHelp(cmd)
}

// usageError is a command line that makes no sense.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return fmt.Sprintf("%v (see %s --help)", e.err, e.command) }

func (e *usageError) Unwrap() error { return e.err }

func misused(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	return &usageError{command: cmd.FullName(), err: err}
}

func noArguments(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	if cmd.Args().Present() {
		return ctx, misused(ctx, cmd, fmt.Errorf("%q is not expected here", cmd.Args().First()), false)
	}
	return ctx, nil
}
