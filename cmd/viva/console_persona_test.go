package main

import (
	"strings"
	"testing"
)

// R002-5, R002-7, R002-25, R002-33, R002-55: the whole persona interview, typed in a terminal, without a model: a choice after one
// clarification, five questions, the report told and written.
func TestConsolePersonaInterview(t *testing.T) {
	setting(t)
	lines := []string{
		"um, the developer", "the senior one",
		"I studied statistics and cleaned survey data for two years.", "What do you mean by that?",
		"First I compared both tables by hand, then I wrote a script that found the doubled rows.",
		"I measured it and cut the run from two hours to ten minutes.", "I would rather not say.",
		"I asked a colleague to check my numbers because the result surprised me.", "No, thank you.",
	}
	o := viva(t, strings.NewReader(strings.Join(lines, "\n")+"\n"), "console", "--interview", "persona_interview", "--name", "Ada", "--var", "role=Data Steward")
	o.wants(t, 0)
	if o.errs != "" {
		t.Errorf("complaints: %s", o.errs)
	}
	inOrder(t, o.out,
		"Hello Ada, I'm Viva", "four, Corporate Executive?", "I didn't get which one you meant", "Five topics (2 of 3)",
		"I'm a senior developer here", "That was my last question.", "I am preparing your report now", "You answered 4 of 5 questions",
		"Goodbye!", "the interview is over (done)", "Interview report: Ada", "Data Steward", "Senior Developer", "cut the run from two hours to ten minutes")
	// RM-2: the question that was refused is one of the five, and the interview did not end early for it.
	if !strings.Contains(o.out, "### 4. ") || !strings.Contains(o.out, "### 5. ") || strings.Contains(o.out, "ended early") {
		t.Errorf("the questions are not told as they were put:\n%s", o.out)
	}
	if n := strings.Count(o.out, "Interviewer:"); n != 12 {
		t.Errorf("the interviewer spoke %d times, want 12:\n%s", n, o.out)
	}
}
