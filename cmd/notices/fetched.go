package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// packaged is what deploy/setup.sh installs from Debian or Ubuntu, whose own file has the licence's text. Their versions are those
// of the distribution.
var packaged = []component{
	{name: "libopus-dev", licence: "BSD-3-Clause", use: "libopus, linked"},
	{name: "libopusfile-dev", licence: "BSD-3-Clause", use: "libopusfile and libogg, linked"},
	{name: "flite1-dev", licence: "the licence of Flite (as MIT's and BSD's)", use: "Flite, the voice, linked"},
	{name: "libpocketsphinx-dev", licence: "BSD-2-Clause AND BSD-3-Clause", use: "PocketSphinx and SphinxBase, the recogniser, linked"},
	{name: "pocketsphinx-en-us", licence: "BSD-2-Clause", use: "the recogniser's model, read"},
	{name: "libc6-dev", licence: "LGPL-2.1-or-later", use: "the C library, linked"},
	{name: "espeak-ng", licence: "GPL-3.0-or-later", use: "the voice for Chinese and Vietnamese, run as a program of its own"},
	{name: "fonts-dejavu-core", licence: "Bitstream-Vera", use: "fonts, embedded in reports in PDF"},
	{name: "fonts-droid-fallback", licence: "Apache-2.0", use: "a font, embedded in reports in PDF"},
}

// unlicensed are npm packages that come without a text, with their lines of copyright.
var unlicensed = map[string]string{
	"@bufbuild/protobuf": "Copyright 2021-2024 Buf Technologies, Inc.; its varint: Copyright 2008 Google Inc.",
}

var pinned = regexp.MustCompile(`(?m)^module=(\S+)@(\S+)$`)

func fetched(root string) ([]component, error) {
	silero, err1 := silero(root)
	bundles, err2 := bundled(root)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	out := append([]component{silero}, bundles...)
	for _, p := range packaged {
		p.version = "the distribution's"
		p.use += "; text: /usr/share/doc/" + p.name + "/copyright"
		out = append(out, p)
	}
	return out, nil
}

// silero is the voice activity's model, with the licence of the module it comes in.
func silero(root string) (component, error) {
	script, err := os.ReadFile(filepath.Join(root, "pipeline/vad/fetch.sh")) //nolint:gosec // a file of the checkout
	if err != nil {
		return component{}, err
	}
	m := pinned.FindSubmatch(script)
	if m == nil {
		return component{}, errors.New("pipeline/vad/fetch.sh names no module")
	}
	c := component{name: string(m[1]), version: string(m[2]), licence: "MIT", use: "the weights of Silero VAD, embedded; Copyright (c) 2020-present Silero Team"}
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output() //nolint:noctx // it ends by itself
	if err != nil {
		return c, fmt.Errorf("ask where Go keeps modules: %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(modules)), c.name+"@"+c.version)
	c.texts, err = textsIn(dir, dir)
	return c, err
}

// bundled are the npm packages of the pages: those of package.json, and what those hold.
func bundled(root string) ([]component, error) {
	web := filepath.Join(root, "agent/web")
	raw, err := os.ReadFile(filepath.Join(web, "package-lock.json")) //nolint:gosec // a file of the checkout
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Peer             bool
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("read agent/web/package-lock.json: %w", err)
	}
	var out []component
	for place, p := range lock.Packages {
		name, is := strings.CutPrefix(place, "node_modules/")
		if !is || strings.HasPrefix(name, "@types/") { // types are in no bundle
			continue
		}
		c := component{name: name, version: p.Version, licence: strings.Trim(p.License, "()"), use: "the pages, as or in a bundle of JavaScript"}
		dir := filepath.Join(web, place)
		if c.texts, err = textsIn(dir, dir); err != nil {
			return nil, err
		}
		if owner := unlicensed[name]; len(c.texts) == 0 && owner != "" {
			c.use += "; " + owner
		} else if len(c.texts) == 0 {
			return nil, fmt.Errorf("%s has no text of its licence: add its copyright to cmd/notices/fetched.go", path.Join("agent/web", place))
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b component) int { return strings.Compare(a.name, b.name) })
	return out, nil
}
