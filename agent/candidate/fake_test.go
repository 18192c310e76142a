package candidate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/livekit/protocol/livekit"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toneVoice hums for 40 ms per letter.
type toneVoice struct{ err error }

func (v toneVoice) Synthesize(_ context.Context, text string) ([]int16, int, error) {
	return tone(16_000, 40*len(text)), 16_000, v.err
}

func tone(rate, milliseconds int) []int16 {
	pcm := make([]int16, rate*milliseconds/1000)
	for i := range pcm {
		pcm[i] = int16(8000 * math.Sin(2*math.Pi*220*float64(i)/float64(rate)))
	}
	return pcm
}

// testSpeech has answers of 1.2 s and interruptions of 0.8 s.
var testSpeech = sync.OnceValues(func() (*Speech, error) {
	s, err := emptySpeech()
	if err != nil {
		return nil, err
	}
	answer, err := newClip(tone(16_000, 1200), 16_000)
	if err != nil {
		return nil, err
	}
	interruption, err := newClip(tone(16_000, 800), 16_000)
	if err != nil {
		return nil, err
	}
	s.stories, s.interruptions = []*Clip{answer}, []*Clip{interruption}
	return s, nil
})

func speechForTest(t *testing.T) *Speech {
	t.Helper()
	s, err := testSpeech()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// manners of a fake agent. Times count from the fact named.
type manners struct {
	join     time.Duration // after the dispatch
	greet    time.Duration // after joining
	answer   time.Duration // after the candidate's last voiced frame
	talk     time.Duration // how long it speaks; up to 5 s
	yield    time.Duration // after the onset of an interruption; 0 never yields
	answers  int           // so many utterances are answered, the greeting not counted; -1 for all
	departs  int           // it leaves instead of giving this answer; 0 for never
	twoVoice bool          // everything is said on two tracks
	never    bool          // it never joins
	unasked  bool          // it needs no dispatch
	thinks   time.Duration // so long before an answer it says that it thinks; 0 never does
	handoff  int           // with this answer it enters another stage; 0 for never
	// impatient: it begins so long after the candidate's voice, once.
	impatient time.Duration
	nags      time.Duration // after so much silence of both it speaks again, once
	writes    bool          // it tells its state and shows its words, as "This is line N." from 1 on, in two pieces
	lingers   time.Duration // so long after its voice it completes its words; less than 0 never does
}

var polite = manners{join: 150 * time.Millisecond, greet: 200 * time.Millisecond, answer: 700 * time.Millisecond, talk: 3 * time.Second, yield: 300 * time.Millisecond, answers: -1}

// house is a server with fake agents. Each connection is a goroutine of its own, which ends with Close.
type house struct {
	manners    manners
	speech     *Speech
	connectErr error
	refusal    error // of dispatches

	mu       sync.Mutex
	visits   map[string]*visit
	deleted  []string
	metadata []string
	sent     []string // topics and texts
}

var _ Server = (*house)(nil)

func (h *house) Connect(_ context.Context, who Identity, to Listener) (Connection, error) {
	if h.connectErr != nil {
		return nil, h.connectErr
	}
	v := &visit{house: h, to: to, frames: make(chan bool, 1000), dispatched: make(chan struct{}, 1), left: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.visits == nil {
		h.visits = map[string]*visit{}
	}
	h.visits[who.Room] = v
	if h.manners.unasked {
		v.dispatched <- struct{}{}
	}
	v.agent.Go(v.run)
	return v, nil
}

func (h *house) Dispatch(_ context.Context, room, _, metadata string) error {
	if h.refusal != nil {
		return h.refusal
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.metadata = append(h.metadata, metadata)
	h.visits[room].dispatched <- struct{}{}
	return nil
}

func (h *house) Delete(_ context.Context, room string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deleted = append(h.deleted, room)
	return nil
}

// visit is a connection with the agent at its other end.
type visit struct {
	house      *house
	to         Listener
	frames     chan bool // of the candidate: voiced or not
	dispatched chan struct{}
	left       chan struct{}
	once       sync.Once
	agent      sync.WaitGroup

	// Of the agent's goroutine.
	sequence    uint16
	frame       int // of its utterance; -1 while silent
	began       time.Time
	answered    int
	heardAt     time.Time // candidate's latest voiced frame; zero when answered
	onset       time.Time // of the candidate's voice since the agent began
	interrupted time.Time
	nagged      bool
	quiet       time.Time // since when it is
	line        int       // of its transcript
	whole       bool      // the line was spoken to its end
	closes      time.Time // when the line will be complete; zero when it is
}

func (v *visit) Publish(context.Context) (Microphone, error) { return v, nil }

func (v *visit) SendText(topic, text string) error { return v.put(topic, text) }

func (v *visit) SendData(topic string, payload []byte) error { return v.put(topic, string(payload)) }

func (v *visit) put(topic, text string) error {
	v.house.mu.Lock()
	defer v.house.mu.Unlock()
	v.house.sent = append(v.house.sent, topic+" "+text)
	return nil
}

func (v *visit) Close(context.Context) error {
	v.once.Do(func() { close(v.left) })
	v.agent.Wait()
	return nil
}

func (v *visit) WritePacket(payload []byte, _ room.Packet) error {
	select {
	case v.frames <- !bytes.Equal(payload, v.house.speech.silence):
		return nil
	default:
		return errors.New("nobody takes the frames")
	}
}

func (v *visit) pause(d time.Duration) bool { // false when the candidate has left
	select {
	case <-v.left:
		return false
	case <-time.After(d):
		return true
	}
}

func (v *visit) tell(e room.Event) { v.to.Event(Event{e, time.Now()}) }

func (v *visit) run() {
	select {
	case <-v.left:
		return
	case <-v.dispatched:
	}
	if v.house.manners.never || !v.pause(v.house.manners.join) {
		return
	}
	v.tell(room.ParticipantJoined{Participant: room.Participant{
		Identity: "agent", Kind: livekit.ParticipantInfo_AGENT, Attributes: map[string]string{"stage": "ONE"},
	}})
	if !v.pause(v.house.manners.greet) {
		return
	}
	v.begin()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		v.play()
		v.write()
		select {
		case <-v.left:
			return
		case <-tick.C:
		}
		if over := v.listen(); over {
			v.tell(room.ParticipantLeft{Participant: room.Participant{Identity: "agent"}})
			<-v.left
			return
		}
	}
}

func (v *visit) begin() {
	v.frame, v.began, v.onset, v.heardAt = 0, time.Now(), time.Time{}, time.Time{}
	if v.house.manners.writes {
		v.line++
		v.say("speaking")
		v.tell(room.TranscriptReceived{From: "agent", Segment: strconv.Itoa(v.line), Text: "This is"})
	}
}

// fallSilent ends the utterance, and the words that are shown of it some time later.
func (v *visit) fallSilent(whole bool) {
	v.frame, v.whole, v.quiet = -1, whole, time.Now()
	if m := v.house.manners; m.writes && m.lingers >= 0 {
		v.closes = time.Now().Add(m.lingers)
	}
	v.say(stateReady)
}

// write completes the words shown, when it is time.
func (v *visit) write() {
	if v.closes.IsZero() || time.Now().Before(v.closes) {
		return
	}
	v.closes = time.Time{}
	text := "This is"
	if v.whole {
		text = fmt.Sprintf("This is line %d.", v.line)
	}
	v.tell(room.TranscriptReceived{From: "agent", Segment: strconv.Itoa(v.line), Text: text, Final: true, Closed: true})
}

// say tells the agent's state.
func (v *visit) say(state string) {
	if v.house.manners.writes {
		v.tell(room.ParticipantAttributes{Identity: "agent", Changed: map[string]string{stateAttribute: state}})
	}
}

// play sends 20 ms of the utterance, or nothing: the RTP clock follows the time.
func (v *visit) play() {
	clip := v.house.speech.stories[0]
	if v.frame >= 0 && time.Duration(v.frame)*audio.FrameDuration >= v.house.manners.talk {
		v.fallSilent(true)
	}
	if v.frame < 0 {
		return
	}
	v.sequence++
	p := Packet{
		Sequence: v.sequence, Timestamp: rtpSamples(time.Since(epoch)), Marker: v.frame == 0,
		Payload: clip.frames[1+v.frame%50], At: time.Now(), Track: "voice",
	}
	v.to.Packet(p)
	if v.house.manners.twoVoice {
		p.Track = "echo"
		v.to.Packet(p)
	}
	v.frame++
}

// listen takes the candidate's frames and decides; true when the agent leaves.
func (v *visit) listen() bool {
	now := time.Now()
	for range len(v.frames) {
		if voiced := <-v.frames; voiced {
			v.heardAt = now
			if v.onset.IsZero() {
				v.onset = now
			}
		}
	}
	m := v.house.manners
	if v.frame >= 0 {
		if m.yield > 0 && !v.onset.IsZero() && now.Sub(v.onset) >= m.yield {
			v.fallSilent(false)
		}
		return false
	}
	if m.impatient > 0 && v.interrupted.IsZero() && !v.onset.IsZero() && now.Sub(v.onset) >= m.impatient {
		v.interrupted = now
		v.begin()
		return false
	}
	if m.nags > 0 && !v.nagged && v.heardAt.IsZero() && now.Sub(v.quiet) >= m.nags {
		v.nagged = true
		v.begin()
		return false
	}
	if v.heardAt.IsZero() || now.Sub(v.heardAt) < m.answer {
		return false
	}
	if v.answered++; m.departs > 0 && v.answered == m.departs {
		return true
	}
	if m.answers < 0 || v.answered <= m.answers {
		v.think()
		v.begin()
	}
	v.heardAt = time.Time{}
	return false
}

// think tells what the agent does, some time before it speaks.
func (v *visit) think() {
	m := v.house.manners
	if m.thinks == 0 {
		return
	}
	changed := map[string]string{stateAttribute: thinking}
	if v.answered == m.handoff {
		changed["stage"] = "TWO"
	}
	v.to.Event(Event{room.ParticipantAttributes{Identity: "agent", Changed: changed}, time.Now().Add(-m.thinks)})
	v.tell(room.ParticipantAttributes{Identity: "somebody else", Changed: map[string]string{stateAttribute: thinking, "stage": "THREE"}})
}
