package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/state/store"
)

const writers = 4

// writeForever writes several journals and says on its output, one line each, which entries were acknowledged.
func writeForever(url string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, url, zap.NewNop())
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for n := range writers {
		session := fmt.Sprint("s", n)
		j, err := s.Create(ctx, session)
		if err != nil {
			return err
		}
		wg.Go(func() {
			for i := 1; err == nil; i++ {
				if err = j.Append(entry(i)); err == nil {
					_, err = fmt.Fprintf(os.Stdout, "%s %d\n", session, i) // one write: a line is whole or missing
				}
			}
		})
	}
	wg.Wait()
	return err
}

// RX-18, R002-59: a worker that is killed in the middle of its work loses nothing that was acknowledged, and what is left
// can be read and continued.
func TestCrash(t *testing.T) {
	both(t, func(t *testing.T, url string) {
		acknowledged := crash(t, url, 400)
		s := open(t, url)
		for n := range writers {
			session := fmt.Sprint("s", n)
			j, got, err := s.Resume(t.Context(), session)
			must(t, err)
			// At most the entry that was on its way is there without having been acknowledged.
			if least := acknowledged[session]; len(got) < least || len(got) > least+1 {
				t.Errorf("%s has %d entries; %d were acknowledged", session, len(got), least)
			}
			must(t, j.Append(entry(len(got)+1)), j.Close())
			holds(t, s, session, len(got)+1)
		}
	})
}

// crash kills a writer after some entries, of each session one at least, and returns the last one that it knew to be kept, by session.
func crash(t *testing.T, url string, after int) map[string]int {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	writer := exec.CommandContext(t.Context(), self)
	writer.Env = append(os.Environ(), writerURL+"="+url)
	writer.Stderr = os.Stderr
	said, err := writer.StdoutPipe()
	must(t, err, writer.Start())
	last := make(map[string]int)
	lines, killed := 0, false
	for sc := bufio.NewScanner(said); sc.Scan(); lines++ {
		session, number, _ := strings.Cut(sc.Text(), " ")
		if last[session], err = strconv.Atoi(number); err != nil {
			t.Fatal(err)
		}
		if lines >= after && len(last) == writers && !killed {
			must(t, writer.Process.Kill()) // SIGKILL; what it said before is still in the pipe
			killed = true
		}
	}
	if err := writer.Wait(); err == nil || lines < after {
		t.Fatalf("it was not killed in the middle: %v after %d entries", err, lines)
	}
	return last
}
