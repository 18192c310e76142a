#!/bin/sh
# Puts the Silero VAD weights (MIT licence) where `go build` embeds them, and a speech sample where the tests find it.
# Both come out of a Go module, through the ordinary module proxy, and are checked against pinned SHA-256 sums.
# Takes no arguments; running it again changes nothing.
set -eu

module=github.com/streamer45/silero-vad-go@v0.2.1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

# matches FILE SUM: whether FILE exists and has that SHA-256 sum.
matches() {
	[ -f "$1" ] && [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$2" ]
}

# place NAME SUM TARGET: copies testfiles/NAME of the module to TARGET, unless it is there already.
place() {
	if matches "$3" "$2"; then
		return
	fi
	if [ -z "${dir:-}" ]; then
		dir=$(cd "$here" && go mod download -json "$module" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",\{0,1\}$/\1/p')
		[ -n "$dir" ] || { echo "vad: go mod download $module gave no folder" >&2; exit 1; }
	fi
	mkdir -p "$(dirname "$3")"
	cp "$dir/testfiles/$1" "$3.part"
	chmod 644 "$3.part"
	matches "$3.part" "$2" || { echo "vad: $1 from $module has the wrong checksum" >&2; rm -f "$3.part"; exit 1; }
	mv "$3.part" "$3"
	echo "vad: placed $3"
}

place silero_vad.onnx 6b99cbfd39246b6706f98ec13c7c50c6b299181f2474fa05cbc8046acc274396 "$here/weights/silero_vad.onnx"
place samples.pcm 050b4bce73a81e250d3d219fbeb66b26d7f5fdb8c8374771946f04a7e6c145bc "$here/testdata/speech/samples.pcm"
place samples2.pcm 27f004a28af000db427b866af13751ed4c5898d77400707efda2c6d339258e2a "$here/testdata/speech/samples2.pcm"
