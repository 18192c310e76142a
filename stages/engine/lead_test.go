package engine_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/state"
)

// led is a talk whose turns a model leads.
type led struct{ *chat }

func lead(t *testing.T, kind string) led {
	c := newChat(t, interview(t, kind))
	l := led{c}
	c.start(engine.Started{Model: true, Candidate: state.Candidate{Name: "Ada"}})
	return l
}

// says has the candidate say something and the model answer with these words, which are heard, and this reading.
func (l led) says(text, words string, r respond.Reading) engine.Say {
	l.t.Helper()
	say := l.turn(text)
	l.replies(say, words, r)
	return say
}

// turn has the candidate say something; what was on the floor was heard.
func (l led) turn(text string) engine.Say {
	l.t.Helper()
	l.hear()
	l.now += 1000
	l.send(engine.SpeechStarted{})
	began := l.now
	l.now += 2000
	l.send(engine.SpeechStopped{})
	l.now += 300
	l.send(engine.UserTurn{Text: text, Began: began})
	return l.last()
}

// replies has the model answer what is on the floor.
func (l led) replies(say engine.Say, words string, r respond.Reading) {
	l.t.Helper()
	if say.Lead == nil || say.Text != "" {
		l.t.Fatalf("in %s the model does not lead: %+v", l.u.Stage, say)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		l.t.Fatal(err)
	}
	l.send(engine.VoiceStarted{Utterance: say.Utterance})
	l.send(engine.Read{Utterance: say.Utterance, Visit: say.Visit, Reading: raw})
	l.now += 2000
	l.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: words, Worded: true})
}

func (l led) brief(say engine.Say) string {
	l.t.Helper()
	r, err := say.Lead.Request(false)
	if err != nil {
		l.t.Fatal(err)
	}
	var all []string
	for _, line := range r {
		all = append(all, line.Role+": "+line.Text)
	}
	return strings.Join(all, "\n")
}

func (l led) replays() {
	l.t.Helper()
	replayed, err := l.iv.Fold(l.entries)
	if err != nil {
		l.t.Fatal(err)
	}
	if a, b := asJSON(l.t, replayed), asJSON(l.t, l.u); a != b {
		l.t.Errorf("replay differs:\n%s\n%s", a, b)
	}
}

func answer(quote, did string) respond.Reading {
	return respond.Reading{Acts: []respond.Act{{Kind: "answer", Quote: quote}}, Did: did}
}

// RM-9, RM-21, RM-23, RM-24: a model leads from the introduction to the goodbye, by a last question; the words that finish a part open the next, and the same events
// give the same state.
func TestAModelLeadsAnInterview(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("I'm a data engineer, and in 2023 I cut our nightly load from nine hours to two.", "From nine hours to two: what did you change?", respond.Reading{
		Acts:  []respond.Act{{Kind: "answer", Quote: "I'm a data engineer"}},
		Notes: []respond.Note{{ID: "role", Value: "data engineer", Quote: "a data engineer"}, {ID: "load", Value: "nine hours to two", Quote: "from nine hours to two"}},
		Did:   "probe", Asked: "what was changed",
	})
	if l.u.Slots["role"].Value != "data engineer" || len(l.u.Notebook) != 2 || l.u.Visits[0].Turns != 1 {
		t.Errorf("noted %+v, %+v", l.u.Slots, l.u.Notebook)
	}
	say := l.says("I partitioned the tables by day.", "That leads to your project: what stood in the way of it?", answer("partitioned the tables", "finish"))
	if got := l.brief(say); !strings.Contains(got, "nine hours to two") || !strings.Contains(got, "finish: ") || !strings.Contains(got, "PAST_EXPERIENCE") {
		t.Errorf("the brief is\n%s", got)
	}
	if l.u.Stage != "PAST_EXPERIENCE" || !l.u.Current().Opened || l.u.Floor.Utterance != 0 {
		t.Fatalf("after finish: %s, floor %+v", l.u.Stage, l.u.Floor)
	}
	l.says("The vendor's lock-in. I chose the open format anyway.", "What did that cost you?", answer("open format", "probe"))
	l.says("Two weeks.", "Fair. Strongest was the number, nine hours to two; practise your own part. Is there a question you have for me?", answer("Two weeks", "finish"))
	if v := l.u.Current(); l.u.Stage != "PAST_EXPERIENCE" || !v.Closing {
		t.Fatalf("the end has not begun: %+v", v)
	}
	l.says("How did I do?", "Well on numbers. Anything else?", respond.Reading{Acts: []respond.Act{{Kind: "question", Quote: "How did I do"}}, Did: "answer"})
	l.says("No, thanks.", "Then goodbye, Ada.", respond.Reading{Acts: []respond.Act{{Kind: "remark", Quote: "No, thanks"}}, Did: "end"})
	if l.ended != "done" || !slices.Equal(l.visits(), []string{"SELF_INTRO", "PAST_EXPERIENCE", "DONE"}) {
		t.Errorf("ended %q in %v", l.ended, l.visits())
	}
	l.replays()
}

// RM-2: a question, a wish or a feeling is no answer: it uses up nothing.
func TestOnlyAnswersCount(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("Is this recorded?", "Only a transcript is kept.", respond.Reading{Acts: []respond.Act{{Kind: "question", Quote: "Is this recorded"}}, Did: "answer"})
	l.says("Let me think.", "Take the time you need.", respond.Reading{Acts: []respond.Act{{Kind: "request", About: "think", Quote: "Let me think"}}, Did: "wait"})
	if v := l.u.Current(); v.Turns != 0 || len(l.u.Notebook) != 0 || v.Idle >= 0 {
		t.Errorf("%d turns, idle %d", v.Turns, v.Idle)
	}
	l.says("I'm a nurse.", "What are you good at?", answer("I'm a nurse", "ask"))
	if v := l.u.Current(); v.Turns != 1 {
		t.Errorf("%d turns", v.Turns)
	}
}

// RM-25: what was not said, is not known or not allowed changes nothing, and is counted.
func TestAReadingIsHeldToTheRules(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("I'm a nurse.", "What are you good at?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "I'm a nurse"}}, Did: "go", To: "DONE",
		Notes:   []respond.Note{{ID: "role", Value: "surgeon", Quote: "I'm a surgeon"}},
		Covered: []respond.Cover{{Criterion: "charm", Level: 3, Quote: "I'm a nurse"}, {Criterion: "role", Level: 9, Quote: "I'm a nurse"}},
		Claims:  []respond.Claim{{Quote: "nurses are doctors", Verdict: "wrong"}},
	})
	if l.u.Voids != 5 || len(l.u.Notebook)+len(l.u.Covered)+len(l.u.Claims) != 0 || l.u.Slots["role"].Value == "surgeon" || l.u.Stage != "SELF_INTRO" {
		t.Errorf("%d void; %+v", l.u.Voids, l.u)
	}
	say := l.turn("I work nights.")
	l.send(engine.VoiceStarted{Utterance: say.Utterance})
	l.send(engine.Read{Utterance: say.Utterance, Visit: say.Visit, Reading: json.RawMessage(`[1]`)})
	l.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: "Why nights?"})
	if l.u.Voids != 6 || l.u.Current().Turns != 2 {
		t.Errorf("%d void, %d turns: the rules did not read the turn", l.u.Voids, l.u.Current().Turns)
	}
	l.replays()
}

// What the model did with words that were cut off was not done; what it understood holds.
func TestWordsThatWereCutOffDidNothing(t *testing.T) {
	l := lead(t, "two_stage")
	say := l.turn("I'm a nurse, and I never lost a patient's file.")
	l.send(engine.VoiceStarted{Utterance: say.Utterance})
	raw, _ := json.Marshal(respond.Reading{Acts: []respond.Act{{Kind: "answer", Quote: "I'm a nurse"}}, Notes: []respond.Note{{ID: "role", Value: "nurse", Quote: "a nurse"}}, Did: "finish"})
	l.send(engine.Read{Utterance: say.Utterance, Visit: say.Visit, Reading: raw})
	l.send(engine.SpeechStarted{})
	l.send(engine.BargeIn{Utterance: say.Utterance})
	l.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Heard: "Then let us", Cut: true})
	if l.u.Stage != "SELF_INTRO" || l.u.Slots["role"].Value != "nurse" {
		t.Errorf("in %s with %+v", l.u.Stage, l.u.Slots)
	}
	l.replays()
}

// RM-26, R003-89: a model that fails before a word was heard leaves the turn to the rules; after two in a row they lead the stage.
func TestRulesTakeTheTurnOfAModelThatFails(t *testing.T) {
	l := lead(t, "two_stage")
	for n := range 2 {
		say := l.turn([]string{"I'm a nurse.", "I stay calm when others run."}[n])
		if say.Lead == nil {
			t.Fatalf("turn %d is not led", n)
		}
		l.send(engine.VoiceEnded{Utterance: say.Utterance, Visit: say.Visit, Degraded: "late"})
		if next := l.last(); next.Text == "" || next.Lead != nil {
			t.Fatalf("turn %d: the rules say %+v", n, next)
		}
	}
	if l.u.Visits[0].Turns != 2 {
		t.Errorf("%d turns", l.u.Visits[0].Turns)
	}
	l.replays()
}

// The time of the last part runs out: the last word and the last question come before the goodbye, and have a limit.
func TestTheEndHasItsTime(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("I'm a nurse.", "And your project?", answer("I'm a nurse", "finish"))
	l.says("We rebuilt the ward's plan.", "Who is we?", answer("rebuilt the ward", "probe"))
	l.now += 400_000
	l.send(engine.TimerFired{Name: engine.TimerDeadline, ID: l.u.Timers[engine.TimerDeadline].ID, Visit: l.u.Visit})
	say := l.last()
	l.replies(say, "Time is up. Strong: the plan. Do you have a question?", respond.Reading{Did: "ask"})
	if !l.u.Current().Closing || l.u.Timers[engine.TimerDeadline].After == 0 {
		t.Fatalf("%+v", l.u.Current())
	}
	l.pass(3 * time.Minute)
	if l.ended != "done" {
		t.Errorf("ended %q in %v", l.ended, l.visits())
	}
}

// RM-10: the candidate goes to another part of a design, what was left out stays open, and can be taken up; the parts are judged by what was
// covered, with quotes that were said.
func TestAModelLeadsADesign(t *testing.T) {
	l := led{newChat(t, interview(t, "system_design"))}
	l.serve = provide(t, three(), true)
	l.start(engine.Started{Model: true, Candidate: state.Candidate{Name: "Ada"}, Vars: map[string]string{"company": "acme"}})
	l.turn("Yes, let us start.")
	say := l.last()
	l.replies(say, "About forty minutes. What do you do?", respond.Reading{Did: "ask"})
	l.says("I build billing systems.", "Design a car park. Where do you begin?", answer("I build billing systems", "finish"))
	if l.u.Current().Item != "scope" || !l.u.Current().Opened {
		t.Fatalf("in %v, %+v", l.visits(), l.u.Current())
	}
	say = l.says("Ten thousand users with cars at four gates. Can we go to the shape?", "Sure: what is it made of?", respond.Reading{
		Acts:    []respond.Act{{Kind: "answer", Quote: "Ten thousand users"}, {Kind: "request", About: "go_to", Quote: "Can we go to the shape"}},
		Covered: []respond.Cover{{Criterion: "users", Level: 2, Quote: "Ten thousand users"}, {Criterion: "gates", Level: 1, Quote: "four gates"}},
		Did:     "go", To: "shape",
	})
	if got := l.brief(say); !strings.Contains(got, "go to data, shape") || !strings.Contains(got, "Design a car park.") {
		t.Errorf("the brief is\n%s", got)
	}
	if l.u.Current().Item != "shape" {
		t.Fatalf("in %v", l.visits())
	}
	l.says("A cache before a queue.", "Fine. Back to the data: what is stored?", answer("A cache before a queue", "finish"))
	if item := l.u.Current().Item; item != "data" && item != "scope" {
		t.Fatalf("in %v", l.visits())
	}
	for n := 0; !l.u.Current().Closing && n < 6; n++ {
		l.says("One table, with an index on the plate.", "And what next, in case "+strconv.Itoa(n)+"?", answer("One table", "finish"))
	}
	l.says("No questions.", "Goodbye.", respond.Reading{Acts: []respond.Act{{Kind: "remark", Quote: "No questions"}}, Did: "end"})
	if l.ended != "done" {
		t.Fatalf("ended %q in %v", l.ended, l.visits())
	}
	judged := 0
	for _, r := range l.u.Evaluations {
		if r.By == "reading" && r.Status == "ok" {
			judged++
		}
	}
	if judged == 0 {
		t.Errorf("judged %+v", l.u.Evaluations)
	}
	l.replays()
}

// RM-31, R002-25: five numbered questions are counted by their answers; a follow-up and a question back are none,
// and one that was left out is noted as not answered.
func TestNumberedQuestionsCountAnswers(t *testing.T) {
	l := lead(t, "persona_interview")
	l.turn("The senior one, please.")
	say := l.last()
	l.replies(say, "I'm a senior developer. What did you build last?", respond.Reading{Did: "next"})
	if v := l.u.Current(); v.Numbered != 1 || l.u.Stage != "QUESTIONS" {
		t.Fatalf("%s: %+v", l.u.Stage, v)
	}
	l.says("What do you mean by build?", "Anything you made.", respond.Reading{Acts: []respond.Act{{Kind: "question", Quote: "What do you mean"}}, Did: "answer"})
	l.says("A parser for tickets.", "Why a parser?", answer("A parser", "probe"))
	l.says("The old one was slow.", "What went wrong in a team once?", answer("The old one", "next"))
	l.says("I'd rather skip that.", "All right. What would you do first here?", respond.Reading{Acts: []respond.Act{{Kind: "request", About: "skip", Quote: "rather skip that"}}, Did: "next"})
	for n := range 2 {
		l.says("I would read the logs.", "And then, step "+strconv.Itoa(n)+"?", answer("read the logs", "next"))
	}
	if v := l.u.Current(); v.Numbered != 5 {
		t.Fatalf("question %d", v.Numbered)
	}
	l.says("I would ask the users.", "Strong: the logs. A question for me?", answer("ask the users", "finish"))
	if list := l.u.Judgements; !l.u.Current().Closing || len(list) != 5 || list[1].Missing != "unanswered" || list[1].Number != 2 {
		t.Fatalf("%d judgements, %+v", len(list), l.u.Current())
	}
	l.says("No.", "Goodbye.", respond.Reading{Acts: []respond.Act{{Kind: "remark", Quote: "No"}}, Did: "end"})
	if l.ended != "done" || len(l.judges) != 4 {
		t.Errorf("ended %q, %d judged", l.ended, len(l.judges))
	}
	l.replays()
}

// RM-27: what was said sixty turns ago is still in the brief, which stays under 6,000 tokens (some four characters each).
func TestTheNotebookForgetsNoNumber(t *testing.T) {
	l := lead(t, "conversation")
	say := l.says("My first shop sold 4711 bicycles.", "What colour?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "My first shop"}}, Did: "ask", Notes: []respond.Note{{ID: "shop", Value: "4711 bicycles", Quote: "sold 4711 bicycles"}},
	})
	l.says("My second one sold 815 umbrellas in a week of rain.", "Why rain?", answer("My second one", "ask"))
	for n := range 60 {
		say = l.says(strings.Repeat("Well, and then something else happened which I will tell at some length. ", 5), "Which, number "+strconv.Itoa(n)+"?", answer("something else happened", "ask"))
	}
	got := l.brief(say)
	for _, number := range []string{"4711", "815"} {
		if !strings.Contains(got, number) {
			t.Errorf("%s is forgotten", number)
		}
	}
	if len(got) > 24_000 {
		t.Errorf("the brief has %d characters", len(got))
	}
}

// RM-20: who corrects an earlier answer is taken at the later word: the slot and the notebook hold it, and the brief shows it.
func TestACorrectionHolds(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("I'm a data engineer.", "What are you proud of?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "data engineer"}}, Notes: []respond.Note{{ID: "role", Value: "data engineer", Quote: "a data engineer"}}, Did: "ask",
	})
	l.says("Sorry, that was last year. I'm an analyst now.", "An analyst of what?", respond.Reading{
		Acts: []respond.Act{{Kind: "correction", Quote: "I'm an analyst now"}}, Notes: []respond.Note{{ID: "role", Value: "analyst", Quote: "I'm an analyst now"}}, Did: "probe",
	})
	if l.u.Slots["role"].Value != "analyst" {
		t.Errorf("role %+v", l.u.Slots["role"])
	}
	if got := l.brief(l.turn("Of claims.")); !strings.Contains(got, "known: <candidate>analyst") || strings.Contains(got, "known: <candidate>data engineer") {
		t.Errorf("the brief is\n%s", got)
	}
	l.replays()
}

// RM-19: a claim that does not hold stands open in the brief until it has had its sentence, or a reading says that it was put right. Named
// again it is the same claim.
func TestAClaimStandsOpenUntilItIsSettled(t *testing.T) {
	for name, last := range map[string]respond.Reading{
		"settled":  {Did: "probe", Claims: []respond.Claim{{Quote: "the table finds it in no time", Verdict: respond.Settled}}},
		"taken up": {Did: "challenge", Claims: []respond.Claim{{Quote: "The table finds it in no time", Verdict: "wrong", Why: "It has to be read."}}},
	} {
		l := lead(t, "two_stage")
		open := func() bool { return strings.Contains(l.brief(l.turn("Let me think.")), "Still open:") }
		acts := []respond.Act{{Kind: "answer", Quote: "the table finds it"}}
		l.says("Well, the table finds it in no time, and then I am done.", "How long is the table?", respond.Reading{
			Acts: acts, Did: "probe", Claims: []respond.Claim{{Quote: "the table finds it in no time", Verdict: "wrong", Why: "It has to be read."}},
		})
		if !open() {
			t.Errorf("%s: the claim is not open", name)
		}
		last.Acts = []respond.Act{{Kind: "answer", Quote: "a million rows"}}
		l.says("It has a million rows.", "And what does reading them take?", last)
		if open() || len(l.u.Claims) != 1 || l.u.Claims[0].Verdict != "wrong" {
			t.Errorf("%s: claims %+v", name, l.u.Claims)
		}
		l.replays()
	}
}

// RM-14: a model knows the operator's line, should it be the one that hears the words.
func TestAModelKnowsTheHelpline(t *testing.T) {
	l := lead(t, "two_stage")
	l.u.Helplines = map[string]string{"en": "Please call Lifeline on 13 11 14 now."}
	if got := l.brief(l.turn("I'm a nurse.")); !strings.Contains(got, "Lifeline on 13 11 14") {
		t.Errorf("the brief is\n%s", got)
	}
}

// RM-14: where a model hears words of self-harm that the lexicon does not know, the operator hears of it, the words are private, and the
// model goes on with care. Silence is left alone. If it was mistaken, one answer of the candidate's ends it.
func TestDistressThatAModelHears(t *testing.T) {
	l := lead(t, "two_stage")
	l.says("Honestly I don't see why I should still be here tomorrow.", "I'm glad that you said it. Please talk to somebody now.", respond.Reading{
		Acts: []respond.Act{{Kind: "distress", Quote: "still be here tomorrow"}}, Flags: []string{"distress"}, Did: "support",
	})
	if len(l.fact("candidate.distress", "by")) != 1 || !l.u.Worried || !l.u.Turns[len(l.u.Turns)-2].Private {
		t.Errorf("%+v", l.u.Turns)
	}
	if _, armed := l.u.Timers[engine.TimerNoInput]; armed {
		t.Error("silence is counted")
	}
	if got := l.brief(l.turn("I don't know.")); !strings.Contains(got, "sounded like distress") {
		t.Errorf("the brief is\n%s", got)
	}
	l.says("No, you got me wrong: I'm a nurse and only tired.", "Then I misheard you. Where do you nurse?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "I'm a nurse"}}, Did: "probe",
	})
	if got := l.brief(l.turn("In Cork.")); l.u.Worried || strings.Contains(got, "sounded like distress") {
		t.Errorf("the brief is\n%s", got)
	}
	l.replays()
}

// RM-14: words of self-harm have the prepared answer, whoever leads; what is said to that a model hears, and goes on with care, or where it was.
func TestAModelTakesOverAfterThePreparedWords(t *testing.T) {
	l := lead(t, "two_stage")
	l.turn("I'm a nurse, and honestly I want to kill myself when the printer jams.")
	if f := l.u.Floor; !l.u.Distress || f.Occasion != "" || !strings.Contains(f.Text, "end the interview?") {
		t.Fatalf("distress %v, %+v", l.u.Distress, f)
	}
	l.hear()
	say := l.turn("No, no, it was the printer I meant, nothing else.")
	if l.u.Distress || !l.u.Worried || say.Lead == nil || !strings.Contains(l.brief(say), "sounded like distress") {
		t.Errorf("distress %v, worried %v; %+v", l.u.Distress, l.u.Worried, say)
	}
	l.replies(say, "Then I misheard you. What does a day on the ward look like?", respond.Reading{
		Acts: []respond.Act{{Kind: "answer", Quote: "it was the printer I meant"}}, Did: "probe",
	})
	if l.u.Worried || l.u.Ended != "" {
		t.Errorf("worried %v, ended %q", l.u.Worried, l.u.Ended)
	}
	l.replays()
}
