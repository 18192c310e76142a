package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/devserver"
	"github.com/vivavoice/viva/agent/room"
)

const (
	apiKey    = "e2e-test"
	apiSecret = "a secret of at least thirty-two bytes"
)

// server is shared by all tests but those that end theirs.
var server *devserver.Server

func TestMain(m *testing.M) {
	for variable, until := range map[string]func() error{workerVar: work, serverVar: serve} {
		if os.Getenv(variable) != "" {
			fmt.Fprintln(os.Stderr, until()) // it is to be killed
			os.Exit(1)
		}
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests around a server, and then looks for goroutines that were left behind.
func run(m *testing.M) (code int, err error) {
	if err := runMany(); err != nil {
		return 1, err
	}
	room.LogSDK(zap.NewNop())
	if server, err = devserver.Start(context.Background(), devserver.Options{APIKey: apiKey, APISecret: apiSecret}); err != nil {
		return 1, err
	}
	code = m.Run()
	err = errors.Join(server.Close(), closeEngines())
	return code, errors.Join(err, noStrays())
}

// runMany lets all tests run at once, unless -parallel says otherwise: most of the time they wait for speech to be spoken. With
// a test for each processor, the longest could begin last.
func runMany() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", "20")
}
