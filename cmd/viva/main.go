// Command viva holds spoken interviews in LiveKit rooms. It has the conventions of LiveKit's own agents: dev, start,
// console and dispatch, health on :8081, a drain on SIGTERM.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// version is set by the build.
var version = "dev"

// Exit codes.
const (
	exitFailure  = 1
	exitSettings = 2 // settings are missing or contradict each other
)

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	p := &program{in: in, out: out, errs: errs}
	cmd := &cli.Command{
		Name: "viva", Usage: "a voice interviewer for LiveKit", Version: version,
		Reader: in, Writer: out, ErrWriter: errs, ExitErrHandler: func(context.Context, *cli.Command, error) {},
		Commands: []*cli.Command{
			p.devCommand(), p.startCommand(), p.consoleCommand(), p.dispatchCommand(), p.loadtestCommand(),
			p.validateCommand(), p.configCommand(), p.healthCommand(), p.stubCommand(),
		},
	}
	err := cmd.Run(ctx, args)
	var problems settings.Problems
	var code cli.ExitCoder
	switch {
	case err == nil:
		return 0
	case errors.As(err, &problems):
		_, _ = fmt.Fprintln(errs, "viva:", problems.Error())
		return exitSettings
	case errors.As(err, &code):
		return code.ExitCode()
	}
	_, _ = fmt.Fprintln(errs, "viva:", err)
	return exitFailure
}

// program is what commands read from and write to.
type program struct {
	in        io.Reader
	out, errs io.Writer
}
