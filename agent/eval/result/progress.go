package result

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// Progress writes a line when a scenario starts and when it is done. It is safe for concurrent use.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	of    int
	begun int
	done  int
}

// NewProgress tells w of so many scenarios. A line that cannot be written is lost.
func NewProgress(w io.Writer, scenarios int) *Progress { return &Progress{w: w, of: scenarios} }

// Started implements eval.Reporter.
func (p *Progress) Started(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun++
	_, _ = fmt.Fprintf(p.w, "started %d/%d  %s\n", p.begun, p.of, plain(scenario))
}

// Finished implements eval.Reporter.
func (p *Progress) Finished(o talk.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	_, _ = fmt.Fprintf(p.w, "done    %d/%d  %s: %s\n", p.done, p.of, plain(o.Scenario), plain(line(o)))
}

// line is an outcome in one line.
func line(o talk.Outcome) string {
	var parts []string
	if o.Error != "" {
		parts = append(parts, "error: "+o.Error)
	}
	f := of(o)
	if f.Decided()+f.NotShown > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d met", f.Met, f.Decided()))
	}
	if f.NotShown > 0 {
		parts = append(parts, fmt.Sprintf("%d not shown", f.NotShown))
	}
	if f.Reactions > 0 {
		parts = append(parts, fmt.Sprintf("rating %.1f of %d reactions", f.Rating, f.Reactions))
	}
	if f.Checks > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d checks", f.Checks-f.ChecksFailed, f.Checks))
	}
	if o.Talk != nil {
		parts = append(parts, "talk of "+talk.Clock(o.Talk.Took))
	}
	return strings.Join(parts, ", ")
}
