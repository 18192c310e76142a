package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// The notices name what is linked and fetched today.
func TestNoticesAreUpToDate(t *testing.T) {
	var want bytes.Buffer
	if err := write(&want, root); err != nil {
		t.Fatalf("%v\n(make setup fetches what this test reads)", err)
	}
	got, err := os.ReadFile(filepath.Join(root, "THIRD_PARTY_NOTICES.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("run make notices (- is missing, + is too much):\n%s", diff)
	}
	for _, name := range []string{"github.com/livekit/livekit-server", "gopkg.in/hraban/opus.v2", "livekit-client", "uplot", "espeak-ng", "Silero"} {
		if !strings.Contains(want.String(), name) {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if strings.Contains(want.String(), "github.com/chromedp/chromedp |") {
		t.Error("what only tests use is listed")
	}
}

// Every package that set-up installs for the program is listed; the others are tools.
func TestPackagesOfSetUpAreListed(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, "deploy/setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^run_packages=\((.*)\)$`).FindSubmatch(script)
	if m == nil {
		t.Fatal("deploy/setup.sh has no run_packages")
	}
	tools := []string{"gcc", "pkg-config", "ca-certificates"}
	for _, name := range strings.Fields(string(m[1])) {
		if !slices.Contains(tools, name) && !slices.ContainsFunc(packaged, func(c component) bool { return c.name == name }) {
			t.Errorf("%s is installed and has no line in cmd/notices/fetched.go", name)
		}
	}
}

// The licence that Viva is under is Apache's, whole, and the same in the files that name it.
func TestOwnLicence(t *testing.T) {
	texts, err := textsIn(root, root)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range texts {
		switch one.file {
		case "LICENSE":
			if ids := recognise(one); !slices.Equal(ids, []string{"Apache-2.0"}) || !strings.Contains(one.content, "9. Accepting Warranty or Additional Liability") {
				t.Errorf("LICENSE is %q", ids)
			}
		case "NOTICE":
			if !strings.Contains(one.content, "Apache License, Version 2.0") {
				t.Error("NOTICE does not name the licence")
			}
		}
	}
	if len(texts) != 2 {
		t.Errorf("at the top are %d texts of licences, want LICENSE and NOTICE", len(texts))
	}
	for _, name := range []string{"agent/web/package.json", "deploy/bench/package.json"} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !strings.Contains(string(raw), `"license": "Apache-2.0"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Equal texts of several owners are one; what is no known licence is refused by name.
func TestTexts(t *testing.T) {
	mit := "Permission is hereby granted, free of charge, to any person\nobtaining a copy."
	one := text{"LICENSE", "MIT License\n\nCopyright (c) 2020 Ada\n\n" + mit}
	other := text{"LICENSE.md", "The MIT License (MIT)\n=\n\nCopyright 2021 Bob\n" + strings.ReplaceAll(mit, "\n", " ")}
	owners, key := split(one)
	others, same := split(other)
	if diff := cmp.Diff([][]string{{"Copyright (c) 2020 Ada"}, {"Copyright 2021 Bob"}}, [][]string{owners, others}); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(same, key) {
		t.Errorf("%q and %q", key, same)
	}
	bad := component{name: "example.com/odd", texts: []text{{"LICENSE", "You may not."}}}
	if err := bad.license(); err == nil || !strings.Contains(err.Error(), "example.com/odd: LICENSE") {
		t.Error(err)
	}
	none := component{name: "example.com/none", texts: []text{{"NOTICE", "Made by Ada."}}}
	if err := none.license(); err == nil || !strings.Contains(err.Error(), "no licence") {
		t.Error(err)
	}
}
