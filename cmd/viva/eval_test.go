package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const talks = `
interview: two_stage
scenarios:
  - label: Quick
    instructions: You are Ada.
    agent_expectations: Greets her.
    tags: [short]
    metadata: {candidate: {name: Ada}}
    lines: ["Hi, I am Ada, I build ticket machines and find odd bugs.", "We rebuilt the fare table, I split the zones.", "That is all."]
`

// An eval without a key: candidates by script, the interview by rules, and the results wherever they are wanted; compared with
// themselves nothing became worse.
func TestEvalByRules(t *testing.T) {
	setting(t)
	dir := inFolder(t, map[string]string{"talks.yaml": talks})
	file := func(name string) string { return filepath.Join(dir, name) }
	o := viva(t, nobody(), "eval", file("talks.yaml"), "--only", "short", "--json", file("out/run.json"), "--junit", file("run.xml"), "--page", file("run.html"))
	o.wants(t, 0, "two_stage", "done    1/1  talks/quick")
	for name, want := range map[string]string{"out/run.json": `"scenario": "talks/quick"`, "run.xml": "<testsuite", "run.html": "ticket machines"} {
		text, err := os.ReadFile(file(name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %d bytes without %q", name, err, len(text), want)
		}
	}
	viva(t, nobody(), "eval", file("talks.yaml"), "--compare", file("out/run.json")).wants(t, 0)
}

// What cannot be done is refused in words, before anything is held.
func TestEvalRefusals(t *testing.T) {
	setting(t)
	dir := inFolder(t, map[string]string{"talks.yaml": talks, "bad.yaml": "scenarios:\n  - lable: A\n"})
	file := filepath.Join(dir, "talks.yaml")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"against whom":    {[]string{file, "--against", "chess"}, `only "plain" to compare with`},
		"two modes":       {[]string{file, "--record", dir, "--replay", dir}, "choose one of --record"},
		"voice, no room":  {[]string{file, "--voice"}, "LIVEKIT_URL"},
		"voice, recorded": {[]string{file, "--voice", "--record", dir}, "never the same twice"},
		"no such tag":     {[]string{file, "--only", "core"}, "--only"},
		"no such kind":    {[]string{"zoo"}, "no scenarios come with Viva"},
		"a wrong file":    {[]string{filepath.Join(dir, "bad.yaml")}, `did you mean "label"`},
		"nothing to hear": {[]string{file, "--compare", filepath.Join(dir, "none.json")}, "--compare"},
		"unknown role":    {[]string{file, "--reply-time", "-1s"}, "eval.reply_time"},
	} {
		t.Run(name, func(t *testing.T) {
			o := viva(t, nobody(), append([]string{"eval"}, c.args...)...)
			if o.code == 0 || !strings.Contains(o.errs, c.want) {
				t.Errorf("exit code %d, %s", o.code, o.errs)
			}
		})
	}
	// Against a plain prompt there has to be a model, and a cassette that is not there says how to make one.
	viva(t, nobody(), "eval", file, "--against", "plain").wants(t, exitFailure, "leave --against out")
	viva(t, nobody(), "eval", file, "--replay", filepath.Join(dir, "none")).wants(t, exitFailure, "--record")
}
