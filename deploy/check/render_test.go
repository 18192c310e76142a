package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const chartDir = "../helm/viva"

// digest is well formed; nothing is fetched by it.
var digest = "sha256:" + strings.Repeat("0123456789abcdef", 4)

type values = map[string]any

// least is what must be set, with the interviews in PostgreSQL.
func least() values {
	return values{
		"image":   values{"repository": "registry.example/viva", "digest": digest},
		"livekit": values{"url": "wss://livekit.example.com"},
		"secret":  values{"name": "viva-keys"},
		"store":   values{"kind": "postgres"},
	}
}

// with is least with some values changed.
func with(changes values) values { return util.CoalesceTables(changes, least()) }

// installations are ways to install the chart that should work; testdata holds what each renders to.
func installations() map[string]values {
	return map[string]values{
		"one":      with(values{"store": values{"kind": "sqlite"}, "persistence": values{"enabled": true}}),
		"fleet":    with(values{"replicas": 3, "settings": values{"VIVA_DEFAULT_INTERVIEW": "conversation", "VIVA_LOG_LEVEL": "warn"}}),
		"hpa":      with(values{"autoscaling": values{"kind": "hpa"}}),
		"keda":     with(values{"autoscaling": values{"kind": "keda", "prometheus": values{"selector": `namespace="talks"`}}}),
		"shared":   with(shared()),
		"untagged": with(values{"image": values{"repository": "viva", "digest": "", "tag": "local", "pullPolicy": "Never"}, "networkPolicy": values{"enabled": false}}),
	}
}

// shared uses all that may be given.
func shared() values {
	return values{
		"replicas": 2, "drainMinutes": 45, "maxJobs": 8, "agentName": "viva-de",
		"image":       values{"pullSecrets": []any{"registry-key"}},
		"store":       values{"postgres": values{"secretName": "interviews-app", "key": "uri"}},
		"persistence": values{"enabled": true, "accessModes": []any{"ReadWriteMany"}, "storageClass": "nfs"},
		"settings":    values{"VIVA_RECORDING_DIR": "/var/lib/viva/recordings"},
		"networkPolicy": values{
			"metricsFrom": []any{values{"podSelector": values{"matchLabels": values{"team": "watch"}}}},
			"egress":      []any{values{"to": []any{values{"ipBlock": values{"cidr": "10.0.0.0/8"}}}}},
		},
		"podLabels": values{"team": "talks"}, "podAnnotations": values{"note": "x"}, "nodeSelector": values{"pool": "talks"},
		"tolerations": []any{values{"key": "talks", "operator": "Exists", "effect": "NoSchedule"}},
	}
}

// render is what `helm template talks` with these values makes, a file after the other; notes are left out.
func render(ctx context.Context, v values) (string, error) {
	chart, err := loader.Load(chartDir)
	if err != nil {
		return "", fmt.Errorf("load the chart: %w", err)
	}
	all, err := util.ToRenderValues(chart, v, common.ReleaseOptions{Name: "talks", Namespace: "interviews", IsInstall: true, Revision: 1}, nil)
	if err != nil {
		return "", fmt.Errorf("check the values: %w", err)
	}
	files, err := engine.Engine{Strict: true}.RenderWithContext(ctx, chart, all)
	if err != nil {
		return "", fmt.Errorf("render the chart: %w", err)
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := strings.TrimSpace(files[name]); filepath.Ext(name) == ".yaml" && text != "" {
			fmt.Fprintf(&out, "---\n# %s\n%s\n", strings.TrimPrefix(name, "viva/templates/"), text)
		}
	}
	return out.String(), nil
}

// scaledObject are the fields of KEDA's that the chart uses. KEDA's own type would bring its operator along; so a field that
// KEDA does not know would pass here.
type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef  autoscalingv2.CrossVersionObjectReference `json:"scaleTargetRef"`
		PollingInterval int32                                     `json:"pollingInterval"`
		MinReplicaCount int32                                     `json:"minReplicaCount"`
		MaxReplicaCount int32                                     `json:"maxReplicaCount"`
		Advanced        struct {
			HorizontalPodAutoscalerConfig struct {
				Behavior autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior"`
			} `json:"horizontalPodAutoscalerConfig"`
		} `json:"advanced"`
		Triggers []struct {
			Type       string            `json:"type"`
			MetricType string            `json:"metricType"`
			Metadata   map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// release are the objects of one installation; nil: it has none of the kind.
type release struct {
	config     *corev1.ConfigMap
	deployment *appsv1.Deployment
	claim      *corev1.PersistentVolumeClaim
	budget     *policyv1.PodDisruptionBudget
	network    *networkingv1.NetworkPolicy
	service    *corev1.Service
	hpa        *autoscalingv2.HorizontalPodAutoscaler
	keda       *scaledObject
	all        []metav1.Object
}

// parse reads rendered manifests as the API server would with strict field validation: what a type does not have is an error.
func parse(manifests string) (*release, error) {
	var r release
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifests)))
	for {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return &r, nil
		}
		if err != nil {
			return nil, fmt.Errorf("split the manifests: %w", err)
		}
		if err := r.add(text); err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, text)
		}
	}
}

func (r *release) add(text []byte) error {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(text, &kind); err != nil {
		return err
	}
	switch kind.APIVersion + "/" + kind.Kind {
	case "v1/ConfigMap":
		return decode(r, text, &r.config)
	case "apps/v1/Deployment":
		return decode(r, text, &r.deployment)
	case "v1/PersistentVolumeClaim":
		return decode(r, text, &r.claim)
	case "policy/v1/PodDisruptionBudget":
		return decode(r, text, &r.budget)
	case "networking.k8s.io/v1/NetworkPolicy":
		return decode(r, text, &r.network)
	case "v1/Service":
		return decode(r, text, &r.service)
	case "autoscaling/v2/HorizontalPodAutoscaler":
		return decode(r, text, &r.hpa)
	case "keda.sh/v1alpha1/ScaledObject":
		return decode(r, text, &r.keda)
	}
	return fmt.Errorf("unexpected %s %s", kind.APIVersion, kind.Kind)
}

// decode fills a field of the release, once.
func decode[T any](r *release, text []byte, field **T) error {
	if *field != nil {
		return errors.New("a second one")
	}
	*field = new(T)
	if err := yaml.UnmarshalStrict(text, *field); err != nil {
		return err
	}
	object, ok := any(*field).(metav1.Object)
	if !ok {
		return fmt.Errorf("%T is no object", *field)
	}
	r.all = append(r.all, object)
	return nil
}

// install renders and parses, which must both work.
func install(t *testing.T, v values) *release {
	t.Helper()
	text, err := render(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	r, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
