#!/bin/sh
# Fetches the pages' third-party JavaScript and styles at the versions and checksums of package-lock.json and copies what
# the browser loads into static/vendor. Safe to run again; does nothing when all is there.
set -eu
cd "$(dirname "$0")"

vendor=static/vendor
stamp=$vendor/.lock-checksum # which lock file the copies came from

if ! command -v npm >/dev/null 2>&1; then
	echo "vendor.sh: npm is needed to fetch livekit-client and uPlot; on Debian: apt-get install npm" >&2
	exit 1
fi

# each COMMAND: for every file, its place among the modules and its name in static/vendor.
each() {
	"$1" livekit-client/dist/livekit-client.esm.mjs livekit-client.esm.mjs
	"$1" livekit-client/LICENSE livekit-client.LICENSE
	"$1" uplot/dist/uPlot.esm.js uplot.esm.mjs
	"$1" uplot/dist/uPlot.min.css uplot.min.css
	"$1" uplot/LICENSE uplot.LICENSE
}

complete=yes
look() { [ -s "$vendor/$2" ] || complete=no; }
copy() {
	cp "node_modules/$1" "$vendor/$2.new"
	mv "$vendor/$2.new" "$vendor/$2"
}

want=$(cksum <package-lock.json)
each look
if [ "$complete" = yes ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
	echo "vendor.sh: $vendor is up to date"
	exit 0
fi

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
mkdir -p "$vendor"
each copy
echo "$want" >"$stamp"
echo "vendor.sh: $vendor is in place"
