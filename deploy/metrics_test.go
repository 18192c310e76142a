package deploy_test

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/worker"
)

var update = flag.Bool("update", false, "write metrics.txt anew")

const metricsHeading = `# What a worker serves at /metrics: name, kind, labels. deploy/check holds dashboards, alerts and scalers against this list, and
# deploy_test.go this list against the program: go test ./deploy -run TestMetricsAreListed -update
`

// shown are those of Go's own metrics that dashboards use; which others there are depends on its version and on the system.
var shown = []string{"go_goroutines", "process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_resident_memory_bytes"}

// ledger is a registry that also notes the labels of metrics that have no series yet.
type ledger struct {
	*prometheus.Registry
	labels map[string][]string
	kinds  map[string]string
}

var description = regexp.MustCompile(`fqName: "([^"]+)".*constLabels: \{([^}]*)\}, variableLabels: \{([^}]*)\}`)

func (l *ledger) Register(c prometheus.Collector) error {
	described := make(chan *prometheus.Desc, 200)
	c.Describe(described)
	close(described)
	for d := range described {
		m := description.FindStringSubmatch(d.String())
		if m == nil {
			panic("a description has another form: " + d.String())
		}
		l.labels[m[1]] = slices.Concat(constant(m[2]), words(m[3]))
		switch c.(type) {
		case *prometheus.HistogramVec:
			l.kinds[m[1]] = "histogram"
		case *prometheus.CounterVec:
			l.kinds[m[1]] = "counter"
		case *prometheus.GaugeVec:
			l.kinds[m[1]] = "gauge"
		}
	}
	return l.Registry.Register(c)
}

func (l *ledger) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := l.Register(c); err != nil {
			panic(err)
		}
	}
}

// constant are the names in `a="1",b="2"`.
func constant(text string) []string {
	var names []string
	for _, pair := range words(text) {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// registered is what a worker registers, as the lines of metrics.txt.
func registered(t *testing.T) []string {
	t.Helper()
	l := &ledger{Registry: prometheus.NewRegistry(), labels: make(map[string][]string), kinds: make(map[string]string)}
	l.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	agent.NewMetrics(l)
	options := worker.Options{URL: "ws://127.0.0.1:7880", APIKey: "key", APISecret: "secret", Registerer: l}
	if _, err := worker.New(options, new(agent.Interviewer)); err != nil {
		t.Fatal(err)
	}
	families, err := l.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		l.kinds[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	var lines []string
	for name, labels := range l.labels {
		if foreign := strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_"); foreign && !slices.Contains(shown, name) {
			continue
		}
		lines = append(lines, strings.Join(slices.Concat([]string{name, l.kinds[name]}, labels), " "))
	}
	slices.Sort(lines)
	return lines
}

func TestMetricsAreListed(t *testing.T) {
	want := metricsHeading + strings.Join(registered(t), "\n") + "\n"
	if *update {
		if err := os.WriteFile("metrics.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, "metrics.txt"), want); diff != "" {
		t.Errorf("a worker registers other metrics than metrics.txt lists (go test ./deploy -run TestMetricsAreListed -update):\n%s", diff)
	}
}

// The table of docs/operations.md names no metric that is gone, nor labels that it has not.
func TestDocumentedMetricsExist(t *testing.T) {
	lines := registered(t)
	named := regexp.MustCompile("`(viva_[a-z_]+)(?:\\{([a-z,]+)\\})?`").FindAllStringSubmatch(read(t, "../docs/operations.md"), -1)
	if len(named) < 20 {
		t.Fatalf("only %v are named", named)
	}
	for _, m := range named {
		if strings.HasPrefix(m[1], "viva_evaluator_") { // another process
			continue
		}
		i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, m[1]+" ") })
		if i < 0 {
			t.Errorf("the worker has no metric %s", m[1])
			continue
		}
		if m[2] != "" && !slices.Equal(words(m[2]), strings.Fields(lines[i])[2:]) {
			t.Errorf("%s is documented with the labels %s: %s", m[1], m[2], lines[i])
		}
	}
}
