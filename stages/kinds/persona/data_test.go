package persona

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
)

// R002-3, R002-7, R002-34: everybody who may interview has a name, a voice and an introduction that asks nothing, and every question
// that is put again the words before it, in English at least.
func TestTheDataIsWhole(t *testing.T) {
	c, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	f := datafile.Open("data", []byte("{}"))
	checkPersonas(f, c.Personas())
	checkMenu(f, c.menu)
	checkWords(f, c.words)
	if err := f.Err(); err != nil {
		t.Error(err)
	}
}

// What is wrong with them is found, so that the test above can fail.
func TestBrokenDataIsFound(t *testing.T) {
	f := datafile.Open("data", []byte("{}"))
	checkPersonas(f, []*cast.Persona{nil, {ID: "A b", Introduction: map[string]string{"en": "Shall we?"}}})
	checkMenu(f, map[string]*menuWords{"zh": {Offer: "x"}})
	checkWords(f, &words{Anything: []map[string]string{{"zh": "x"}}})
	for _, want := range []string{
		"personas[0]: it is empty", `"A b" is missing, taken`, "must lie between", "tone and focus", "it must ask nothing", "menu: the words in English",
		"need {options}", "correction, last and any", "closing.en", "by_role: give at least", "exactly one question", "again.request: the words",
	} {
		if !strings.Contains(fmt.Sprint(f.Err()), want) {
			t.Errorf("nothing about %q in\n%v", want, f.Err())
		}
	}
}

// The pace of a persona, as speech engines take it.
const (
	slowest = 0.5
	fastest = 2.0
)

func checkPersonas(f *datafile.File, personas []*cast.Persona) {
	if len(personas) == 0 {
		f.Add("personas", "there must be at least one")
	}
	seen := make(map[string]bool)
	for i, p := range personas {
		at := fmt.Sprintf("personas[%d]", i)
		if p == nil {
			f.Add(at, "it is empty")
			continue
		}
		for _, id := range slices.Concat([]string{p.ID}, p.Aliases) {
			if id != datafile.ID(id) || id == "" || seen[id] {
				f.Add(at+".id", "the id %q is missing, taken, or not in lower case with _", id)
			}
			seen[id] = true
		}
		if p.Sound.Speed < slowest || p.Sound.Speed > fastest {
			f.Add(at+".voice.speed", "%v must lie between %v and %v", p.Sound.Speed, slowest, fastest)
		}
		if p.Tone == "" || p.Focus == "" {
			f.Add(at, "tone and focus must be set")
		}
		p.Facts.Check(at+".facts", f.Add)
		for key, texts := range map[string]map[string]string{"name": p.Name, "introduction": p.Introduction} {
			if texts["en"] == "" {
				f.Add(at+"."+key, "the text in English (en) is missing")
			}
		}
		for lang, text := range p.Introduction {
			if understand.QuestionMarks(text) > 0 {
				f.Add(at+".introduction."+lang, "it must ask nothing: the first question follows it")
			}
		}
	}
}

func checkMenu(f *datafile.File, menu map[string]*menuWords) {
	if menu["en"] == nil {
		f.Add("menu", "the words in English (en) are missing")
	}
	for _, lang := range slices.Sorted(maps.Keys(menu)) {
		at, m := "menu."+lang, menu[lang]
		if m == nil {
			f.Add(at, "it is empty")
			continue
		}
		if !strings.Contains(m.Offer, "{options}") || !strings.Contains(m.Clarify, "{options}") || !strings.Contains(m.Option, "{name}") || m.Settle == "" {
			f.Add(at, "offer and clarify need {options}, option needs {name}, and settle must be set")
		}
		if m.Correction == nil || m.Last == nil || m.Any == nil {
			f.Add(at, "correction, last and any must be set: each is a regular expression")
		}
	}
}

func checkWords(f *datafile.File, w *words) {
	if strings.TrimSpace(w.Closing["en"]) == "" {
		f.Add("closing.en", "it must be set")
	}
	for key, list := range map[string][]map[string]string{"by_role": w.ByRole, "anything": w.Anything} {
		if len(list) == 0 {
			f.Add(key, "give at least one question")
		}
		for i, texts := range list {
			for lang, text := range texts {
				if understand.QuestionMarks(text) != 1 {
					f.Add(fmt.Sprintf("%s[%d].%s", key, i, lang), "it must ask exactly one question")
				}
			}
			if texts["en"] == "" {
				f.Add(fmt.Sprintf("%s[%d]", key, i), "the text in English (en) is missing")
			}
		}
	}
	checkAgain(f, w)
	checkTakeUp(f, w)
}

// checkTakeUp checks the words about a piece of an answer: they say it, and ask one question.
func checkTakeUp(f *datafile.File, w *words) {
	for key, byLang := range map[string]map[string][]string{"take_up": w.TakeUp, "percent": w.Percent, "introduced": w.Introduced} {
		for lang, texts := range byLang {
			for i, text := range texts {
				if !strings.Contains(text, pieceField) {
					f.Add(fmt.Sprintf("%s.%s[%d]", key, lang, i), "it must say "+pieceField)
				}
				if understand.QuestionMarks(text) != 1 {
					f.Add(fmt.Sprintf("%s.%s[%d]", key, lang, i), "it must ask exactly one question")
				}
			}
		}
	}
}

// checkAgain checks the words around a question that is put once more; they ask nothing themselves.
func checkAgain(f *datafile.File, w *words) {
	leads := map[string]map[string][]string{"decline": w.Decline}
	for _, why := range []expert.Occasion{expert.OnRequest, expert.OnSilence, expert.OnSimpler, expert.OnReturn, onMeaning, onReady} {
		leads["again."+string(why)] = w.Again[string(why)]
	}
	for _, at := range slices.Sorted(maps.Keys(leads)) {
		if len(leads[at]["en"]) == 0 {
			f.Add(at, "the words in English (en) are missing")
		}
		for lang, texts := range leads[at] {
			if slices.ContainsFunc(texts, func(text string) bool { return understand.QuestionMarks(text) > 0 }) {
				f.Add(at+"."+lang, "it must ask nothing: a question follows it")
			}
		}
	}
}
