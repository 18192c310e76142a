package settings

import (
	"fmt"
	"strings"
	"time"
)

// reference returns docs/settings.md: every setting, from the table.
func reference() string {
	var b strings.Builder
	b.WriteString(`# Settings

Written by ` + "`go test ./cmd/viva/settings -run TestReference -update`" + ` from the table in ` + "`cmd/viva/settings`" + `.

The later wins: default, settings file, environment variable, flag. The file is YAML, named by ` + "`--config`" + ` or ` + "`" + FileVariable + "`" + `;
a dot in a setting's name is a section in the file. ` + "`viva config`" + ` prints what is in force and where each value came from.
An empty environment variable counts as not set.

| setting | environment | flag | default | values | what it is |
|---|---|---|---|---|---|
`)
	for _, d := range Table() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n",
			d.Key, variables(d), flagName(d), defaults(d), typeName(d), d.Help+needed(d))
	}
	return b.String()
}

func variables(d Definition) string {
	names := codeList(d.Env)
	if d.Override != "" {
		names += ", `" + d.Override + "` (wins over all)"
	}
	return names
}

func flagName(d Definition) string {
	if d.Flag == "" {
		return ""
	}
	return "`--" + d.Flag + "`"
}

func codeList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "`" + name + "`"
	}
	return strings.Join(quoted, ", ")
}

func defaults(d Definition) string {
	var parts []string
	if d.Default != "" {
		parts = append(parts, "`"+d.Default+"`")
	}
	for _, c := range []Command{CommandDev, CommandStart} {
		if text, ok := d.DefaultFor[c]; ok {
			parts = append(parts, fmt.Sprintf("%s: `%s`", c, text))
		}
	}
	if d.DefaultNote != "" {
		parts = append(parts, d.DefaultNote)
	}
	return strings.Join(parts, "; ")
}

func needed(d Definition) string {
	if d.Default != "" || len(d.Required) == 0 {
		return ""
	}
	names := make([]string, len(d.Required))
	for i, c := range d.Required {
		names[i] = string(c)
	}
	return " (required by " + strings.Join(names, ", ") + ")"
}

// typeName is the word for a setting's values in the reference.
func typeName(d Definition) string {
	if len(d.Choices) > 0 {
		return strings.Join(d.Choices, " or ")
	}
	switch d.bind(new(Settings)).(type) {
	case *bool:
		return "true or false"
	case *int:
		return "whole number"
	case *float64:
		return "number"
	case *time.Duration:
		return "duration"
	case *Secret:
		if d.Secret {
			return "secret"
		}
	}
	return "text"
}
