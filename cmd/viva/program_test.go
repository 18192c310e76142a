package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

// asProgram makes the test binary be viva, so that tests can run it as a process and send it signals.
const asProgram = "VIVA_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	readsPDF := len(os.Args) == 2 && os.Args[1] == "read-pdf" // as viva starts itself, with an empty environment
	if os.Getenv(asProgram) != "" || readsPDF {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// Values that no output may ever hold.
const (
	liveKitSecret = "livekit-secret-that-nobody-may-ever-see"
	openAIKey     = "sk-openai-key-that-nobody-may-ever-see"
)

// outcome is what became of a command.
type outcome struct {
	code      int
	out, errs string
}

// variables are the names of all environment variables that viva reads.
func variables() []string {
	names := []string{settings.FileVariable}
	for _, d := range settings.Table() {
		names = append(names, d.Env...)
		if d.Override != "" {
			names = append(names, d.Override)
		}
	}
	return names
}

// setting clears the environment of viva's variables and then sets those given, as "NAME=value".
func setting(t *testing.T, env ...string) {
	t.Helper()
	for _, name := range variables() {
		t.Setenv(name, "")
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		t.Setenv(name, value)
	}
}

// server is the environment of a command that needs a LiveKit server.
func server(url string) []string {
	return []string{"LIVEKIT_URL=" + url, "LIVEKIT_API_KEY=devkey", "LIVEKIT_API_SECRET=" + liveKitSecret}
}

// viva runs a command inside the test.
func viva(t *testing.T, in io.Reader, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.WithoutCancel(t.Context()), append([]string{"viva"}, args...), in, &out, &errs)
	o := outcome{code: code, out: out.String(), errs: errs.String()}
	keepsSecrets(t, o.out+o.errs)
	return o
}

func keepsSecrets(t *testing.T, output string) {
	t.Helper()
	for _, secret := range []string{liveKitSecret, openAIKey} {
		if strings.Contains(output, secret) {
			t.Errorf("a secret was printed:\n%s", output)
		}
	}
}

// nobody is an empty standard input.
func nobody() io.Reader { return strings.NewReader("") }

// wants checks the exit code and that the output holds every text.
func (o outcome) wants(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	for _, text := range texts {
		if !strings.Contains(o.out+o.errs, text) {
			t.Errorf("missing %q", text)
		}
	}
	if t.Failed() {
		t.Logf("standard output:\n%s\nstandard error:\n%s", o.out, o.errs)
	}
}
