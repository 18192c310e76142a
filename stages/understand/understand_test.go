package understand_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/understand"
)

func english(t *testing.T) *understand.Rules {
	t.Helper()
	r, err := understand.Load(understand.Shipped(), "en")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// R001-27: meaning, not one fixed phrase; and no intent in harmless sentences.
func TestIntents(t *testing.T) {
	r := english(t)
	for text, want := range map[string][]understand.Intent{
		"I am a nurse, and that's my background.":                        {understand.Done},
		"That is all about me.":                                          {understand.Done},
		"so yeah that's it":                                              {understand.Done},
		"I lead a team of five. That pretty much sums it up!":            {understand.Done},
		"Nothing else to add":                                            {understand.Done},
		"let me think":                                                   {understand.Think},
		"Hmm, give me a second please":                                   {understand.Think},
		"Sorry, could you repeat the question?":                          {understand.Repeat},
		"Sorry, I did not get that.":                                     {understand.Repeat},
		"I didn't quite catch what you said":                             {understand.Repeat},
		"Um, I could not hear you":                                       {understand.Repeat},
		"I can't hear you, there is noise":                               {understand.Repeat},
		"I don't understand the question.":                               {understand.Repeat},
		"The users did not get that, so we wrote a guide":                nil,
		"I did not get it to run in time, so we moved the date":          nil,
		"I’d rather not say":                                             {understand.Refuse},
		"I can't recall one":                                             {understand.Refuse},
		"I don't know.":                                                  {understand.Frustrated, understand.Refuse},
		"Please stop the interview":                                      {understand.End},
		"I don't know if it matters, but I also wrote the tests":         nil,
		"that's my background in chemistry, and now I work on batteries": nil,
		"we had to stop the release and think about what that was doing to everybody": nil,
		"I work as a teacher": nil,
		"It was a hard second half, and my team could not give me more people in time": nil,
	} {
		if diff := cmp.Diff(want, r.Intents(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestFacts(t *testing.T) {
	r := english(t)
	for _, c := range []struct{ fact, text, want string }{
		{"name", "Hi, my name is jordan and I build things", "Jordan"},
		{"name", "Hello, I'm Priya, a nurse", "Priya"},
		{"name", "hi I'm a teacher", ""},
		{"role", "I am a senior backend engineer at a payments company", "senior backend engineer"},
		{"role", "I'm currently working as a data analyst", "data analyst"},
		{"role", "hi my name is jordan the back end engineer and a payment company", "back end engineer"},
		{"role", "my current role is product manager for search", "product manager"},
		{"role", "I like long walks", ""},
		{"years", "I have been doing this for about seven years now", "about seven years"},
		{"highlight", "last year I led the migration of our billing system to the cloud", "led the migration of our billing system to the cloud"},
		{"highlight", "I'm really good at explaining hard things", "really good at explaining hard things"},
		{"highlight", "the weather is fine", ""},
		{"target_role", "I am looking for a staff engineer role", "staff engineer role"},
		{"result", "we reduced the checkout errors by forty percent", "reduced the checkout errors by forty percent"},
		{"action", "First I talked to users and then I rewrote the parser in a week", "talked to users and then I rewrote the parser in a week"},
		{"tradeoff", "we had to give up the nice animations to make it", "had to give up the nice animations to make it"},
	} {
		got, ok := r.Fact(c.fact, c.text)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s in %q: got %q, want %q", c.fact, c.text, got, c.want)
		}
	}
}

func TestFactsAreBounded(t *testing.T) {
	r := english(t)
	got, _ := r.Fact("highlight", "I built "+strings.Repeat("extraordinarily ", 40))
	if len(got) > 120 || strings.HasSuffix(got, "-") {
		t.Errorf("%d characters: %q", len(got), got)
	}
}

func TestBadRulesAreAllNamed(t *testing.T) {
	_, err := understand.Load(fstest.MapFS{"xx.yaml": {Data: []byte("intents:\n  done: {patterns: ['(']}\n  sing: {patterns: []}\nfacts:\n  role: ['[']\n")}}, "xx")
	for _, want := range []string{"done, pattern 1", `unknown intent "sing"`, "role, pattern 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a b  c": 3, "don't stop": 2, "太难了": 2, "O(n)": 2} {
		if got := understand.Words(text); got != want {
			t.Errorf("Words(%q) = %d, want %d", text, got, want)
		}
	}
}
