package result

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// JSON writes a run for programs, and for a later eval to compare with: the same run always in the same bytes.
func JSON(w io.Writer, r talk.Run) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // it is read by people too
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write the run: %w", err)
	}
	return nil
}

// Read reads what JSON wrote.
func Read(r io.Reader) (talk.Run, error) {
	var run talk.Run
	if err := json.NewDecoder(r).Decode(&run); err != nil {
		return talk.Run{}, fmt.Errorf("read the run; give a file that an eval wrote as JSON: %w", err)
	}
	return run, nil
}
