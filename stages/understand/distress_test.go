package understand_test

import (
	"os"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/stages/understand"
)

// RM-15: of 120 ways to say that somebody's life is in danger, in three languages, as many are noticed as were reached; of 120 that only look like
// it, no more are taken for one. Neither patterns nor examples were made from them.
func TestDistressIsNoticed(t *testing.T) {
	const fewestFound, mostAlarms = 94, 10
	text, err := os.ReadFile("testdata/distress.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Lang, Text string
		Danger     bool
	}
	if err := yaml.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	found, danger, alarms := 0, 0, 0
	for _, e := range list {
		noticed := slices.ContainsFunc(rules(t, e.Lang).Acts(e.Text), func(a understand.Act) bool { return a.Kind == understand.ActDistress })
		switch {
		case e.Danger && noticed:
			found, danger = found+1, danger+1
		case e.Danger:
			danger++
		case noticed:
			alarms++
		}
	}
	t.Logf("%d of %d noticed, %d alarms in %d others", found, danger, alarms, len(list)-danger)
	if found < fewestFound || alarms > mostAlarms {
		t.Errorf("want at least %d noticed, and at most %d alarms", fewestFound, mostAlarms)
	}
}
