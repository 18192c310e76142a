package e2e

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtp"

	"github.com/vivavoice/viva/agent/e2e/marked"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/speak"
)

// The tests of this file compare what the voice says of itself with what a candidate's track received: marked tones tell which
// sentence a packet belongs to and where in it.

const (
	pace  = 40 * time.Millisecond // of the marked voice, for a character
	story = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)

// wire is a voice in a room, and a candidate's ear.
type wire struct {
	t       *testing.T
	gate    *playout.Gate
	speaker speak.Speaker
	voice   *marked.Voice
	tape    *marked.Tape
	last    uint64 // generation
}

func newWire(t *testing.T) *wire {
	t.Helper()
	tape, err := marked.NewTape()
	if err != nil {
		t.Fatal(err)
	}
	host := join(t, server.URL(), "host", agent, room.Options{})
	join(t, server.URL(), "guest", standard, room.Options{
		Everybody: true,
		Audio: func(tr room.Track, p *rtp.Packet, at time.Time) {
			if tr.Kind == agent {
				tape.Hear(p.Payload, p.SequenceNumber, p.Timestamp, at)
			}
		},
	})
	track, err := host.PublishVoice(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	if err := track.WaitSubscribed(ctx); err != nil {
		t.Fatal(err)
	}
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := playout.New(playout.Options{Writer: track, Encoder: encoder})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gate.Close)
	voice := marked.NewVoice(pace)
	return &wire{t: t, gate: gate, voice: voice, tape: tape, speaker: speak.Speaker{TTS: voice, Gate: gate}}
}

// utterance is one being spoken.
type utterance struct {
	mark   int
	cut    context.CancelFunc
	result chan speak.Result // one slot
}

// say starts to speak, in place of what is being spoken.
func (w *wire) say(text string) utterance {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.t.Cleanup(cancel)
	w.last++
	u := utterance{mark: int(w.last) - 1, cut: cancel, result: make(chan speak.Result, 1)}
	generation := w.last
	go func() { u.result <- w.speaker.Speak(ctx, speak.Utterance{Generation: generation}, &once{text}) }()
	return u
}

// once is a source of one clause.
type once struct{ text string }

// Next implements speak.Source.
func (o *once) Next(context.Context) (speak.Clause, error) {
	text := o.text
	if o.text = ""; text == "" {
		return speak.Clause{}, io.EOF
	}
	return speak.Clause{Text: text}, nil
}

// hears waits until so many frames of a mark have arrived.
func (w *wire) hears(mark, frames int) {
	w.t.Helper()
	poll(w.t, "frames of the voice", func() bool {
		n := 0
		for _, f := range w.tape.Frames() {
			if f.Mark == mark {
				n++
			}
		}
		return n >= frames
	})
}

// ends waits for the result of an utterance.
func (w *wire) ends(u utterance) speak.Result {
	w.t.Helper()
	select {
	case r := <-u.result:
		return r
	case <-time.After(testLimit):
		w.t.Fatal("the utterance does not end")
	}
	return speak.Result{}
}

// silence waits until the voice has fallen silent at the candidate's end.
func (w *wire) silence() {
	w.t.Helper()
	before := len(w.tape.Frames())
	poll(w.t, "silence", func() bool {
		all := w.tape.Frames()
		return len(all) > before && !all[len(all)-1].Voiced
	})
}

// passages are the runs of voice, of which none may have lost a packet.
func (w *wire) passages() []marked.Passage {
	w.t.Helper()
	if n := w.tape.Lost(); n > 0 {
		w.t.Fatalf("%d packets were lost or reordered between two ends of one machine", n)
	}
	return marked.Passages(w.tape.Frames())
}

// TestSupersededVoiceIsNotHeard: whoever speaks next, as after a handoff, is the only one to be heard from then on; and of each
// who was cut, as much was heard as was reported.
func TestSupersededVoiceIsNotHeard(t *testing.T) {
	w := newWire(t)
	const voices = 12
	var all []utterance
	for i := range voices {
		u := w.say(story)
		all = append(all, u)
		w.hears(u.mark, 3+5*i%17) // cut at another place each time
	}
	all[voices-1].cut()
	w.silence()
	var reported []time.Duration
	for _, u := range all {
		reported = append(reported, w.ends(u).Heard)
	}
	passages := w.passages()
	for first := 1; first < voices; first++ {
		if n := marked.Stale(w.tape.Frames(), first); n != 0 {
			t.Errorf("%d frames of older voices were heard after voice %d had begun, want none", n, first)
		}
	}
	if len(passages) != voices {
		t.Fatalf("%d passages of %d voices: %+v", len(passages), voices, passages)
	}
	for i, p := range passages {
		received := time.Duration(p.Frames) * audio.FrameDuration
		if p.Mark != i || (received-reported[i]).Abs() > audio.FrameDuration {
			t.Errorf("passage %d: mark %d, %v were received, %v reported", i, p.Mark, received, reported[i])
		}
	}
}

// TestCutVoiceWasHeardAsReported: where a voice that was cut says it was cut is where the candidate's track ends, within 20 ms; and
// its words are those.
func TestCutVoiceWasHeardAsReported(t *testing.T) {
	w := newWire(t)
	for _, frames := range []int{35, 61, 104} {
		u := w.say(story)
		w.hears(u.mark, frames)
		u.cut()
		w.silence()
		r := w.ends(u)
		passages := w.passages()
		p := passages[len(passages)-1]
		reader, err := marked.NewReader(w.tape, p)
		if err != nil {
			t.Fatal(err)
		}
		last, err := reader.End(p, (p.Frames-1)*audio.InputFrame)
		if err != nil {
			t.Fatal(err)
		}
		received := inTime(last) + audio.FrameDuration/2 // of the last frame, half is heard: the fade
		t.Logf("mark %d: received %v, reported %v, %q", u.mark, received, r.Heard, r.HeardText)
		if off := (received - r.Heard).Abs(); off > 20*time.Millisecond || !r.Cut {
			t.Errorf("mark %d: %v were received, %v reported (cut: %v), want the same within 20 ms", u.mark, received, r.Heard, r.Cut)
		}
		if low, high := wordsBy(received-20*time.Millisecond), wordsBy(received+20*time.Millisecond); r.HeardText != low && r.HeardText != high {
			t.Errorf("mark %d: the words are %q, want %q or %q", u.mark, r.HeardText, low, high)
		}
	}
}

func inTime(samples int) time.Duration { return time.Duration(samples) * time.Second / audio.InputRate }

// wordsBy are the whole words of the story that have been said by then.
func wordsBy(at time.Duration) string {
	said := ""
	for _, word := range strings.Fields(story) {
		next := strings.TrimSpace(said + " " + word)
		if time.Duration(len(next))*pace > at {
			break
		}
		said = next
	}
	return said
}

// TestPausedVoiceGoesOnFromTheSample: after a false interruption the candidate hears the sample that comes next, nothing is lost
// and nothing twice.
func TestPausedVoiceGoesOnFromTheSample(t *testing.T) {
	w := newWire(t)
	u := w.say(story)
	for _, frames := range []int{40, 85, 140} {
		w.hears(u.mark, frames)
		w.gate.Pause()
		w.silence()
		w.gate.Resume()
	}
	w.silence()
	r := w.ends(u)
	if !r.Complete || r.HeardText != story || r.Heard != time.Duration(len(story))*pace {
		t.Errorf("%v were heard of %v, complete: %v", r.Heard, time.Duration(len(story))*pace, r.Complete)
	}
	passages := w.passages()
	if len(passages) != 4 {
		t.Fatalf("passages %+v, want four with three pauses between", passages)
	}
	reader, err := marked.NewReader(w.tape, passages[0])
	if err != nil {
		t.Fatal(err)
	}
	place := 0
	for i, p := range passages[:3] {
		end, err := reader.End(p, place+(p.Frames-1)*audio.InputFrame)
		if err != nil {
			t.Fatal(err)
		}
		place = end + audio.InputFrame/2 // the fade takes 10 ms
		start, err := reader.Start(passages[i+1], place)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("pause %d: up to sample %d, on from sample %d", i+1, place, start)
		if off := start - place; off < -1 || off > 1 { // one sample at 16 kHz is as exactly as a place is told
			t.Errorf("pause %d: the voice goes on %d samples off", i+1, off)
		}
	}
}
