package turn

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDelayFollowsCompleteness(t *testing.T) {
	const lowest, highest = 600 * time.Millisecond, 2400 * time.Millisecond
	const possible, doubtful = 1700 * time.Millisecond, 1800 * time.Millisecond // what may be a whole answer
	brisk := Expectation{Mode: Brisk}
	falling := Tail{Known: true, PitchEnd: -4, PitchSlope: -10, LevelEnd: -14, LevelSlope: -70, Lengthening: 0.2}
	held := Tail{Known: true, PitchEnd: 2, LevelEnd: -3, LevelSlope: -5, Lengthening: 0.3}
	tests := []struct {
		name     string
		state    State
		min, max time.Duration
	}{
		{"complete sentence, falling", State{Text: "I led the team for two years.", Tail: falling}, lowest, 700 * time.Millisecond},
		{"complete sentence, brisk", State{Text: "I led the team for two years.", Tail: falling, Expect: brisk}, 350 * time.Millisecond, 450 * time.Millisecond},
		{"complete sentence, pitch held", State{Text: "I led the team for two years.", Tail: held}, lowest, 620 * time.Millisecond},
		{"complete sentence, unheard", State{Text: "I led the team for two years."}, lowest, 620 * time.Millisecond},
		{"subject without its verb", State{Text: "The people in my last team.", Tail: held}, possible, doubtful},
		{"subject of two clauses", State{Text: "The tool that we finally bought.", Tail: held}, 2 * time.Second, highest},
		{"the same without a mark", State{Text: "the people in my last team", Tail: held}, 2 * time.Second, highest},
		{"subject behind a sentence", State{Text: "I liked the work. The people in my last team.", Tail: held}, 2 * time.Second, highest},
		{"relative clause without its pronoun", State{Text: "It was a plan we could all agree with.", Tail: held}, lowest, 620 * time.Millisecond},
		{"relative clause with it", State{Text: "She was the one who I learned it from.", Tail: held}, lowest, 620 * time.Millisecond},
		{"verb of a relative clause", State{Text: "Those were the only machines we had.", Tail: held}, lowest, 620 * time.Millisecond},
		{"auxiliary of a relative clause", State{Text: "They gave us all the time they could.", Tail: held}, lowest, 620 * time.Millisecond},
		{"verb of a clause", State{Text: "In the end I thought we used.", Tail: held}, 2 * time.Second, highest},
		{"present tense", State{Text: "When nobody else does, I stay.", Tail: held}, lowest, 620 * time.Millisecond},
		{"indirect question", State{Text: "I never found out what it was for.", Tail: held}, lowest, 620 * time.Millisecond},
		{"infinitive without its noun", State{Text: "There was nothing to complain about.", Tail: held}, lowest, 620 * time.Millisecond},
		{"preposition behind a clause", State{Text: "I thought we would start with.", Tail: held}, 2 * time.Second, highest},
		{"preposition behind an infinitive", State{Text: "I wanted to learn more about.", Tail: held}, 2 * time.Second, highest},
		{"question word as the subject", State{Text: "What we agreed on.", Tail: held}, 2 * time.Second, highest},
		{"subject with a relative clause", State{Text: "The tool we worked with.", Tail: held}, 2 * time.Second, highest},
		{"subject and verb", State{Text: "The tool that we bought never worked.", Tail: held}, lowest, 620 * time.Millisecond},
		{"noun as an answer", State{Text: "A small company in Berlin.", Tail: held}, lowest, 620 * time.Millisecond},
		{"list in sentences", State{Text: "I know Python. Java.", Tail: held}, possible, doubtful},
		{"rest of a sentence that was cut", State{Text: "In the end we used. A very simple queue.", Tail: held}, lowest, 620 * time.Millisecond},
		{"breaks off behind a verb", State{Text: "In my last job I designed.", Tail: held}, 2 * time.Second, highest},
		{"verb that may end a sentence", State{Text: "After two years there I left.", Tail: held}, lowest, 620 * time.Millisecond},
		{"passive", State{Text: "I would first measure where the time is spent.", Tail: held}, lowest, 620 * time.Millisecond},
		{"noun like a verb", State{Text: "We waited an hour for every build.", Tail: held}, lowest, 620 * time.Millisecond},
		{"object before its verb", State{Text: "I would start by asking what the users need.", Tail: held}, lowest, 620 * time.Millisecond},
		{"answer with a bare auxiliary", State{Text: "Yes, I would.", Tail: held}, lowest, 620 * time.Millisecond},
		{"sentence that stops at an auxiliary", State{Text: "In that situation I would.", Tail: held}, 2 * time.Second, highest},
		{"mark inside a number", State{Text: "We grew by 2.5 percent.", Tail: held}, lowest, 620 * time.Millisecond},
		{"days so far", State{Text: "Monday, Tuesday.", Tail: held}, possible, doubtful},
		{"two nouns so far", State{Text: "I looked at the memory, the disk.", Tail: held}, possible, doubtful},
		{"comment behind a comma", State{Text: "I wrote most of it myself, mostly.", Tail: held}, lowest, 620 * time.Millisecond},
		{"list closed after a false full stop", State{Text: "We used Kafka, Redis. And a lot of patience.", Tail: held}, lowest, 620 * time.Millisecond},
		{"closing quote", State{Text: `They said "ship it."`, Tail: falling}, lowest, 700 * time.Millisecond},
		{"question", State{Text: "Could you repeat that?", Tail: held, Expect: brisk}, 350 * time.Millisecond, 600 * time.Millisecond},
		{"question ending in a preposition", State{Text: "Which team are you talking of?", Tail: falling}, lowest, 700 * time.Millisecond},
		{"no mark where there could be one", State{Text: "i worked on a payment service", Tail: falling}, 2 * time.Second, highest},
		{"no mark where there is never one", State{Text: "i worked on a payment service", Tail: falling, Bare: true}, lowest, 800 * time.Millisecond},
		{"trailing and", State{Text: "I led the team and", Tail: falling}, 2200 * time.Millisecond, highest},
		{"trailing because, closed by the recogniser", State{Text: "We moved it because.", Tail: falling}, 2200 * time.Millisecond, highest},
		{"trailing um", State{Text: "My role was, um", Tail: held}, 2200 * time.Millisecond, highest},
		{"trailing article", State{Text: "we built the", Bare: true, Tail: held}, 2200 * time.Millisecond, highest},
		{"verb without its object", State{Text: "In the end we used.", Tail: held}, 2 * time.Second, highest},
		{"clause to come", State{Text: "When I joined the team.", Tail: held}, 2 * time.Second, highest},
		{"so that ends a sentence", State{Text: "Yes, I think so.", Tail: falling}, lowest, 700 * time.Millisecond},
		{"that which ends a sentence", State{Text: "I would use a hash map for that.", Tail: falling}, lowest, 700 * time.Millisecond},
		{"comma", State{Text: "When I joined the team,", Tail: held}, 2200 * time.Millisecond, highest},
		{"ellipsis", State{Text: "Well, it was hard...", Tail: held}, 2200 * time.Millisecond, highest},
		{"open list", State{Text: "I used things like Kafka, Redis", Tail: held}, 2200 * time.Millisecond, highest},
		{"list of two so far", State{Text: "We used Kafka, Redis.", Tail: held}, possible, doubtful},
		{"digits", State{Text: "my number is five five five two", Tail: held}, 2 * time.Second, highest},
		{"digits, closed by the recogniser", State{Text: "My number is five five five two.", Tail: held}, possible, doubtful},
		{"one, but no number", State{Text: "Do you mean the last one?", Tail: held}, lowest, 700 * time.Millisecond},
		{"yes to a yes or no question", State{Text: "Yes", Expect: Expectation{Kind: YesNo, Mode: Brisk}}, 350 * time.Millisecond, 360 * time.Millisecond},
		{"yes to an open question", State{Text: "Yes.", Tail: falling}, lowest, 1200 * time.Millisecond},
		{"chinese full stop", State{Text: "我是工程师。", Tail: falling}, lowest, 700 * time.Millisecond},
		{"the audio model is sure", State{Text: "i worked on a payment service", Audio: 0.98}, lowest, 700 * time.Millisecond},
		{"the audio model doubts", State{Text: "I led the team for two years.", Tail: falling, Audio: 0.05}, 2 * time.Second, highest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d, why := tt.state.Delay(); d < tt.min || d > tt.max {
				t.Errorf("%q waits %v (%s), want %v to %v", tt.state.Text, d, why, tt.min, tt.max)
			}
		})
	}
}

// A complete sentence ends at one delay, however the voice sounds: candidates hear an even rhythm.
func TestCompleteSentencesWaitAlike(t *testing.T) {
	sentences := []string{
		"We had a queue that grew every night.", "I would say about two thousand requests a second at the peak.",
		"Yes, I have worked with both of them.", "It was a difficult time for everyone.", "Could you say that again?",
		"When the traffic doubled, the cache could not keep up.", "I left the company because I wanted to learn more.",
	}
	rapid.Check(t, func(t *rapid.T) {
		s := State{Text: rapid.SampledFrom(sentences).Draw(t, "text"), Tail: Tail{
			Known:      true,
			PitchSlope: rapid.Float64Range(-60, 60).Draw(t, "pitch slope"), PitchEnd: rapid.Float64Range(-12, 12).Draw(t, "pitch"),
			LevelSlope: rapid.Float64Range(-300, 300).Draw(t, "level slope"), LevelEnd: rapid.Float64Range(-40, 10).Draw(t, "level"),
			Lengthening: rapid.Float64Range(0, 0.6).Draw(t, "length"),
		}}
		if d, why := s.Delay(); d < patienceShort || d > patienceShort+25*time.Millisecond {
			t.Fatalf("%q waits %v (%s)", s.Text, d, why)
		}
	})
}

// Without punctuation there are weights of their own, and words that call for more count as they do with it.
func TestDelayWithoutPunctuation(t *testing.T) {
	over := Tail{Known: true, PitchEnd: -5, LevelSlope: -80, LevelEnd: -10, Lengthening: 0.2}
	for text, complete := range map[string]bool{
		"i led the team for two years": true, "we moved the service to a new database": true, "i enjoyed it but it was time for something new": true,
		"i led the team and": false, "the people in my last team": false, "when i joined the company": false, "we used a very small": false,
		"in the end we used": false, "we had testers designers": false, "my number is five five five": false,
	} {
		d, why := State{Text: text, Bare: true, Tail: over}.Delay()
		if complete != (d < time.Second) {
			t.Errorf("%q waits %v (%s)", text, d, why)
		}
	}
}

func TestShortAnswersThatWereAskedForDoNotWait(t *testing.T) {
	for _, kind := range []Kind{Brief, YesNo} {
		open, _ := State{Text: "Berlin."}.Delay()
		asked, why := State{Text: "Berlin.", Expect: Expectation{Kind: kind}}.Delay()
		if asked >= open {
			t.Errorf("%s: %v (%s), and %v where nothing was asked for", kind, asked, why, open)
		}
	}
}

func TestEndpointingDecide(t *testing.T) {
	const end = 5 * Rate
	ms := func(n int64) int64 { return end + n*Rate/1000 }
	tests := []struct {
		name  string
		state State
		now   int64
		want  Decision
	}{
		{"speaking", State{Speaking: true, Text: "Done."}, ms(0), Decision{Reason: "still speaking"}},
		{"too early", State{End: end, Text: "Done it is done."}, ms(300), Decision{At: ms(600), Reason: "complete sentence"}},
		{"due", State{End: end, Text: "It is done."}, ms(710), Decision{Action: Commit, Reason: "complete sentence"}},
		{"final on its way", State{End: end, Text: "It is done.", Pending: 1}, ms(800), Decision{At: ms(1500), Reason: "final transcript on its way"}},
		{"final late", State{End: end, Text: "It is done.", Pending: 1}, ms(1500), Decision{Action: Commit, Reason: "complete sentence; final transcript late"}},
		{"no text yet", State{End: end, Pending: 1}, ms(1400), Decision{At: ms(1500), Reason: "transcript on its way"}},
		{"no text in time", State{End: end, Pending: 1}, ms(1500), Decision{Action: NoWords, Reason: "no transcript in time"}},
		{"recogniser failed", State{End: end, Failed: true}, ms(700), Decision{Action: NoWords, Reason: "recogniser failed"}},
		{"empty final", State{End: end}, ms(700), Decision{Action: NoWords, Reason: "nothing understood"}},
		{"time to think", State{End: end, Text: "Good question. Let me think about that for a second."}, ms(5000), Decision{Action: Suspend, At: ms(30000), Reason: "asked for time to think"}},
		{"thought long enough", State{End: end, Text: "Give me a moment."}, ms(30000), Decision{Action: Commit, Reason: "time to think is over"}},
		{"manual waits", State{End: end, Text: "Done.", Expect: Expectation{Mode: Manual}}, ms(60000), Decision{Reason: "waiting for a request to end the turn"}},
		{"manual ends", State{End: end, Text: "Done.", Expect: Expectation{Mode: Manual}, Asked: true, AskedAt: ms(0)}, ms(0), Decision{Action: Commit, Reason: "asked to end"}},
		{"request waits for the final", State{End: end, Text: "Done.", Pending: 1, Asked: true, AskedAt: ms(100)}, ms(200), Decision{At: ms(1600), Reason: "asked to end, transcript on its way"}},
		{"request without words", State{Asked: true, AskedAt: ms(0)}, ms(0), Decision{Action: NoWords, Reason: "nothing understood"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.state.Decide(tt.now)
			if got.Action == Wait && got.At > 0 && tt.want.At > 0 && abs(got.At-tt.want.At) < Rate/50 {
				got.At = tt.want.At // the fused delay is not to the sample
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func abs(n int64) int64 { return max(n, -n) }

// Whatever the text, a turn with the candidate silent ends: asked again at the time it names, it commits or gives up.
func TestEveryTurnEnds(t *testing.T) {
	vocabulary := []string{"I", "and", "because,", "um", "let me think", "done.", "really?", "five", "…", "我。", "hold on"}
	rapid.Check(t, func(t *rapid.T) {
		s := State{
			End:     rapid.Int64Range(0, 1<<40).Draw(t, "end"),
			Pending: rapid.IntRange(0, 2).Draw(t, "pending"),
			Expect:  Expectation{Kind: rapid.SampledFrom([]Kind{Open, YesNo, Story}).Draw(t, "kind")},
		}
		for _, d := range rapid.SliceOfN(rapid.Int64Range(0, int64(5*time.Second)), 0, 8).Draw(t, "pauses") {
			s.Pauses.Cut(time.Duration(d))
		}
		for _, w := range rapid.SliceOf(rapid.SampledFrom(vocabulary)).Draw(t, "words") {
			s.Text += w + " "
		}
		now := s.End
		for range 4 {
			d := s.Decide(now)
			if d.Reason == "" {
				t.Fatal("a decision without a reason")
			}
			if d.Action == Commit || d.Action == NoWords {
				return
			}
			if d.At <= now || d.At > s.End+Samples(thinkingTime) {
				t.Fatalf("waits at %d until %d", now, d.At)
			}
			now = d.At
		}
		t.Fatal("the turn does not end")
	})
}

func TestAsksForTime(t *testing.T) {
	for text, want := range map[string]bool{
		"Let me think.":                             true,
		"Hmm, give me a moment please":              true,
		"That's a good one, let me think about it.": true,
		"Can I have a minute to think about that?":  true,
		"Hold on.": true,
		"Let me think about caching first, we used it": false,
		"I told them to hold on to the old version":    false,
		"It took one second longer":                    false,
		"":                                             false,
	} {
		if got := AsksForTime(text); got != want {
			t.Errorf("AsksForTime(%q) = %v", text, got)
		}
	}
}
