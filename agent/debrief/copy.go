package debrief

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/vivavoice/viva/stages/report"
)

// Copy keeps the report that a candidate's page would get, for talks without a page. The zero value is ready; it is safe for
// concurrent use.
type Copy struct {
	mu   sync.Mutex
	made *report.Report // guarded by mu; nil = there is none
}

// Publish is for Case.Publish. It keeps the report and lets everything else go.
func (c *Copy) Publish(topic string, text []byte) error {
	if topic != Topic {
		return nil
	}
	var e Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = e.Report
	return nil
}

// Report returns what was kept, as the candidate may see it; nil where no report was made.
func (c *Copy) Report() *report.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made
}
