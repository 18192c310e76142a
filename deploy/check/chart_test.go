package check

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
)

var update = flag.Bool("update", false, "write what the chart renders to testdata")

func TestChartIsLinted(t *testing.T) {
	for name, v := range installations() {
		for _, m := range lint.RunAll(chartDir, v, "interviews").Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %s", name, m)
			}
		}
	}
}

// The program's own tests read testdata, to hold the variables there against its settings.
func TestRendered(t *testing.T) {
	var files []string
	for name, v := range installations() {
		got, err := render(t.Context(), v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		file := filepath.Join("testdata", name+".yaml")
		files = append(files, file)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s is not what the chart renders (error %v); if that is meant: cd deploy/check && go test -count=1 . -update", file, err)
		}
	}
	if found, _ := filepath.Glob("testdata/*"); len(found) != len(files) {
		t.Errorf("testdata has %v", found)
	}
}

// What goes together only in part is refused with words that name the values to change.
func TestImpossibleInstallationsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		values values
		want   []string
	}{
		"nothing set":    {values{}, []string{"store/kind", "secret/name", "livekit/url"}},
		"no image":       {with(values{"image": values{"digest": ""}}), []string{"image.digest is missing"}},
		"tag and digest": {with(values{"image": values{"tag": "latest"}}), []string{"keep the digest"}},
		"short digest":   {with(values{"image": values{"digest": "sha256:abc"}}), []string{"image/digest"}},
		"files of replicas": {with(values{"store": values{"kind": "sqlite"}, "persistence": values{"enabled": true}, "replicas": 2}),
			[]string{"may be 2 workers", "store.kind=postgres"}},
		"files of a growing fleet": {with(values{"store": values{"kind": "sqlite"}, "persistence": values{"enabled": true}, "autoscaling": values{"kind": "hpa"}}),
			[]string{"may be 20 workers", "autoscaling.kind=none"}},
		"a file that goes with its pod":    {with(values{"store": values{"kind": "sqlite"}}), []string{"persistence.enabled=true"}},
		"recordings that go with the pod":  {with(values{"settings": values{"VIVA_RECORDING_DIR": "/var/lib/viva/r"}}), []string{"persistence.enabled=true"}},
		"a disk of one node for many":      {with(values{"replicas": 2, "persistence": values{"enabled": true}}), []string{"ReadWriteMany"}},
		"a secret among the settings":      {with(values{"settings": values{"OPENAI_API_KEY": "sk-x"}}), []string{"settings.OPENAI_API_KEY is a secret", "secret.name"}},
		"a setting of another value":       {with(values{"settings": values{"VIVA_REPLICAS": "1"}}), []string{"settings.VIVA_REPLICAS is set by another value"}},
		"a password in LiveKit's address":  {with(values{"livekit": values{"url": "wss://user:pass@host"}}), []string{"livekit/url"}},
		"a value that does not exist":      {with(values{"replica": 2}), []string{"replica"}},
		"a target where LiveKit has ended": {with(values{"autoscaling": values{"target": 0.7}}), []string{"target"}},
		"fewer at most than at least":      {with(values{"autoscaling": values{"kind": "keda", "min": 3, "max": 2}}), []string{"autoscaling.min"}},
	} {
		_, err := render(t.Context(), test.values)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

// Objects find each other by names and labels, and all names are ones that the API server takes.
func TestObjectsFitTogether(t *testing.T) {
	for name, v := range installations() {
		t.Run(name, func(t *testing.T) {
			r := install(t, v)
			for _, o := range r.all {
				wellNamed(t, o)
			}
			pod := r.deployment.Spec.Template
			for what, selector := range map[string]*metav1.LabelSelector{
				"deployment": r.deployment.Spec.Selector, "budget": r.budget.Spec.Selector,
				"spread": pod.Spec.TopologySpreadConstraints[0].LabelSelector, "service": {MatchLabels: r.service.Spec.Selector},
			} {
				selects(t, what, selector, pod.Labels)
			}
			if r.network != nil {
				selects(t, "network policy", &r.network.Spec.PodSelector, pod.Labels)
			}
			volumesFit(t, r)
			portsFit(t, r)
			scalerFits(t, r)
		})
	}
}

func wellNamed(t *testing.T, o metav1.Object) {
	t.Helper()
	problems := validation.IsDNS1035Label(o.GetName()) // the strictest of all kinds: services
	for key, value := range o.GetLabels() {
		problems = append(problems, validation.IsQualifiedName(key)...)
		problems = append(problems, validation.IsValidLabelValue(value)...)
	}
	if len(problems) > 0 || o.GetNamespace() != "interviews" || o.GetLabels()["app.kubernetes.io/instance"] != "talks" {
		t.Errorf("%T %s in %s labelled %v: %v", o, o.GetName(), o.GetNamespace(), o.GetLabels(), problems)
	}
}

func selects(t *testing.T, what string, selector *metav1.LabelSelector, pod map[string]string) {
	t.Helper()
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil || s.Empty() || !s.Matches(labels.Set(pod)) {
		t.Errorf("the %s's selector %v does not select pods with %v: %v", what, s, pod, err)
	}
}

func volumesFit(t *testing.T, r *release) {
	t.Helper()
	pod := r.deployment.Spec.Template.Spec
	named := make(map[string]corev1.Volume)
	for _, v := range pod.Volumes {
		named[v.Name] = v
		if claim := v.PersistentVolumeClaim; claim != nil && (r.claim == nil || claim.ClaimName != r.claim.Name) {
			t.Errorf("volume %s is of the claim %s, which is not rendered", v.Name, claim.ClaimName)
		}
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if _, ok := named[m.Name]; !ok {
			t.Errorf("nothing is mounted at %s", m.MountPath)
		}
	}
	if r.claim != nil && r.claim.Annotations["helm.sh/resource-policy"] != "keep" {
		t.Error("helm uninstall would delete all interviews")
	}
}

func portsFit(t *testing.T, r *release) {
	t.Helper()
	c := r.deployment.Spec.Template.Spec.Containers[0]
	address := fmt.Sprintf(":%d", c.Ports[0].ContainerPort)
	if got := r.config.Data["VIVA_HEALTH_ADDRESS"]; got != address {
		t.Errorf("the worker listens on %s, the port is %s", got, address)
	}
	health := intstr.FromString(c.Ports[0].Name)
	ports := []intstr.IntOrString{r.service.Spec.Ports[0].TargetPort, c.ReadinessProbe.HTTPGet.Port, c.LivenessProbe.TCPSocket.Port}
	if r.network != nil {
		if len(r.network.Spec.Ingress) != 1 || len(r.network.Spec.Ingress[0].From) == 0 || len(r.network.Spec.PolicyTypes) != 2 {
			t.Errorf("everybody reaches the worker: %+v", r.network.Spec)
		}
		ports = append(ports, *r.network.Spec.Ingress[0].Ports[0].Port)
	}
	for _, p := range ports {
		if p != health {
			t.Errorf("port %v is not the container's", p)
		}
	}
	if c.LivenessProbe.HTTPGet != nil {
		t.Error("a LiveKit server that is away would end running interviews")
	}
}

func scalerFits(t *testing.T, r *release) {
	t.Helper()
	switch {
	case r.hpa != nil && r.hpa.Spec.ScaleTargetRef.Name != r.deployment.Name, r.keda != nil && r.keda.Spec.ScaleTargetRef.Name != r.deployment.Name:
		t.Error("another deployment is scaled")
	case (r.hpa != nil || r.keda != nil) != (r.deployment.Spec.Replicas == nil):
		t.Error("replicas are set by the deployment as well as by a scaler, or by neither")
	case r.keda != nil && r.keda.Spec.MinReplicaCount < 1:
		t.Error("a fleet without workers hears of no interview")
	}
}

// No value loosens what a pod may do.
func TestPodsMayDoLittle(t *testing.T) {
	for name, v := range installations() {
		pod := install(t, v).deployment.Spec.Template.Spec
		s := pod.SecurityContext
		if !*s.RunAsNonRoot || *s.RunAsUser == 0 || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault || *pod.AutomountServiceAccountToken {
			t.Errorf("%s: the pod's security is %+v", name, s)
		}
		if pod.HostNetwork || pod.HostPID || pod.HostIPC {
			t.Errorf("%s: the pod shares its host", name)
		}
		for _, c := range pod.Containers {
			s := c.SecurityContext
			if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || s.Privileged != nil {
				t.Errorf("%s: the security of %s is %+v", name, c.Name, s)
			}
			if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Memory().Cmp(*c.Resources.Limits.Memory()) > 0 {
				t.Errorf("%s: memory of %s: %v", name, c.Name, c.Resources)
			}
		}
	}
}

func TestImagesAreByDigest(t *testing.T) {
	pinned := regexp.MustCompile(`^[^@:]+@sha256:[0-9a-f]{64}$`)
	for name, v := range installations() {
		c := install(t, v).deployment.Spec.Template.Spec.Containers
		if image := c[0].Image; len(c) != 1 || pinned.MatchString(image) == (name == "untagged") {
			t.Errorf("%s runs %s", name, image)
		}
	}
}

// Secrets are named, never held: neither by the chart's objects nor by the values that Helm keeps of a release.
func TestSecretsAreReferred(t *testing.T) {
	r := install(t, installations()["fleet"])
	c := r.deployment.Spec.Template.Spec.Containers[0]
	if len(c.Env) != 1 || c.Env[0].Name != "VIVA_STORE_URL" || c.Env[0].Value != "" || c.Env[0].ValueFrom.SecretKeyRef.Name != "viva-keys" || c.Env[0].ValueFrom.SecretKeyRef.Optional != nil {
		t.Errorf("variables are %+v", c.Env)
	}
	if c.EnvFrom[0].SecretRef.Name != "viva-keys" || c.EnvFrom[1].ConfigMapRef.Name != r.config.Name {
		t.Errorf("variables come from %+v", c.EnvFrom)
	}
	if ref := install(t, installations()["shared"]).deployment.Spec.Template.Spec.Containers[0].Env[0].ValueFrom.SecretKeyRef; ref.Name != "interviews-app" || ref.Key != "uri" {
		t.Errorf("the database's address comes from %+v", ref)
	}
}

// The worker is told how many there may be, so that it refuses what the chart cannot see: a secret with a file's name in it.
func TestWorkersKnowHowManyThereMayBe(t *testing.T) {
	got := make(map[string]string)
	for name, v := range installations() {
		got[name] = install(t, v).config.Data["VIVA_REPLICAS"]
	}
	want := map[string]string{"one": "1", "fleet": "3", "hpa": "20", "keda": "20", "shared": "2", "untagged": "1"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Two pods with one file on one volume would wait for each other, two on several nodes not even that.
func TestOneFileHasOnePod(t *testing.T) {
	one, fleet := install(t, installations()["one"]).deployment.Spec, install(t, installations()["fleet"]).deployment.Spec
	if one.Strategy.Type != "Recreate" || *one.Replicas != 1 {
		t.Errorf("a worker with a file is replaced by %v", one.Strategy)
	}
	if r := fleet.Strategy.RollingUpdate; r == nil || r.MaxUnavailable.IntValue() != 0 || r.MaxSurge.IntValue() < 1 {
		t.Errorf("a fleet is replaced by %v", fleet.Strategy)
	}
}

func TestChangedSettingsStartNewPods(t *testing.T) {
	hash := func(v values) string { return install(t, v).deployment.Spec.Template.Annotations["viva/config"] }
	if a, b := hash(least()), hash(with(values{"settings": values{"VIVA_LOG_LEVEL": "debug"}})); a == b || a == "" {
		t.Errorf("hashes %q and %q", a, b)
	}
}
