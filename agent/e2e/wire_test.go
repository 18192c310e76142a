package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/e2e/marked"
	"github.com/vivavoice/viva/pipeline/audio"
)

// The tests of this file are those of the bars on the wire: a candidate's track tells what became of the voice, packet by packet.
// They do not run beside others, because each has a time that must not be exceeded; that is four times the bar, for here it only
// has to be told from broken. `viva loadtest` measures.
const slack = 4

// pace is how long a marked voice takes for a character: as long as people do.
const pace = 60 * time.Millisecond

// scene is an interview that is held with a marked voice, and the candidate's end of the wire.
type scene struct {
	*office
	t       *testing.T
	voice   *marked.Voice
	tape    *marked.Tape
	guest   *guest
	service *provider
	asked   time.Time
}

// set says how a scene is set.
type set struct {
	cloud     bool // the ears and the words are a provider's, which is a stub, and not this machine's
	scripted  bool // the words come from the script all the same
	speculate bool
	token     bool // the candidate's token asks for the interviewer
	hurry     bool // the voice is quick; the test is not about what it says
}

// stage begins an interview with a marked voice.
func stage(t *testing.T, with set) *scene {
	t.Helper()
	s := &scene{t: t, voice: marked.NewVoice(pace)}
	if with.hurry {
		s.voice = marked.NewVoice(pace / 3)
	}
	engines := localEngines(t)
	if with.cloud {
		engines, s.service = cloudEngines(t)
	}
	engines.TTS = s.voice
	if with.scripted {
		engines.LLM = nil
	}
	s.office = open(t, plan{engines: engines, speculate: with.speculate})
	tape, err := marked.NewTape()
	if err != nil {
		t.Fatal(err)
	}
	s.tape = tape
	v := visit{tape: tape}
	if with.token {
		v.config = &livekit.RoomConfiguration{Agents: []*livekit.RoomAgentDispatch{{AgentName: s.name, Metadata: twoStage}}}
	}
	s.asked = time.Now()
	s.guest = enter(t, v)
	if !with.token {
		s.asked = time.Now()
		s.dispatch(roomName(t), twoStage)
	}
	return s
}

// hears waits until so much of the voice has arrived, of marks from first on.
func (s *scene) hears(first int, amount time.Duration) {
	s.t.Helper()
	eventually(s.t, "marked voice", func() bool {
		n := 0
		for _, f := range s.tape.Frames() {
			if f.Mark >= first {
				n++
			}
		}
		return time.Duration(n)*audio.FrameDuration >= amount
	})
}

// end lets the candidate leave, and returns what was on the track.
func (s *scene) end() []marked.Frame {
	s.t.Helper()
	s.guest.leave()
	s.jobEnded(roomName(s.t))
	if n := s.tape.Lost(); n > 0 {
		s.t.Fatalf("%d packets were lost or reordered between two ends of one machine", n)
	}
	return s.tape.Frames()
}

// checkNoneStale: of what had been asked of the voice before the cut, nothing was heard after something newer, nor later than what
// was on its way. It returns when the last of it was heard.
func (s *scene) checkNoneStale(frames []marked.Frame, cut time.Time) (last time.Time) {
	s.t.Helper()
	const onItsWay = 100 * time.Millisecond // in queues of this machine
	first := s.voice.Before(cut)
	if n := marked.Stale(frames, first); n != 0 {
		s.t.Errorf("%d frames of the old voice were heard after the new one had begun, want none", n)
	}
	late := 0
	for _, f := range frames {
		if f.Mark == marked.None || f.Mark >= first {
			continue
		}
		last = f.At
		if f.At.After(cut.Add(onItsWay)) {
			late++
		}
	}
	if late != 0 {
		s.t.Errorf("%d frames of the old voice were heard later than %v after it was cut, want none", late, onItsWay)
	}
	return last
}

// framesOf is the length of a sentence.
func (s *scene) framesOf(mark int) int {
	return s.voice.Samples(s.voice.Sentences()[mark].Text) / audio.VoiceFrame
}

// began is when the first frame of marks from first on was heard.
func (s *scene) began(frames []marked.Frame, first int) time.Time {
	s.t.Helper()
	i := slices.IndexFunc(frames, func(f marked.Frame) bool { return f.Mark >= first })
	if i < 0 {
		s.t.Fatal("nothing was heard after the cut")
	}
	return frames[i].At
}

// heard is how much of a sentence was received when the voice was cut in it: from its first sample to the end of the fade.
func (s *scene) heard(frames []marked.Frame, mark int) time.Duration {
	s.t.Helper()
	passages := marked.Passages(frames)
	reader, err := marked.NewReader(s.tape, passages[0])
	if err != nil {
		s.t.Fatal(err)
	}
	place, last := 0, -1
	for i, p := range passages {
		if p.Mark == mark {
			place += p.Frames * audio.InputFrame
			last = i
		}
	}
	end, err := reader.End(passages[last], place-audio.InputFrame)
	if err != nil {
		s.t.Fatal(err)
	}
	return time.Duration(end)*time.Second/audio.InputRate + audio.FrameDuration/2
}

// saidBy are the words that the voice had said when a sentence was cut there, whole ones only.
func (s *scene) saidBy(mark int, at time.Duration) string {
	var said []string
	for _, sentence := range s.voice.Sentences()[:mark] {
		said = append(said, sentence.Text)
	}
	part := ""
	for _, word := range strings.Fields(s.voice.Sentences()[mark].Text) {
		next := strings.TrimSpace(part + " " + word)
		if time.Duration(len(next))*pace > at {
			break
		}
		part = next
	}
	return strings.TrimSpace(strings.Join(append(said, part), " "))
}

// within fails when something took longer than a bar allows, with slack.
func within(t *testing.T, what string, took, bar time.Duration) {
	t.Helper()
	t.Logf("%s: %v", what, took.Round(time.Millisecond))
	if took < 0 || took > slack*bar {
		t.Errorf("%s took %v, want at most %v", what, took, slack*bar)
	}
}

// TestInterruptedOnTheWire: nothing of an interrupted utterance comes after its end, and the words that count as heard are those
// that the candidate's track received (R001-47, R001-48).
func TestInterruptedOnTheWire(t *testing.T) {
	const interruption = "Sorry, may I ask you something before we begin?"
	s := stage(t, set{cloud: true})
	s.service.hears(interruption)
	words := spoken(t, interruption)
	s.hears(0, 1500*time.Millisecond)
	said := s.guest.mouth.say(t, words)
	cut := s.await("bargein", nil).At
	first := s.voice.Before(cut)
	s.hears(first, time.Second)
	frames := s.end()

	stopped := s.checkNoneStale(frames, cut)
	decided := slices.IndexFunc(s.facts("floor.decided"), func(f fact) bool { return f.text("move") == "duck" || f.text("move") == "interrupt" })
	within(t, "silence decided → last frame", stopped.Sub(s.facts("floor.decided")[decided].At), lastFrameBar)
	within(t, "onset of the interruption → silence", stopped.Sub(said.onset), 250*time.Millisecond)
	mark := frames[lastOf(frames, first)].Mark
	heard := s.heard(frames, mark)
	reported := s.record(roomName(t), "two_stage").user.Turns[0].Text
	t.Logf("sentence %d was cut after %v; heard were %q", mark, heard, reported)
	low, high := s.saidBy(mark, heard-20*time.Millisecond), s.saidBy(mark, heard+20*time.Millisecond)
	if reported != low && reported != high {
		t.Errorf("%q counts as heard, and received was %q", reported, high)
	}
}

// lastOf is the index of the last frame of marks below first.
func lastOf(frames []marked.Frame, first int) int {
	last := -1
	for i, f := range frames {
		if f.Mark != marked.None && f.Mark < first {
			last = i
		}
	}
	return last
}

// TestHandoffOnTheWire: nothing of the old stage's voice is heard once the stage has been left, and the bridge follows at once: the
// marked voice takes no time, and nor does the script.
func TestHandoffOnTheWire(t *testing.T) {
	s := stage(t, set{})
	s.hears(0, 1200*time.Millisecond)
	s.guest.types(introduction)
	left := s.await("handoff.done", nil).At
	first := s.voice.Before(left)
	s.hears(first, time.Second)
	frames := s.end()

	stopped := s.checkNoneStale(frames, left)
	bridge := s.began(frames, first)
	t.Logf("silence between the two stages: %v", bridge.Sub(stopped).Round(time.Millisecond))
	within(t, "handoff decided → last frame", max(0, stopped.Sub(left)), lastFrameBar) // it may have been silent already
	within(t, "handoff → bridge", bridge.Sub(left), 50*time.Millisecond)
	if text := s.voice.Sentences()[first].Text; !strings.HasPrefix(text, "Thank you") {
		t.Errorf("the new stage begins with %q", text)
	}
}

// TestFalseInterruptionOnTheWire: under a sound without words the voice is not heard, and behind it the same sentence goes on: nothing of it
// is lost but what passed meanwhile, 0.6 s at most.
func TestFalseInterruptionOnTheWire(t *testing.T) {
	s := stage(t, set{cloud: true})
	s.service.hears("") // it was no word
	sound := spoken(t, "Hmmm.")
	s.hears(0, time.Second)
	s.guest.mouth.say(t, sound)
	lowered := s.await("floor.decided", map[string]any{"move": "duck"}).At
	back := s.await("floor.decided", map[string]any{"move": "unduck"}).At
	s.guest.awaitAttribute("lk.agent.state", "listening")
	frames := s.end()

	t.Logf("lowered for %v", back.Sub(lowered).Round(time.Millisecond))
	opening := s.record(roomName(t), "two_stage").user.Turns[0]
	if want := s.saidBy(len(s.voice.Sentences())-1, time.Hour); opening.Interrupted || opening.Text != want {
		t.Errorf("the opening counts as %+v, want all of %q", opening, want)
	}
	received := map[int]int{}
	for _, p := range marked.Passages(frames) {
		received[p.Mark] += p.Frames
	}
	for mark := range s.voice.Sentences() {
		lost := time.Duration(s.framesOf(mark)-received[mark]) * audio.FrameDuration
		if lost > 660*time.Millisecond { // and the ways down and up
			t.Errorf("%v of sentence %d were not heard", lost, mark)
		}
	}
}
