package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/cmd/viva/settings"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/kinds/design"
)

// interviewsFlag and localeFlag are for commands that work on interviews without holding one.
func interviewsFlag() cli.Flag {
	return &cli.StringFlag{Name: "interviews", Usage: "`DIR` with definitions of your own, beside the shipped ones [$VIVA_INTERVIEWS]", Sources: cli.EnvVars("VIVA_INTERVIEWS")}
}

func localeFlag() cli.Flag {
	return &cli.StringFlag{Name: "locale", Usage: "the `LANGUAGE` to hold it in; empty = the interview's first"}
}

// isFile reports whether the argument names a definition file rather than a kind of interview.
func isFile(arg string) bool {
	ext := filepath.Ext(arg)
	return ext == ".yaml" || ext == ".yml" || strings.ContainsRune(arg, os.PathSeparator)
}

// readDefinition reads a file, or finds a kind among the shipped ones and those in dir.
func readDefinition(arg, dir string) (*definition.Definition, error) {
	if !isFile(arg) {
		iv, err := findKind(arg, dir, "")
		if err != nil {
			return nil, err
		}
		return iv.Def, nil
	}
	text, err := os.ReadFile(arg) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, err
	}
	return definition.Parse(arg, text)
}

func findKind(kind, dir, locale string) (*engine.Interview, error) {
	library, err := agent.LoadLibrary(dir, "")
	if err != nil {
		return nil, err
	}
	return library.Find(agent.Metadata{Interview: kind, Locale: locale})
}

// findInterview returns an interview ready to be held: that of a file, with its words and problems looked for in
// prompts/ and problems/ beside it, or a kind.
func findInterview(arg, dir, locale string) (*engine.Interview, error) {
	if !isFile(arg) {
		return findKind(arg, dir, locale)
	}
	def, err := readDefinition(arg, "")
	if err != nil {
		return nil, err
	}
	if locale == "" {
		locale = def.Locales[0]
	}
	if !slices.Contains(def.Locales, locale) {
		return nil, fmt.Errorf("%s has the languages %s, not %s: correct --locale", arg, strings.Join(def.Locales, ", "), locale)
	}
	iv, err := agent.Beside(filepath.Dir(arg)).Compile(def, locale)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	return iv, nil
}

// oneArgument returns the command's only argument.
func oneArgument(cmd *cli.Command, what string) (string, error) {
	if cmd.Args().Len() != 1 {
		return "", &usageError{command: cmd.FullName(), err: fmt.Errorf("name %s: %s %s", what, cmd.FullName(), cmd.ArgsUsage)}
	}
	return cmd.Args().First(), nil
}

// createFile opens a new file for writing, with the folders it lies in.
func createFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	return os.Create(path) //nolint:gosec // the operator names the file
}

// companies are those that come with Viva and those in the interviews folder. Close ends their connections.
func companies(s *settings.Settings) (*design.Factory, error) {
	var folders []fs.FS
	if s.Interviews.Dir != "" {
		folders = append(folders, os.DirFS(s.Interviews.Dir))
	}
	f, err := design.NewFactory(design.Options{
		Folders: folders, Allow: s.Companies.Allowed(), Token: s.Companies.Token, Wait: s.Companies.Wait,
	})
	if err != nil {
		return nil, fmt.Errorf("load the companies (companies/ in --interviews; hosts by --company-hosts or VIVA_COMPANY_HOSTS): %w", err)
	}
	return f, nil
}
