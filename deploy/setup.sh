#!/usr/bin/env bash
# Puts everything on this machine that Viva needs, and says what it does. Running it again changes nothing.
#
#   deploy/setup.sh run     what `make run` and `make build` need (default)
#   deploy/setup.sh test    that, and what `make test` needs
#   deploy/setup.sh lk      what `make lk` needs: to build LiveKit's command line
#
# For Debian 12 and 13, Ubuntu 22.04 and 24.04. As another user than root it asks sudo for apt-get, and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

# Headers and pkg-config files for the cgo packages, the local recogniser's model, the voice for Chinese and Vietnamese, and
# the fonts of reports in PDF.
run_packages=(gcc libc6-dev pkg-config ca-certificates libopus-dev libopusfile-dev flite1-dev libpocketsphinx-dev pocketsphinx-en-us espeak-ng fonts-dejavu-core fonts-droid-fallback)
lk_packages=(gcc libc6-dev pkg-config ca-certificates portaudio19-dev)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

check_machine() {
	[ "$(uname -s)" = Linux ] || fail "this is $(uname -s); Viva is built on Debian or Ubuntu (a container or a virtual machine will do)"
	case "$(uname -m)" in
	x86_64 | aarch64) ;;
	*) fail "this is a $(uname -m) machine; Viva is built on x86_64 and aarch64" ;;
	esac
}

check_go() {
	local wanted
	wanted=$(sed -n 's/^go //p' go.mod)
	have go || fail "Go is not installed; get Go $wanted or newer from https://go.dev/dl/"
	# Asked inside the module, an older Go fetches the right one by itself, unless it has no network or GOTOOLCHAIN=local.
	go list -m >/dev/null || fail "go.mod asks for Go $wanted, and this Go could neither be it nor fetch it; get it from https://go.dev/dl/"
	if have gcc && [ "$(go env CGO_ENABLED)" != 1 ]; then
		fail "cgo is switched off; unset CGO_ENABLED: Opus and the local engines are C libraries"
	fi
}

distribution() {
	if [ -r /etc/os-release ]; then
		# shellcheck source=/dev/null
		(. /etc/os-release && echo "${ID:-unknown}")
	else
		echo unknown
	fi
}

# missing PACKAGE…: those of them that are not installed, one per line.
missing() {
	local package
	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
	done
}

# wanted PROFILE: every package the profile still lacks. Programs that may have come from elsewhere are found by name.
wanted() {
	case "$1" in
	run | test)
		missing "${run_packages[@]}"
		have node || echo nodejs
		have npm || echo npm
		;;
	lk) missing "${lk_packages[@]}" ;;
	esac
	if [ "$1" = test ]; then
		have shellcheck || echo shellcheck
		missing fonts-liberation # for the page's screenshots
		have pdftotext || echo poppler-utils # reads what the PDF says
		have_postgres || echo postgresql # the server, for the tests of the store
		if ! have_browser && [ "$(distribution)" != ubuntu ]; then echo chromium; fi
	fi
}

# Debian keeps the server outside of the path.
have_postgres() { have postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; }

have_browser() { have chromium || have chromium-browser || have google-chrome; }

as_root() {
	if [ "$(id -u)" = 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

install_packages() {
	local install=(apt-get install -y --no-install-recommends "$@")
	have apt-get || fail "apt-get is not here; install by hand what Debian calls: $*"
	if [ "$(id -u)" != 0 ] && ! { have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }; then
		fail "these packages are missing and this user may not install them; run as root:
  apt-get update && ${install[*]}"
	fi
	say "installing $*"
	as_root apt-get update -qq || fail "apt-get update failed; is there a network?"
	as_root "${install[@]}" -qq >/dev/null || fail "apt-get could not install: $*"
}

fetch_bundles() {
	pipeline/vad/fetch.sh
	agent/web/vendor.sh # livekit-client and uPlot
}

main() {
	local profile=${1:-run} packages
	case "$profile" in
	run | test | lk) ;;
	*) fail "unknown profile $profile; choose run, test or lk" ;;
	esac
	check_machine
	check_go
	have dpkg-query || fail "this is not Debian or Ubuntu; install what Debian calls: ${run_packages[*]} nodejs npm"
	mapfile -t packages < <(wanted "$profile")
	[ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
	if [ "$profile" = test ] && ! have_browser; then
		say "no Chromium: Ubuntu has it only as a snap (snap install chromium); the tests of the page will be skipped"
	fi
	[ "$profile" = lk ] || fetch_bundles
	say "ready ($profile)"
}

main "$@"
