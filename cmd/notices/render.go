package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

const head = `# What others have made

Made by ` + "`make notices`" + `; do not edit. Viva itself is under the Apache License 2.0 (LICENSE, NOTICE).

Below stand what is linked into the program, what set-up fetches, and their licences: each text once, with all to whom it belongs
and their lines of copyright. The source of a Go module is what the Go module proxy gives for its name and version.

`

// shared is a text that several components have.
type shared struct {
	ids   []string
	body  string
	users []string
}

func render(w io.Writer, modules, fetched []component) error {
	var out bytes.Buffer
	out.WriteString(head)
	table(&out, "Linked into the program", "module | version | licence | in", modules)
	table(&out, "Fetched by set-up", "what | version | licence | its use", fetched)
	groups := group(append(slices.Clone(modules), fetched...))
	heading := ""
	for _, g := range groups {
		if title := strings.Join(g.ids, " AND "); title != heading {
			heading = title
			fmt.Fprintf(&out, "## Texts: %s\n\n", title)
		}
		for _, u := range g.users {
			fmt.Fprintf(&out, "- %s\n", u)
		}
		fmt.Fprintf(&out, "\n````text\n%s\n````\n\n", g.body)
	}
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

func table(out *bytes.Buffer, title, columns string, all []component) {
	fmt.Fprintf(out, "## %s\n\n| %s |\n|---|---|---|---|\n", title, columns)
	for _, c := range all {
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", c.name, c.version, c.licence, c.use)
	}
	out.WriteByte('\n')
}

// group brings equal texts together; those that most have come first.
func group(all []component) []*shared {
	known := make(map[string]*shared)
	var groups []*shared
	for _, c := range all {
		for _, t := range c.texts {
			owners, key := split(t)
			g := known[key]
			if g == nil {
				g = &shared{ids: recognise(t), body: tidy(t.content)}
				known[key], groups = g, append(groups, g)
			}
			user := c.name
			if strings.Contains(t.file, "/") {
				user += " (" + t.file + ")"
			}
			if len(owners) > 0 {
				user += ": " + strings.Join(owners, "; ")
			}
			g.users = append(g.users, user)
		}
	}
	slices.SortStableFunc(groups, func(a, b *shared) int {
		return cmp.Or(strings.Compare(strings.Join(a.ids, " "), strings.Join(b.ids, " ")), cmp.Compare(len(b.users), len(a.users)))
	})
	return groups
}

// tidy takes trailing space and runs of empty lines out of a text.
func tidy(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\r\n\f")
		if line != "" || len(out) > 0 && out[len(out)-1] != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
