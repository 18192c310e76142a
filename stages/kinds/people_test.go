package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// person is a candidate in an interview that rules hold: what is said is heard at once.
type person struct {
	t     *testing.T
	iv    *engine.Interview
	u     *state.UserData
	at    state.Millis
	facts []string
}

func meets(t *testing.T, kind string) *person {
	t.Helper()
	return meetsIn(t, kind, "en", nil)
}

func meetsIn(t *testing.T, kind, locale string, helplines map[string]string) *person {
	t.Helper()
	p := &person{t: t, iv: loaded(t, kind, locale), u: &state.UserData{}}
	p.happens(engine.Started{Session: "s", Locale: locale, Candidate: state.Candidate{Name: "Ada"}, Helplines: helplines})
	p.hears()
	return p
}

func (p *person) happens(ev engine.Event) {
	var effects []engine.Effect
	p.u, effects = p.iv.Step(p.u, p.at, ev)
	for _, e := range effects {
		if f, is := e.(engine.Fact); is {
			p.facts = append(p.facts, f.Name)
		}
	}
}

func (p *person) hears() {
	for n := 0; p.u.Floor.Utterance != 0 && p.u.Ended == "" && n < 9; n++ {
		f := p.u.Floor
		p.happens(engine.VoiceStarted{Utterance: f.Utterance})
		p.at += 2000
		p.happens(engine.VoiceEnded{Utterance: f.Utterance, Visit: f.Visit, Heard: f.Text})
	}
}

// says returns the interviewer's words in answer.
func (p *person) says(text string) string {
	p.t.Helper()
	n := len(p.u.Turns)
	p.at += 3000
	p.happens(engine.UserTurn{Text: text, Began: p.at - 1000})
	p.hears()
	var heard []string
	for _, turn := range p.u.Turns[min(n+1, len(p.u.Turns)):] {
		if turn.Speaker == state.SpeakerAgent {
			heard = append(heard, turn.Text)
		}
	}
	return strings.Join(heard, " ")
}

// to is what leads a rules-held interview of a kind to a question about its matter.
var to = map[string][]string{
	"two_stage": nil, "conversation": nil, "evaluation": nil, "algorithm_coach": nil,
	"system_design": {"Yes, let us start."}, "persona_interview": {"The senior one, please."},
}

// RM-13, RM-2: nerves are met with a human sentence and an offer, the next question does not follow in the same breath, and nothing is
// used up.
func TestNervesAreMetFirst(t *testing.T) {
	for kind, way := range to {
		p := meets(t, kind)
		for _, text := range way {
			p.says(text)
		}
		before := p.u.Current().Turns
		got := p.says("Sorry, I'm so nervous that my hands are shaking.")
		if got == "" || p.u.Current().Turns != before || !slices.Contains(p.facts, "candidate.emotion") {
			t.Errorf("%s: %q, %d turns after %d", kind, got, p.u.Current().Turns, before)
		}
		if n := strings.Count(got, "?"); n > 1 {
			t.Errorf("%s asks on: %q", kind, got)
		}
	}
}

// RM-14: words of self-harm stop the interview: care, whom to turn to, an offer to end; the operator hears of it, the words are private,
// and no question of the interview follows.
func TestSelfHarmStopsTheInterview(t *testing.T) {
	for kind, way := range to {
		p := meets(t, kind)
		for _, text := range way {
			p.says(text)
		}
		asked := p.u.Current().Prompt
		got := p.says("Sometimes I want to kill myself.")
		turn := slices.IndexFunc(p.u.Turns, func(x state.Turn) bool { return strings.Contains(x.Text, "kill myself") })
		if !slices.Contains(p.facts, "candidate.distress") || turn < 0 || !p.u.Turns[turn].Private || !p.u.Distress {
			t.Errorf("%s: %v, %+v", kind, p.facts[max(0, len(p.facts)-9):], p.u.Turns[max(0, turn)])
		}
		if !strings.Contains(strings.ToLower(got), "emergency") || !strings.Contains(strings.ToLower(got), "end") {
			t.Errorf("%s: nobody to turn to, or no way out, in %q", kind, got)
		}
		on := p.says("I don't know. It is all too much.")
		if p.u.Current().Prompt != asked || on == "" || strings.Contains(on, got) {
			t.Errorf("%s goes on with %q", kind, on)
		}
		p.says("Yes, please end it.")
		if p.u.Ended == "" && !p.iv.Def.Stage(p.u.Stage).Final {
			t.Errorf("%s does not end: in %s", kind, p.u.Stage)
		}
	}
}

// RM-14: a manner of speaking is no distress; where it was taken for one, the candidate puts it right and the interview goes on, where it was.
func TestWhoIsWellGoesOn(t *testing.T) {
	for locale, turns := range map[string][3]string{
		"en": {"I want to die when I see such code.", "No, not me! That's a figure of speech, don't end it.", "I don't want to go on."},
		"zh": {"加班加得我都想死。", "啊？不是我，口头话，不用结束，接着来。", "我不想继续面试了，活着没意思。"},
		"vi": {"Deploy hỏng em muốn chết luôn á.", "Dạ không, em nói đùa thôi, em muốn tiếp tục.", "Em không muốn tiếp tục nữa, em không thiết sống."},
	} {
		p := meetsIn(t, "persona_interview", locale, nil)
		asked := p.u.Current().Prompt
		if p.says(turns[0]); !p.u.Distress {
			t.Fatalf("%s: %q was not heard: the test proves nothing", locale, turns[0])
		}
		if got := p.says(turns[1]); p.u.Distress || p.u.Ended != "" || p.u.Current().Prompt != asked || got == "" {
			t.Errorf("%s: after %q: %q, in %s", locale, turns[1], got, p.u.Stage)
		}
		if rules := p.iv.Rules; rules.Well(turns[2]) || !rules.Well(turns[1]) {
			t.Errorf("%s: %q is taken for well, or %q is not", locale, turns[2], turns[1])
		}
	}
	for text, locale := range map[string]string{"我们那个报表现在每次都重算，慢得要死。": "zh", "这个面试难死了": "zh", "Cái máy đó chậm muốn chết.": "vi",
		"Có lần hai đoàn khách vào chung một phòng, ngại muốn chết.": "vi", "Em xấu hổ quá muốn chết luôn á": "vi", "当时尴尬得我想死": "zh",
		"I would rather die than maintain that again, and I wanted to die of shame.": "en"} {
		if acts := loaded(t, "persona_interview", locale).Rules.Acts(text); slices.ContainsFunc(acts, func(a understand.Act) bool { return a.Kind == understand.ActDistress }) {
			t.Errorf("%q is taken for distress", text)
		}
	}
}

// RM-14: whom to turn to is the operator's to say, for each language; a language for which nothing is said keeps its own words.
func TestTheOperatorsHelpline(t *testing.T) {
	lines := map[string]string{"en": "Please call Lifeline on 13 11 14 now.", "zh": "请现在拨打希望热线4001619995。"}
	for locale, test := range map[string]struct{ says, want string }{
		"en": {"Sometimes I want to kill myself.", lines["en"]},
		"zh": {"有时候我想自杀。", lines["zh"]},
		"vi": {"Nhiều khi tôi muốn tự tử.", "115"},
	} {
		p := meetsIn(t, "persona_interview", locale, lines)
		if got := p.says(test.says); !strings.Contains(got, test.want) || locale != "vi" && strings.Count(got, "115")+strings.Count(got, "12356")+strings.Count(got, "988") > 0 {
			t.Errorf("%s: %q", locale, got)
		}
	}
}

// RM-18: a project that the introduction told is not asked for again: it is taken up by what is still missing.
func TestAStoryIsNotAskedForTwice(t *testing.T) {
	p := meets(t, "two_stage")
	got := p.says("I'm a data engineer at a bank. My last project was to rebuild the billing system because it lost invoices: I designed the schema and wrote the migration myself, and it was done in nine months.")
	for n := 0; p.u.Stage == "SELF_INTRO" && n < 3; n++ {
		got = p.says("One strength is that I finish what I begin.")
	}
	if p.u.Stage != "PAST_EXPERIENCE" || strings.Contains(got, "tell me about one project") || !strings.Contains(got, "project") {
		t.Errorf("in %s: %q", p.u.Stage, got)
	}
}

// RM-9: how it goes can be asked at any time, and gets an answer that claims nothing.
func TestHowDidIDo(t *testing.T) {
	for kind, way := range to {
		p := meets(t, kind)
		for _, text := range way {
			p.says(text)
		}
		before := p.u.Current().Turns
		if got := p.says("How am I doing so far?"); got == "" || p.u.Current().Turns != before || strings.Contains(got, "well done") {
			t.Errorf("%s: %q, %d turns", kind, got, p.u.Current().Turns)
		}
	}
}

// Who is asked whether to begin and says "Let's go, what's the question?" wants the task, not the same question again.
func TestEagerToBegin(t *testing.T) {
	b := newBench(t, "system_design", "en", "welcome")
	b.tell("Hi, yes, let's go. I'm a mobile developer, so we'll see how this goes. What's the question?")
	if got := b.u.Current().Stage; got != "intro" {
		t.Errorf("it is at %s and says %q", got, b.said)
	}
}
