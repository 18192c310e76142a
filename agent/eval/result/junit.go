package result

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// The elements of JUnit's XML, as Jenkins and others read it. Their order is that of its schema.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"` // seconds
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitSkipped `xml:"skipped"`
		Error   *junitFault   `xml:"error"`
		Failure *junitFault   `xml:"failure"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitFault struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a run as test results: a suite for each interview; in it a case for each expectation of a scenario, one for its
// checks, and one for what kept it from being held or judged. What was not shown is skipped. A case takes no time of its own: that
// of a talk, in its own time, is with its checks.
func JUnit(w io.Writer, r talk.Run) error {
	all := junitSuites{Name: "viva eval"}
	var took time.Duration
	for _, f := range Figures(r) {
		s, d := suite(r, f)
		all.Suites = append(all.Suites, s)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		took += d
	}
	all.Time = seconds(took)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the results as XML: %w", err)
	}
	_, err = w.Write(slices.Concat([]byte(xml.Header), text, []byte("\n")))
	return err
}

func suite(r talk.Run, f ByInterview) (junitSuite, time.Duration) {
	s := junitSuite{Name: f.Interview, Timestamp: r.Began.UTC().Format("2006-01-02T15:04:05")}
	for _, p := range [][2]string{
		{"met", met(f)}, {"rating", rated(f.Rating, f.Reactions)}, {"ratings_of_2_and_less", lows(f)}, {"untrue", fmt.Sprint(f.Untrue)},
		{"slips_taken_up", slips(f)}, {"over_plain", preferred(f)}, {"version", r.Version}, {"interviewer", r.Interviewer},
		{"candidate", r.Candidate}, {"judge", r.Judge},
	} {
		s.Properties = append(s.Properties, junitProperty{p[0], p[1]})
	}
	var took time.Duration
	for _, o := range r.Outcomes {
		if o.Interview != f.Interview {
			continue
		}
		s.Cases = append(s.Cases, cases(o)...)
		if o.Talk != nil {
			took += o.Talk.Took
		}
	}
	s.Tests, s.Time = len(s.Cases), seconds(took)
	for _, c := range s.Cases {
		switch {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	return s, took
}

func cases(o talk.Outcome) []junitCase {
	var out []junitCase
	add := func(name string) *junitCase {
		out = append(out, junitCase{Name: name, Class: o.Scenario, Time: seconds(0)})
		return &out[len(out)-1]
	}
	if o.Error != "" {
		add("held and judged").Error = &junitFault{Message: plain(o.Error), Type: "error", Text: o.Error}
	}
	if o.Grade != nil {
		for _, e := range o.Grade.Expectations {
			c := add(plain(e.Text))
			switch e.Verdict {
			case talk.Pass:
			case talk.Fail:
				c.Failure = &junitFault{Message: plain(e.Why), Type: "expectation", Text: decided(o.Talk, e)}
			default:
				c.Skipped = &junitSkipped{Message: plain("not shown: " + e.Why)}
			}
		}
	}
	if o.Talk != nil {
		c := add("checks")
		c.Time = seconds(o.Talk.Took)
		if bad := failedChecks(o.Talk); len(bad) > 0 {
			c.Failure = &junitFault{Message: fmt.Sprintf("%d of %d checks failed", len(bad), len(o.Talk.Checks)), Type: "check", Text: details(o.Talk, bad)}
		}
	}
	return out
}

func details(t *talk.Talk, bad []talk.Check) string {
	texts := make([]string, len(bad))
	for i, c := range bad {
		texts[i] = fmt.Sprintf("%s, %s: %s", c.Name, place(t, c.Line), c.Detail)
	}
	return strings.Join(texts, "\n")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
