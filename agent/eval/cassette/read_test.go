package cassette

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/llm"
)

// A file may be written by anybody: it is an error, or it can be replayed and is written again as it was read.
func FuzzRead(f *testing.F) {
	t := newTape()
	for i, last := range []string{"Hello.", "Line one.\nLine two.", "Hello."} {
		a, err := t.ask("judge", llm.Request{
			Messages: []llm.Message{{Role: llm.RoleSystem, Content: "Judge."}, {Role: llm.RoleUser, Content: last}},
			Schema:   []byte(`{"type":"object"}`),
		})
		if err != nil {
			f.Fatal(err)
		}
		t.Exchanges = append(t.Exchanges, &exchange{ask: a, at: i, reply: reply{
			Text: "Fine.\n", Usage: &usage{PromptTokens: 1}, Cut: i == 1,
		}})
	}
	good, err := t.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, seed := range []string{"", "null", "{}", `{"format":"viva-cassette-1","exchanges":[{"role":"a","messages":""}]}`, `{"format":"viva-cassette-1","exchanges":[null]}`, strings.Repeat("[", 1000), `{"format":"viva-cassette-1","messages":{"":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		tape, err := read(bytes.NewReader(content))
		if (tape == nil) == (err == nil) {
			t.Fatal("a tape or an error, never both or neither")
		}
		if err != nil {
			return
		}
		for _, e := range tape.Exchanges {
			e.Cut = false // to wait is not what is tested
			s := newReplayed(context.Background(), e.reply)
			for range len(e.Text) + 2 {
				if _, err = s.Next(); err != nil {
					break
				}
			}
			if err == nil {
				t.Fatal("a reply does not end")
			}
		}
		again, err := tape.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := read(bytes.NewReader(again))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, again)
		}
		if third, err := back.encode(); err != nil || !bytes.Equal(again, third) {
			t.Fatalf("the file is not stable: %v\n%s\n%s", err, again, third)
		}
	})
}

func TestALargeFileIsNotRead(t *testing.T) {
	if _, err := read(endless{}); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for n := copy(p, " "); n < len(p); {
		n += copy(p[n:], p[:n])
	}
	return len(p), nil
}
