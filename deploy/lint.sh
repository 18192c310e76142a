#!/usr/bin/env bash
# Checks what can be checked of deploy/ without a cluster or a registry. Tools that are not there are named and skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null 2>&1; }
skip() { printf 'deploy: no %s here, skipped: %s\n' "$1" "$2"; }

scripts=(deploy/*.sh deploy/bench/*.sh .ci/run .ci/first-run .ci/fuzz .ci/packages pipeline/vad/fetch.sh agent/web/vendor.sh)
if have shellcheck; then
	shellcheck "${scripts[@]}"
else
	skip shellcheck "the scripts"
fi

# The Go tests parse every YAML file, hold limits, versions and names against the code, and the list of metrics against a worker's.
go test ./deploy/

# The chart is linted, rendered and decoded, and every query parsed, with Helm's, Kubernetes' and Prometheus' own libraries. Theirs is
# much code that does little here: it is compiled without optimisation, which takes a third less time. Go's cache of results does not
# see files outside of that module, such as the chart, so that -count=1 is needed.
(cd deploy/check && go test -count=1 -vet=off -gcflags='k8s.io/...=-N -l' -ldflags='-s -w' .)

if have docker && docker compose version >/dev/null 2>&1; then
	LIVEKIT_API_KEY=lint LIVEKIT_API_SECRET=lint REDIS_PASSWORD=lint docker compose -f deploy/compose.yaml config --quiet
else
	skip "docker compose" "deploy/compose.yaml"
fi
