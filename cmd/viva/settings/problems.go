package settings

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong with the settings.
type Problem struct {
	Key   string // the setting, or what the file has in its place
	From  string // where the value came from; "" when there is none
	Wrong string
	Fix   string
}

// String is one sentence with the fix after it. It never holds a secret.
func (p Problem) String() string {
	text := p.Key + " " + p.Wrong
	if p.From != "" {
		text = fmt.Sprintf("%s (%s) %s", p.Key, p.From, p.Wrong)
	}
	if p.Fix != "" {
		text += ": " + p.Fix
	}
	return text
}

// Problems is everything that is wrong with the settings, in the order of the table, at least one.
// The command line shows it as it is and exits with code 2.
type Problems []Problem

// Error lists every problem on a line of its own.
func (p Problems) Error() string {
	var b strings.Builder
	if len(p) == 1 {
		b.WriteString("1 setting needs attention:")
	} else {
		fmt.Fprintf(&b, "%d settings need attention:", len(p))
	}
	for _, problem := range p {
		b.WriteString("\n  - " + problem.String())
	}
	return b.String()
}

// waysToSet names every way to give the setting, the recommended one first.
func waysToSet(d Definition) string {
	var ways []string
	if len(d.Env) > 0 {
		ways = append(ways, "set "+d.Env[0])
	}
	if d.Flag != "" {
		ways = append(ways, "pass --"+d.Flag)
	}
	ways = append(ways, "write "+d.Key+" in the settings file")
	last := len(ways) - 1
	return strings.Join(ways[:last], ", ") + " or " + ways[last]
}
