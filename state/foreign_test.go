package state_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/state"
)

// FuzzReadEntries: what is read of a journal is numbered without a gap, is the same when it is written and read again, and
// whatever a crash leaves of that are its first entries, whole.
func FuzzReadEntries(f *testing.F) {
	f.Add([]byte(`{"seq":1,"at":0,"type":"started","data":{"a":"b"}}`+"\n"+`{"seq":2,"at":5,"type":"stop"}`+"\n"), uint16(60))
	f.Add([]byte(`{"seq":1}`+"\n"+`{"seq":2,"da`), uint16(3))
	f.Add([]byte("\n{}\n"), uint16(0))
	f.Add([]byte(`{"seq":1,"data":null}`+"\n"+`{"seq":3}`), uint16(9))
	f.Add([]byte(`{"seq":1,"type":"\ud800","data":{ "<":"\u2028" }}`+"\r\n"), uint16(20))
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		entries, err := state.ReadEntries(bytes.NewReader(text))
		if err != nil {
			return
		}
		for i, e := range entries {
			if e.Seq != uint64(i+1) {
				t.Fatalf("entry %d has number %d", i+1, e.Seq)
			}
		}
		dir := state.Dir(t.TempDir())
		j, err := dir.Create(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := j.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		back, err := dir.Read(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plain(t, entries), plain(t, back)); diff != "" {
			t.Fatalf("it is another when it is read again:\n%s", diff)
		}
		written, err := os.ReadFile(filepath.Join(string(dir), "s.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		if len(written) > 0 {
			at = int(cut) % len(written)
		}
		left, err := state.ReadEntries(bytes.NewReader(written[:at]))
		if err != nil {
			t.Fatalf("cut off at byte %d of %d: %v", at, len(written), err)
		}
		if want := bytes.Count(written[:at], []byte("\n")); len(left) < want || len(left) > want+1 {
			t.Errorf("%d entries of %d lines", len(left), want)
		}
		if diff := cmp.Diff(plain(t, back[:len(left)]), plain(t, left)); diff != "" {
			t.Errorf("what a crash leaves is another:\n%s", diff)
		}
	})
}

// plain shows entries with their data as it means, however it is written.
func plain(t *testing.T, entries []state.Entry) (out []string) {
	t.Helper()
	for _, e := range entries {
		var data any
		if len(e.Data) > 0 {
			if err := json.Unmarshal(e.Data, &data); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, fmt.Sprintf("%d %d %q %#v", e.Seq, e.At, e.Type, data))
	}
	return out
}

// FuzzDelta: a difference leads from one text to the other and back, keeps characters whole, and says no more than it must.
func FuzzDelta(f *testing.F) {
	f.Add("def f(): pass", "def g(): pass")
	f.Add("aé", "aè")
	f.Add("", "我们")
	f.Add("aaaa", "aaa")
	f.Fuzz(func(t *testing.T, from, to string) {
		if !utf8.ValidString(from) || !utf8.ValidString(to) {
			return
		}
		d := state.Difference(from, to)
		if got, ok := d.Apply(from); !ok || got != to {
			t.Errorf("%+v makes %q of %q, not %q", d, got, from, to)
		}
		if got, ok := d.Back().Apply(to); !ok || got != from {
			t.Errorf("%+v makes %q of %q again, not %q", d, got, to, from)
		}
		if !utf8.ValidString(d.Cut) || !utf8.ValidString(d.Put) || len(d.Cut) > len(from) || len(d.Put) > len(to) {
			t.Errorf("%+v cuts a character, or is too long", d)
		}
		if from == to && (d.Cut != "" || d.Put != "") {
			t.Errorf("the same text differs by %+v", d)
		}
	})
}

// FuzzDeltaApply: a delta that was read from anywhere makes text of text, or does not fit.
func FuzzDeltaApply(f *testing.F) {
	f.Add(`{"keep":1,"cut":"b","put":"c"}`, "abc")
	f.Add(`{"keep":-1}`, "a")
	f.Add(`{"keep":2,"put":"x"}`, "é")
	f.Add(`{"keep":9223372036854775807,"cut":"x"}`, "x")
	f.Fuzz(func(t *testing.T, raw, text string) {
		var d state.Delta
		if json.Unmarshal([]byte(raw), &d) != nil || !utf8.ValidString(text) {
			return
		}
		got, ok := d.Apply(text)
		if !ok {
			return
		}
		if !utf8.ValidString(got) || len(got) != len(text)-len(d.Cut)+len(d.Put) {
			t.Errorf("%+v makes %q of %q", d, got, text)
		}
		if back, ok := d.Back().Apply(got); !ok || back != text {
			t.Errorf("%+v makes %q of %q, and back %q", d, got, text, back)
		}
	})
}
