package pdf

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestRuns(t *testing.T) {
	for text, want := range map[string][]run{
		"":                 nil,
		"Trần":             {{"Trần", false}},
		"SQL 和表。ok":        {{"SQL ", false}, {"和表。", true}, {"ok", false}},
		"smile \U0001F600": {{"smile \u25a1", false}},
	} {
		if diff := cmp.Diff(want, runs(text), cmp.AllowUnexported(run{})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// A missing font is told with the package that brings it; one for Chinese is needed only by those who write it.
func TestFind(t *testing.T) {
	root := fstest.MapFS{}
	if _, err := Find(root); !errors.Is(err, ErrNoFont) || !strings.Contains(err.Error(), "fonts-dejavu-core") {
		t.Errorf("%v", err)
	}
	root[regularFile], root[boldFile] = &fstest.MapFile{Data: []byte("r")}, &fstest.MapFile{Data: []byte("b")}
	if f, err := Find(root); err != nil || f.Wide != nil || string(f.Bold) != "b" {
		t.Errorf("%+v %v", f, err)
	}
}
