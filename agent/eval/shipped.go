package eval

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/vivavoice/viva/agent/eval/scenario"
)

//go:embed scenarios/*.yaml
var shipped embed.FS

// Shipped returns the scenarios that come with Viva for an interview of this kind, or for all. The error says which kinds have some.
func Shipped(kind string) ([]*scenario.Scenario, error) {
	entries, err := shipped.ReadDir("scenarios")
	if err != nil {
		return nil, fmt.Errorf("list the shipped scenarios: %w", err)
	}
	var all []*scenario.Scenario
	var kinds []string
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".yaml")
		kinds = append(kinds, name)
		if kind != "" && kind != name {
			continue
		}
		text, err := shipped.ReadFile("scenarios/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("read the shipped scenarios: %w", err)
		}
		own, err := scenario.Parse(e.Name(), text)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	if !slices.Contains(kinds, kind) && kind != "" {
		return nil, fmt.Errorf("no scenarios come with Viva for interview %q: name a file, or one of %s", kind, strings.Join(kinds, ", "))
	}
	return all, nil
}
