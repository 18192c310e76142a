// Package deploy_test holds what cannot be run in a test (images, manifests, alert rules) against what can: the settings
// table, the module's versions, the set-up script and the code of the metrics.
package deploy_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/cmd/viva/settings"
)

type document = map[string]any

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decode(t *testing.T, path string) document {
	t.Helper()
	var d document
	if err := yaml.Unmarshal([]byte(read(t, path)), &d); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return d
}

// at follows a path such as "spec/containers/0/name" into a decoded document.
func at[T any](t *testing.T, d any, path string) T {
	t.Helper()
	value := d
	for step := range strings.SplitSeq(path, "/") {
		switch v := value.(type) {
		case document:
			value = v[step]
		case []any:
			var i int
			if _, err := fmt.Sscanf(step, "%d", &i); err != nil || i >= len(v) {
				t.Fatalf("no %q on the way to %s", step, path)
			}
			value = v[i]
		default:
			t.Fatalf("no %q on the way to %s", step, path)
		}
	}
	found, ok := value.(T)
	if !ok {
		t.Fatalf("%s is a %T", path, value)
	}
	return found
}

// submatch returns the only group of the pattern's first match.
func submatch(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return m[1]
}

func packageList(text string) []string {
	words := strings.Fields(strings.ReplaceAll(text, `\`, " "))
	slices.Sort(words)
	return words
}

func TestEveryYAMLFileParses(t *testing.T) {
	count := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// Templates are none before they are rendered; what they render to has several documents.
		if filepath.Ext(path) == ".yaml" && !strings.Contains(path, "templates/") && !strings.Contains(path, "testdata/") {
			count++
			decode(t, path)
		}
		return nil
	})
	if err != nil || count < 5 {
		t.Errorf("walked %d files, error %v", count, err)
	}
}

// rendered are the installations that the chart's own tests render; deploy/check holds these files against the chart.
func rendered(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("check/testdata/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("installations %v: %v", files, err)
	}
	return files
}

// object is the only one of a kind in a file of several.
func object(t *testing.T, path, kind string) document {
	t.Helper()
	for text := range strings.SplitSeq(read(t, path), "---\n") {
		var d document
		if err := yaml.Unmarshal([]byte(text), &d); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if d["kind"] == kind {
			return d
		}
	}
	t.Fatalf("%s has no %s", path, kind)
	return nil
}

func drainLimit(t *testing.T) time.Duration {
	t.Helper()
	for _, d := range settings.Table() {
		if d.Key == "worker.drain_limit" {
			limit, err := time.ParseDuration(d.Default)
			if err != nil {
				t.Fatal(err)
			}
			return limit
		}
	}
	t.Fatal("worker.drain_limit is not a setting any more")
	return 0
}

func TestTerminationWaitsForTheDrain(t *testing.T) {
	limit := drainLimit(t)
	compose, err := time.ParseDuration(at[string](t, decode(t, "compose.yaml"), "x-worker/stop_grace_period"))
	if err != nil || compose <= limit {
		t.Errorf("compose stops after %v (%v), the drain may take %v", compose, err, limit)
	}
	for _, path := range rendered(t) {
		seconds := at[uint64](t, object(t, path, "Deployment"), "spec/template/spec/terminationGracePeriodSeconds")
		configured, err := time.ParseDuration(at[string](t, object(t, path, "ConfigMap"), "data/VIVA_DRAIN_LIMIT"))
		if err != nil {
			t.Fatal(err)
		}
		if pod := time.Duration(seconds) * time.Second; pod <= configured {
			t.Errorf("%s: a pod is killed after %v, the drain may take %v", path, pod, configured)
		}
	}
}

// A misspelt variable would be ignored in silence.
func TestVariablesAreSettings(t *testing.T) {
	var known []string
	for _, d := range settings.Table() {
		known = append(known, d.Env...)
	}
	var used []string
	for name := range at[document](t, decode(t, "compose.yaml"), "x-worker-environment") {
		used = append(used, name)
	}
	for _, worker := range []string{"viva-1", "viva-2", "evaluator"} {
		for name := range at[document](t, decode(t, "compose.yaml"), "services/"+worker+"/environment") {
			used = append(used, name)
		}
	}
	for _, path := range rendered(t) {
		for name := range at[document](t, object(t, path, "ConfigMap"), "data") {
			used = append(used, name)
		}
	}
	for _, name := range used {
		if !slices.Contains(known, name) && name != "<<" {
			t.Errorf("%s sets nothing", name)
		}
	}
}

// What the chart sets must be settings that `viva start` accepts, with a secret such as docs/operations.md makes; and with a file in
// place of PostgreSQL in that secret, which no chart can see, more than one worker does not start.
func TestChartSettingsAreAccepted(t *testing.T) {
	for _, path := range rendered(t) {
		values := map[string]string{"LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": "secret", "VIVA_STORE_URL": "postgres://viva:password@db/viva"}
		for name, value := range at[document](t, object(t, path, "ConfigMap"), "data") {
			values[name] = fmt.Sprint(value)
		}
		start := func() error {
			env := func(name string) (string, bool) { value, ok := values[name]; return value, ok }
			_, err := settings.Load(settings.LoadOptions{Command: settings.CommandStart, Env: env})
			return err
		}
		if err := start(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		values["VIVA_STORE_URL"] = "/var/lib/viva/interviews.db"
		if err := start(); (err != nil) != (values["VIVA_REPLICAS"] != "1") {
			t.Errorf("%s: %s workers with a file: %v", path, values["VIVA_REPLICAS"], err)
		}
	}
}

// The chart's settings take no secret, and nothing that another value of the chart sets: its helpers list both.
func TestChartSettingsHoldNoSecret(t *testing.T) {
	helpers := read(t, "helm/viva/templates/_helpers.tpl")
	listed := func(variable string) []string {
		names := strings.Fields(strings.ReplaceAll(submatch(t, helpers, `\$`+variable+` := list (.*) }}`), `"`, ""))
		slices.Sort(names)
		return names
	}
	var secret, own []string
	mayHoldOne := []string{"livekit.api_key", "store.url", "report.webhook_url"}
	setByValue := []string{"livekit.url", "agent_name", "worker.drain_limit", "worker.max_jobs", "worker.replicas", "health.address"}
	for _, d := range settings.Table() {
		switch {
		case d.Secret || slices.Contains(mayHoldOne, d.Key):
			secret = append(secret, d.Env...)
		case slices.Contains(setByValue, d.Key):
			own = append(own, d.Env...)
			if d.Override != "" {
				own = append(own, d.Override)
			}
		}
	}
	slices.Sort(secret)
	slices.Sort(own)
	if got := listed("secret"); !slices.Equal(got, secret) {
		t.Errorf("the chart refuses the secrets %v, want %v", got, secret)
	}
	if got := listed("own"); !slices.Equal(got, own) {
		t.Errorf("the chart refuses %v, which others of its values set; want %v", got, own)
	}
}

// The evaluator of the compose file starts with what its heading says to set, where the workers look for it.
func TestComposedEvaluatorIsFound(t *testing.T) {
	compose := decode(t, "compose.yaml")
	if at[string](t, compose, "services/evaluator/profiles/0") != "evaluator" || at[string](t, compose, "services/evaluator/command/0") != "evaluator" {
		t.Error("it is no service of its profile, or another program")
	}
	values := map[string]string{"VIVA_EVALUATOR_KEY": strings.Repeat("k", 48)}
	address := at[string](t, compose, "services/evaluator/environment/VIVA_EVALUATOR_ADDRESS")
	values["VIVA_EVALUATOR_ADDRESS"] = address
	env := func(name string) (string, bool) { value, ok := values[name]; return value, ok }
	if _, err := settings.Load(settings.LoadOptions{Command: settings.CommandEvaluator, Env: env}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(read(t, "compose.yaml"), "VIVA_EVALUATOR_URL=http://"+address+"\n") {
		t.Errorf("the heading does not send workers to %s", address)
	}
	for _, name := range []string{"VIVA_EVALUATOR_URL", "VIVA_EVALUATOR_KEY"} {
		if got := at[string](t, compose, "x-worker-environment/"+name); got != "${"+name+":-}" {
			t.Errorf("workers get %s = %s", name, got)
		}
	}
}

// The page of the compose file starts when it is said who gets tokens, and with nothing said is refused with the settings' names.
func TestComposedPageAsksWhoGetsTokens(t *testing.T) {
	values := map[string]string{"LIVEKIT_URL": "ws://127.0.0.1:7880", "LIVEKIT_API_KEY": "viva", "LIVEKIT_API_SECRET": strings.Repeat("s", 64)}
	worker := at[document](t, decode(t, "compose.yaml"), "services/viva-1/environment")
	for name, value := range worker {
		if text, ok := value.(string); ok && name != "<<" && !strings.HasPrefix(text, "${") {
			values[name] = text
		}
	}
	for name, fallback := range map[string]string{"VIVA_WEB_LOCAL_TOKENS": "false", "VIVA_WEB_OPEN_TOKENS": "false", "VIVA_WEB_TRUSTED_PROXIES": ""} {
		if worker[name] != "${"+name+":-"+fallback+"}" {
			t.Errorf("%s is %v", name, worker[name])
		}
		values[name] = fallback
	}
	env := func(name string) (string, bool) { value, ok := values[name]; return value, ok }
	start := func() error {
		_, err := settings.Load(settings.LoadOptions{Command: settings.CommandStart, Env: env})
		return err
	}
	if err := start(); err == nil || !strings.Contains(err.Error(), "--web-open-tokens") {
		t.Errorf("with nothing said: %v", err)
	}
	values["VIVA_WEB_LOCAL_TOKENS"] = "true"
	if err := start(); err != nil || !strings.Contains(read(t, "compose.yaml"), "export VIVA_WEB_LOCAL_TOKENS=true") {
		t.Errorf("as the heading says: %v", err)
	}
}

// Redis shares the loopback interface with every user of the host: it wants a password, which LiveKit has, and which is in no
// process's arguments.
func TestComposedRedisWantsAPassword(t *testing.T) {
	compose := decode(t, "compose.yaml")
	const required = "${REDIS_PASSWORD:?set REDIS_PASSWORD}"
	for _, path := range []string{"services/redis/environment/REDIS_PASSWORD", "services/redis/environment/REDISCLI_AUTH", "services/livekit/environment/REDIS_PASSWORD"} {
		if got := at[string](t, compose, path); got != required {
			t.Errorf("%s is %s", path, got)
		}
	}
	command := at[string](t, compose, "services/redis/command/2")
	options, input, _ := strings.Cut(command, "<<CONF\n")
	if strings.Contains(options, "REDIS_PASSWORD") || !strings.Contains(input, `requirepass "$$REDIS_PASSWORD"`) || !strings.Contains(options, "--bind 127.0.0.1") {
		t.Errorf("Redis is started with %s", command)
	}
}

func TestImageIsBuiltAsSetUpSays(t *testing.T) {
	dockerfile, setup := read(t, "Dockerfile"), read(t, "setup.sh")
	want := packageList(submatch(t, setup, `(?m)^run_packages=\((.*)\)$`))
	toRun := []string{"pocketsphinx-en-us", "espeak-ng", "fonts-dejavu-core", "fonts-droid-fallback"} // needed to run, not to build
	final := dockerfile[strings.LastIndex(dockerfile, "\nFROM "):]
	for _, name := range toRun {
		if !strings.Contains(final, name) || !slices.Contains(want, name) {
			t.Errorf("%s is not in both the image and setup.sh", name)
		}
	}
	want = slices.DeleteFunc(want, func(name string) bool { return slices.Contains(toRun, name) })
	build := submatch(t, dockerfile, `(?s)AS build\nRUN apt-get update.*?recommends \\\n(.*?)&&`)
	if got := packageList(build); !slices.Equal(got, want) {
		t.Errorf("the image is built with %v, setup.sh installs %v", got, want)
	}
	goVersion := submatch(t, read(t, "../go.mod"), `(?m)^go (\S+)$`)
	if !strings.Contains(dockerfile, "FROM golang:"+goVersion+"-bookworm AS build") {
		t.Errorf("the image is not built with Go %s", goVersion)
	}
	for _, script := range []string{"pipeline/vad/fetch.sh", "vendor.sh"} {
		if !strings.Contains(dockerfile, script) || !strings.Contains(setup, script) {
			t.Errorf("%s is not run by both the image and setup.sh", script)
		}
	}
}

func TestImageIsForProduction(t *testing.T) {
	dockerfile := read(t, "Dockerfile")
	if strings.Contains(dockerfile, "-tags") {
		t.Error("the image is built with a tag; devserver would link a LiveKit server")
	}
	final := dockerfile[strings.LastIndex(dockerfile, "\nFROM "):]
	for _, want := range []string{"USER 10001", `CMD ["viva", "health"]`, `ENTRYPOINT ["viva"]`, `CMD ["start"]`, "STOPSIGNAL SIGTERM"} {
		if !strings.Contains(final, want) {
			t.Errorf("the final stage lacks %s", want)
		}
	}
	pod := at[document](t, object(t, "check/testdata/fleet.yaml", "Deployment"), "spec/template/spec")
	if user := at[uint64](t, pod, "securityContext/runAsUser"); user != 10001 {
		t.Errorf("the pod runs as %d, the image as 10001", user)
	}
}

func TestServerVersionIsTheTestedOne(t *testing.T) {
	version := submatch(t, read(t, "../go.mod"), `github.com/livekit/livekit-server (\S+)`)
	image := at[string](t, decode(t, "compose.yaml"), "services/livekit/image")
	if image != "${LIVEKIT_IMAGE:-livekit/livekit-server:"+version+"}" {
		t.Errorf("compose runs %s, the tests run %s", image, version)
	}
}
