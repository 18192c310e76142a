#!/usr/bin/env bash
# Checks what can be checked of deploy/ without a cluster or a registry. Tools that are not there are named and skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null 2>&1; }
skip() { printf 'deploy: no %s here, skipped: %s\n' "$1" "$2"; }

scripts=(deploy/*.sh deploy/bench/*.sh .ci/run .ci/first-run .ci/packages pipeline/vad/fetch.sh agent/web/vendor.sh)
if have shellcheck; then
	shellcheck "${scripts[@]}"
else
	skip shellcheck "the scripts"
fi

# The Go test parses every YAML file and holds limits, versions and names against the code.
go test ./deploy/

if have kubectl; then
	kubectl kustomize deploy/kubernetes >/dev/null
else
	skip kubectl "rendering the manifests"
fi

if have docker && docker compose version >/dev/null 2>&1; then
	LIVEKIT_API_KEY=lint LIVEKIT_API_SECRET=lint REDIS_PASSWORD=lint docker compose -f deploy/compose.yaml config --quiet
else
	skip "docker compose" "deploy/compose.yaml"
fi
