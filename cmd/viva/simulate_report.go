package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/stages/simulate"
)

// printed stands for standard output as the place of a report.
const printed = "-"

// checkReport refuses a --report that could not be written.
func (s *simulation) checkReport() error {
	switch {
	case s.report == "":
		return nil
	case s.many():
		return errors.New("--report is that of one interview: choose one candidate, and leave --runs out")
	case s.iv.Def.Report == nil:
		return fmt.Errorf("--report: interview %s makes none: add report: {wait: 30s} to its file", s.iv.Def.Kind)
	case s.report != printed && reportWriters[s.reportForm()] == nil:
		return fmt.Errorf("--report %s: name a file that ends in .json, .md, .html or .pdf, or - to have it printed", s.report)
	}
	return nil
}

// reportForm is the form that the file's name asks for.
func (s *simulation) reportForm() string {
	if s.report == printed {
		return "md"
	}
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(s.report), "."))
}

// reportSimulation writes the report, as the candidate would have it. With --json a printed one stands in the interview's JSON.
func (p *program) reportSimulation(s *simulation, results []*simulate.Result) error {
	if s.report == "" || s.report == printed && s.json {
		return nil
	}
	made := results[0].Report
	if made == nil {
		return errors.New("write the report: it could not be made; the broken invariants above say why")
	}
	raw, err := json.Marshal(report.Own(made))
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	text, err := reportWriters[s.reportForm()](raw)
	if err != nil {
		return fmt.Errorf("write the report as %s: %w", s.reportForm(), err)
	}
	if s.report == printed {
		return lines(p.out, "", string(text))
	}
	return os.WriteFile(s.report, text, 0o600)
}
