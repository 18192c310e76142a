package understand_test

import (
	"testing"

	"github.com/vivavoice/viva/stages/understand"
)

// Questions of ours are known by what they earn, in each language; the engine asks the lists in this order.
func TestWhatAQuestionEarns(t *testing.T) {
	lists := []string{understand.LexiconAsksStory, understand.LexiconAsksYesNo, understand.LexiconAsksShort}
	for locale, questions := range map[string]map[string]string{
		"en": {
			"Please describe the system?": lists[0], "Shall we begin?": lists[1], "How often does it happen?": lists[2],
			"What did you learn from it?": "", "What could have gone wrong?": "", "Why is it that way?": "",
		},
		"zh": {
			"能讲讲你的设计吗？": lists[0], "为什么这样选？": lists[0], "准备好了吗？": lists[1], "要不要继续？": lists[1], "团队有几个人？": lists[2],
			"出题之前，你从事什么工作？": "",
		},
		"vi": {
			"Bạn hãy kể về một dự án?": lists[0], "Bạn làm điều đó như thế nào?": lists[0], "Bạn sẵn sàng chưa?": lists[1], "Nhóm có bao nhiêu người?": lists[2],
		},
	} {
		r, err := understand.Load(understand.Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		for q, want := range questions {
			got := ""
			for _, list := range lists {
				if got == "" && r.Mentions(list, q) {
					got = list
				}
			}
			if got != want {
				t.Errorf("%s: %q earns %q, want %q", locale, q, got, want)
			}
		}
	}
}
