package result_test

import (
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// kit builds talks line by line.
type kit struct {
	talk  *talk.Talk
	grade *talk.Grade
	now   time.Duration
}

func newKit(interview, scenario string, side talk.Side) *kit {
	return &kit{
		talk: &talk.Talk{
			Scenario: scenario, Interview: interview, Locale: "en", Side: side, Model: "strong-1", Ended: "the candidate was told goodbye", Requests: 9,
			Checks: []talk.Check{{Name: "floor", Passed: true}, {Name: "no repeat", Passed: true}},
		},
		grade: &talk.Grade{Judge: "judge-1"},
	}
}

func (k *kit) line(who talk.Speaker, text string) *talk.Line {
	n := len(k.talk.Lines) + 1
	length := time.Duration(len(text)) * 60 * time.Millisecond
	k.talk.Lines = append(k.talk.Lines, talk.Line{N: n, Speaker: who, Text: text, At: k.now, Until: k.now + length})
	k.now += length + 700*time.Millisecond
	k.talk.Took = k.now
	return &k.talk.Lines[n-1]
}

// asks is a line of the interviewer that is no reaction.
func (k *kit) asks(text string) *talk.Line {
	l := k.line(talk.Interviewer, text)
	l.By, l.Part = "model", "approach"
	return l
}

func (k *kit) says(text string) { k.line(talk.Candidate, text) }

func (k *kit) happens(what talk.Occurrence, text string) *talk.Line {
	l := k.line(talk.Happening, text)
	l.What = what
	return l
}

func (k *kit) reacts(level int, text, why string) *talk.Line {
	l := k.asks(text)
	k.grade.Reactions = append(k.grade.Reactions, talk.Rating{Line: l.N, Level: level, Why: why})
	return l
}

func (k *kit) expect(v talk.Verdict, text string, line int, quote, why string) {
	k.grade.Expectations = append(k.grade.Expectations, talk.Expectation{Text: text, Verdict: v, Line: line, Quote: quote, Why: why})
}

// run is a run of four scenarios of two interviews: one is fine, one fails, one broke, and one was not judged.
func run() talk.Run {
	return talk.Run{
		Version: "0.2.0", Began: time.Date(2026, 8, 22, 9, 30, 0, 0, time.UTC), Interviewer: "strong-1", Candidate: "strong-1", Judge: "judge-1", Against: "plain",
		Outcomes: []talk.Outcome{window(), quiet(), broken(), unjudged()},
	}
}

func window() talk.Outcome {
	const id = "algorithm_coach/sliding-window"
	k := newKit("algorithm_coach", id, talk.Viva)
	k.happens(talk.Begins, "The part “approach” begins.")
	k.asks("Hello Ada, I'm a program that practises coding interviews with you. Find how many stretches of days add up to k. How would you start?")
	k.says("Could I use a sliding window? Like grow when it's too small. And is n really that big?")
	k.reacts(5, "Up to a hundred thousand days, yes. About the window: say the days are three, minus two, two, and k is three. When the sum is too small, "+
		"can you still be sure which end to move?", "It answers the size and meets the wrong idea with a counter-example instead of a verdict.")
	k.says("Hm. No, with negatives that breaks. Then prefix sums and a hash map, that is O of n squared.")
	k.reacts(2, "Great, quadratic it is. Let's write it down.", "It praises a wrong cost and does not ask why it would be quadratic.").Degraded = "late"
	k.talk.Lines[5].By = "script"
	k.happens(talk.Silence, "The candidate is silent for 25 s.")
	k.reacts(4, "Take your time. If it helps, say what the map would hold for the first three days.", "Patient and concrete; a little early after a hard question.")
	k.happens(talk.Typed, "The candidate types.").Code = "def count(days, k):\n    seen = {0: 1}\n    total = found = 0\n    for d in days:\n        total += d\n" +
		"        found += seen.get(total - k, 0)\n        seen[total] = seen.get(total, 0) + 1\n    return found"
	k.says("So for each day one look-up. I call that done, and earlier I said squared, but it's one loop.")
	k.reacts(5, "Exactly: one loop, one look-up each. What does seen hold before the first day, and why?", "It takes up the correction and asks the one thing that is left to show.")
	k.says("Zero, once, for a stretch from the first day.")
	k.reacts(5, "Yes. That was the tricky part. Thank you, Ada, goodbye.", "Right, brief and warm.").Cut = true
	k.expect(talk.Pass, "answers how big n is from the sheet", 4, "Up to a hundred thousand days", "The size is given at once and is right.")
	k.expect(talk.Fail, "does not praise the wrong cost", 6, "Great, quadratic it is", "Quadratic is wrong for one pass with a map, and it is praised.")
	k.expect(talk.NotShown, "gives a hint no stronger than level 2 when asked", 0, "", "The candidate never asked for a hint.")
	k.grade.Untrue = []talk.Finding{{Line: 6, Quote: "quadratic it is", Why: "One pass with a hash map is linear."}}
	k.grade.Slips = []talk.Finding{
		{Line: 3, Quote: "grow when it's too small", Why: "A window does not work with negative numbers.", TakenUp: true},
		{Line: 5, Quote: "that is O of n squared", Why: "It is O of n."},
	}
	k.grade.Summary = "It met the wrong approach with a counter-example. It praised a wrong cost once, and did not come back to it by itself."
	k.talk.Report = "# Report\n\nYou reached the linear solution.\n\n| criterion | level |\n|---|---|\n| approach | 4 of 5 |\n"
	k.talk.Checks = append(k.talk.Checks, talk.Check{Name: "praise has a reason", Detail: "“Great” without a reason", Line: 6})
	k.talk.Voice = &talk.Voice{Responses: []time.Duration{620 * time.Millisecond, 710 * time.Millisecond, 1400 * time.Millisecond}, Overlaps: 1, Overlapped: 300 * time.Millisecond}

	p := newKit("algorithm_coach", id, talk.Plain)
	p.asks("Hi! Ready for the step counter problem? Tell me how you would begin.")
	p.says("Could I use a sliding window? And is n really that big?")
	p.reacts(4, "It can be large, yes. Would a window work if some numbers are negative?", "Good counter-question, but the size stays vague.")
	p.says("No. Prefix sums with a hash map then.")
	p.reacts(4, "Nice, that is the idea. What is its complexity?", "Follows, with little reason for the praise.")
	p.grade.Summary = "Smooth, and vague about facts."
	return talk.Outcome{
		Scenario: id, Label: "Sliding window with negatives", File: "algorithm_coach.yaml", Tags: map[string]string{"mood": "confident", "trap": "wrong approach"},
		Interview: "algorithm_coach", Locale: "en", Talk: k.talk, Grade: k.grade, Plain: p.talk, PlainGrade: p.grade,
		Preference: &talk.Preference{First: talk.PrefersViva, Second: talk.PrefersPlain,
			Why: "Viva's talk gave the bound and a worked counter-example. The other way round: the plain talk praised nothing wrong."},
	}
}

func quiet() talk.Outcome {
	const id = "persona_interview/asks-back"
	k := newKit("persona_interview", id, talk.Viva)
	k.asks("Good morning. I lead the platform team. What would you like to know before we start?")
	k.says("Is this being recorded? And how many questions will there be?")
	k.reacts(5, "Sound and text are kept for your report, nothing else. There are five questions, about twenty minutes.", "Both questions are answered, truly and briefly.")
	k.says("好的，谢谢。")
	k.reacts(5, "Gladly. Tell me about a time when you had to say no to a customer.", "Moves on with one question.")
	k.expect(talk.Pass, "answers whether it is recorded", 3, "Sound and text are kept for your report", "Answered as the facts say.")
	k.expect(talk.Pass, "a question back uses up no question", 0, "", "All five questions were asked after it.")
	k.grade.Summary = "It answered both questions. Nothing cost the candidate anything."
	return talk.Outcome{
		Scenario: id, Label: "Asks back before the first answer", File: "persona_interview.yaml", Tags: map[string]string{"mood": "curious"},
		Interview: "persona_interview", Locale: "en", Talk: k.talk, Grade: k.grade,
		Preference: &talk.Preference{First: talk.PrefersViva, Second: talk.PrefersViva, Why: "Viva's talk told what is recorded."},
	}
}

func broken() talk.Outcome {
	return talk.Outcome{
		Scenario: "persona_interview/leaves-early", Label: "Leaves early", File: "persona_interview.yaml", Interview: "persona_interview", Locale: "en",
		Tags: map[string]string{"mood": "annoyed"}, Error: "hold the talk: ask the model: the service did not answer in 60 s",
	}
}

func unjudged() talk.Outcome {
	k := newKit("persona_interview", "persona_interview/short", talk.Viva)
	k.asks("Hello.")
	k.says("Hello.")
	return talk.Outcome{Scenario: k.talk.Scenario, Label: "Short", File: "persona_interview.yaml", Interview: "persona_interview", Locale: "en", Talk: k.talk}
}
