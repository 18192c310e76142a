package check

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// metric is what can be asked for: series of one name.
type metric struct {
	kind   string   // counter, gauge or histogram
	labels []string // without those that a scrape adds
	bucket bool     // the series of a histogram's buckets
}

// scraped are the labels that Prometheus adds when it scrapes.
var scraped = []string{"job", "instance", "namespace", "pod"}

// registered reads metrics.txt, which deploy_test.go holds against the program.
func registered(t *testing.T) map[string]metric {
	t.Helper()
	text, err := os.ReadFile("../metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]metric)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		name, m := fields[0], metric{kind: fields[1], labels: fields[2:]}
		if m.kind != "histogram" {
			all[name] = m
			continue
		}
		all[name+"_sum"], all[name+"_count"] = m, m
		m.bucket, m.labels = true, append(slices.Clone(m.labels), "le")
		all[name+"_bucket"] = m
	}
	if len(all) < 30 {
		t.Fatalf("only %d metrics", len(all))
	}
	return all
}

// problems of a query: what it asks for that no worker exports, or in a way that says nothing.
func problems(query string, all map[string]metric) []string {
	tree, err := parser.ParseExpr(query)
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	parser.Inspect(tree, func(n parser.Node, path []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			found = append(found, selected(n, path, all)...)
		case *parser.AggregateExpr:
			found = append(found, grouped(n.Grouping, n.Expr, all)...)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil && n.VectorMatching.On {
				found = append(found, grouped(n.VectorMatching.MatchingLabels, n.LHS, all)...)
			}
		case *parser.Call:
			found = append(found, quantiled(n, all)...)
		}
		return nil
	})
	return found
}

func selected(v *parser.VectorSelector, path []parser.Node, all map[string]metric) []string {
	m, ok := all[v.Name]
	if !ok {
		return []string{fmt.Sprintf("no worker exports %q", v.Name)}
	}
	var found []string
	for _, matcher := range v.LabelMatchers {
		if matcher.Name != labels.MetricName && !slices.Contains(m.labels, matcher.Name) && !slices.Contains(scraped, matcher.Name) {
			found = append(found, fmt.Sprintf("%s has no label %q", v.Name, matcher.Name))
		}
	}
	if m.kind != "gauge" && !rated(path) {
		found = append(found, v.Name+" only grows: ask for its rate or increase")
	}
	return found
}

// rated reports whether one of the functions for counters is around.
func rated(path []parser.Node) bool {
	return slices.ContainsFunc(path, func(n parser.Node) bool {
		call, ok := n.(*parser.Call)
		return ok && slices.Contains([]string{"rate", "irate", "increase"}, call.Func.Name)
	})
}

// grouped: each label must be one of every metric inside, else the grouping is by nothing.
func grouped(by []string, inside parser.Expr, all map[string]metric) []string {
	var found []string
	for _, set := range parser.ExtractSelectors(inside) {
		for _, matcher := range set {
			if matcher.Name != labels.MetricName {
				continue
			}
			for _, label := range by {
				if !slices.Contains(all[matcher.Value].labels, label) && !slices.Contains(scraped, label) {
					found = append(found, fmt.Sprintf("grouped by %q, which %s lacks", label, matcher.Value))
				}
			}
		}
	}
	return found
}

// quantiled: histogram_quantile is of buckets, which keep their label le.
func quantiled(call *parser.Call, all map[string]metric) []string {
	if call.Func.Name != "histogram_quantile" {
		return nil
	}
	var found []string
	parser.Inspect(call.Args[1], func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			if !all[n.Name].bucket {
				found = append(found, n.Name+" has no buckets")
			}
		case *parser.AggregateExpr:
			if slices.Contains(n.Grouping, "le") == n.Without {
				found = append(found, "the buckets lose their label le")
			}
		}
		return nil
	})
	return found
}

// The check itself must see each kind of mistake.
func TestProblemsAreFound(t *testing.T) {
	all := registered(t)
	for query, want := range map[string]string{
		`sum(viva_worker_load)`: "", `histogram_quantile(0.9, sum by (le) (rate(viva_turn_gap_seconds_bucket[5m])))`: "",
		`sum by (result, pod) (rate(viva_jobs_total{result="failed"}[5m]))`: "",
		`sum(viva_load)`: "no worker exports", `rate(viva_jobs_total{reason="x"}[5m])`: `no label "reason"`, `sum(viva_jobs_total)`: "only grows",
		`sum by (kind) (rate(viva_jobs_total[5m]))`: `grouped by "kind"`, `sum(`: "parse error", `rate(viva_turn_gap_seconds[5m])`: "no worker exports",
		`histogram_quantile(0.9, rate(viva_turn_gap_seconds_count[5m]))`:        "no buckets",
		`histogram_quantile(0.9, sum(rate(viva_turn_gap_seconds_bucket[5m])))`:  "lose their label le",
		`viva_worker_load * on (result) viva_worker_registered`:                 `grouped by "result"`,
		`sum(rate(viva_jobs_total{result="failed"}[5m])) / sum(viva_jobs_done)`: "no worker exports",
	} {
		got := strings.Join(problems(query, all), "; ")
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// dashboard are the parts of Grafana's model that the files here use.
type dashboard struct {
	UID           string  `json:"uid"`
	Title         string  `json:"title"`
	SchemaVersion int     `json:"schemaVersion"`
	Panels        []panel `json:"panels"`
	Templating    struct {
		List []struct {
			Name       string          `json:"name"`
			Type       string          `json:"type"`
			Query      json.RawMessage `json:"query"`
			Definition string          `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
}

type panel struct {
	ID          int                      `json:"id"`
	Type        string                   `json:"type"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	GridPos     struct{ H, W, X, Y int } `json:"gridPos"`
	Datasource  struct{ UID string }     `json:"datasource"`
	Targets     []struct {
		Expr         string `json:"expr"`
		LegendFormat string `json:"legendFormat"`
		RefID        string `json:"refId"`
	} `json:"targets"`
}

// filled are the variables of a dashboard as Grafana would put them in.
var filled = strings.NewReplacer("$__rate_interval", "5m", "$__range", "6h", "$job", "viva")

func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob("../grafana/*.json")
	if err != nil || len(files) < 3 {
		t.Fatalf("dashboards %v: %v", files, err)
	}
	all := make(map[string]dashboard)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = d
	}
	return all
}

// Every query of every dashboard asks for what a worker's /metrics has.
func TestDashboardsAskForMetricsThatExist(t *testing.T) {
	all := registered(t)
	legend := regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)
	for file, d := range dashboards(t) {
		for _, p := range d.Panels {
			if p.Type == "row" {
				continue
			}
			if len(p.Targets) == 0 {
				t.Errorf("%s: %q shows nothing", file, p.Title)
			}
			for _, target := range p.Targets {
				query := filled.Replace(target.Expr)
				for _, problem := range problems(query, all) {
					t.Errorf("%s: %q: %s", file, p.Title, problem)
				}
				for _, m := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
					if !regexp.MustCompile(`by \([^)]*\b` + m[1] + `\b`).MatchString(query) {
						t.Errorf("%s: %q: the legend names %s, by which nothing is grouped", file, p.Title, m[1])
					}
				}
				if !strings.Contains(target.Expr, `job=~"$job"`) {
					t.Errorf("%s: %q looks at every job of Prometheus", file, p.Title)
				}
			}
		}
	}
}

// A dashboard can be provisioned as it is: names of its own, no data source of somebody's Grafana, panels beside each other.
func TestDashboardsCanBeProvisioned(t *testing.T) {
	uids := make(map[string]string)
	for file, d := range dashboards(t) {
		if other, taken := uids[d.UID]; taken || d.UID == "" || d.Title == "" || d.SchemaVersion == 0 {
			t.Errorf("%s has the uid %q (also %s), the title %q and the schema %d", file, d.UID, other, d.Title, d.SchemaVersion)
		}
		uids[d.UID] = file
		var names []string
		for _, v := range d.Templating.List {
			names = append(names, v.Name)
			if v.Type == "query" && !strings.Contains(string(v.Query), "viva_worker_load") {
				t.Errorf("%s: the variable %s is asked of %s", file, v.Name, v.Query)
			}
		}
		if !slices.Equal(names, []string{"datasource", "job"}) {
			t.Errorf("%s has the variables %v", file, names)
		}
		arranged(t, file, d.Panels)
	}
}

func arranged(t *testing.T, file string, panels []panel) {
	t.Helper()
	ids := make(map[int]bool)
	for i, p := range panels {
		g := p.GridPos
		if ids[p.ID] || p.ID == 0 || g.W <= 0 || g.H <= 0 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("%s: %q has the id %d and lies at %+v", file, p.Title, p.ID, g)
		}
		ids[p.ID] = true
		if p.Type != "row" && (p.Datasource.UID != "${datasource}" || p.Description == "") {
			t.Errorf("%s: %q has the data source %q and the description %q", file, p.Title, p.Datasource.UID, p.Description)
		}
		for _, q := range panels[:i] {
			o := q.GridPos
			if g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H {
				t.Errorf("%s: %q lies on %q", file, p.Title, q.Title)
			}
		}
	}
}

func TestAlertsAskForMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile("../prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	all, count := registered(t), 0
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			count++
			for _, problem := range problems(r.Expr, all) {
				t.Errorf("%s: %s", r.Alert, problem)
			}
		}
	}
	if count == 0 {
		t.Error("no rule is checked")
	}
}

// The chart scales by a gauge that each worker exports.
func TestScalersAskForMetricsThatExist(t *testing.T) {
	all := registered(t)
	keda := install(t, installations()["keda"]).keda.Spec.Triggers[0]
	if got := problems(keda.Metadata["query"], all); len(got) > 0 || !strings.Contains(keda.Metadata["query"], `{namespace="talks"}`) {
		t.Errorf("KEDA asks %s: %v", keda.Metadata["query"], got)
	}
	if query := install(t, with(values{"autoscaling": values{"kind": "keda"}})).keda.Spec.Triggers[0].Metadata["query"]; len(problems(query, all)) > 0 {
		t.Errorf("KEDA asks %s", query)
	}
	pods := install(t, installations()["hpa"]).hpa.Spec.Metrics[0].Pods
	if all[pods.Metric.Name].kind != "gauge" || pods.Target.AverageValue.MilliValue() != 500 || keda.Metadata["threshold"] != "0.5" {
		t.Errorf("the autoscaler asks for %+v, KEDA for %s", pods, keda.Metadata["threshold"])
	}
}
