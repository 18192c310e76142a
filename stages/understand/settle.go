package understand

import (
	"regexp"
	"slices"
)

// settle joins what belongs together, and takes for part of an answer what only stands in one.
func settle(acts []Act) []Act {
	acts = slices.DeleteFunc(acts, func(a Act) bool { return a.Kind == ActAnswer && Words(a.Text) == 0 })
	said, other := weigh(acts)
	last := len(acts) - 1
	var out []Act
	for i, a := range acts {
		switch {
		case a.Kind == ActAnswer && other && filler(a.Text):
			continue
		case (a.Kind == ActRemark || a.Kind == ActNothing) && (said > fillerMost || other):
			continue
		case !outright(&a) && within(a, said, i == 0, i == last), i == 0 && i < last && misheard(&a, said):
			a = Act{Kind: ActAnswer, Text: a.Text}
		}
		if n := len(out) - 1; n >= 0 && a.Kind == out[n].Kind && a.Kind != ActQuestion && a.Asks == out[n].Asks {
			out[n].Text += " " + a.Text
			continue
		}
		out = append(out, a)
	}
	return out
}

// weigh counts the words of a turn that answer, and tells whether it does anything else that matters.
func weigh(acts []Act) (said int, other bool) {
	for _, a := range acts {
		if a.Kind == ActAnswer {
			said += Words(a.Text)
		}
		other = other || a.Kind != ActAnswer && a.Kind != ActRemark && a.Kind != ActNothing
	}
	return said, other
}

// within reports whether an act only stands in an answer of so many words, first or last in it.
func within(a Act, said int, first, last bool) bool {
	switch a.Kind {
	case ActQuestion:
		return said >= story && !last && !first
	case ActEmotion, ActObjection:
		return said >= told && !first && !last
	case ActRequest:
		switch a.Asks {
		case AskThink, AskPause:
			return waits(a, said, first, last)
		case AskEnd, AskHuman, AskNoRecording:
			return said >= story && !last && !first
		case AskVerdict: // "right?" at the end is a manner of speaking
			return said > 0 && (!last || Words(a.Text) <= fillerMost-1)
		}
		return said >= told && !first && !last
	}
	return false
}

// misheard reports whether an act that begins a turn is a goodbye before a whole answer, which nobody says.
func misheard(a *Act, said int) bool {
	return a.Asks == AskEnd && said >= told && Words(a.Text) <= farewell
}

// farewell is how many words a bare goodbye has.
const farewell = 2

// waits reports whether a wish for time only stands in an answer of so many words: something else can wait.
func waits(a Act, said int, first, last bool) bool {
	if said >= story && !personal.MatchString(a.Text) {
		return true
	}
	return !last && (a.Asks == AskThink && said > fillerMost || said >= told && !first)
}

// outright reports whether an act is a sentence of its own that asks the interviewer for something, wherever it stands: people answer, ask in
// between, and go on. What they only ask themselves no sheet knows.
func outright(a *Act) bool {
	if !marked(a.Text) {
		return false
	}
	return a.Kind == ActQuestion && (a.Fact != "" || a.About == AboutStanding) || a.Kind == ActRequest && a.Asks != AskVerdict && a.Asks != AskThink
}

// personal is what a wish holds: who wishes, of whom, or for how long.
var personal = regexp.MustCompile(`(?i)\b(i|i'\w+|me|my|let|let's|we|us|you|your|please|hold on|hang on|(one|a|just) (second|moment|minute|sec))\b|我|咱|您|你|让|给|请|等|em|cho|mình|tôi|bạn|anh|chị|xin|chờ|đợi`)

// fillers are words before what follows.
var fillers = regexp.MustCompile(`(?i)^[\s\pP]*((sorry|excuse me|ok(ay)?|well|um+|uh+|hm+|please|yes|yeah|no|so|and|but|oh|ah|hi|hello|hey|wait|actually|right|sure|thanks|thank you|just|also|then|first|before that|by the way|i see|one thing|not yet|hold on|man|viva|you|look|listen|honestly|maybe|for me|now|here|again|不好意思|抱歉|对不起|嗯|好|好的|请问|那|那个|等等|你好|是的|xin lỗi|dạ|vâng|à|thưa|chào|anh|chị|bạn|em|ơi|ạ)[\s\pP]*)+$`)

func filler(text string) bool {
	return Words(text) <= fillerMost+1 && fillers.MatchString(text)
}
