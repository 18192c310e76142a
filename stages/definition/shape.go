package definition

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/facts"
)

// choice is a closed set that a key chooses from, and what its words are.
type choice struct {
	what  string
	words []string
}

var (
	responders = choice{"responder", []string{Conversational, ByExperts, Scripted, ByReport}}
	answers    = choice{"kind of answer", []string{"story", "yes_no", "short"}}
	moves      = choice{"move", []string{DoReprompt, DoSimplify, DoAdvance}}
)

// choices are the closed sets, by type and key. Where a definition may add words of its own, or code registers more, a key is left open.
var choices = map[string]choice{
	"Stage.responder": responders,
	"Stage.turn":      {"manner of turn-taking", []string{"patient", "brisk", "manual"}},
	"Stage.expect":    answers,
	"Stage.expand":    {"expansion", []string{ExpandPhases}},

	"Slot.expect":        answers,
	"Rung.do":            moves,
	"Rung.near_deadline": moves,
	"Guard.intent":       {"intent", Intents},
	"Guard.slots":        {"choice", []string{"required", "all"}},
	"Guard.decision":     {"decision", []string{"next_phase", "continue"}},
	"Gate.by":            {"evaluator", Evaluators},
	"Gate.else":          {"evaluator by rules, which cannot fail,", substitutes()},
	"Gate.words":         {"choice", []string{"candidate", "both"}},
	"Gate.match":         {"choice", []string{"token", "substring"}},
	"Skip.rule":          {"rule", []string{SkipNever, SkipAllowed, SkipForward}},

	"BoardField.type": {"type", []string{"text", "list", "number", "flag"}},
	"Problems.levels": {"difficulty", []string{"easy", "medium", "hard"}},
	"Attachment.on":   {"occasion", []string{OnAnswer, OnStage}},
	"Attachment.by":   {"evaluator", Evaluators[1:]}, // a provider judges gates only
	"Report.sections": {"section", Sections},
	"Fact.tell":       {"choice", []string{string(facts.Always), string(facts.Never)}},
}

// form is how a name is written.
type form struct {
	*regexp.Regexp
	what string
}

var (
	namePattern   = form{regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`), "a lower-case name such as two_stage"}
	stagePattern  = form{regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`), "a name such as SELF_INTRO"}
	localePattern = form{regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`), "a language tag such as en or zh-CN"}
	factPattern   = form{regexp.MustCompile(`^[a-z][a-z0-9_.]*$`), "a lower-case name"}
)

// What else is known of keys, by type and key.
var (
	required = map[string][]string{
		"Definition": {"kind", "title", "locales", "stages"}, "Stage": {"id"}, "Slot": {"id"},
		"Rung": {"after", "do"}, "Edge": {"to"}, "Gate": {"by"}, "Criterion": {"phrase"}, "Provider": {"type"}, "Problems": {"set"},
		"Attachment": {"id", "by"}, "Personas": {"questions"}, "Fact": {"id", "say"},
	}
	patterns = map[string]form{
		"Definition.kind": namePattern, "Definition.locales": localePattern, "Stage.id": stagePattern,
		"Slot.id": namePattern, "Guard.flag": namePattern, "Attachment.id": namePattern, "Fact.id": factPattern,
	}
	// missing is what to write where a required text is missing.
	missing = map[string]string{
		"Definition.title":   "give the interview a title: people choose it by that",
		"Provider.type":      "say which type of interview the provider is asked for, such as system_design",
		"Problems.set":       "name the set of problems, such as algorithm",
		"Criterion.phrase":   "say what an answer should cover, such as latency",
		"Personas.questions": "name the stage in which the persona asks",
	}
	variables = []string{"Provider.company", "Provider.question", "Problems.pick"} // names of variables
	shares    = []string{"Guard.coverage", "Gate.pass", "Attachment.pass"}
	signed    = "Gate.auto" // -1 = never
)

// values notes every single value that the schema does not allow: words from a closed set, names, shares, and numbers and spans
// below zero. at is the type and key that the value belongs to, path where it stands.
func (f *findings) values(v reflect.Value, at, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.values(v.Elem(), at, path)
		}
	case reflect.Struct:
		f.block(v, path)
	case reflect.Slice:
		for i := range v.Len() {
			f.values(v.Index(i), at, fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			f.values(value, at, path+"."+key.String())
		}
	case reflect.String:
		f.word(v.String(), at, path)
	case reflect.Int, reflect.Int64:
		if v.Int() < 0 && at != signed {
			f.Add(path, "it cannot be negative")
		}
	case reflect.Float64:
		if slices.Contains(shares, at) {
			f.Share(path, v.Float())
		} else if v.Float() < 0 {
			f.Add(path, "it cannot be negative")
		}
	}
}

func (f *findings) block(v reflect.Value, path string) {
	t := v.Type()
	if t == reflect.TypeFor[facts.Fact]() {
		return // a sheet checks itself
	}
	for i := range t.NumField() {
		if key := yamlKey(t.Field(i)); key != "" {
			f.values(v.Field(i), t.Name()+"."+key, strings.TrimPrefix(path+"."+key, "."))
		}
	}
}

func (f *findings) word(text, at, path string) {
	block, key, _ := strings.Cut(at, ".")
	switch {
	case text == "" && missing[at] != "":
		f.Add(path, "%s", missing[at])
		return
	case text == "" && !slices.Contains(required[block], key):
		return
	case slices.Contains(variables, at):
		f.declared(path, text)
	}
	if set, closed := choices[at]; closed {
		f.OneOf(path, set.what, text, set.words)
	}
	if p, named := patterns[at]; named && !p.MatchString(text) {
		f.Add(path, "%q must be %s", text, p.what)
	}
}

// yamlKey is the key of a field in a file, or "".
func yamlKey(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	return key
}
