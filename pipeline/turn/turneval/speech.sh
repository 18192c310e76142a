#!/bin/sh
# Fetches what people say in packages of Debian, for the audio model to learn from, and unpacks it below a folder; installs nothing.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
cd "$1"
packages='beneath-a-steel-sky flight-of-the-amazon-queen'
for language in fr it ru; do
	packages="$packages asterisk-core-sounds-$language asterisk-core-sounds-$language-g722"
done
for package in $packages; do
	[ -e "$package.done" ] && continue
	apt-get download -q "$package"
	dpkg -x "$package"_*.deb .
	rm "$package"_*.deb
	touch "$package.done"
done
