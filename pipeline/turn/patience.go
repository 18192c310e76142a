package turn

import (
	"strings"
	"time"
)

// The silences after a sentence that could be the end, by what was asked.
//
// That people answer each other within some 0.2 s, and take a silence of a second for a trouble, is what conversation analysis has found
// (Stivers et al. 2009 in ten languages; Jefferson 1989, "a standard maximum silence of approximately one second"): short answers end
// soon. Monologue is different: its pauses make two heaps, of 0.2 to 1 s and of more than 1 s (Campione and Véronis 2002, six hours in
// five languages), and those between sentences are the long ones. So an account is left more than that second while it is young; from then
// on the pauses of this candidate tell.
const (
	// patienceShort is the silence after a word or a few that were asked for, and after anything that says itself that it is over. A reply
	// that was prepared in the silence is ready to be heard no sooner than 0.7 s after the end of speech, so that shorter ones gain nothing.
	patienceShort = 600 * time.Millisecond
	// patienceYoung is the silence after a sentence with which an account has only begun, patienceGrown that after one in an account that
	// could be whole, while it is not known how long the candidate pauses.
	patienceYoung = 1150 * time.Millisecond
	patienceGrown = 1050 * time.Millisecond
	// patienceLeast and patienceMost bound what the candidate's own pauses make of them. These four were chosen on the stories of package
	// turneval that are to learn from.
	patienceLeast = 800 * time.Millisecond
	patienceMost  = 1400 * time.Millisecond
	// briskShare is what is left of all of them where the stage is brisk.
	briskShare = 7.0 / 12

	// grownWords and grownSpeech are how much of an answer makes an account that could be whole: a situation, what was done and what came
	// of it are a sentence or two each, of a dozen words, said in five seconds.
	grownWords  = 50
	grownSpeech = 20 * time.Second
)

// answer is what the candidate has said in the turn so far.
type answer struct {
	words int
	spoke time.Duration // from its first word to its last, pauses included
	over  bool          // it says itself that it is over
}

func (s State) answer() answer {
	text := strings.TrimSpace(s.Text)
	words := Words(text)
	return answer{words: len(words), spoke: Duration(s.End - s.Start), over: strings.HasSuffix(text, "?") || closesAccount(words)}
}

// grown reports whether the answer could be a whole account.
func (a answer) grown() bool { return a.words >= grownWords || a.spoke >= grownSpeech }

// account reports whether the answer is one in which pauses are likely: who tells much without being asked is telling a story, too.
func account(asked Kind, a answer) bool { return asked == Story || asked == Open && a.grown() }

// patience is the silence to leave after what could be the end of an answer: by what was asked, by what is there of the answer, and by how
// this candidate pauses. It is the least that is waited; words that call for more get more (Weights.Delay).
func patience(e Expectation, a answer, p Pauses) time.Duration {
	wait := patienceShort
	switch account := account(e.Kind, a); {
	case a.over:
	case account && a.grown() && p.known():
		wait = min(max(p.longest(), patienceLeast), patienceMost)
	case account && a.grown():
		wait = patienceGrown
	case account:
		wait = min(max(patienceYoung, p.longest()), patienceMost)
	case e.Kind == Open:
		wait += p.beyond()
	}
	if wait += p.grown; e.Mode == Brisk {
		wait = time.Duration(briskShare * float64(wait))
	}
	return wait
}

// closesAccount reports whether the words say that there is no more to come.
func closesAccount(words []string) bool {
	tail := " " + strings.Join(words[max(0, len(words)-5):], " ")
	for _, phrase := range farewells {
		if strings.HasSuffix(tail, phrase) {
			return true
		}
	}
	return false
}

// farewells end an account in English; in other languages the silence alone does.
var farewells = []string{
	" that's it", " that's all", " that's about it", " that was it", " that was all", " that's everything", " that's my answer",
	" that's the story", " that's the whole story", " that would be it", " that would be all", " nothing else", " i'm done", " thank you",
}

// Pauses learns how long a candidate pauses inside a turn: as a mean and a mean deviation that forget, the way TCP learns how long an answer
// may take (Jacobson 1988, RFC 6298). The zero value knows nothing yet.
type Pauses struct {
	mean, deviation time.Duration
	count           int
	grown           time.Duration // by which patience has grown: the candidate was cut in on
}

const (
	// pausesKnown is how many pauses say something about a candidate.
	pausesKnown = 4
	// resumed is what it takes to hear that speech goes on.
	resumed = 100 * time.Millisecond
	// usualPause is the pause that needs no more room than the least: half a second. Of what a mean is longer, up to pauseMost, a share of
	// pauseShare is left where any answer is expected.
	usualPause = 500 * time.Millisecond
	pauseMost  = 1500 * time.Millisecond
	pauseShare = 0.3
	// cutGrows is by how much patience grows with each time that the candidate was cut in on, and grownMost by how much in all.
	cutGrows  = 150 * time.Millisecond
	grownMost = 450 * time.Millisecond
)

// Add notes a pause after which the candidate went on with the same turn.
func (p *Pauses) Add(d time.Duration) {
	p.count++
	if p.count == 1 {
		p.mean, p.deviation = d, d/2
		return
	}
	miss := d - p.mean
	p.deviation += (max(miss, -miss) - p.deviation) / 4
	p.mean += miss / 5
}

// Cut notes a pause that was taken for the end of the turn and was not: it counts like the others, and patience grows for good.
func (p *Pauses) Cut(d time.Duration) {
	p.Add(d)
	p.grown = min(p.grown+cutGrows, grownMost)
}

func (p Pauses) known() bool { return p.count >= pausesKnown }

// longest is a long pause of this candidate's, a deviation above the mean, with the time to hear its end; 0 while it is not known.
func (p Pauses) longest() time.Duration {
	if !p.known() {
		return 0
	}
	return p.mean + p.deviation + resumed
}

// beyond is the room for somebody who pauses longer than usual.
func (p Pauses) beyond() time.Duration {
	if !p.known() {
		return 0
	}
	return time.Duration(pauseShare * float64(min(max(p.mean-usualPause, 0), pauseMost)))
}
