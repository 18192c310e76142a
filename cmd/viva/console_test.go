package main

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
	"github.com/vivavoice/viva/state"
)

// candidate's answers, a line each.
const answers = `Hi, my name is Jordan and I am a backend engineer

I am really good at finding bugs that nobody else can find
It was a project to replace the old billing system because the company kept losing invoices
I designed the new schema and wrote the migration myself
We reduced lost invoices by ninety percent
No, thank you
`

// A whole interview, all of whose answers come at once: each meets the question it was meant for (R001-1).
func TestConsoleWholeInterview(t *testing.T) {
	setting(t)
	o := viva(t, strings.NewReader(answers), "console")
	o.wants(t, 0)
	if o.errs != "" {
		t.Errorf("complaints: %s", o.errs)
	}
	inOrder(t, o.out,
		"Self-introduction (1 of 2)", "Hello, I'm Viva", "one strength, or one achievement",
		"Past experience (2 of 2)", "Thank you, Jordan. Now let's turn to your past experience.", "one project that you are proud of",
		"Which part of that was your own doing?", "What changed because of it",
		"That's the end of our interview", "Goodbye!", "the interview is over (done)")
	if n := strings.Count(o.out, "Interviewer:"); n != 7 {
		t.Errorf("the interviewer spoke %d times, want 7", n)
	}
}

func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("missing, or too early, %q in:\n%s", part, text)
		}
		rest = after
	}
}

// Input that ends in the middle ends the interview, and what was said is in the journal.
func TestConsoleInputEnds(t *testing.T) {
	for name, test := range map[string]struct {
		input string
		code  int
		wants []string
		ends  string
		turns int
	}{
		"at once":           {"", 0, []string{"Hello, I'm Viva", "the interview is over (input ended)"}, "input ended", 0},
		"after two answers": {strings.Join(strings.SplitAfter(answers, "\n")[:3], ""), 0, []string{"proud of?", "(input ended)"}, "input ended", 2},
		"in a line":         {"I am a baker", 0, []string{"one strength", "(input ended)"}, "input ended", 1},
		"a very long line":  {"I am a " + strings.Repeat("baker ", 1<<14), 0, []string{"(input ended)"}, "input ended", 1},
		"an endless line":   {strings.Repeat("x", 2*maxLine), exitFailure, []string{"token too long", "could not be read"}, "input failed", 0},
	} {
		t.Run(name, func(t *testing.T) {
			setting(t)
			dir := t.TempDir()
			viva(t, strings.NewReader(test.input), "console", "--store", "dir:"+dir).wants(t, test.code, test.wants...)
			entries := journal(t, dir)
			turns := 0
			for _, e := range entries {
				if e.Type == "turn" {
					turns++
				}
			}
			if last := entries[len(entries)-1]; turns != test.turns || !strings.Contains(string(last.Data), test.ends) {
				t.Errorf("%d turns and %s %s at the end, want %d and %q", turns, last.Type, last.Data, test.turns, test.ends)
			}
		})
	}
}

// journal reads the one journal of a folder.
func journal(t *testing.T, dir string) []state.Entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journals %v, %v; want one", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	entries, err := state.ReadEntries(f)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	return entries
}

// With a model the words are its own; without its answer they are the script's, and the person at the terminal is told why.
func TestConsoleWithModel(t *testing.T) {
	for name, test := range map[string]struct {
		fault  *openaitest.Fault
		wants  []string
		errs   string
		worded bool
	}{
		"well":      {wants: []string{"Hello, I'm Viva", "What was the hardest part of it for you?", "Past experience (2 of 2)", "What would you do differently", "Goodbye!", "(done)"}, worded: true},
		"no key":    {&openaitest.Fault{Status: 401}, []string{"one strength", "proud of?", "your own doing?", "Goodbye!", "(done)"}, "check OPENAI_API_KEY", false},
		"a page":    {&openaitest.Fault{Do: openaitest.Page}, []string{"one strength", "Goodbye!"}, "OPENAI_BASE_URL likely points at a web page", false},
		"cut short": {&openaitest.Fault{Do: openaitest.Drop}, []string{"one strength", "Goodbye!"}, "the connection failed", false},
	} {
		t.Run(name, func(t *testing.T) {
			stub := openaitest.New(openaitest.Options{Key: openAIKey})
			if test.fault != nil {
				stub.Fail(openaitest.Chat, *test.fault)
			}
			service := httptest.NewServer(stub)
			defer service.Close()
			setting(t, "OPENAI_BASE_URL="+service.URL+"/v1", "OPENAI_API_KEY="+openAIKey)
			o := viva(t, strings.NewReader(answers), "console", "--llm", "openai")
			o.wants(t, 0, test.errs)
			inOrder(t, o.out, test.wants...)
			if stub.Counts().Chats == 0 || test.worded != (o.errs == "") {
				t.Errorf("the model was asked %d times; complaints %q", stub.Counts().Chats, o.errs)
			}
			if n := strings.Count(o.errs, "stand in"); test.fault != nil && n != 1 {
				t.Errorf("complained %d times, want once", n)
			}
		})
	}
}

// A person types slowly: the next line is read only when the interviewer has spoken.
func TestConsoleLineByLine(t *testing.T) {
	setting(t)
	in, typed := io.Pipe()
	done := make(chan outcome, 1)
	go func() { done <- viva(t, in, "console") }()
	for line := range strings.Lines(answers) {
		if _, err := io.WriteString(typed, line); err != nil {
			t.Error(err)
		}
	}
	o := <-done // the goodbye ends it, although the input is still open
	_ = typed.Close()
	o.wants(t, 0, "Goodbye!", "(done)")
}
