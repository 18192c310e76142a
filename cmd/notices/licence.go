package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// What a text may be besides a licence.
const (
	notice  = "notice"
	patents = "grant of patents"
)

// marks are sentences by which licences are known.
var marks = []struct{ id, sentence string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"ISC", "provided that the above copyright notice and this permission notice appear in all copies"},
	{"0BSD", "with or without fee is hereby granted. the software is provided"},
	{"Unlicense", "this is free and unencumbered software"},
	{"CC0-1.0", "cc0 1.0 universal"},
	{patents, "additional ip rights grant (patents)"},
}

var (
	textName  = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright(notice)?|notice|patents)([-.][a-z0-9-]+)*$`)
	otherName = regexp.MustCompile(`(?i)(\.(go|s|c|h|yml|yaml|json)|logo)$`)
	rights    = regexp.MustCompile(`(?m)^[\s#/*]*Copyright (?:\([cC]\)|©|\d|\[|\{|<|[Tt]he ).*$`)
	spaces    = regexp.MustCompile(`\s+`)
	headings  = regexp.MustCompile(`^(the )?(mit license( \(mit\))?|bsd [23]-clause license|\(?the mit license\)?) `)
)

// textsIn reads the licences and notices in a folder of a module; they are named by their place in it.
func textsIn(dir, module string) ([]text, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for licences: %w (make setup fetches what is missing)", err)
	}
	var out []text
	for _, e := range entries {
		if e.IsDir() || !textName.MatchString(e.Name()) || otherName.MatchString(e.Name()) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, e.Name())) //nolint:gosec // a name from its folder
		if err != nil {
			return nil, fmt.Errorf("read a licence: %w", err)
		}
		name, err := filepath.Rel(module, filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, text{file: name, content: strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(string(raw), "?"), "\r\n", "\n"))})
	}
	return out, nil
}

// recognise names what a text is; nothing where it is not known.
func recognise(t text) []string {
	if strings.HasPrefix(strings.ToLower(filepath.Base(t.file)), "notice") {
		return []string{notice}
	}
	flat := flatten(t.content)
	var ids []string
	for _, m := range marks {
		if strings.Contains(flat, m.sentence) {
			ids = append(ids, m.id)
		}
	}
	if strings.Contains(flat, "redistribution and use in source and binary forms") {
		if strings.Contains(flat, "endorse or promote") {
			ids = append(ids, "BSD-3-Clause")
		} else {
			ids = append(ids, "BSD-2-Clause")
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func flatten(s string) string {
	return strings.TrimSpace(spaces.ReplaceAllString(strings.ToLower(strings.NewReplacer("#", " ", "*", " ").Replace(s)), " "))
}

// split takes the lines of copyright out of a text, and gives what is left in a form in which equal licences are equal. A text of
// several licences stays whole: its lines belong to their places.
func split(t text) (owners []string, key string) {
	if len(recognise(t)) > 1 {
		return nil, flatten(t.content)
	}
	for _, line := range rights.FindAllString(t.content, -1) {
		if strings.ContainsAny(line, "[{") || strings.Contains(line, "<year>") {
			continue // a blank to be filled in
		}
		owners = append(owners, strings.TrimSpace(strings.TrimLeft(line, " \t\n#/*")))
	}
	terms, _, _ := strings.Cut(rights.ReplaceAllString(t.content, ""), "END OF TERMS AND CONDITIONS") // Apache's advice follows
	key = flatten(terms)
	key = headings.ReplaceAllString(strings.ReplaceAll(key, "all rights reserved.", ""), "")
	return owners, flatten(key)
}
