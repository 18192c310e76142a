package design_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/kinds/design"
)

// R000-3, R000-77, R000-38, R000-68: known, unknown and missing companies; local and remote behind one interface.
func TestFactory(t *testing.T) {
	f := factory(t, design.Options{Allow: []string{"company.example"}, Folders: []fs.FS{companies(
		"company: far\ninterviews: {system_design: {remote: {url: 'https://company.example/interviews'}}}\n",
		"company: later\nenabled: false\ninterviews: {system_design: {bank: system_design}}\n",
		"company: near\ninterviews: {system_design: {bank: system_design, remote: {url: 'https://nobody.example', enabled: false}}}\n",
	)}})
	for _, c := range []struct {
		company, interviewType, want string
		remote                       bool
	}{
		{"google_like", kind, "google_like", false},
		{"Google", kind, "google_like", false}, // an alias
		{"  SHORT ", kind, "short", false},
		{"acme", kind, "default", false},
		{"", kind, "default", false},
		{"google_like", "cooking", "default", false},
		{"far", kind, "far", true},
		{"later", kind, "default", false}, // R000-72: not switched on yet
		{"near", kind, "near", false},     // R000-72: its service is not
	} {
		p, resolved := f.For(c.company, c.interviewType)
		_, remote := p.(*design.Remote)
		if p == nil || resolved != c.want || remote != c.remote {
			t.Errorf("%q is %s, remote %v; want %s, %v", c.company, resolved, remote, c.want, c.remote)
		}
	}
	if diff := cmp.Diff([]string{"default", "far", "google_like", "near", "short"}, f.Companies()); diff != "" {
		t.Error(diff)
	}
}

// R000-72: an operator's file replaces a shipped one of the same name.
func TestFoldersReplace(t *testing.T) {
	f := factory(t, design.Options{Folders: []fs.FS{companies(
		"company: default\ninterviews: {system_design: {phases: [{id: one, name: One, description: All of it, keywords: [cache]}]}}\n")}})
	if list := phases(t, f, "acme", design.Candidate{}); len(list) != 1 || list[0].ID != "one" {
		t.Errorf("got %+v", list)
	}
}

// R000-29: everything that is wrong with company files is told at once, with its place; a hole is an error at load.
func TestCompanyProblemsAreFoundTogether(t *testing.T) {
	_, err := design.NewFactory(design.Options{Folders: []fs.FS{companies(`company: Bad Name
colour: red
interviews:
  system_design:
    words: everybody
    pass: 2
    bank: missing
    remote: {url: 'https://a.example', card: 'https://b.example'}
    phases:
      - id: one
        name: One
        keywords: [cache]
        weight: 3
      - {id: one, name: " ", description: D, keywords: []}
      - {id: "a b", name: N, description: D, keywords: [{phrase: x, weight: -1}], soft: 3m, hard: 1m}
    questions:
      - {id: q, text: {zh: 问题}, irrelevant: [nowhere]}
`, "company: [\n", "company: typed\ninterviews: {system_design: {pass: much}}\n")}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`a.yaml:1:1: company: "Bad Name" is no name`, `a.yaml:2:1: colour: unknown key`, `a.yaml:5:5: interviews.system_design.words: unknown choice "everybody": there are candidate, both`,
		`a.yaml:6:5: interviews.system_design.pass: 2 is no share`, `there is no bank "missing"`, `set url (where the service is) or card`,
		`phases[0].description: the description is missing`, `phases[0].weight: unknown key`, `phases[1].id: id "one" is there twice`, `phases[1].name: the name is missing`,
		`phases[1].keywords: there are no keywords`, `phases[2].id: "a b" is no id`, `phases[2].keywords[0]: a keyword needs`, `phases[2].soft: soft and hard`,
		`questions[0].text: the question needs a text in English`, `there is no sub-phase "nowhere"`, `b.yaml`, `c.yaml`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %q", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

// A service whose host is not listed, or whose token would travel in the clear, is found at the start and not in a call.
func TestServicesAreCheckedAtTheStart(t *testing.T) {
	far := companies("company: far\ninterviews: {system_design: {remote: {url: 'http://company.example'}}}\n")
	if _, err := design.NewFactory(design.Options{Folders: []fs.FS{far}}); err == nil || !strings.Contains(err.Error(), "company.example: not on the list") {
		t.Errorf("a host that is not listed gives %v", err)
	}
	token := func(string) string { return "secret" }
	_, err := design.NewFactory(design.Options{Folders: []fs.FS{far}, Allow: []string{"company.example"}, Token: token})
	if err == nil || !strings.Contains(err.Error(), "https") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a token over plain http gives %v", err)
	}
	for address, fine := range map[string]bool{"http://10.0.0.5": false, "http://[fd00::1]": false, "http://127.0.0.1:8080": true, "http://[::1]": true, "https://10.0.0.5": true} {
		own := companies("company: far\ninterviews: {system_design: {remote: {url: '" + address + "'}}}\n")
		f, err := design.NewFactory(design.Options{Folders: []fs.FS{own}, Allow: []string{"10.0.0.5", "fd00::1", "127.0.0.1", "::1"}, Token: token})
		if fine != (err == nil) || err != nil && !strings.Contains(err.Error(), "plain http") {
			t.Errorf("a token to %s gives %v", address, err)
		}
		if f != nil {
			f.Close()
		}
	}
	for _, entry := range []string{"", "*", "*.", "a b", "http://x", "10.0.0.0/40", "x:443"} {
		if _, err := design.NewFactory(design.Options{Allow: []string{entry}}); err == nil {
			t.Errorf("%q is accepted as a host", entry)
		}
	}
}
