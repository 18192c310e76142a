package understand

import "testing"

// Issue 5: only a plain yes is consent to a recording. What refuses, hesitates, asks back or has conditions is not, whatever
// agreeable words are in it.
func TestOnlyAPlainYesIsConsent(t *testing.T) {
	answers := map[string]map[string][]string{
		"en": {
			LexiconConsent: {
				"Yes", "Yes, that's fine with me.", "Sure, go ahead.", "Of course you can.", "OK.", "Yeah, no problem at all.", "No problem.",
				"I agree.", "Well, yes.", "Um, sure.", "I don't mind.", "That is all right.", "You may record it.", "Absolutely, no objections.",
				"Yes I consent to being recorded", "Fine by me.", "It's okay.",
			},
			LexiconNoConsent: {
				"No.", "No, thank you.", "No, sorry.", "I'd rather not.", "I would rather you didn't.", "Please don't record me.", "I do not agree.",
				"I don't want to be recorded.", "Not today.", "I am not comfortable with that.", "I prefer not to be recorded.", "Yes to the interview, no recording please.",
				"Sure, but without recording.", "OK but do not record this.", "I'd prefer that you don't.", "I decline.", "Nope.", "Never record me, okay?",
				"I would not like that, yes.",
			},
			LexiconDoubt: {
				"Yes, but who will hear it?", "What for?", "How long do you keep it?", "Only if you delete it.", "Maybe.", "Why?", "It depends.", "Wait a moment.",
				"Okay, if I must.", "Is that okay?",
			},
		},
		"zh": {
			LexiconConsent:   {"可以", "好的，可以录音。", "没问题", "我同意。", "嗯，可以", "当然可以", "没关系", "我不介意"},
			LexiconNoConsent: {"不可以", "不同意", "不，谢谢，我不想录音。", "别录了", "我不太方便", "还是算了", "可以面试，但不要录音", "我拒绝"},
			LexiconDoubt:     {"可以，但谁会听？", "为什么要录音", "如果会删除就可以", "可能吧"},
		},
		"vi": {
			LexiconConsent:   {"Vâng", "Dạ được.", "Tôi đồng ý.", "Không sao.", "Được ạ", "Không vấn đề gì"},
			LexiconNoConsent: {"Không", "Dạ không ạ.", "Tôi không đồng ý.", "Đừng ghi âm.", "Tôi không muốn.", "Không, cảm ơn"},
			LexiconDoubt:     {"Được, nhưng ai sẽ nghe?", "Tại sao?", "Nếu bạn xóa nó"},
		},
	}
	for locale, byList := range answers {
		r, err := Load(Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		for want, texts := range byList {
			for _, text := range texts {
				got := ""
				for _, list := range []string{LexiconNoConsent, LexiconDoubt, LexiconConsent} { // in the engine's order
					if r.Mentions(list, text) {
						got = list
						break
					}
				}
				if got != want {
					t.Errorf("%s: %q is %q, want %q", locale, text, got, want)
				}
			}
		}
		for _, text := range []string{"", "I work at a bank.", "我在银行工作。", "Tôi làm ở ngân hàng."} {
			if r.Mentions(LexiconConsent, text) {
				t.Errorf("%s: %q counts as consent", locale, text)
			}
		}
	}
}

// Consent is taken back in plain words; who talks about recordings, of something else, takes nothing back.
func TestStopRecording(t *testing.T) {
	for locale, texts := range map[string]map[string]bool{
		"en": {
			"Please stop recording.": true, "Can you stop the recording now, please?": true, "Stop recording me.": true, "I don't want to be recorded anymore.": true,
			"Please don't record this.": true, "Turn off the recording": true, "Delete the recording.": true, "I do not want you to record this interview.": true,
			"We stop recording metrics when the queue is full.": false, "I worked on a recording studio.": false, "We recorded the results.": false,
			"The service had to stop recording events and then replay them.": false, "I set a record at school.": false, "You may record this.": false,
		},
		"zh": {"请停止录音。": true, "别录了": true, "我不想被录音": true, "我做过一个录音软件。": false, "可以录音": false},
		"vi": {"Xin dừng ghi âm.": true, "Tôi không muốn bị ghi âm.": true, "Tôi làm phần mềm ghi âm.": false},
	} {
		r, err := Load(Shipped(), locale)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			if got := r.Mentions(LexiconStopRecording, text); got != want {
				t.Errorf("%s: %q: %v", locale, text, got)
			}
		}
	}
}
