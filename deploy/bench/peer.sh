#!/usr/bin/env bash
# Measures LiveKit's agents framework for Node beside Viva, in one run on one machine: the same LiveKit server, the same stand-in for
# the providers, the same candidates, in turns. Prints one table and writes bench.json. docs/benchmarks.md says how to read it.
#
#   deploy/bench/peer.sh            all of it, below 10 minutes once it is built
#   deploy/bench/peer.sh --quick    fewer turns, below 3 minutes: does it work, roughly how fast
#
# BENCH_PORT (default 17880) is the first of ten ports that are used, on the loopback interface; BENCH_OUT (default artifacts/bench)
# is where reports and logs go. Everything that is started is stopped again, whatever happens.
set -euo pipefail
cd "$(dirname "$0")/../.."

port=${BENCH_PORT:-17880}
out=$(mkdir -p "${BENCH_OUT:-artifacts/bench}" && cd "${BENCH_OUT:-artifacts/bench}" && pwd)
bin=$PWD/bin/peer
recordings=/usr/share/asterisk/sounds/en_US_f_Allison

# What the candidates say: complete statements of 2.6 to 4.5 s, and what they interrupt with.
answers=(conf-onlyperson vm-nobodyavail conf-waitforleader feature-not-avail-line vm-mailboxfull
	demo-echodone dir-nomore privacy-unident confbridge-lock-no-join cannot-complete-as-dialed)
interruptions=(privacy-incorrect vm-sorry please-try-call-later check-number-dial-again)

say() { printf 'bench: %s\n' "$*" >&2; }
fail() { printf 'bench: %s\n' "$*" >&2; exit 1; }

check_machine() {
	local program
	for program in go node npm ffmpeg setsid timeout; do
		command -v "$program" >/dev/null || fail "$program is missing: run make setup, then apt-get install ffmpeg"
	done
	[ -d "$recordings" ] || fail "the candidates' recordings are missing: apt-get install asterisk-core-sounds-en-g722"
	[ "$(uname -s)" = Linux ] || fail "memory and CPU are read from Linux's /proc"
}

build() {
	local version
	version=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)
	say "building $version (the first time takes some minutes)"
	mkdir -p "$bin"
	go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$bin/viva" ./cmd/viva
	go build -tags devserver -o "$bin/viva-dev" ./cmd/viva
}

# The lock file pins versions and checksums; no package's install script is run.
install_peer() {
	local want
	want=$(cksum <deploy/bench/package-lock.json)
	if [ ! -f "$bin/installed" ] || [ "$(cat "$bin/installed")" != "$want" ]; then
		say "installing the Node agent into bin/peer (300 MB)"
		cp deploy/bench/package.json deploy/bench/package-lock.json deploy/bench/.npmrc "$bin/"
		npm ci --prefix "$bin" --ignore-scripts --no-audit --no-fund --loglevel=error
		echo "$want" >"$bin/installed"
	fi
	cp deploy/bench/agent.mjs "$bin/"
}

decode_recordings() {
	local name
	mkdir -p "$bin/speech"
	for name in "${answers[@]}" "${interruptions[@]}"; do
		[ -s "$bin/speech/$name.wav" ] ||
			ffmpeg -nostdin -loglevel error -y -f g722 -i "$recordings/$name.g722" -ar 16000 -ac 1 "$bin/speech/$name.wav"
	done
}

# service NAME COMMAND…: starts it in a process group of its own and remembers it in pid[NAME].
declare -A pid=()
service() {
	local name=$1
	shift
	setsid "$@" >"$out/$name.log" 2>&1 &
	pid[$name]=$!
}

# The groups get ten seconds to end by themselves.
stop_all() {
	local name rest
	trap - EXIT
	for name in "${!pid[@]}"; do kill -TERM -- "-${pid[$name]}" 2>/dev/null || true; done
	for ((rest = 100; rest > 0; rest--)); do
		for name in "${!pid[@]}"; do kill -0 -- "-${pid[$name]}" 2>/dev/null || unset "pid[$name]"; done
		[ ${#pid[@]} -gt 0 ] || return 0
		sleep 0.1
	done
	for name in "${!pid[@]}"; do kill -KILL -- "-${pid[$name]}" 2>/dev/null || true; done
}

# await NAME COMMAND…: until the command succeeds, at most 30 s and only while the service lives.
await() {
	local name=$1 rest
	shift
	for ((rest = 150; rest > 0; rest--)); do
		"$@" >/dev/null 2>&1 && return 0
		kill -0 "${pid[$name]}" 2>/dev/null || break
		sleep 0.2
	done
	tail -n 20 "$out/$name.log" >&2
	fail "$name did not start; its log is $out/$name.log (is a port from $port to $((port + 9)) taken? set BENCH_PORT)"
}

healthy() { "$bin/viva" health --health-address "127.0.0.1:$1"; }

# The server's own worker is never dispatched: it has another name. What is measured are processes that are nothing but workers.
start_all() {
	trap stop_all EXIT
	trap 'exit 130' INT TERM
	unset "${!VIVA_@}" "${!LIVEKIT_@}" "${!OPENAI_@}" # nobody's settings, and no network beyond this machine
	export VIVA_STORE_URL=memory
	service stub "$bin/viva" openai-stub --listen "127.0.0.1:$((port + 9))" \
		--transcription 150ms --first-token 200ms --per-token 15ms --first-audio 120ms
	await stub grep -q OPENAI_BASE_URL "$out/stub.log"
	export OPENAI_BASE_URL="http://127.0.0.1:$((port + 9))/v1" OPENAI_API_KEY=stub
	LIVEKIT_API_KEY=bench LIVEKIT_API_SECRET=$(od -An -v -N32 -tx1 /dev/urandom | tr -d ' \n')
	export LIVEKIT_API_KEY LIVEKIT_API_SECRET
	service server "$bin/viva-dev" dev --agent-name bench-server --web=false --dev-server-file= --health-address "127.0.0.1:$((port + 1))" \
		--dev-signal-port "$port" --dev-udp-port "$((port + 2))"
	await server healthy $((port + 1))
	export LIVEKIT_URL="ws://127.0.0.1:$port"
	service viva "$bin/viva" start --agent-name viva --health-address "127.0.0.1:$((port + 3))"
	await viva healthy $((port + 3))
	PEER_HEALTH_PORT=$((port + 4)) service peer env NODE_ENV=production node "$bin/agent.mjs" start
	await peer healthy $((port + 4))
	sleep 10 # the Node worker loads its model and warms up its spare processes
}

family() {
	local child children=()
	echo "$1"
	read -ra children < <(cat /proc/"$1"/task/*/children | tr '\n' ' ') || true # no end of line
	for child in "${children[@]}"; do family "$child"; done
}

# pss PID: memory of a process and its children in MiB, shared pages shared out.
pss() {
	local files
	mapfile -t files < <(family "$1" | sed 's|.*|/proc/&/smaps_rollup|')
	awk '/^Pss:/ { sum += $2 } END { printf "%.1f", sum / 1024 }' "${files[@]}"
}

# measure AGENT VARIANT ROOMS TURNS BARGE-INS ROUND: one load test; the round is the seed, so that a round's runs have equal turns.
measure() {
	local agent=$1 variant=$2 rooms=$3 turns=$4 barge_ins=$5 round=$6 name words=() metadata='{"interview":"conversation"}' load
	local run=$out/runs/$variant.$rooms.$round
	[ "$variant" != peer-vad ] || metadata='{"turn":"vad"}'
	for name in "${answers[@]}"; do words+=(--wav "$bin/speech/$name.wav"); done
	for name in "${interruptions[@]}"; do words+=(--interruption-wav "$bin/speech/$name.wav"); done
	sleep 3 # what the last run left behind ends
	read -r load _ </proc/loadavg
	say "$variant: $rooms room(s), $turns turns, $barge_ins interruptions, round $round (load average before: $load)"
	timeout --foreground 240 "$bin/viva" loadtest --agent-name "$agent" --metadata "$metadata" --rooms "$rooms" --turns "$turns" --barge-ins "$barge_ins" \
		--seed "$round" "${words[@]}" --pid "${pid[$agent]}" --json "$run.json" >"$run.txt" 2>&1 ||
		fail "that load test failed: $(tail -n 3 "$run.txt")"
	if grep -q '"interrupted": true' "$run.json"; then fail "stopped in the middle of a run"; fi
	echo "$load" >"$run.load"
}

measure_all() {
	local quick=$1
	printf '{"peer": %s, "viva": %s}\n' "$(pss "${pid[peer]}")" "$(pss "${pid[viva]}")" >"$out/runs/idle.json"
	if [ "$quick" = yes ]; then
		measure peer peer 1 4 1 1
		measure viva viva 1 4 1 1
		measure peer peer 8 2 1 1
		measure viva viva 8 2 1 1
		return
	fi
	measure peer peer 1 10 4 1
	measure viva viva 1 10 4 1
	measure peer peer-vad 1 10 4 1
	measure peer peer 1 10 4 2
	measure viva viva 1 10 4 2
	measure peer peer 8 4 2 1
	measure viva viva 8 4 2 1
}

main() {
	local quick=no
	case "${1:-}" in
	--quick) quick=yes ;;
	"") ;;
	*) fail "unknown option $1; the only one is --quick" ;;
	esac
	check_machine
	build
	install_peer
	decode_recordings
	rm -rf "$out/runs"
	mkdir "$out/runs"
	start_all
	measure_all "$quick"
	stop_all
	node deploy/bench/compare.mjs "$out"
	say "reports and logs are in $out"
}

main "$@"
