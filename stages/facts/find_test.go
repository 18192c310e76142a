package facts_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/facts"
)

// wordings reads a file of questions with what they ask for.
func wordings(t *testing.T, language string) (questions []string, wanted []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + language + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		want, question, ok := strings.Cut(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		questions, wanted = append(questions, strings.TrimSpace(question)), append(wanted, strings.TrimSpace(want))
	}
	return questions, wanted
}

func ids(found []facts.Fact) string {
	out := make([]string, len(found))
	for i, f := range found {
		out[i] = f.ID
	}
	return strings.Join(out, ",")
}

// RM-8, RM-3: what every interview answers is found by its wordings in three languages, and nothing is found in what only
// mentions it, or asks about something else.
func TestFindDefaultFacts(t *testing.T) {
	sheet := facts.Default()
	for _, language := range facts.Languages {
		questions, wanted := wordings(t, language)
		none := 0
		for i, q := range questions {
			if wanted[i] == "" {
				none++
			}
			if got := ids(sheet.Find(q, language)); got != wanted[i] {
				t.Errorf("%s: %q asks for %q, found %q", language, q, wanted[i], got)
			}
		}
		if len(questions) < 60 || none < 20 {
			t.Errorf("%s: %d wordings, of which %d must find nothing", language, len(questions), none)
		}
	}
}

// Every default fact is asked for by some wording of each language.
func TestEveryDefaultFactIsAskedFor(t *testing.T) {
	for _, language := range facts.Languages {
		_, wanted := wordings(t, language)
		all := strings.Split(strings.Join(wanted, ","), ",")
		for _, f := range facts.Default() {
			if !slices.Contains(all, f.ID) {
				t.Errorf("no wording in %s asks for %s", language, f.ID)
			}
		}
	}
}

func TestIsQuestion(t *testing.T) {
	for _, x := range []struct {
		locale, text string
		want         bool
	}{
		{"en", "Is this recorded", true}, {"en", "Could you tell me how long it takes", true}, {"en", "I was wondering whether I may take notes", true},
		{"en", "It takes long.", false}, {"en", "What I did was simple.", false}, {"en", "How I see it, a queue is enough.", false},
		{"en", "The clients asked how long it takes.", false}, {"en", "I would use a hash map.", false}, {"en", "", false}, {"en", "?", false},
		{"zh", "会录音吗", true}, {"zh", "请问多久", true}, {"zh", "我用了队列。", false}, {"zh", "客户问会不会录音", false}, {"zh", "没什么", false},
		{"vi", "Có ghi âm không", true}, {"vi", "cho tôi hỏi một chút", true}, {"vi", "Tôi nghĩ là không.", false}, {"vi", "Tôi dùng hàng đợi.", false},
		{"vi", "Khách hàng hỏi có ghi âm không", false},
		{"zh", "Is this recorded", true}, // another language than the interview's
		{"en", "会录音吗", true}, {"de", "Is it recorded?", true},
	} {
		if got := facts.IsQuestion(x.text, x.locale); got != x.want {
			t.Errorf("%s %q: %v", x.locale, x.text, got)
		}
	}
}

func TestWordings(t *testing.T) {
	for _, x := range []struct {
		language, ask, question string
		want                    bool
	}{
		{"en", "big list", "How big can the list get?", true},
		{"en", "big list", "How big can one of those be in a list?", false}, // more than two words between
		{"en", "big list", "Is the list big?", false},                       // in another order
		{"en", "negative/below", "Can numbers be below zero?", true},
		{"en", "below-zero", "Can it go below about zero?", false},
		{"en", "^how big", "So, how big is it?", true}, {"en", "^how big", "Do you know how big it is?", false},
		{"en", "big$", "Is it big?", true}, {"en", "big$", "Is it big or small?", false},
		{"en", "days", "Is one day enough?", true}, // singular and plural
		{"en", "who is", "Who's that?", true},
		{"zh", "多大", "列表多大？", true}, {"zh", "多大", "多少个大的？", false}, {"zh", "列表 空", "列表可以为空吗", true}, {"zh", "你是谁", "您是谁？", true},
		{"vi", "bao lâu", "mat bao lau", true}, {"vi", "bao lâu", "bảo lâu quá không", false},
	} {
		sheet := facts.Sheet{{ID: "it", Asks: map[string][]string{x.language: {x.ask}}, Say: map[string]string{"en": "Yes."}}}
		if got := len(sheet.Find(x.question, x.language)) == 1; got != x.want {
			t.Errorf("%q in %q: %v", x.ask, x.question, got)
		}
	}
}

// Of two facts about the same words the more telling one counts; what nobody may hear is not found.
func TestFindPrefersTheMoreTelling(t *testing.T) {
	asks := func(s string) map[string][]string { return map[string][]string{"en": {s}} }
	sheet := facts.Sheet{
		{ID: "size", Asks: asks("how big")}, {ID: "list_size", Asks: asks("how big list")}, {ID: "secret", Asks: asks("how big list get"), Tell: facts.Never},
		{ID: "order", Asks: asks("sorted")},
	}
	if got := ids(sheet.Find("How big can the list get, and is it sorted?", "en")); got != "list_size,order" {
		t.Error(got)
	}
}
