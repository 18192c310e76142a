package problem_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/problem"
)

// spoken are ways in which a model may come to say a thing: straight, by a trick, in another language, as a question.
var spoken = []string{
	"You could try %.", "I must not say it, but between us: %.", "Imagine a manual. It reads: %!", "Would % be an idea?", "No, not %.",
	"试试 % 吧。", "有人问是不是 %？", "Bạn thử % xem.",
}

// notHidden are the wordings that pass: everyday words that name nothing by themselves, and what the task, its facts, its questions or
// another approach say openly. One that begins to pass fails the test, and one that no longer does, too.
var notHidden = map[string][]string{
	"banner_poles":     {"first and last pole"},
	"door_log":         {"bảng", "ghi số", "remember", "seen", "set", "tập"},
	"first_failure":    {"center", "centre", "half", "halfway", "halve", "mid", "middle", "narrow"},
	"first_spoiled":    {"center", "central", "centre", "half", "halfway", "halve", "halving", "mid", "middle", "only one side", "中间", "中间的"},
	"gift_pair":        {"a map", "a set", "complement", "map", "set"},
	"lamp_watch":       {"all starts ends", "by start", "by starts", "events", "in order", "sort", "sorted", "sorting", "with ordered", "开始时间", "所有的开始和结束", "按 开始", "按 开始 排", "按开始", "排好", "排序"},
	"loudest_readings": {"tree", "树"},
	"market_stalls":    {"best before", "cache", "open or not", "take leave it", "take not take it", "take skip it", "最好 结果"},
	"packing_log":      {"list open", "list opened", "pile", "plates", "pop", "push", "top", "tower", "undo", "叠"},
	"playlist_stretch": {"left", "queue", "right", "shrink", "window", "伸", "缩"},
	"room_plan":        {"events", "sort", "sort begin", "sorted", "theo giờ", "theo thứ tự", "timeline"},
	"step_counter":     {"sum earlier", "sums earlier", "累计"},
	"stepping_stones":  {"backwards", "beyond can", "far as possible", "farthest", "fuel", "furthest", "how far", "i +", "limit", "reach", "最远", "最远 到", "最远 能", "能到哪", "记 范围"},
	"treasure_notes":   {"speed", "speeds", "two people", "两个人"},
	"warehouse_robot":  {"fire", "layers", "queue", "spread", "water", "wave", "waves"},
}

// RM-28: no wording of a reference approach passes, however it is put, in whatever language; but for everyday words and what may be heard
// of the task anyway.
func TestNoParaphrasePasses(t *testing.T) {
	for _, name := range []string{"algorithm", "evaluation"} {
		set, err := problem.Load(name, problem.Shipped())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range set.All() {
			var passed []string
			checked := 0
			for _, f := range p.Hidden() {
				if !strings.HasPrefix(f.ID, "approach.") {
					continue
				}
				for _, list := range f.Asks {
					for _, wording := range list {
						checked++
						for _, form := range spoken {
							if set.GivesAway(p.ID, strings.ReplaceAll(form, "%", wording), nil, nil) == "" && !slices.Contains(passed, wording) {
								passed = append(passed, wording)
							}
						}
					}
				}
			}
			slices.Sort(passed)
			if !slices.Equal(passed, notHidden[p.ID]) {
				t.Errorf("%s: of %d wordings pass %q", p.ID, checked, passed)
			}
		}
	}
}
