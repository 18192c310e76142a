package e2e

import (
	"sync"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/audio"
)

// mouth sends a microphone's frames, 20 ms each on an absolute schedule: what it was told to say, and silence in between.
type mouth struct {
	out     *room.Voice
	encoder *audio.Encoder
	words   chan phrase
	quit    chan struct{} // closed by close
	once    sync.Once
	done    sync.WaitGroup
}

// phrase is something to say, at audio.VoiceRate.
type phrase struct {
	pcm  []int16
	said chan speech // one slot
}

// speech is when a phrase was sent: its first and its last voiced frame.
type speech struct{ onset, end time.Time }

func newMouth(t *testing.T, out *room.Voice) *mouth {
	t.Helper()
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		t.Fatal(err)
	}
	m := &mouth{out: out, encoder: encoder, words: make(chan phrase), quit: make(chan struct{})}
	m.done.Go(m.run)
	return m
}

// say speaks and returns when the last frame has been sent.
func (m *mouth) say(t *testing.T, pcm []int16) speech {
	t.Helper()
	p := phrase{pcm: pcm, said: make(chan speech, 1)}
	select {
	case m.words <- p:
	case <-time.After(patience):
		t.Fatal("the microphone does not take words")
	}
	select {
	case s := <-p.said:
		return s
	case <-time.After(patience):
		t.Fatal("the microphone does not get through its words")
	}
	return speech{}
}

// close ends the microphone. It may be repeated.
func (m *mouth) close() {
	m.once.Do(func() { close(m.quit) })
	m.done.Wait()
}

func (m *mouth) run() {
	due := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	silence := make([]int16, audio.VoiceFrame)
	for {
		words := m.words
		select {
		case <-m.quit:
			return
		case p := <-words:
			due = m.speak(p, due)
		case <-timer.C:
			m.send(silence)
			due = due.Add(audio.FrameDuration)
		}
		timer.Reset(time.Until(due))
	}
}

// speak sends a phrase frame by frame and returns when the next frame is due.
func (m *mouth) speak(p phrase, due time.Time) time.Time {
	var s speech
	for rest := p.pcm; len(rest) >= audio.VoiceFrame; rest = rest[audio.VoiceFrame:] {
		select {
		case <-m.quit:
			return due
		case <-time.After(time.Until(due)):
		}
		frame := rest[:audio.VoiceFrame]
		if audio.Level(frame) > threshold {
			s.end = time.Now()
			if s.onset.IsZero() {
				s.onset = s.end
			}
		}
		m.send(frame)
		due = due.Add(audio.FrameDuration)
	}
	p.said <- s
	return due
}

// send sends one frame. While the room reconnects it is lost, as a browser's would be.
func (m *mouth) send(frame []int16) {
	packet, err := m.encoder.Encode(nil, frame)
	if err != nil {
		return
	}
	_ = m.out.WritePacket(packet, room.Packet{Length: audio.RTPRate / 50})
}
