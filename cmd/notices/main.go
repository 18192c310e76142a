// Command notices writes THIRD_PARTY_NOTICES.md: what is linked into viva, in either of its builds, what set-up fetches, and the
// licences of all of it. It reads what is on this machine after `make setup` and asks no network.
//
//	go run ./cmd/notices >THIRD_PARTY_NOTICES.md
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	var out bytes.Buffer
	err := write(&out, ".")
	if err == nil {
		_, err = out.WriteTo(os.Stdout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "notices: %v\n", err)
		os.Exit(1)
	}
}

// component is something of others, with the texts that come with it.
type component struct {
	name, version string
	licence       string // as SPDX writes it
	use           string // what it is to Viva
	texts         []text
}

// text is one file of a licence or notice.
type text struct{ file, content string }

// write writes the notices of the checkout at root. Nothing is written when something of others has no licence that is known.
func write(w io.Writer, root string) error {
	modules, err := linked(root)
	if err != nil {
		return err
	}
	fetched, err := fetched(root)
	if err != nil {
		return err
	}
	var problems []error
	for i := range modules {
		problems = append(problems, modules[i].license())
	}
	for i := range fetched {
		if fetched[i].licence == "" {
			problems = append(problems, fmt.Errorf("%s has no licence in cmd/notices/fetched.go", fetched[i].name))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	return render(w, modules, fetched)
}

// linked lists the modules whose packages are in viva, with the texts in the folders of those packages and above them. The build
// with the embedded server has all that the other has; on other processors it is the same or less.
func linked(root string) ([]component, error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
	production, err := list(root, format)
	if err != nil {
		return nil, err
	}
	all, err := list(root, format, "-tags", "devserver")
	if err != nil {
		return nil, err
	}
	everywhere := make(map[string]bool)
	for _, p := range production {
		everywhere[p[0]] = true
	}
	var out []component
	seen := make(map[string]bool) // files
	for _, p := range append(production, all...) {
		path, version, dir, pkg := p[0], p[1], p[2], p[3]
		i := slices.IndexFunc(out, func(c component) bool { return c.name == path })
		if i < 0 {
			c := component{name: path, version: version, use: "every build"}
			if !everywhere[path] {
				c.use = "only with the embedded server (`make run`)"
			}
			out, i = append(out, c), len(out)
		}
		for at := pkg; at == dir || strings.HasPrefix(at, dir+string(filepath.Separator)); at = filepath.Dir(at) {
			found, err := textsIn(at, dir)
			if err != nil {
				return nil, err
			}
			for _, t := range found {
				if key := path + " " + t.file; !seen[key] {
					seen[key] = true
					out[i].texts = append(out[i].texts, t)
				}
			}
		}
	}
	for i := range out {
		slices.SortFunc(out[i].texts, func(a, b text) int { return strings.Compare(a.file, b.file) })
	}
	slices.SortFunc(out, func(a, b component) int { return strings.Compare(a.name, b.name) })
	return standard(root, out)
}

// standard adds what every Go program has of Go itself, whose licence is that of golang.org/x, at the version of go.mod.
func standard(root string, modules []component) ([]component, error) {
	raw, err := os.ReadFile(filepath.Join(root, "go.mod")) //nolint:gosec // a file of the checkout
	if err != nil {
		return nil, err
	}
	version := goVersion.FindSubmatch(raw)
	i := slices.IndexFunc(modules, func(c component) bool { return c.name == "golang.org/x/sys" })
	if version == nil || i < 0 {
		return nil, errors.New("go.mod names no version of Go, or golang.org/x/sys is linked no more: say where Go's licence is in cmd/notices")
	}
	c := component{name: "Go's standard library and runtime", version: string(version[1]), use: "every build", texts: modules[i].texts}
	return append([]component{c}, modules...), nil
}

var goVersion = regexp.MustCompile(`(?m)^go (\S+)$`)

// list asks go for the packages of viva; each line is split at its tabs. The processor is fixed so that the answer is the same
// on all machines.
func list(root, format string, flags ...string) ([][]string, error) {
	cmd := exec.Command("go", append(append([]string{"list", "-deps", "-f", format}, flags...), "./cmd/viva")...) //nolint:gosec,noctx // constants; it ends by itself
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1", "GOFLAGS=")
	var problem bytes.Buffer
	cmd.Stderr = &problem
	raw, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list what is linked into viva: %w: %s", err, problem.String())
	}
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 4 {
			out = append(out, fields)
		}
	}
	return out, nil
}

// license gives a module the licence that its texts are of.
func (c *component) license() error {
	var all []string
	for _, t := range c.texts {
		ids := recognise(t)
		if len(ids) == 0 {
			return fmt.Errorf("%s: %s is no licence that is known here: teach it to cmd/notices/licence.go", c.name, t.file)
		}
		all = append(all, ids...)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(id string) bool { return id == notice || id == patents })
	if len(all) == 0 {
		return fmt.Errorf("%s has no licence in its folder", c.name)
	}
	c.licence = strings.Join(all, " AND ")
	return nil
}
