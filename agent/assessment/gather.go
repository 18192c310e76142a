package assessment

import (
	"context"
	"maps"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
)

// source puts together what the report is made of. It is called once, after the last result was taken.
func (d *Assessor) source(ctx context.Context) report.Source {
	d.mu.Lock()
	u, results := d.ending, maps.Clone(d.results)
	d.mu.Unlock()
	src := report.Gather(d.c.Interview, u, func(j state.Judgement) report.Judged { return d.resultOf(j, results) })
	src.Began, src.Page = d.c.Began, d.link() != ""
	src.Provenance = report.Provenance{Software: d.service.o.Software, Models: d.c.Models}
	if d.service.o.Refused != nil {
		src.Provenance.Refused = d.service.o.Refused()
	}
	if d.c.Recording != nil {
		src.Recording = d.c.Recording()
	}
	if d.c.Journal != nil {
		ctx, cancel := context.WithTimeout(ctx, archiveLimit)
		defer cancel()
		var err error
		if src.Journal, err = d.c.Journal(ctx); err != nil {
			d.log.Warn("report.without_journal", zap.Error(err))
		}
	}
	return src
}

// resultOf is what came of a judgement: here, or in the state that an earlier worker left.
func (d *Assessor) resultOf(j state.Judgement, results map[string]result) report.Judged {
	if r, there := results[j.Item]; there {
		return report.Judged{Item: j.Item, Evaluation: r.evaluation, Missing: r.missing}
	}
	out := report.Kept(j)
	if !j.Out() {
		return out
	}
	if r, kept := d.earlier()[j.Item]; kept {
		out.Evaluation, out.Missing = r.evaluation, ""
	}
	return out
}
