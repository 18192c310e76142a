package settings

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Explain writes each setting that the command uses, the value in force, and where it came from. Secrets are masked.
func (s *Settings) Explain(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines := []string{"SETTING\tVALUE\tFROM"}
	for _, d := range Table() {
		if d.UsedBy(s.Command) {
			f := s.found[d.Key]
			lines = append(lines, fmt.Sprintf("%s\t%s\t%s", d.Key, shown(f.text), f.from))
		}
	}
	if _, err := fmt.Fprintln(table, strings.Join(lines, "\n")); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

func shown(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Join(strings.Fields(text), " ") // a value never breaks the table
}
