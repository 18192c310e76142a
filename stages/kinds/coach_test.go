package kinds_test

import (
	"strings"
	"testing"

	"github.com/vivavoice/viva/prompts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// all renders every wording of a prompt.
func all(t *testing.T, iv *engine.Interview, id string) []string {
	t.Helper()
	var out []string
	for n := range iv.Words.Variants(id, prompts.Say) {
		text, err := iv.Words.Render(id, prompts.Say, n, prompts.Data{Problem: "TASK."})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, text)
	}
	return out
}

// holds notes every wording of a prompt that has none of the words.
func holds(t *testing.T, id string, iv *engine.Interview, prompt string, any ...string) {
	t.Helper()
	texts := all(t, iv, prompt)
	if len(texts) == 0 {
		t.Errorf("%s: %s has no words in %s", id, prompt, iv.Words.Locale())
	}
	for _, text := range texts {
		found := false
		for _, word := range any {
			found = found || strings.Contains(strings.ToLower(text), word)
		}
		if !found {
			t.Errorf("%s: %s in %s has none of %q: %q", id, prompt, iv.Words.Locale(), any, text)
		}
	}
}

func coaches(t *testing.T) map[string]*engine.Interview {
	t.Helper()
	return map[string]*engine.Interview{"en": loaded(t, "algorithm_coach", "en"), "zh": loaded(t, "algorithm_coach", "zh")}
}

// R003-2, R003-3, R003-4, R003-35: seven stages, and each opens on its subject with a question, in both languages.
func TestOpenings(t *testing.T) {
	subjects := []struct {
		stage string
		words map[string][]string
	}{
		{"PROBLEM_CLARIFICATION", map[string][]string{"en": {"in your own words", "in your own words?"}, "zh": {"用你自己的话"}}},
		{"THOUGHT_ARTICULATION", map[string][]string{"en": {"simplest idea", "straightforward way", "which idea"}, "zh": {"想法", "做法", "办法"}}},
		{"COMPLEXITY_ANALYSIS", map[string][]string{"en": {"time and space", "time and memory", "complexity"}, "zh": {"时间", "复杂度"}}},
		{"PSEUDOCODE_DESIGN", map[string][]string{"en": {"pseudocode", "code take"}, "zh": {"伪代码", "代码"}}},
		{"EDGE_CASE_CHECK", map[string][]string{"en": {"empty one", "feed it", "unusual inputs"}, "zh": {"空的输入", "什么输入", "哪些不寻常的输入", "站不站得住"}}},
		{"FOLLOW_UP", map[string][]string{"en": {"better", "take it from here", "improvement"}, "zh": {"更好", "改进"}}},
		{"PATTERN_SUMMARY", map[string][]string{"en": {"pattern", "idea that made it work"}, "zh": {"模式", "想法"}}},
	}
	for locale, iv := range coaches(t) {
		if len(iv.Def.Stages) != len(subjects)+1 {
			t.Fatalf("%d stages", len(iv.Def.Stages))
		}
		for i, x := range subjects {
			st := &iv.Def.Stages[i]
			if st.ID != x.stage {
				t.Fatalf("stage %d is %s, want %s", i, st.ID, x.stage)
			}
			holds(t, "R003-4", iv, st.Prompts.Open, x.words[locale]...)
			for _, text := range all(t, iv, st.Prompts.Open) {
				if !strings.ContainsAny(text, "?？") {
					t.Errorf("%s does not ask: %q", st.ID, text)
				}
			}
		}
	}
}

// R003-58, R003-59, R003-60, R003-61, R003-62: core stages are not skipped: the wish is acknowledged, the reason given, two
// or three minutes proposed. The others may be: agreed, with a word on their worth in a real interview.
func TestSkipping(t *testing.T) {
	optional := map[string]bool{"COMPLEXITY_ANALYSIS": true, "FOLLOW_UP": true, "PATTERN_SUMMARY": true}
	wish := map[string][]string{"en": {"i understand", "i see", "i hear"}, "zh": {"理解", "明白", "知道", "听到"}}
	minutes := map[string][]string{"en": {"two or three minutes"}, "zh": {"两三分钟"}}
	worth := map[string][]string{"en": {"real interview"}, "zh": {"真实面试"}}
	agrees := map[string][]string{"en": {"sure", "all right", "fine"}, "zh": {"可以", "好的", "没关系"}}
	for locale, iv := range coaches(t) {
		for i := range iv.Def.Stages {
			st := &iv.Def.Stages[i]
			switch {
			case st.Final:
			case optional[st.ID]:
				if st.Skip.Rule != definition.SkipAllowed {
					t.Errorf("%s may not be skipped", st.ID)
				}
				holds(t, "R003-61", iv, st.Skip.Allow, agrees[locale]...)
				holds(t, "R003-61", iv, st.Skip.Allow, worth[locale]...)
			default:
				if st.Skip.Rule != definition.SkipNever || st.Skip.After != 3 || st.Skip.Offer == "" {
					t.Errorf("%s may be skipped: %+v", st.ID, st.Skip)
				}
				holds(t, "R003-60", iv, st.Skip.Refuse, wish[locale]...)
				holds(t, "R003-60", iv, st.Skip.Refuse, minutes[locale]...)
				holds(t, "R003-63", iv, st.Skip.Offer, "?", "？")
			}
		}
	}
}

// R003-65, R003-66, R003-67: comfort that takes the weight off, then a choice of two, each of which is understood.
func TestSupport(t *testing.T) {
	for locale, iv := range coaches(t) {
		comfort := map[string][]string{"en": {"most people", "normal", "part of learning"}, "zh": {"大多数人", "正常", "一部分"}}
		for i := range iv.Def.Stages {
			if st := &iv.Def.Stages[i]; !st.Final && (st.Support == "" || st.NoAnswer == "") {
				t.Errorf("%s has no support or gives answers away", st.ID)
			}
		}
		holds(t, "R003-65", iv, "support", comfort[locale]...)
		holds(t, "R003-67", iv, "support", map[string][]string{"en": {"stronger hint"}, "zh": {"更强的提示"}}[locale]...)
		holds(t, "R003-67", iv, "support", map[string][]string{"en": {"simpler problem"}, "zh": {"简单"}}[locale]...)
	}
	lists := loaded(t, "algorithm_coach", "en").Def.Input.Lexicons
	for _, x := range []struct{ list, lang, text string }{
		{"stronger", "en", "The stronger hint, please."}, {"stronger", "zh", "给我提示吧"}, {"easier", "en", "I'd take the simpler problem."}, {"easier", "zh", "换一道简单的"},
	} {
		if !understand.Says(x.text, lists[x.list][x.lang]) {
			t.Errorf("%q is not taken as %s", x.text, x.list)
		}
	}
}

// R003-70: the answer is not given away, with the reason why; a hint follows, so that nothing is asked here.
func TestNoAnswer(t *testing.T) {
	for locale, iv := range coaches(t) {
		holds(t, "R003-70", iv, "no_answer", map[string][]string{"en": {"because", "since", "would not help you"}, "zh": {"因为", "这样下次", "帮不上"}}[locale]...)
		for _, id := range []string{"no_answer", "input.help", "input.off_topic"} {
			for _, text := range all(t, iv, id) {
				if strings.ContainsAny(text, "?？") {
					t.Errorf("%s asks, and so will what follows: %q", id, text)
				}
			}
		}
	}
}

// R003-80, R003-81, R003-82, R003-83: what stands in for an expert that cannot answer, in every stage and language.
func TestFallbacks(t *testing.T) {
	for locale, iv := range coaches(t) {
		for i := range iv.Def.Stages {
			if st := &iv.Def.Stages[i]; !st.Final && len(all(t, iv, st.Fallback)) == 0 {
				t.Errorf("R003-83: %s has no fallback in %s", st.ID, locale)
			}
		}
		stage := func(id string) string { return iv.Def.Stage(id).Fallback }
		holds(t, "R003-80", iv, stage("THOUGHT_ARTICULATION"), map[string][]string{"en": {"step"}, "zh": {"一步一步"}}[locale]...)
		holds(t, "R003-80", iv, stage("THOUGHT_ARTICULATION"), map[string][]string{"en": {"simplest"}, "zh": {"最简单", "不管多慢"}}[locale]...)
		holds(t, "R003-81", iv, stage("PSEUDOCODE_DESIGN"), map[string][]string{"en": {"main structure"}, "zh": {"主要结构"}}[locale]...)
		holds(t, "R003-82", iv, stage("EDGE_CASE_CHECK"), map[string][]string{"en": {"empty input"}, "zh": {"空输入", "空的输入"}}[locale]...)
		holds(t, "R003-82", iv, stage("EDGE_CASE_CHECK"), map[string][]string{"en": {"extreme values", "largest values"}, "zh": {"极端值", "最大的值"}}[locale]...)
	}
}

// R003-30, R003-94, RX-20: whatever the candidate is like, no word of the coach before the summary names the pattern.
func TestThePatternStaysHidden(t *testing.T) {
	for _, iv := range coaches(t) {
		for seed := range uint64(3) {
			for _, c := range []simulate.Candidate{simulate.Weak, simulate.Hostile} {
				r := simulate.Run(iv, simulate.Options{Candidate: c, Seed: seed})
				p, known := iv.Problems.Find(r.State.Problem)
				if !known {
					t.Fatalf("the interview had problem %q", r.State.Problem)
				}
				if again(r) {
					continue // what was said belongs to two problems
				}
				for _, turn := range r.State.Turns {
					if turn.Speaker != state.SpeakerAgent || turn.Stage == "PATTERN_SUMMARY" || turn.Stage == "DONE" {
						continue
					}
					if word := understand.Which(turn.Text, p.Secrets()); word != "" {
						t.Errorf("%s, %s, seed %d: %q is heard in %s: %s", iv.Words.Locale(), c, seed, word, turn.Stage, turn.Text)
					}
				}
			}
		}
	}
}

// again reports whether another problem was taken on the way.
func again(r *simulate.Result) bool {
	first := 0
	for i := range r.State.Visits {
		if r.State.Visits[i].Stage == "PROBLEM_CLARIFICATION" {
			first++
		}
	}
	return first > 1
}

// R003-15: who dispatches the interview may name the difficulty; without one, or with one that no problem has, every level comes up.
func TestDifficultyCanBeNamed(t *testing.T) {
	iv := loaded(t, "algorithm_coach", "en")
	for level, levels := range map[string]int{"easy": 1, "medium": 1, "": 2, "brutal": 2} {
		picked := make(map[string]bool)
		for i := range 60 {
			u, _ := iv.Step(&state.UserData{}, 0, engine.Started{Session: level + string(rune('a'+i)), Vars: map[string]string{"difficulty": level}})
			p, known := iv.Problems.Find(u.Problem)
			if !known {
				t.Fatalf("level %q: there is no problem %q", level, u.Problem)
			}
			picked[p.Difficulty] = true
		}
		if len(picked) != levels || levels == 1 && !picked[level] {
			t.Errorf("level %q: picked %v", level, picked)
		}
	}
}

// R003-96: in an English session the coach's own words, and not only its experts', follow a candidate who goes over to Chinese, and
// the pattern stays hidden in that language too.
func TestTheCoachFollowsTheLanguage(t *testing.T) {
	both := coaches(t)
	engine.Together(both["en"], both["zh"])
	iv := both["en"]
	u, _ := iv.Step(&state.UserData{}, 0, engine.Started{Session: "s", Locale: "en", Vars: map[string]string{"problem": "gift_pair"}})
	at := state.Millis(0)
	var said []string
	act := func(ev engine.Event) {
		at += 3000
		u, _ = iv.Step(u, at, ev)
	}
	hear := func() {
		for u.Floor.Utterance != 0 && u.Ended == "" {
			text := u.Floor.Text
			said = append(said, text)
			act(engine.VoiceStarted{Utterance: u.Floor.Utterance})
			act(engine.VoiceEnded{Utterance: u.Floor.Utterance, Visit: u.Floor.Visit, Heard: text})
		}
	}
	hear()
	p, _ := iv.Problems.Find("gift_pair")
	for i, x := range []struct {
		says string
		zh   bool
	}{
		{"I get prices and the value of a card, and return two positions that add up to it.", false},
		{"我想改用中文，可以吗？我先把每一对都试一遍。", true}, // the expert at once
		{"跳过这一步吧，我们去下一步。", true},         // the stage's refusal
		{"太难了，我不会做这道题。", true},           // its comfort
		{"给我更强的提示吧，谢谢。", true},
		{"我用哈希表记住见过的价格。", true},
		{"时间是线性的，空间也是线性的。", true}, // the next stage's opening
	} {
		said = nil
		act(engine.UserTurn{Text: x.says, Began: at})
		hear()
		text := strings.Join(said, " ")
		chinese := strings.ContainsFunc(text, func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff })
		if len(said) == 0 || chinese != x.zh || chinese && strings.ContainsAny(text, "etaoi") {
			t.Errorf("%q is answered with %q", x.says, text)
		}
		if word := understand.Which(text, p.Secrets()); word != "" && i < 5 {
			t.Errorf("%q gives %q away", text, word)
		}
	}
	if u.Stage != "PSEUDOCODE_DESIGN" || u.Locale != "en" {
		t.Errorf("in %s, the session is in %q", u.Stage, u.Locale)
	}
}
