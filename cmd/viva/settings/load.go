package settings

import (
	"cmp"
	"fmt"
	"slices"
)

// FileVariable is the environment variable that names the settings file when no flag does.
const FileVariable = "VIVA_CONFIG"

// LoadOptions says where to look.
type LoadOptions struct {
	Command Command
	File    string                                     // "" means the file that FileVariable names, or none
	Env     func(name string) (value string, set bool) // os.LookupEnv; an empty value counts as not set
	Flags   map[string]string                          // the flags that were given, by name without dashes
}

// found is one setting's text, and where it came from.
type found struct {
	text  string // the mask of a secret, once it is stored: formatting Settings shows this too
	from  string
	given bool // by file, environment or flag
}

// Load finds the value of every setting and checks those that the command uses.
// What is wrong comes as Problems, all at once; the settings are then returned too, fit for Explain but not to run on.
// Any other error (a file that cannot be read, a flag that is not in the table) comes without settings.
func Load(o LoadOptions) (*Settings, error) {
	table := Table()
	if err := checkFlags(o.Flags, table); err != nil {
		return nil, err
	}
	env := func(name string) string {
		if o.Env == nil {
			return ""
		}
		value, _ := o.Env(name)
		return value
	}
	var (
		inFile   map[string]found
		problems Problems
	)
	if path := cmp.Or(o.File, env(FileVariable)); path != "" {
		var err error
		if inFile, problems, err = readFile(path, table); err != nil {
			return nil, err
		}
	}
	s := &Settings{Command: o.Command, found: make(map[string]found, len(table))}
	for _, d := range table {
		f := resolve(d, o, env, inFile, s.found)
		problems = append(problems, s.take(d, f)...)
		switch {
		case d.Secret:
			f.text = Secret(f.text).String()
		case d.mask != nil:
			f.text = d.mask(f.text)
		}
		s.found[d.Key] = f
	}
	problems = append(problems, contradictions(s)...)
	if len(problems) > 0 {
		return s, problems
	}
	return s, nil
}

func checkFlags(flags map[string]string, table []Definition) error {
	for name := range flags {
		if !slices.ContainsFunc(table, func(d Definition) bool { return d.Flag == name }) {
			return fmt.Errorf("flag --%s sets nothing", name)
		}
	}
	return nil
}

// resolve finds the source that wins. above holds the settings that precede this one in the table.
func resolve(d Definition, o LoadOptions, env func(string) string, inFile, above map[string]found) found {
	if d.Override != "" {
		if value := env(d.Override); value != "" {
			return found{text: value, from: "environment " + d.Override, given: true}
		}
	}
	if value, ok := o.Flags[d.Flag]; ok && d.Flag != "" {
		return found{text: value, from: "flag --" + d.Flag, given: true}
	}
	for _, name := range d.Env {
		if value := env(name); value != "" {
			return found{text: value, from: "environment " + name, given: true}
		}
	}
	if value, ok := inFile[d.Key]; ok {
		return value
	}
	if d.derive == nil {
		return found{text: d.defaultFor(o.Command), from: "default"}
	}
	text, why := d.derive(func(key string) string { return above[key].text })
	if why != "" {
		why = ", because " + why
	}
	return found{text: text, from: "default" + why}
}

// take checks one setting and stores it in its field. A value that the command does not use is stored if it can be.
func (s *Settings) take(d Definition, f found) Problems {
	var wrong, fix string
	switch {
	case f.text == "" && d.RequiredBy(s.Command) && f.given:
		wrong, fix = "is empty", waysToSet(d)
	case f.text == "" && d.RequiredBy(s.Command):
		return Problems{{Key: d.Key, Wrong: "is missing", Fix: waysToSet(d)}}
	case f.text == "" && isText(d):
		return nil
	default:
		wrong, fix = s.parse(d, f.text)
	}
	if wrong == "" || !d.UsedBy(s.Command) {
		return nil
	}
	return Problems{{Key: d.Key, From: f.from, Wrong: wrong, Fix: fix}}
}

func (s *Settings) parse(d Definition, text string) (wrong, fix string) {
	if len(d.Choices) > 0 && !slices.Contains(d.Choices, text) {
		return fmt.Sprintf("%q is not a choice", text), choiceFix(d.Choices, text)
	}
	if wrong, fix = store(d.bind(s), text); wrong != "" || d.check == nil {
		return wrong, fix
	}
	return d.check(text)
}

func choiceFix(choices []string, text string) string {
	if meant := nearest(text, choices); meant != "" {
		return "did you mean " + meant + "?"
	}
	return fmt.Sprintf("choose one of %v", choices)
}

// isText reports whether an empty value is a value at all.
func isText(d Definition) bool {
	switch d.bind(new(Settings)).(type) {
	case *string, *Secret:
		return len(d.Choices) == 0
	}
	return false
}
