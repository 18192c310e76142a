package turn

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestInterruptionDecide(t *testing.T) {
	const start = 3 * Rate
	ms := func(n int64) int64 { return start + n*Rate/1000 }
	speaking := func(f Floor, text string) Overlap { // End is set to now below
		return Overlap{Audible: true, Floor: f, Speaking: true, Start: start, Text: text, Streams: true}
	}
	likely := func(f Floor, text string) Overlap {
		o := speaking(f, text)
		o.Evidence, o.Pending = 1, true
		return o
	}
	hangover := speaking(Ducked, "")
	hangover.End = ms(180)
	brief := func(f Floor, length int64, text string, pending bool) Overlap {
		return Overlap{Audible: true, Floor: f, Start: start, End: ms(length), Text: text, Pending: pending}
	}
	ended := func(f Floor, text string, pending bool) Overlap {
		return Overlap{Audible: true, Floor: f, Start: start, End: ms(300), Text: text, Pending: pending, Streams: true}
	}
	batch := ended(Paused, "", true)
	batch.Streams = false
	own := speaking(Paused, "wait wait")
	own.Uninterruptible = true
	guess := func(goesOn bool, end int64) Overlap {
		return Overlap{Audible: true, Floor: Paused, Speaking: goesOn, Start: start, End: end, Text: "but", Pending: true, Streams: true}
	}
	tooLong := func(goesOn bool, text string) Overlap { // paused at 200 ms, and the last of several sounds was short
		return Overlap{
			Audible: true, Floor: Paused, PausedAt: ms(200), Speaking: goesOn, Start: ms(3000), End: ms(3120), Text: text, Pending: true,
		}
	}
	silent := speaking(Playing, "hello")
	silent.Audible = false
	tests := []struct {
		name  string
		state Overlap
		now   int64
		want  Verdict
	}{
		{"agent silent", silent, ms(900), Verdict{None, "the voice is not heard"}},
		{"click", speaking(Playing, ""), ms(90), Verdict{None, "too short to tell"}},
		{"likely speech", likely(Playing, ""), ms(96), Verdict{Duck, "sound like speech"}},
		{"one word of a partial came first", likely(Playing, "stop"), ms(96), Verdict{Duck, "sound like speech"}},
		{"a backchannel came first", likely(Playing, "mhm"), ms(300), Verdict{None, "too short to tell"}},
		{"ducked once", speaking(Ducked, ""), ms(180), Verdict{None, "too short to tell"}},
		{"silence does not count", hangover, ms(400), Verdict{None, "too short to tell"}},
		{"a backchannel is understood while it goes on", likely(Ducked, "yeah"), ms(400), Verdict{Unduck, "backchannel"}},
		{"as long as a backchannel", likely(Ducked, ""), ms(950), Verdict{None, "too short to tell"}},
		{"longer than a backchannel, and no words in time", brief(Ducked, 1100, "", true), ms(1500), Verdict{Pause, "words are late"}},
		{"1.5 s may be a slow backchannel", speaking(Paused, ""), ms(1500), Verdict{None, "too short to tell"}},
		{"1.6 s confirm", speaking(Paused, ""), ms(1600), Verdict{Interrupt, "speech goes on"}},
		{"backchannel is given 1.8 s", speaking(Paused, "yeah"), ms(1700), Verdict{None, "too short to tell"}},
		{"and then interrupts", speaking(Paused, "yeah"), ms(1800), Verdict{Interrupt, "speech goes on after a backchannel"}},
		{"words confirm at once", speaking(Ducked, "actually no"), ms(200), Verdict{Interrupt, "words"}},
		{"one word of a partial is waited on", guess(true, ms(300)), ms(300), Verdict{None, "too short to tell"}},
		{"not for long", guess(true, ms(600)), ms(600), Verdict{Interrupt, "words"}},
		{"nor past the end of speech", guess(false, ms(300)), ms(500), Verdict{None, "waiting for the final words"}},
		{"when it must do", guess(false, ms(300)), ms(700), Verdict{Interrupt, "words"}},
		{"taken stays taken", speaking(Taken, "actually no"), ms(900), Verdict{None, "the voice is not heard"}},
		{"uninterruptible gives the floor back", own, ms(900), Verdict{Resume, "utterance is not to be interrupted"}},
		{"first syllable and a dip", brief(Ducked, 100, "", true), ms(300), Verdict{None, "waiting for words"}},
		{"cough", brief(Ducked, 300, "", true), ms(500), Verdict{Unduck, "short sound"}},
		{"backchannel after which no words came yet", brief(Ducked, 600, "", true), ms(900), Verdict{None, "waiting for words"}},
		{"its words", brief(Ducked, 600, "okay", false), ms(900), Verdict{Unduck, "backchannel"}},
		{"it is not waited for any longer", brief(Ducked, 600, "", true), ms(1000), Verdict{Unduck, "short sound"}},
		{"and was no backchannel", brief(Playing, 600, "stop please", false), ms(1100), Verdict{Interrupt, "words"}},
		{"paused, words may come", ended(Paused, "", true), ms(600), Verdict{None, "waiting for words"}},
		{"paused, no partial in 400 ms", ended(Paused, "", true), ms(700), Verdict{Resume, "no words after the sound"}},
		{"paused, empty final", ended(Paused, "", false), ms(400), Verdict{Resume, "nothing understood"}},
		{"paused, backchannel final", ended(Paused, "Mhm. Okay, right.", false), ms(400), Verdict{Resume, "backchannel"}},
		{"paused, backchannel partial", ended(Paused, "uh-huh", true), ms(700), Verdict{Resume, "backchannel"}},
		{"batch recogniser is waited for", batch, ms(1500), Verdict{None, "waiting for words"}},
		{"but not for ever", batch, ms(2300), Verdict{Resume, "no transcript in time"}},
		{"a word's final and another sound after 3 s", tooLong(true, ""), ms(3300), Verdict{Interrupt, "sounds go on"}},
		{"a sound that ended, and no words after 3 s", tooLong(false, ""), ms(3300), Verdict{Resume, "paused for too long"}},
		{"a word whose final is late after 3 s", tooLong(false, "but"), ms(3300), Verdict{Interrupt, "sounds go on"}},
		{"another sound before 3 s", tooLong(true, ""), ms(3150), Verdict{None, "too short to tell"}},
		{"words after resuming still interrupt", ended(Playing, "stop please", false), ms(1500), Verdict{Interrupt, "words"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.state.End == 0 {
				tt.state.End = tt.now
			}
			if got := tt.state.Decide(tt.now); got != tt.want {
				t.Errorf("got %v %q, want %v %q", got.Move, got.Reason, tt.want.Move, tt.want.Reason)
			}
		})
	}
}

// A barge-in is silence within 160 ms of the onset that the detector found, whatever the recogniser says unless a backchannel, with
// decisions every 32 ms, and stays so as long as it goes on.
func TestBargeInIsSilentInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		onset := rapid.Int64Range(0, Rate).Draw(t, "onset")
		text := rapid.SampledFrom([]string{"", "stop", "stop that"}).Draw(t, "text")
		s := Overlap{Audible: true, Speaking: true, Start: onset, Text: text, Streams: rapid.Bool().Draw(t, "streams")}
		for now := onset + rapid.Int64Range(0, 512).Draw(t, "phase"); now <= onset+2*Rate; now += 512 {
			s.End = now
			s.Evidence = 0.7*s.Evidence + 0.55 // a sure window
			s.Floor = s.Floor.Apply(s.Decide(now).Move)
			if s.Floor == Playing && now >= onset+Samples(160*time.Millisecond) {
				t.Fatalf("after %v of speech the floor is %v", Duration(now-onset), s.Floor)
			}
		}
		if s.Floor != Taken {
			t.Fatalf("after 2 s of speech the floor is %v", s.Floor)
		}
	})
}

// Voice-pipeline invariant 8: a paused voice always ends as resumed or interrupted, within the limits.
func TestPausedVoiceNeverStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Overlap{Audible: true, Speaking: true, Streams: rapid.Bool().Draw(t, "streams"), Pending: true}
		length := rapid.Int64Range(0, Rate).Draw(t, "length")
		wordsAt := rapid.Int64Range(0, 4*Rate).Draw(t, "words at")
		words := rapid.SampledFrom([]string{"", "", "okay", "no wait"}).Draw(t, "words")
		for now := int64(0); now < length+Samples(pauseLimit)+Rate/10; now += 512 {
			s.Speaking, s.End, s.Evidence = now < length, min(now, length), 1
			if now >= wordsAt {
				s.Text, s.Pending = words, s.Speaking
			}
			s.Floor = s.Floor.Apply(s.Decide(now).Move)
		}
		if s.Floor == Paused || s.Floor == Ducked {
			t.Fatalf("the floor is still %v", s.Floor)
		}
	})
}

// Sounds that follow each other, each with its transcript to come, hold the voice no longer than maxPause.
func TestManySoundsDoNotHoldTheVoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Overlap{Audible: true, Pending: true, Streams: rapid.Bool().Draw(t, "streams")}
		lengths := rapid.SliceOfN(rapid.Int64Range(Rate/10, Rate), 8, 30).Draw(t, "sounds and silences in turn")
		text := rapid.SampledFrom([]string{"", "mhm", "but"}).Draw(t, "text")
		change := int64(0)
		for i, length := range lengths {
			s.Speaking, s.Start = i%2 == 0, change
			if s.Speaking {
				s.Text, s.Evidence = "", 1 // partials come behind the sound
			}
			change += length
			for now := change - length; now < change; now += 512 {
				if s.Speaking {
					s.End = now
				} else if now > s.End+Rate/5 {
					s.Text = text
				}
				before := s.Floor
				if s.Floor = before.Apply(s.Decide(now).Move); s.Floor == Paused && before != Paused {
					s.PausedAt = now
				}
				if s.Floor == Paused && now-s.PausedAt > Samples(maxPause)+512 {
					t.Fatalf("paused for %v", Duration(now-s.PausedAt))
				}
			}
		}
	})
}

func TestBackchannel(t *testing.T) {
	for text, want := range map[string]bool{
		"mhm": true, "Uh-huh.": true, "Okay, right!": true, "Yeah, I see": true, "um": true,
		"": false, "...": false, "no": false, "okay but wait": false, "yes I led it": false,
	} {
		if got := Backchannel(text); got != want {
			t.Errorf("Backchannel(%q) = %v", text, got)
		}
	}
}
