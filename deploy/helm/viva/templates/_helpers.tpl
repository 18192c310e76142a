{{- define "viva.name" -}}
{{- $name := .Release.Name }}{{ if ne $name "viva" }}{{ $name = printf "%s-viva" $name }}{{ end -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "viva.selector" -}}
app.kubernetes.io/name: viva
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "viva.labels" -}}
{{ include "viva.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* How many workers there may be at once. */ -}}
{{- define "viva.replicas" -}}
{{- if eq .Values.autoscaling.kind "none" }}{{ .Values.replicas }}{{ else }}{{ .Values.autoscaling.max }}{{ end -}}
{{- end }}

{{- define "viva.image" -}}
{{- with .Values.image }}
{{- if and .digest .tag }}{{ fail "image.digest and image.tag are both set: keep the digest" }}{{ end }}
{{- if .digest }}{{ printf "%s@%s" .repository .digest }}
{{- else if .tag }}{{ printf "%s:%s" .repository .tag }}
{{- else }}{{ fail "image.digest is missing: set it to the image's sha256:… (docker buildx imagetools inspect IMAGE), or image.tag for an image that no registry holds" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "viva.storeSecret" -}}
{{- .Values.store.postgres.secretName | default .Values.secret.name -}}
{{- end }}

{{- define "viva.claim" -}}
{{- .Values.persistence.existingClaim | default (include "viva.name" .) -}}
{{- end }}

{{- /* What values.schema.json cannot say: values that are each fine but do not go together. */ -}}
{{- define "viva.check" -}}
{{- $secret := list "DEEPGRAM_API_KEY" "LIVEKIT_API_KEY" "LIVEKIT_API_SECRET" "OPENAI_API_KEY" "VIVA_COMPANY_TOKENS" "VIVA_EVALUATOR_KEY" "VIVA_REPORTS_KEY" "VIVA_REPORT_WEBHOOK_SECRET" "VIVA_REPORT_WEBHOOK_URL" "VIVA_STORE_URL" }}
{{- $own := list "LIVEKIT_AGENT_NAME" "LIVEKIT_AGENT_NAME_OVERRIDE" "LIVEKIT_URL" "VIVA_AGENT_NAME" "VIVA_DRAIN_LIMIT" "VIVA_HEALTH_ADDRESS" "VIVA_MAX_JOBS" "VIVA_REPLICAS" }}
{{- range $name, $_ := .Values.settings }}
{{- if has $name $secret }}{{ fail (printf "settings.%s is a secret, or may hold one: put it into the secret that secret.name names" $name) }}{{ end }}
{{- if has $name $own }}{{ fail (printf "settings.%s is set by another value of the chart, see values.yaml" $name) }}{{ end }}
{{- end }}
{{- $workers := include "viva.replicas" . | int }}
{{- if eq .Values.store.kind "sqlite" }}
{{- if gt $workers 1 }}{{ fail (printf "store.kind is sqlite, but there may be %d workers: each would have a file of its own, no other could take up its interviews, and its reports would go with it. Set store.kind=postgres, or replicas=1 and autoscaling.kind=none" $workers) }}{{ end }}
{{- if not .Values.persistence.enabled }}{{ fail "store.kind is sqlite without a volume: every rollout would delete all interviews and reports. Set persistence.enabled=true, or store.kind=postgres" }}{{ end }}
{{- end }}
{{- if and .Values.persistence.enabled (not .Values.persistence.existingClaim) (gt $workers 1) (not (has "ReadWriteMany" .Values.persistence.accessModes)) }}
{{- fail (printf "persistence is on for %d workers, which takes a volume that several nodes may write: set persistence.accessModes={ReadWriteMany}" $workers) }}
{{- end }}
{{- if and (hasKey .Values.settings "VIVA_RECORDING_DIR") (not .Values.persistence.enabled) }}
{{- fail "settings.VIVA_RECORDING_DIR is set, but without persistence.enabled=true recordings would go with their pod" }}
{{- end }}
{{- if and (ne .Values.autoscaling.kind "none") (gt (int .Values.autoscaling.min) (int .Values.autoscaling.max)) }}
{{- fail "autoscaling.min is above autoscaling.max" }}
{{- end }}
{{- end }}

{{- /* Interviews run in pods, so they are added at once and taken away one by one. */ -}}
{{- define "viva.behavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
scaleDown:
  stabilizationWindowSeconds: 600
  policies:
    - {type: Pods, value: 1, periodSeconds: 300}
{{- end }}
