package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

const (
	designJob  = `{"interview":"system_design","vars":{"company":"short","interview_question":"Design a service for short links."}}`
	coachJob   = `{"interview":"algorithm_coach","vars":{"problem":"gift_pair"}}`
	designJobZ = `{"interview":"system_design","locale":"zh","vars":{"company":"short"}}`
	coachJobZ  = `{"interview":"algorithm_coach","locale":"zh","vars":{"problem":"gift_pair"}}`
)

// designer is a candidate who covers at once what each sub-phase of the short company asks for, and has a few words for what is asked then.
var designer = map[string][]string{
	"routing": {"Yes, I am ready."},
	"intro":   {"I am a backend engineer at a payment company."},
	"Clarification and Requirements": {
		"It has a million users and two features, and needs scale, low latency and high availability.", "It has a million users.",
	},
	"Data and API":      {"A database with a simple schema and sharding, and an endpoint that takes a request.", "It has a simple schema."},
	"High-Level Design": {"The architecture has a load balancer, a cache and a queue, and survives a failure.", "It has a load balancer."},
	"closing":           {"I would improve the monitoring first."},
}

// TestSystemDesignByVoice: a candidate goes through the sub-phases of a company in a room, by voice, to the goodbye (R000-1, R000-4,
// R000-6, R000-46, R000-47, R000-49, R000-66). The company has three of them, for the sake of time.
func TestSystemDesignByVoice(t *testing.T) {
	t.Parallel()
	engines, service := cloudEngines(t)
	engines.LLM, engines.TTS = nil, brisk{engines.TTS}
	o := open(t, plan{engines: engines})
	tape := &recorder{}
	g := enter(t, visit{recorder: tape})
	begun := time.Now()
	o.dispatch(roomName(t), designJob)
	k := &talk{office: o, t: t, guest: g, lines: designer, speak: aloud(t, g, service)}
	k.hold()
	t.Logf("the talk took %v", time.Since(begun).Round(time.Second))
	if result := o.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	r := o.record(roomName(t), "system_design")
	parts := r.parts()
	if got, want := names(parts), "routing intro clarify data_api high_level closing done"; got != want {
		t.Errorf("the interview went %s, want %s", got, want)
	}
	if x := r.user.SubPhases; r.user.Ended != "done" || x == nil || !x.Complete || len(x.Completed) != 3 || len(x.Skipped) > 0 {
		t.Errorf("ended with %q, sub-phases %+v, want done and three completed", r.user.Ended, x)
	}
	checkOneVoice(t, r)
	checkPhases(t, g.attribute("viva.phase"))
	checkHeard(t, parts, tape)
}

// checkPhases: the page was told each place among the sub-phases, in order (R000-23).
func checkPhases(t *testing.T, told []string) {
	t.Helper()
	told = slices.DeleteFunc(slices.Compact(slices.Clone(told)), func(s string) bool { return s == "" })
	if want := []string{"1/3", "2/3", "3/3"}; !slices.Equal(told, want) {
		t.Errorf("viva.phase went %q, want %q", told, want)
	}
}

// coached is a candidate who knows what to say to everything.
var coached = map[string][]string{
	"PROBLEM_CLARIFICATION": {"We get a list of prices and the value of a card, and return the positions of two items that cost exactly that."},
	"THOUGHT_ARTICULATION":  {"I would remember the prices in a hash map."},
	"COMPLEXITY_ANALYSIS":   {"It takes linear time and linear space."},
	"PSEUDOCODE_DESIGN":     {"It is in the editor now: I loop over the prices, look up what is missing, and store each price after that."},
	"EDGE_CASE_CHECK": {
		"For an empty list the loop does not run and we return nothing.", "Two items of the same price are fine, because they have different positions.",
		"If no two items fit, we return nothing at the end.", "An item must not be used twice, so I look before I store.",
	},
	"FOLLOW_UP": {
		"With a sorted list I would walk from both ends with two pointers.", "For three items I would fix one and search for the other two.",
		"With constant memory I would sort the list in place.",
	},
	"PATTERN_SUMMARY": {"The pattern is a hash map that looks up the missing part."},
}

const coachedCode = `def pair(prices, card):
    seen = {}
    for i, price in enumerate(prices):
        if card - price in seen:
            return seen[card - price], i
        seen[price] = i
    return None`

// TestAlgorithmCoachByVoice: a candidate goes through the seven stages in a room, by voice, writes code in the editor, and gets to
// the goodbye; the hidden pattern is neither said nor sent before the candidate names it (R003-2, R003-5, R003-30, R003-31,
// R003-42).
func TestAlgorithmCoachByVoice(t *testing.T) {
	t.Parallel()
	engines, service := cloudEngines(t)
	engines.LLM, engines.TTS = nil, brisk{engines.TTS}
	o := open(t, plan{engines: engines})
	tape := &recorder{}
	g := enter(t, visit{recorder: tape})
	begun := time.Now()
	o.dispatch(roomName(t), coachJob)
	k := &talk{
		office: o, t: t, guest: g, lines: coached, code: map[string]string{"PSEUDOCODE_DESIGN": coachedCode},
		speak: aloud(t, g, service),
	}
	k.hold()
	t.Logf("the talk took %v", time.Since(begun).Round(time.Second))
	if result := o.jobEnded(roomName(t)).text("result"); result != "success" {
		t.Errorf("the job ended with %q", result)
	}
	r := o.record(roomName(t), "algorithm_coach")
	parts := r.parts()
	if got := names(parts); got != sevenStages || r.user.Ended != "done" {
		t.Errorf("the interview went %s and ended with %q, want %s and done", got, r.user.Ended, sevenStages)
	}
	checkCode(t, r, coachedCode)
	checkOneVoice(t, r)
	checkSecret(t, r, g, "hash")
	checkHeard(t, parts, tape)
}

const sevenStages = "PROBLEM_CLARIFICATION THOUGHT_ARTICULATION COMPLEXITY_ANALYSIS PSEUDOCODE_DESIGN EDGE_CASE_CHECK FOLLOW_UP PATTERN_SUMMARY DONE"

// checkCode: what was written in the editor is on the blackboard, and nothing of what was said about it.
func checkCode(t *testing.T, r record, want string) {
	t.Helper()
	var got string
	field := r.user.Fields["pseudocode"]
	if err := json.Unmarshal(field.Value, &got); err != nil || got != want {
		t.Errorf("the field pseudocode is %s (%v), want what was written in the editor", field.Value, err)
	}
}

// checkSecret: nothing that gives the pattern away reached the candidate before the candidate said it, and the task never has it.
func checkSecret(t *testing.T, r record, g *guest, secret string) {
	t.Helper()
	for _, turn := range r.user.Turns {
		has := strings.Contains(strings.ToLower(turn.Text), secret)
		if has && turn.Speaker == state.SpeakerCandidate {
			break
		}
		if has {
			t.Errorf("%q was given away in %s: %q", secret, turn.Stage, turn.Text)
		}
	}
	tasks := 0
	for _, d := range all[room.Data](g) {
		if d.Topic == "viva.problem" {
			tasks++
		}
		if strings.Contains(strings.ToLower(string(d.Payload)), secret) {
			t.Errorf("%q was given away on %s: %s", secret, d.Topic, d.Payload)
		}
	}
	if tasks == 0 {
		t.Error("the page was not told the task")
	}
}

// chineseFirst speaks an interview's first words in Chinese, with the voice of this machine, and hums the others, for the sake of time.
type chineseFirst struct {
	voice tts.Synthesizer
	left  atomic.Int32 // clauses
}

// Synthesize implements tts.Synthesizer.
func (c *chineseFirst) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	if c.left.Add(-1) < 0 {
		return murmur{}.Synthesize(ctx, r)
	}
	return brisk{c.voice}.Synthesize(ctx, r)
}

// checkChineseOpening: the first words were heard whole, at the pace of speech: what brisk makes of four characters a second.
func checkChineseOpening(t *testing.T, r record) {
	t.Helper()
	began := state.Millis(-1)
	for i, ev := range r.events {
		switch e := ev.(type) {
		case engine.VoiceStarted:
			if began < 0 {
				began = r.entries[i].At
			}
		case engine.VoiceEnded:
			lasted, characters := (r.entries[i].At - began).Duration(), utf8.RuneCountInString(e.Heard)
			if pace := float64(characters) / lasted.Seconds(); e.Cut || e.Failed != "" || characters < 60 || pace < 3 || pace > 9 {
				t.Errorf("the opening of %d characters took %v: %+v", characters, lasted, e)
			}
			return
		}
	}
	t.Error("nothing was heard")
}

// TestChineseInterviews: both kinds are held in Chinese in a room, with answers that are typed: nothing on this machine understands
// Chinese. The coach opens by voice (RX-17).
func TestChineseInterviews(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		job, kind string
		lines     map[string][]string
		parts     string
	}{
		"design": {designJobZ, "system_design", designerZ, "routing intro clarify data_api high_level closing done"},
		"coach":  {coachJobZ, "algorithm_coach", coachedZ, sevenStages},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines, _ := cloudEngines(t) // the local recogniser refuses Chinese
			engines.TTS, engines.LLM = murmur{}, nil
			aloud := false
			if espeak, err := local.NewEspeak(local.EspeakOptions{}); err == nil && name == "coach" {
				first := &chineseFirst{voice: local.NewByLanguage(loaded.flite, espeak)}
				first.left.Store(4)
				engines.TTS, aloud = first, true
			}
			o := open(t, plan{engines: engines})
			g := enter(t, visit{})
			o.dispatch(roomName(t), tc.job)
			k := &talk{office: o, t: t, guest: g, lines: tc.lines, speak: g.types, code: map[string]string{"PSEUDOCODE_DESIGN": coachedCode}}
			k.hold()
			o.jobEnded(roomName(t))
			r := o.recordOf(roomName(t), agent.Metadata{Interview: tc.kind, Locale: "zh"})
			if got := names(r.parts()); r.user.Ended != "done" || !strings.HasPrefix(got, tc.parts) {
				t.Errorf("the interview went %s and ended with %q, want %s … and done", got, r.user.Ended, tc.parts)
			}
			if tc.kind == "algorithm_coach" {
				checkCode(t, r, coachedCode)
			}
			if aloud {
				checkChineseOpening(t, r)
			}
			for _, turn := range r.user.Turns {
				if turn.Speaker == state.SpeakerAgent && !hasChinese(turn.Text) {
					t.Errorf("the interviewer said %q", turn.Text)
				}
			}
		})
	}
}

func hasChinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff })
}

var designerZ = map[string][]string{
	"routing": {"好的，开始吧。"},
	"intro":   {"我是一名后端工程师，在一家支付公司工作。"},
	"澄清与需求":   {"先看用户规模和功能，再定延迟和可用性的目标。", "每秒请求大概一千个。"},
	"数据与接口":   {"我用关系型数据库，设计好表结构再做分片和复制，接口接收请求并返回响应。", "主键用自增的编号。"},
	"高层设计":    {"架构上前面是负载均衡，后面是缓存和队列，用冗余应对故障。", "服务都是无状态的。"},
	"closing": {"我会先改进监控。"},
}

var coachedZ = map[string][]string{
	"PROBLEM_CLARIFICATION": {"给我一份价格表和卡的面值，要返回两件商品的位置，它们的价格之和正好等于面值。"},
	"THOUGHT_ARTICULATION":  {"我会用哈希表记住见过的价格。"},
	"COMPLEXITY_ANALYSIS":   {"时间复杂度是线性的，空间复杂度也是线性的。"},
	"PSEUDOCODE_DESIGN":     {"我已经在编辑器里写好了循环和返回值，请看一下。"},
	"EDGE_CASE_CHECK": {
		"如果价格表是空的，循环不会执行，直接返回空。", "两件商品价格相同也没问题，因为位置不同。", "如果没有符合的组合，最后返回空。", "同一件商品不能用两次，所以我先查再存。",
	},
	"FOLLOW_UP":       {"如果价格表已经排序，我会用双指针从两端往中间走。", "如果要买三件商品，就固定一个，再找另外两个。", "如果只能用常数空间，我会先原地排序。"},
	"PATTERN_SUMMARY": {"这里的模式是用哈希表查找差值。"},
}
