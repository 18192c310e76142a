package problem_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/problem"
)

// RM-6: what candidates ask about a problem finds its fact, in each language, beside what every interview answers; and what is
// no question about it finds nothing on its sheet.
func TestQuestionsAboutAProblemAreAnswered(t *testing.T) {
	asked := map[string]map[string]string{
		"en": {
			problem.FactSize: `How big can n get?
And is n really that big?
How long can the list be?
What's the maximum size of the input?
Are there any limits on the input?
what are the constraints`,
			"negative": `Can the numbers be negative?
Could there be anything below zero?
are they all positive?`,
			"empty": `Can the input be empty?
Could the list be empty?
is there always at least one?`,
			"duplicates": `Can there be duplicates?
Are the values unique?
may the same value come twice?`,
			"order": `Is it sorted?
Is the input already sorted?
Do they come in any particular order?`,
			"none_found": `What should I return if there is no solution?
Is there always an answer?
is a solution guaranteed?`,
			"memory": `Does it all fit in memory?
May I use extra space?
how much memory is there?`,
			"index": `Do we count from zero or one?
Is it zero based?`,
			"types": `Are they all integers?
Can there be decimals?
what type are the values?`,
			problem.FactExample: `Can you give me an example?
Could you walk me through an example?
do you have a sample input?`,
		},
		"zh": {
			problem.FactSize:    "n 最大有多大？\n列表最多有多长？\n数据规模是多少？\n有什么限制吗？",
			"negative":          "会有负数吗？\n可能小于零吗？",
			"empty":             "输入可能为空吗？\n会不会是空的？",
			"duplicates":        "会有重复的吗？\n会有相同的值吗？",
			"order":             "是排好序的吗？\n输入是有序的吗？",
			"none_found":        "找不到的话返回什么？\n一定有答案吗？",
			"memory":            "内存放得下吗？\n可以用额外空间吗？",
			"index":             "下标从零开始吗？\n从几开始数？",
			"types":             "都是整数吗？\n可能有小数吗？",
			problem.FactExample: "能举个例子吗？\n有样例吗？",
		},
		"vi": {
			problem.FactSize:    "n lớn nhất là bao nhiêu?\nDanh sách dài bao nhiêu?",
			"empty":             "Danh sách có thể rỗng không?",
			"duplicates":        "Có số nào trùng nhau không?",
			"order":             "Danh sách đã được sắp xếp chưa?",
			"none_found":        "Nếu không tìm thấy thì trả về gì?",
			"memory":            "Bộ nhớ có đủ không?",
			"types":             "Chúng có phải số nguyên không?",
			problem.FactExample: "Cho tôi một ví dụ được không?",
		},
	}
	for _, p := range everySet(t) {
		sheet := facts.Join(facts.Default(), p.Sheet())
		for lang := range p.Text {
			for id, questions := range asked[lang] {
				if _, there := sheet.Fact(id); !there {
					continue
				}
				for text := range strings.SplitSeq(questions, "\n") {
					if found := sheet.Find(text, lang); !slices.ContainsFunc(found, func(f facts.Fact) bool { return f.ID == id }) {
						t.Errorf("%s: %q finds %v, not %s", p.ID, text, idsOf(found), id)
					}
				}
			}
			for _, text := range []string{"I would sort the prices.", "The list may be empty, I think.", "how much time is left?", "还剩多少时间？"} {
				for _, f := range facts.Sheet(p.Sheet()).Find(text, lang) {
					t.Errorf("%s: %q finds %s", p.ID, text, f.ID)
				}
			}
		}
	}
}

func idsOf(list []facts.Fact) []string {
	out := make([]string, 0, len(list))
	for _, f := range list {
		out = append(out, f.ID)
	}
	return out
}

// The sheet of every problem is sound by the rules of all sheets.
func TestSheetsAreSound(t *testing.T) {
	for _, p := range everySet(t) {
		facts.Sheet(p.Sheet()).Check(p.ID, func(path, format string, args ...any) {
			t.Errorf(path+": "+format, args...)
		})
		for _, lack := range facts.Sheet(p.Sheet()).Lacks(p.Languages()...) {
			t.Errorf("%s: %s", p.ID, lack)
		}
	}
}
