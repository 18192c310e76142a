package datafile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/datafile"
)

type sample struct {
	Name  string   `yaml:"name"`
	Items []string `yaml:"items"`
}

func TestFindingsStandWhereTheyAre(t *testing.T) {
	f := datafile.Open("a.yaml", []byte("name: x\nitems:\n  - one\n  - two\nspare: 1\n"))
	var s sample
	if !f.Decode(&s) || len(s.Items) != 2 {
		t.Fatalf("an unknown key must not hide the rest: %+v", s)
	}
	f.Add("items[1]", "not this one")
	f.Add("items[1].deeper", "nor what is in it")
	f.Add("missing", "the file lacks it")
	var e *datafile.Error
	if !errors.As(f.Err(), &e) {
		t.Fatal(f.Err())
	}
	var places [][2]int
	for _, found := range e.Findings {
		places = append(places, [2]int{found.Line, found.Column})
	}
	if diff := cmp.Diff([][2]int{{1, 1}, {4, 5}, {4, 5}, {5, 1}}, places); diff != "" {
		t.Error(diff, e)
	}
	if text := e.Error(); !strings.Contains(text, "a.yaml:4:5: items[1]: not this one") {
		t.Error(text)
	}
}

func TestWhatIsNoYAML(t *testing.T) {
	for name, text := range map[string]string{"broken": "a: [", "empty": "", "large": "a: " + strings.Repeat("x", datafile.MaxBytes)} {
		f := datafile.Open(name, []byte(text))
		var s sample
		if f.Decode(&s) || f.Err() == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestAGoodFileHasNoError(t *testing.T) {
	f := datafile.Open("a.yaml", []byte("name: x\n"))
	var s sample
	if !f.Decode(&s) || f.Err() != nil || f.Name() != "a.yaml" {
		t.Error(f.Err())
	}
}
