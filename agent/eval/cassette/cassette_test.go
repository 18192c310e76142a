package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vivavoice/viva/agent/eval/cassette"
	"github.com/vivavoice/viva/pipeline/llm"
)

// echo answers each request with its number and its last message.
type echo struct {
	mu   sync.Mutex
	n    int
	fail error // instead of an answer
	mid  error // after the first piece
	bare bool  // no usage
}

func (e *echo) Stream(ctx context.Context, r llm.Request) (llm.Stream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fail != nil {
		return nil, e.fail
	}
	e.n++
	last := r.Messages[len(r.Messages)-1].Content
	s := &pieces{ctx: ctx, err: e.mid, deltas: []llm.Delta{{Text: fmt.Sprintf("Answer %d:\n", e.n)}, {Text: last[:len(last)/2]}, {Text: last[len(last)/2:]}}}
	if !e.bare {
		s.deltas = append(s.deltas, llm.Delta{Usage: &llm.Usage{PromptTokens: 7, CompletionTokens: 3, CachedTokens: 1}})
	}
	return s, nil
}

type pieces struct {
	ctx    context.Context
	deltas []llm.Delta
	read   int
	err    error
}

func (p *pieces) Next() (llm.Delta, error) {
	switch {
	case p.ctx.Err() != nil:
		return llm.Delta{}, p.ctx.Err()
	case p.read == 1 && p.err != nil:
		return llm.Delta{}, p.err
	case p.read == len(p.deltas):
		return llm.Delta{}, io.EOF
	}
	p.read++
	return p.deltas[p.read-1], nil
}

func (p *pieces) Close() error { return nil }

func ask(last string) llm.Request {
	return llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You are an interviewer.\nAsk one question.\nBe kind <always> & brief."},
			{Role: llm.RoleAssistant, Content: "Welcome."},
			{Role: llm.RoleSystem, Content: "noted"},
			{Role: llm.RoleUser, Content: last},
		},
		Schema: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"}}}`), SchemaName: "question",
	}
}

func open(t *testing.T, path string, mode cassette.Mode) *cassette.Cassette {
	t.Helper()
	c, err := cassette.Open(path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func closed(t *testing.T, c *cassette.Cassette) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// whole reads a reply to its end.
func whole(m llm.Model, r llm.Request) (text string, usage *llm.Usage, pieces int, err error) {
	s, err := m.Stream(context.Background(), r)
	if err != nil {
		return "", nil, 0, err
	}
	defer func() { _ = s.Close() }()
	for {
		d, err := s.Next()
		if errors.Is(err, io.EOF) {
			return text, usage, pieces, nil
		}
		if err != nil {
			return text, usage, pieces, err
		}
		pieces++
		text += d.Text
		if d.Usage != nil {
			usage = d.Usage
		}
	}
}

func says(t *testing.T, m llm.Model, r llm.Request) string {
	t.Helper()
	text, _, _, err := whole(m, r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// record makes a recording in which these were the last messages of the interviewer's requests.
func record(t *testing.T, lasts ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "two_stage", "a.viva.json")
	c := open(t, path, cassette.Record)
	m := c.Model("interviewer", &echo{})
	for _, last := range lasts {
		says(t, m, ask(last))
	}
	closed(t, c)
	return path
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReplayAnswersAsRecorded(t *testing.T) {
	path := record(t, "Hello, I am Ada.", "Hello, I am Ada.", "Bye.")
	c := open(t, path, cassette.Replay)
	m := c.Model("interviewer", nil)
	text, usage, n, err := whole(m, ask("Hello, I am Ada."))
	if err != nil || text != "Answer 1:\nHello, I am Ada." || n != 7 {
		t.Errorf("%q in %d pieces, %v", text, n, err)
	}
	if *usage != (llm.Usage{PromptTokens: 7, CompletionTokens: 3, CachedTokens: 1}) {
		t.Error(usage)
	}
	// What is asked for out of order is found; the same request again has its second answer.
	if got := says(t, m, ask("Bye.")); got != "Answer 3:\nBye." {
		t.Error(got)
	}
	// How long and how random the answer may be makes no other request, nor do the spaces of a schema.
	again, warm := ask("Hello, I am Ada."), 0.7
	again.MaxTokens, again.Temperature = 100, &warm
	again.Schema = json.RawMessage(`{"type": "object", "properties": {"x": {"type": "string"}}}`)
	if got := says(t, m, again); got != "Answer 2:\nHello, I am Ada." {
		t.Error(got)
	}
}

func TestEverythingElseMakesAnotherRequest(t *testing.T) {
	path := record(t, "Hello.")
	for name, change := range map[string]func(*llm.Request){
		"text":        func(r *llm.Request) { r.Messages[0].Content += "!" },
		"role":        func(r *llm.Request) { r.Messages[3].Role = llm.RoleAssistant },
		"schema":      func(r *llm.Request) { r.Schema = nil },
		"schema name": func(r *llm.Request) { r.SchemaName = "" },
	} {
		c := open(t, path, cassette.Replay)
		r := ask("Hello.")
		change(&r)
		var miss *cassette.Miss
		if _, err := c.Model("interviewer", nil).Stream(t.Context(), r); !errors.As(err, &miss) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := open(t, path, cassette.Replay)
	if _, err := c.Model("judge", nil).Stream(t.Context(), ask("Hello.")); err == nil {
		t.Error("another role was answered")
	}
}

func TestTheFileIsForReading(t *testing.T) {
	path := record(t, "Hello.", "Bye.")
	text := content(t, path)
	for _, want := range []string{"\"Be kind <always> & brief.\"", "\"Answer 1:\",\n"} {
		if strings.Count(text, want) == 0 {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "You are an interviewer."); n != 1 {
		t.Errorf("the prompt is there %d times", n)
	}
	if text != content(t, record(t, "Hello.", "Bye.")) {
		t.Error("the same talk makes another file")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestRefreshAsksOnlyForWhatIsMissing(t *testing.T) {
	path := record(t, "One.", "Two.", "Three.")
	c := open(t, path, cassette.Refresh)
	c.Note("interviewer", "gpt-x, effort low")
	m := c.Model("interviewer", &echo{n: 10})
	for _, step := range [][2]string{{"One.", "Answer 1:\nOne."}, {"New.", "Answer 11:\nNew."}, {"Three.", "Answer 3:\nThree."}, {"One.", "Answer 12:\nOne."}} {
		if got := says(t, m, ask(step[0])); got != step[1] {
			t.Errorf("%q, want %q", got, step[1])
		}
	}
	if !strings.Contains(content(t, path), "Two.") {
		t.Error("what was not asked for yet is gone before the end")
	}
	closed(t, c)
	if n := c.Dropped(); n != 1 {
		t.Errorf("%d were dropped", n)
	}
	text := content(t, path)
	if strings.Contains(text, "Two.") || !strings.Contains(text, "gpt-x, effort low") {
		t.Error(text)
	}
	// Nothing is asked for a second time, and nothing changes.
	c = open(t, path, cassette.Refresh)
	m = c.Model("interviewer", nil)
	for _, last := range []string{"One.", "New.", "Three.", "One."} {
		says(t, m, ask(last))
	}
	closed(t, c)
	if content(t, path) != text {
		t.Error("a refresh of what is fresh changed the file")
	}
}

func TestATalkThatBreaksOffDropsNothing(t *testing.T) {
	path := record(t, "One.", "Two.")
	before := content(t, path)
	c := open(t, path, cassette.Refresh)
	says(t, c.Model("interviewer", nil), ask("One."))
	if err := c.Abandon(); err != nil || c.Dropped() > 0 || content(t, path) != before {
		t.Error(err, c.Dropped())
	}
	c = open(t, path, cassette.Refresh)
	if _, err := c.Model("interviewer", &echo{fail: errors.New("down")}).Stream(t.Context(), ask("Three.")); err == nil {
		t.Error("no error")
	}
	closed(t, c)
	if c.Dropped() > 0 || content(t, path) != before {
		t.Error("a model failed, and the rest of the talk was dropped", c.Dropped())
	}
}

func TestFailuresAreNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	c := open(t, path, cassette.Record)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, _, _, err := whole(c.Model("judge", &echo{mid: errors.New("broke off")}), ask("One.")); err == nil {
		t.Error("no error")
	}
	s, err := c.Model("judge", &echo{}).Stream(late, ask("One."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); err == nil {
		t.Error("no error")
	}
	if _, err := s.Next(); err == nil {
		t.Error("no error")
	}
	closed(t, c)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file of nothing was written")
	}
}

func TestWhatWasGivenUpIsGivenUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.json")
		c := open(t, path, cassette.Record)
		ctx, cancel := context.WithCancel(t.Context())
		s, err := c.Model("interviewer", &echo{}).Stream(ctx, ask("One."))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := s.Next(); err == nil {
			t.Fatal("it goes on")
		}
		closedEarly, err := c.Model("interviewer", &echo{}).Stream(t.Context(), ask("Two."))
		if err != nil || closedEarly.Close() != nil || s.Close() != nil {
			t.Fatal(err)
		}
		closed(t, c)

		c = open(t, path, cassette.Replay)
		m := c.Model("interviewer", nil)
		text, _, _, err := whole(m, ask("One."))
		if text != "Answer 1:\n" || !errors.Is(err, cassette.ErrCut) {
			t.Errorf("%q, %v", text, err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		s, err = m.Stream(ctx, ask("Two."))
		if err != nil {
			t.Fatal(err)
		}
		go cancel()
		if _, err := s.Next(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestAnInterruptedRecordingLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	c := open(t, path, cassette.Record)
	says(t, c.Model("interviewer", &echo{}), ask("One."))
	if got := says(t, open(t, path, cassette.Replay).Model("interviewer", nil), ask("One.")); got != "Answer 1:\nOne." {
		t.Error(got)
	}
}

// The file does not depend on how roles took turns.
func TestManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	talk := func(c *cassette.Cassette, behind func() llm.Model) {
		var wg sync.WaitGroup
		for _, role := range []string{"interviewer", "candidate", "judge"} {
			m := c.Model(role, behind())
			wg.Go(func() {
				for i := range 10 {
					if text, _, _, err := whole(m, ask(fmt.Sprint(role, i))); err != nil || text != fmt.Sprintf("Answer %d:\n%s%d", i+1, role, i) {
						t.Errorf("%q, %v", text, err)
					}
				}
			})
		}
		wg.Wait()
	}
	c := open(t, path, cassette.Record)
	talk(c, func() llm.Model { return &echo{} })
	closed(t, c)
	first := content(t, path)
	talk(open(t, path, cassette.Replay), func() llm.Model { return nil })
	c = open(t, path, cassette.Record)
	talk(c, func() llm.Model { return &echo{} })
	closed(t, c)
	if content(t, path) != first {
		t.Error("the order of the file depends on the order of the answers")
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	if _, err := cassette.Open(filepath.Join(dir, "none.json"), cassette.Replay); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--record") {
		t.Error(err)
	}
	good := content(t, record(t, "Hello."))
	path := filepath.Join(dir, "a.json")
	for name, text := range map[string]string{
		"empty": "", "other": `{"format":"x"}`, "more": good + "{}", "unknown key": `{"format":"viva-cassette-1","x":1}`,
		"conflict":        strings.Replace(good, `"schemas"`, "<<<<<<< HEAD\n\"schemas\"", 1),
		"changed message": strings.Replace(good, "Ask one question.", "Ask two questions.", 1),
		"changed schema":  strings.Replace(good, `"x": {`, `"y": {`, 1),
		"missing message": strings.Replace(good, `"messages": "`, `"messages": "123456789abc `, 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []cassette.Mode{cassette.Replay, cassette.Refresh} {
			if _, err := cassette.Open(path, mode); err == nil || !strings.Contains(err.Error(), "a.json") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if content(t, path) != text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	c := open(t, path, cassette.Record)
	says(t, c.Model("interviewer", &echo{}), ask("One."))
	closed(t, c)
	if _, err := c.Model("interviewer", &echo{}).Stream(t.Context(), ask("Two.")); err == nil {
		t.Error("a closed recording goes on")
	}
}

func TestAFailureToWriteIsTold(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := cassette.Open(filepath.Join(dir, "file", "a.json"), cassette.Record)
	if err != nil {
		t.Fatal(err)
	}
	says(t, c.Model("interviewer", &echo{}), ask("One."))
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), "write the recording") {
		t.Error(err)
	}
}

func TestTextComesWordByWord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	c := open(t, path, cassette.Record)
	says(t, c.Model("interviewer", &echo{bare: true}), ask("你好 a  b"))
	closed(t, c)
	s, err := open(t, path, cassette.Replay).Model("interviewer", nil).Stream(t.Context(), ask("你好 a  b"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		d, err := s.Next()
		if err != nil {
			break
		}
		got = append(got, d.Text)
	}
	if want := []string{"Answer ", "1:\n", "你", "好", " ", "a  ", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A request may be nothing but a message: no tools, no schema.
func TestABareRequestIsFoundAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.json")
	bare := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "Hello."}}}
	c := open(t, path, cassette.Record)
	said := says(t, c.Model("candidate", &echo{}), bare)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, path, cassette.Replay)
	if got := says(t, c.Model("candidate", nil), bare); got != said || got == "" {
		t.Errorf("recorded %q, replayed %q", said, got)
	}
}
