package facts

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/vivavoice/viva/prompts"
)

// Sheet is what an interviewer knows, in order. It is read-only once it is made and may be shared.
type Sheet []Fact

// Languages are those that facts are told in. English stands in where a fact is not told in the language of a talk.
var Languages = []string{"en", "zh", "vi"}

// Join puts sheets one after another. A fact of a later sheet takes the place of an earlier one with its id: what it leaves out,
// its wordings or who may hear it in a language, is the earlier one's.
func Join(sheets ...Sheet) Sheet {
	size := 0
	for _, s := range sheets {
		size += len(s)
	}
	out := make(Sheet, 0, size)
	at := make(map[string]int, size)
	for _, s := range sheets {
		for _, f := range s {
			i, there := at[f.ID]
			if !there {
				at[f.ID] = len(out)
				out = append(out, f)
				continue
			}
			out[i] = over(out[i], f)
		}
	}
	return out
}

// over returns the later fact, with the earlier one's wordings where it has none of its own.
func over(earlier, later Fact) Fact {
	if len(later.Asks) == 0 {
		later.Asks = earlier.Asks
	}
	return later
}

// Fact returns the fact with an id.
func (s Sheet) Fact(id string) (Fact, bool) {
	i := slices.IndexFunc(s, func(f Fact) bool { return f.ID == id })
	if i < 0 {
		return Fact{}, false
	}
	return s[i], true
}

var idPattern = regexp.MustCompile(`^[a-z][a-z0-9_.]*$`)

// Check looks for all that is wrong with a sheet that stands at a path of a file, and passes it on to add.
func (s Sheet) Check(at string, add func(path, format string, args ...any)) {
	seen := make(map[string]bool, len(s))
	for i, f := range s {
		path := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case !idPattern.MatchString(f.ID):
			add(path+".id", "%q is no id: use lower-case letters, digits, _ and .", f.ID)
		case seen[f.ID]:
			add(path+".id", "two facts are called %s: give each an id of its own", f.ID)
		}
		seen[f.ID] = true
		f.check(path, add)
	}
}

func (f Fact) check(path string, add func(path, format string, args ...any)) {
	if !slices.Contains([]Tell{WhenAsked, Always, Never}, f.Tell) {
		add(path+".tell", "%q does not say who may hear it: leave it out (whoever asks), or say always or never", f.Tell)
	}
	if len(f.Say) == 0 {
		add(path, "the fact has no answer: give one in at least one language under say")
	}
	for _, language := range sorted(f.Say) {
		if !slices.Contains(Languages, language) {
			add(path+".say."+language, "%q is none of the languages %v", language, Languages)
			continue
		}
		if err := try(f.Say[language], language); err != nil {
			add(path+".say."+language, "%v", err)
		}
	}
	for _, language := range sorted(f.Asks) {
		if !slices.Contains(Languages, language) {
			add(path+".asks."+language, "%q is none of the languages %v", language, Languages)
			continue
		}
		for n, ask := range f.Asks[language] {
			if len(compile(ask, language).pieces) == 0 {
				add(fmt.Sprintf("%s.asks.%s[%d]", path, language, n), "the wording %q holds no word", ask)
			}
		}
	}
}

// Lack is something that a sheet does not hold.
type Lack struct{ ID, Language, What string }

func (l Lack) String() string {
	if l.What == "asks" {
		return l.ID + " is not found when it is asked for in " + l.Language + ": add wordings under asks"
	}
	return l.ID + " has no answer in " + l.Language + ": add one under say"
}

// Lacks lists what a sheet does not hold in the languages of an interview. What nobody may hear is never said, and lacks nothing.
func (s Sheet) Lacks(locales ...string) []Lack {
	var out []Lack
	for _, f := range s {
		if f.Tell == Never {
			continue
		}
		for _, locale := range locales {
			language := prompts.Language(locale)
			if f.Say[language] == "" {
				out = append(out, Lack{f.ID, language, "say"})
			}
			if len(f.Asks[language]) == 0 && f.Tell != Always {
				out = append(out, Lack{f.ID, language, "asks"})
			}
		}
	}
	return out
}
