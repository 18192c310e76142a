package problem_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/problem"
)

func everySet(t *testing.T) []*problem.Problem {
	t.Helper()
	var out []*problem.Problem
	for _, name := range []string{"algorithm", "evaluation"} {
		s, err := problem.Load(name, problem.Shipped())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s.All()...)
	}
	return out
}

// heldOut reads the wordings by problem, approach and language.
func heldOut(t *testing.T) map[string]map[string]map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/wordings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := make(map[string]map[string]map[string]string)
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]map[string]map[string][]string)
	for p, approaches := range file {
		out[p] = make(map[string]map[string][]string)
		for a, langs := range approaches {
			out[p][a] = make(map[string][]string)
			for lang, lines := range langs {
				out[p][a][lang] = strings.Split(strings.TrimSpace(lines), "\n")
			}
		}
	}
	return out
}

// RM-4: held-out wordings of every approach are recognised, and hardly a right one as a wrong one, which would be challenged for
// nothing (RM-19).
func TestApproachesAreHeardInPlainWords(t *testing.T) {
	all := heldOut(t)
	rates := map[string]*[4]int{}
	for _, p := range everySet(t) {
		for _, a := range ids(p) {
			for lang := range p.Text {
				list := all[p.ID][a][lang]
				_, wrong := p.Wrong(a)
				if least := map[bool]int{false: 12, true: 6}[wrong]; len(list) < least {
					t.Errorf("%s, %s: %d held-out wordings of %s, want %d", p.ID, lang, len(list), a, least)
				}
				for _, text := range list {
					r := rates[lang]
					if r == nil {
						r = new([4]int)
						rates[lang] = r
					}
					r[0]++
					got := p.Named(text, lang)
					if !wrong && slices.ContainsFunc(got, func(id string) bool { _, is := p.Wrong(id); return is }) {
						r[3]++
						t.Logf("falsely %s %s %s: %q is heard as %v", p.ID, lang, a, text, got)
					}
					switch {
					case !slices.Contains(got, a):
						t.Logf("missed  %s %s %s: %q is heard as %v", p.ID, lang, a, text, got)
					case len(got) > 1:
						r[1]++
						r[2]++
						t.Logf("besides %s %s %s: %q is heard as %v", p.ID, lang, a, text, got)
					default:
						r[1]++
					}
				}
			}
		}
	}
	for lang, r := range rates {
		t.Logf("%s: %d of %d wordings recognised (%.1f%%), %d as something else besides, %d right ones as a wrong one", lang, r[1], r[0], 100*float64(r[1])/float64(r[0]), r[2], r[3])
		if 50*r[3] > r[0] {
			t.Errorf("%s: %d right wordings are heard as a wrong approach", lang, r[3])
		}
		if 100*r[1] < 90*r[0] {
			t.Errorf("%s: only %d of %d wordings are recognised", lang, r[1], r[0])
		}
	}
}

func ids(p *problem.Problem) []string {
	var out []string
	for _, a := range p.Approaches {
		out = append(out, a.ID)
	}
	for _, m := range p.Mistakes {
		out = append(out, m.ID)
	}
	return out
}

// RM-3: negation, mention, questions about the input and small talk name no approach of any problem.
func TestMentionIsNoClaim(t *testing.T) {
	talk := map[string]string{
		"en": `what is a hash map?
what's a hash map
I would not use a hash map
I wouldn't use a sliding window here
is it sorted?
is the list sorted already?
are the numbers sorted
do the prices come sorted?
the list is not sorted, right?
so the list is sorted?
what does binary search mean
I don't know what dynamic programming is
can you explain what a heap is?
I've heard of breadth first search
no need to sort
we can't sort them
a hash map would not work
two loops would be too slow
comparing every pair takes too long
without a stack
you said hash map
do you mean a queue?
why would I use a heap?
how does a stack work?
how big can the list get?
how many items are there?
can there be negative numbers?
what should I return if there is none?
could you repeat the question?
let me think about it for a moment
sorry, I did not get that
can I have a hint?
I have no idea
that's a hard one
may I take notes?
is this being recorded?
okay
yes
I see
can we move on`,
		"zh": `什么是哈希表？
哈希表是什么
我不会用哈希表
不用排序
不需要用栈
是排好序的吗？
数组已经排好序了吗
列表是有序的吗
我不知道什么是动态规划
能解释一下什么是堆吗
二分查找是什么意思
不能用滑动窗口
两层循环太慢了
暴力不行
你说的是哈希表吗
为什么用队列？
列表最多有多长？
会有负数吗？
找不到的话返回什么？
请再说一遍题目
让我想一想
能给个提示吗
我没有思路
好的
这个有点难
会录音吗
我可以做笔记吗
我们继续吧`,
		"vi": `tập băm là gì?
tôi sẽ không dùng bảng băm
danh sách đã sắp xếp chưa?
các số có được sắp xếp không
tôi không biết tìm kiếm nhị phân là gì
không cần sắp xếp
hai vòng lặp thì quá chậm
giải thích giúp tôi bảng băm là gì
danh sách dài bao nhiêu?
có số âm không?
cho tôi một gợi ý
để tôi nghĩ một chút
xin nhắc lại câu hỏi
tôi chưa có ý tưởng
vâng`,
	}
	for _, p := range everySet(t) {
		for lang := range p.Text {
			for text := range strings.SplitSeq(talk[lang], "\n") {
				if got := p.Named(text, lang); len(got) > 0 {
					t.Errorf("%s: %q is heard as %v", p.ID, text, got)
				}
			}
		}
	}
}

// What is proposed as a question is claimed, and so is what stands beside something denied.
func TestProposalsAreClaims(t *testing.T) {
	all := everySet(t)
	for _, c := range []struct{ problem, lang, text, want string }{
		{"gift_pair", "en", "could I use a hash map?", "lookup"},
		{"gift_pair", "en", "What about a hash map?", "lookup"},
		{"gift_pair", "en", "what if I sort the prices first?", "sorted"},
		{"gift_pair", "en", "would a hash map help?", "lookup"},
		{"gift_pair", "en", "hash map?", "lookup"},
		{"gift_pair", "en", "why not use a hash map", "lookup"},
		{"gift_pair", "en", "Is it sorted? If not, I'd sort it first.", "sorted"},
		{"gift_pair", "en", "I would not sort, but use a hash map", "lookup"},
		{"gift_pair", "en", "Instead of comparing every pair I'd keep a hash map", "lookup"},
		{"gift_pair", "en", "Not only would I sort them, I'd also check both ends", "sorted"},
		{"gift_pair", "en", "No, I would sort them.", "sorted"},
		{"gift_pair", "en", "Two loops. I know, that's slow.", "pairs"},
		{"gift_pair", "zh", "能不能用哈希表？", "lookup"},
		{"gift_pair", "zh", "可不可以先排序", "sorted"},
		{"gift_pair", "zh", "不用排序，用哈希表就行", "lookup"},
		{"gift_pair", "zh", "我用 hash map 可以吗", "lookup"},
		{"step_counter", "en", "Could I use a sliding window? Like grow when it's too small.", "grow_shrink"},
		{"door_log", "vi", "tôi có thể dùng bảng băm không?", "seen"},
		{"door_log", "vi", "tôi sẽ không so từng cặp, mà ghi nhớ các thẻ đã gặp", "seen"},
	} {
		for _, p := range all {
			if p.ID != c.problem {
				continue
			}
			if got := p.Named(c.text, c.lang); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%s: %q is heard as %v, want %s", p.ID, c.text, got, c.want)
			}
		}
	}
}

// RM-28: nothing that the sheet lets the candidate hear says the reference approach in any of its wordings.
func TestSheetGivesNothingAway(t *testing.T) {
	for _, p := range everySet(t) {
		tell := func(what, text string) {
			if id := p.Tells(text); id != "" {
				t.Errorf("%s, %s: %q gives %s away", p.ID, what, text, id)
			}
		}
		for _, f := range p.Sheet() {
			for _, text := range f.Say {
				if f.Tell != facts.Never {
					tell("fact "+f.ID, text)
				}
			}
		}
		for i := range p.EdgeCases {
			for lang := range p.Text {
				tell("edge case "+p.EdgeCases[i].ID, p.EdgeCases[i].In[lang]+". "+p.EdgeCases[i].Out[lang])
			}
		}
		for i := range p.Mistakes {
			for lang := range p.Text {
				tell("counter-example of "+p.Mistakes[i].ID, p.Mistakes[i].Counter.In[lang]+". "+p.Mistakes[i].Counter.Say[lang])
			}
		}
		for _, n := range p.Nudges {
			for _, text := range n.Say {
				tell("nudge for "+n.StuckOn, text)
			}
		}
	}
}
