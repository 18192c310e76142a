package material_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vivavoice/viva/stages/material"
)

// The test binary is also the process that is started: its first argument says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "be-") {
		os.Exit(behave(os.Args[1]))
	}
	goleak.VerifyTestMain(m)
}

func behave(how string) int {
	var r material.Request
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		return 3
	}
	switch how {
	case "be-good":
		_, _ = fmt.Fprintf(os.Stdout, `{"text":"%d bytes, %d variables","pages":2,"hidden":true}`, len(r.Data), len(os.Environ()))
	case "be-protected":
		_, _ = fmt.Fprintf(os.Stdout, `{"problem":%q}`, material.ErrProtected)
	case "be-strange":
		_, _ = fmt.Fprint(os.Stdout, `{"problem":"something else"}`)
	case "be-noisy":
		for range 1000 {
			_, _ = fmt.Fprint(os.Stdout, strings.Repeat("x", 1<<16))
		}
	case "be-silent":
		return 0
	case "be-broken":
		return 2
	case "be-stuck":
		forever := make(chan os.Signal, 1)
		signal.Notify(forever, os.Interrupt)
		<-forever
	}
	return 0
}

func extract(ctx context.Context, t *testing.T, how string) (material.Extracted, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return material.Process{Command: []string{self, how}}.Extract(ctx, []byte("%PDF-"), material.DefaultLimits())
}

// The process is given the document and nothing else: no environment, so no secrets.
func TestTheProcessKnowsTheDocumentOnly(t *testing.T) {
	t.Setenv("VIVA_SECRET", "x")
	got, err := extract(t.Context(), t, "be-good")
	if err != nil || got.Text != "5 bytes, 0 variables" || got.Pages != 2 || !got.Hidden {
		t.Errorf("%+v %v", got, err)
	}
}

func TestWhateverBecomesOfTheProcess(t *testing.T) {
	for how, want := range map[string]error{
		"be-protected": material.ErrProtected, "be-strange": material.ErrUnread, "be-noisy": material.ErrUnread,
		"be-silent": material.ErrUnread, "be-broken": material.ErrUnread,
	} {
		if _, err := extract(t.Context(), t, how); !errors.Is(err, want) {
			t.Errorf("%s: %v", how, err)
		}
	}
	if _, err := (material.Process{}).Extract(t.Context(), nil, material.DefaultLimits()); !errors.Is(err, material.ErrNoPDF) {
		t.Error(err)
	}
	if _, err := (material.Process{Command: []string{"/nowhere/viva"}}).Extract(t.Context(), nil, material.DefaultLimits()); !errors.Is(err, material.ErrUnread) {
		t.Error(err)
	}
}

// No more documents are read at once than there are slots: each reader may take its memory.
func TestReadersAtOnce(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	slots := make(chan struct{}, 1)
	p := material.Process{Command: []string{self, "be-good"}, Slots: slots}
	slots <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Extract(ctx, []byte("%PDF-"), material.DefaultLimits()); !errors.Is(err, material.ErrUnread) {
		t.Errorf("one more was read: %v", err)
	}
	<-slots
	for range 2 { // the slot is given back
		if _, err := p.Extract(t.Context(), []byte("%PDF-"), material.DefaultLimits()); err != nil {
			t.Error(err)
		}
	}
}

// A process that hangs is killed when the context ends, and waited for.
func TestAStuckProcessIsKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := extract(ctx, t, "be-stuck"); !errors.Is(err, material.ErrUnread) {
		t.Error(err)
	}
}
