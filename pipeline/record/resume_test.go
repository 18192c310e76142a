package record

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// onDisk opens a file as a worker does.
func onDisk(path string) func(context.Context) (Sink, error) {
	return func(context.Context) (Sink, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) }
}

// A talk that another worker takes up has one file: what lies between is silent, and both parts lie where they were said. It
// does not matter whether the first worker was killed, within a page too, or ended the file.
func TestARecordingIsGoneOnWith(t *testing.T) {
	for _, how := range []string{"killed", "torn", "ended"} {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "talk.ogg")
			first, _ := start(t, Options{Open: onDisk(path), Offset: 7 * time.Second})
			(&talker{r: first}).candidate(10 * time.Second)
			if how == "ended" {
				end(t, first)
			} else if err := first.Discard(context.Background()); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if how == "torn" {
				if err := os.WriteFile(path, data[:len(data)-11], 0o600); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(80 * time.Second)
			again, _ := start(t, Options{Open: onDisk(path), Offset: 97 * time.Second})
			(&talker{r: again}).interviewer(5 * time.Second)
			stats := end(t, again)
			if data, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
			got := mustDecode(t, data)
			if got.duration() != 95*time.Second || stats.Duration != got.duration() || stats.Offset != 7*time.Second || stats.Bytes != int64(len(data)) || !got.ended {
				t.Errorf("%s: %v long, ended %v; %+v", how, got.duration(), got.ended, stats)
			}
			if l := got.level(left, 100*time.Millisecond, 6900*time.Millisecond); l < -15 {
				t.Errorf("%s: the first part has %.0f dB", how, l)
			}
			if l := got.level(left, 11*time.Second, 89*time.Second); l > -50 {
				t.Errorf("%s: what lies between has %.0f dB", how, l)
			}
			expect(t, got, right, 90*time.Second, 95*time.Second)
		})
	}
}

// A file that no recorder has written is not touched.
func TestAnotherFileIsNotTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "talk.ogg")
		const text = "something that somebody needs"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var why error
		r, _ := start(t, Options{Open: onDisk(path), Ended: func(err error) { why = err }})
		(&talker{r: r}).candidate(5 * time.Second)
		synctest.Wait()
		if data, err := os.ReadFile(path); err != nil || string(data) != text || why == nil {
			t.Errorf("%q %v; ended with %v", data, err, why)
		}
	})
}
