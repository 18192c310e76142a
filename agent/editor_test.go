package agent

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// What the candidate writes reaches the interview at most five times a second; the last text always does, and one that is
// no news does not.
func TestEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		type change struct {
			text string
			at   time.Duration
		}
		var mu sync.Mutex
		var got []change
		e := newEditor(func(ev engine.Event) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, change{ev.(engine.CodeChanged).Text, time.Since(began)})
		})
		write := func(at time.Duration, text string) {
			time.AfterFunc(at-time.Since(began), func() { e.change(engine.CodeChanged{Text: text}) })
		}
		for i, text := range []string{"", "a", "ab", "abc", "abcd"} {
			write(time.Duration(i)*40*time.Millisecond, text)
		}
		write(time.Second, "abcd")             // sent again after a reconnect
		write(2*time.Second, "abc")            // and undone
		write(2050*time.Millisecond, "abcd")   // and redone
		write(3*time.Second, "abcde")          // the last that counts
		write(3010*time.Millisecond, "abcdef") // comes too late
		time.AfterFunc(3100*time.Millisecond, e.stop)
		time.AfterFunc(4*time.Second, func() { e.change(engine.CodeChanged{Text: "after the end"}) })
		time.Sleep(5 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		ms := time.Millisecond
		want := []change{{"", 0}, {"abcd", 200 * ms}, {"abc", 2000 * ms}, {"abcd", 2200 * ms}, {"abcde", 3000 * ms}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(change{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCodePackets(t *testing.T) {
	for payload, want := range map[string]bool{
		`{"text":"for x in list","language":"python"}`: true, `{"text":""}`: true, `{}`: true,
		`{"text":7}`: false, `nonsense`: false, ``: false, `{"text":"x","language":"` + strings.Repeat("p", 40) + `"}`: false,
		`{"text":"` + strings.Repeat("x", maxCode+1) + `"}`: false, `{"text":"` + strings.Repeat("x", maxCode) + `"}`: true,
	} {
		if _, ok := parseCode([]byte(payload)); ok != want {
			t.Errorf("%.60s: taken %t, want %t", payload, ok, want)
		}
	}
}

// Whatever a packet of code holds, it fits the journal: 44,000 angle brackets were escaped to more than an entry may have, and
// ended the interview.
func TestCodeFitsTheJournal(t *testing.T) {
	for _, sign := range []string{"<", "\x01", "\"", "\n", "\u2028", "\xff", "试", "&", "\\", "\u0085"} {
		payload, err := json.Marshal(map[string]string{"text": strings.Repeat(sign, maxCode/len(sign))})
		if err != nil {
			t.Fatal(err)
		}
		change, ok := parseCode(payload)
		if !ok {
			continue // a sign that is not text has grown on the way
		}
		journal, err := state.Dir(t.TempDir()).Create(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		entry, err := engine.Encode(1, 0, change)
		if err == nil {
			err = journal.Append(entry)
		}
		if err != nil {
			t.Errorf("%q: %v", sign, err)
		}
		if err := journal.Close(); err != nil {
			t.Error(err)
		}
	}
	if change, ok := parseCode([]byte(`{"text":"a\u0000\tb\r\n\u001bc"}`)); !ok || change.Text != "a\tb\r\nc" {
		t.Errorf("%q", change.Text)
	}
}

// The packet that shows a task fits, and holds nothing but what the candidate may know (R003-31, RX-20).
func TestSheetsOfAllProblems(t *testing.T) {
	set, err := problem.Load("algorithm", problem.Shipped())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.All() {
		for _, locale := range []string{"en", "zh"} {
			raw, err := sheetOf(p, locale)
			if err != nil || len(raw) > 15_000 {
				t.Errorf("%s: %d bytes, %v", p.ID, len(raw), err)
			}
			var fields map[string]string
			if err := json.Unmarshal(raw, &fields); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"id": p.ID, "title": p.Title[locale], "text": p.Text[locale], "difficulty": p.Difficulty}, fields); diff != "" {
				t.Errorf("%s in %s: %s", p.ID, locale, diff)
			}
			if understand.Reveals(string(raw), append(p.Secrets(), strings.ReplaceAll(p.Pattern, "_", " "))) {
				t.Errorf("%s in %s gives the pattern away: %s", p.ID, locale, raw)
			}
		}
	}
	telling := &problem.Problem{ID: "two_pointers-7", Pattern: "two_pointers", Text: map[string]string{"en": strings.Repeat("间", 20_000)}}
	raw, err := sheetOf(telling, "en")
	if err != nil || len(raw) > 15_000 || strings.Contains(string(raw), "pointers") {
		t.Errorf("%d bytes, %v: %.80s", len(raw), err, raw)
	}
}

// The page is told the place among the sub-phases, and whether the stage looks at code.
func TestAttributesOfSubPhasesAndCode(t *testing.T) {
	a := stageAttributes(engine.Publish{Stage: "design_sub_phase", Title: "Data Design", Index: 3, Total: 4, Item: "data_design", Phase: 3, Phases: 5}, false)
	if a[attributePhase] != "3/5" || a[attributeItem] != "Data Design" || a[attributeCode] != "" || a[attributeProgress] != "3/4" {
		t.Errorf("%v", a)
	}
	a = stageAttributes(engine.Publish{Stage: "FOLLOW_UP", Title: "Follow-up"}, true)
	if phase, there := a[attributePhase]; phase != "" || !there || a[attributeItem] != "" || a[attributeCode] != "on" {
		t.Errorf("%v", a)
	}
	library, err := LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]map[string]bool{
		"algorithm_coach": {"PSEUDOCODE_DESIGN": true, "DONE": false, "nowhere": false}, "system_design": {"design_sub_phase": false},
	} {
		iv, err := library.Find(Metadata{Interview: kind})
		if err != nil {
			t.Fatal(err)
		}
		for stage, takes := range want {
			if takesCode(iv, stage) != takes {
				t.Errorf("%s of %s takes code: %t", stage, kind, !takes)
			}
		}
	}
}

// Variables that an interview does not declare are named to whoever reads the log: they have no effect.
func TestUnknownVars(t *testing.T) {
	library, err := LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	iv, err := library.Find(Metadata{Interview: "system_design"})
	if err != nil {
		t.Fatal(err)
	}
	m := Metadata{Vars: map[string]string{"company": "google_like", "problem": "x", "colour": "red"}}
	if diff := cmp.Diff([]string{"colour", "problem"}, m.unknownTo(iv.Def)); diff != "" {
		t.Error(diff)
	}
}
