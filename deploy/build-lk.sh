#!/usr/bin/env bash
# Builds LiveKit's own command line, lk, into bin/lk, in a module of its own so that its dependencies stay out of ours.
# Takes some minutes the first time. The end-to-end test of `lk dispatch create` runs when bin/lk is there.
set -euo pipefail
cd "$(dirname "$0")/.."

cli=github.com/livekit/livekit-cli/v2
cli_version=v2.18.2
protocol=github.com/livekit/protocol@v1.50.0 # the newest protocol that this version of lk compiles with

output=$PWD/bin/lk
if [ -x "$output" ] && "$output" --version 2>/dev/null | grep -qF "${cli_version#v}"; then
	echo "lk: $output is $cli_version"
	exit 0
fi
mkdir -p bin
module=$(mktemp -d)
trap 'rm -rf "$module"' EXIT
cd "$module"
go mod init lk.build >/dev/null 2>&1
go get "$cli/cmd/lk@$cli_version" "$protocol"
go build -tags portaudio_system -o "$output" "$cli/cmd/lk"
echo "lk: built $output ($cli_version)"
