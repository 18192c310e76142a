package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/e2e/marked"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/state"
)

// hush is the silence after which it is the candidate's turn.
const hush = 700 * time.Millisecond

// courtesy bounds a talk: nobody has more to say than that.
const courtesy = 40 // turns

// talk is an interview with a candidate who knows what to say in each part of it.
type talk struct {
	*office
	t     *testing.T
	guest *guest
	// lines are what the candidate says, by stage, or by topic where a stage has some; the last is said again.
	lines map[string][]string
	// code is what the candidate writes before the first words of a stage, by stage.
	code map[string]string
	// speak says one line.
	speak func(text string)

	said map[string]int // lines so far
}

// hold talks until the interviewer has gone.
func (k *talk) hold() {
	k.t.Helper()
	k.said = map[string]int{}
	seen := 0
	for range courtesy {
		over := false
		eventually(k.t, "turn of the candidate", func() bool {
			over = k.guest.isAlone()
			return over || k.isMyTurn(seen)
		})
		if over {
			return
		}
		seen = len(k.guest.transcripts(false))
		k.answer()
	}
	k.t.Fatalf("the interview goes on after %d answers", courtesy)
}

// isMyTurn: something new was said to its end, and the agent listens.
func (k *talk) isMyTurn(seen int) bool {
	segments := k.guest.transcripts(false)
	if len(segments) <= seen || !segments[len(segments)-1].Closed {
		return false
	}
	return k.latest("lk.agent.state") == "listening" && k.latest("viva.state") == "active" &&
		len(k.guest.ear.since(time.Now().Add(-hush))) == 0
}

// answer says the next line of this part.
func (k *talk) answer() {
	k.t.Helper()
	part := k.latest("viva.stage")
	if item := k.latest("viva.item"); item != "" {
		part = item
	}
	lines := k.lines[part]
	if len(lines) == 0 {
		k.t.Fatalf("the candidate has nothing to say about %q", part)
	}
	if code := k.code[part]; code != "" && k.said[part] == 0 {
		k.write(code)
	}
	line := lines[min(k.said[part], len(lines)-1)]
	k.said[part]++
	k.speak(line)
}

// write sends code as the page's editor does.
func (k *talk) write(code string) {
	k.t.Helper()
	if on := k.latest("viva.code"); on != "on" {
		k.t.Errorf("viva.code is %q where the candidate writes", on)
	}
	payload, err := json.Marshal(map[string]string{"text": code, "language": "python"})
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.guest.SendData("viva.code", payload); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talk) latest(attribute string) string {
	values := k.guest.attribute(attribute)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// isAlone holds once the agent has left.
func (g *guest) isAlone() bool {
	for _, e := range all[room.ParticipantLeft](g) {
		if e.Participant.Kind == livekit.ParticipantInfo_AGENT {
			return true
		}
	}
	return false
}

// aloud speaks lines into the microphone. The recogniser is a stub that is told the words: what is tested is the interview, and
// the local one knows too few technical terms. So they may be spoken fast.
func aloud(t *testing.T, g *guest, service *provider) func(string) {
	return aloudAt(t, g, service, 1.7)
}

// aloudAt does so at a multiple of the voice's usual speed.
func aloudAt(t *testing.T, g *guest, service *provider, speed float64) func(string) {
	sounds := map[string][]int16{}
	return func(text string) {
		if sounds[text] == nil {
			sounds[text] = resampled(t, synthesizedAt(t, text, speed), audio.VoiceRate)
		}
		service.hears(text)
		g.mouth.say(t, sounds[text])
	}
}

// brisk is a voice that speaks as fast as the local recogniser still understands it.
type brisk struct{ tts.Synthesizer }

// Synthesize implements tts.Synthesizer.
func (b brisk) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	r.Speed = 1.3
	return b.Synthesizer.Synthesize(ctx, r)
}

// murmur is a voice that says anything, in any language, as a quick hum.
type murmur struct{}

var _ tts.Synthesizer = murmur{}

// Synthesize implements tts.Synthesizer.
func (murmur) Synthesize(ctx context.Context, r tts.Request) (tts.Audio, error) {
	return marked.NewVoice(pace/3).Synthesize(ctx, r)
}

// recorder keeps the agent's voice, cut where it is silent for the agent's pause.
type recorder struct {
	mu     sync.Mutex
	last   time.Time // guarded by mu: of the last voiced packet
	pieces []piece   // guarded by mu
}

// piece is what was said without a pause.
type piece struct {
	began time.Time
	pcm   []int16 // at audio.InputRate
	text  string  // once it was recognised
}

// note takes the sound of a packet.
func (r *recorder) note(pcm []int16, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if audio.Level(pcm) > threshold {
		if len(r.pieces) == 0 || at.Sub(r.last) > pause {
			r.pieces = append(r.pieces, piece{began: at, pcm: make([]int16, 0, 10*audio.InputRate)})
		}
		r.last = at
	}
	if n := len(r.pieces); n > 0 && at.Sub(r.last) <= pause {
		r.pieces[n-1].pcm = append(r.pieces[n-1].pcm, pcm...)
	}
}

// transcribed are the words that the local recogniser finds in each piece, those first that began next to a time after the first one:
// to recognise all takes a third of the talk.
func (r *recorder) transcribed(t *testing.T, after time.Duration) iter.Seq[string] {
	return func(yield func(string) bool) {
		r.mu.Lock()
		defer r.mu.Unlock()
		order := make([]int, len(r.pieces))
		for i := range order {
			order[i] = i
		}
		distance := func(i int) time.Duration { return (r.pieces[i].began.Sub(r.pieces[0].began) - after).Abs() }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
		for _, i := range order {
			p := &r.pieces[i]
			if p.text == "" {
				p.text = recognised(t, p.pcm)
			}
			if !yield(p.text) {
				return
			}
		}
	}
}

// part is one visit of a stage: what it is called, what the interviewer said first in it, and how long after the first words.
type part struct {
	name, opening string
	after         time.Duration
}

// parts are the visits of an interview, in order; a topic of a stage counts as one.
func (r record) parts() []part {
	var found []part
	first := slices.IndexFunc(r.user.Turns, func(turn state.Turn) bool { return turn.Speaker == state.SpeakerAgent })
	for _, v := range r.user.Visits {
		p := part{name: v.Stage}
		if v.Item != "" {
			p.name = v.Item
		}
		for _, turn := range r.user.Turns {
			if turn.Visit == v.Visit && turn.Speaker == state.SpeakerAgent {
				p.opening, p.after = turn.Text, (turn.At - r.user.Turns[first].At).Duration()
				break
			}
		}
		found = append(found, p)
	}
	return found
}

// checkHeard: the recording holds what each part was opened with, as far as the local recogniser understands it.
func checkHeard(t *testing.T, parts []part, tape *recorder) {
	t.Helper()
	// Of the different words, of each opening and in the mean: the names of topics are not in the recogniser's language model, and of a short
	// question by a brisk voice it may miss most.
	const enough, inTheMean = 0.35, 0.6
	sum := 0.0
	for _, p := range parts {
		best, text := 0.0, ""
		for words := range tape.transcribed(t, p.after) {
			if score := overlap(p.opening, words); score > best {
				best, text = score, words
			}
			if best >= inTheMean {
				break
			}
		}
		sum += best
		t.Logf("%s: %.0f %% of %q was recognised, as %q", p.name, 100*best, p.opening, text)
		if p.opening == "" || best < enough {
			t.Errorf("the recording does not hold the opening of %s: %q", p.name, p.opening)
		}
	}
	if mean := sum / float64(len(parts)); mean < inTheMean {
		t.Errorf("%.0f %% of the openings were recognised, want %.0f %%", 100*mean, 100*inTheMean)
	}
}

// names are the parts without what was said in them.
func names(parts []part) string {
	var all []string
	for _, p := range parts {
		all = append(all, p.name)
	}
	return strings.Join(all, " ")
}
