#!/bin/sh
# Fetches the page's third-party JavaScript at the versions and checksums of package-lock.json and copies what the
# browser loads into static/vendor. Safe to run again; does nothing when all is there.
set -eu
cd "$(dirname "$0")"

bundle=node_modules/livekit-client/dist/livekit-client.esm.mjs
target=static/vendor/livekit-client.esm.mjs
stamp=static/vendor/.lock-checksum # which lock file the copy came from

if ! command -v npm >/dev/null 2>&1; then
	echo "vendor.sh: npm is needed to fetch livekit-client; on Debian: apt-get install npm" >&2
	exit 1
fi

want=$(cksum <package-lock.json)
if [ -s "$target" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
	echo "vendor.sh: $target is up to date"
	exit 0
fi

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
mkdir -p static/vendor
cp "$bundle" "$target.new"
mv "$target.new" "$target"
cp node_modules/livekit-client/LICENSE static/vendor/livekit-client.LICENSE
echo "$want" >"$stamp"
echo "vendor.sh: $target is in place"
