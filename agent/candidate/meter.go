package candidate

import (
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
)

// Constants of the measures. They are the same for every agent, so that results can be compared.
const (
	endSilence   = 250 * time.Millisecond // so much silence ends a stretch of the agent's speech
	minSpeech    = 40 * time.Millisecond  // less voice than that is a click
	answerSpeech = 200 * time.Millisecond // less voice than that, and then silence, is no answer: a tail of what was interrupted
	gapLimit     = 60 * time.Millisecond  // audio later or more missing than that is a gap
	stallLimit   = time.Second            // a longer halt is no gap in a voice, however the RTP clock looks
	haltLimit    = 3 * time.Second        // nor does an utterance go on behind a longer one
	overlapReach = 40 * time.Millisecond  // a track voiced that recently may still be
	minOverlap   = 20 * time.Millisecond  // one track after the other is no overlap, nor is one frame
	reactionTime = 200 * time.Millisecond // who starts within that time after the candidate could not have known
	ignoredAfter = 3 * time.Second        // an agent that talks on for so long ignores the interruption
	earlyAnswer  = time.Second            // speech that began before the candidate's ended and outlasts it by that is the answer
	maxGaps      = 1000                   // of one room that are kept with their lengths; all are counted
)

// Sound is one RTP packet of an agent's track as the meter needs it.
type Sound struct {
	Track     string
	Sequence  uint16
	Timestamp uint32 // of the first sample, 48 kHz
	Marker    bool
	Bytes     int       // of payload
	At        time.Time // arrival
	Frame     time.Duration
	Levels    []float64 // dBFS of consecutive frames of that length; none for padding and what cannot be decoded. Not kept
}

// Meter measures one conversation at the candidate's ear. It is fed in order of time: what was heard (Heard), what was said
// (BeginSpeech, Sent, EndSpeech), and that time passes (Advance). It belongs to one goroutine and asks no clock.
//
// The agent's voice is cut into stretches: a stretch begins with a voiced frame, lasts while voiced frames of any track follow
// within 250 ms, and counts once it holds 40 ms of voice. Its onset is the arrival of its first voiced frame, its end that of its
// last one.
type Meter struct {
	pause  time.Duration // silence that separates utterances of the agent
	tracks map[string]*track
	order  []*track // in order of appearance
	result Measurements

	dispatched time.Time
	stretch    stretch
	lastVoice  time.Time // of the latest stretch that counts
	utterance  time.Time // onset of the agent's utterance: stretches less than pause apart are one
	overlap    span
	own        ownSpeech
	interrupt  time.Time // onset of the interruption whose effect is awaited, else zero
	awaiting   bool      // an answer to the own speech
	claims     claims
	crosstalk  crosstalk
}

// stretch is the piece of the agent's speech going on.
type stretch struct {
	active bool
	counts bool // has minSpeech of voice
	over   bool // began during own speech
	paused bool // … while nothing of it was voiced
	goesOn bool // the utterance before does, which a busy machine or network has held up
	onset  time.Time
	last   time.Time // latest voiced frame
	voiced time.Duration
}

type ownSpeech struct {
	active       bool
	interrupting bool
	talkedOver   bool      // by the agent
	onset        time.Time // first voiced frame sent, zero before
	last         time.Time // latest voiced frame sent
}

type span struct {
	active     bool
	start, end time.Time
}

// NewMeter returns a meter that takes stretches of the agent's speech that are less than pause apart for one utterance.
func NewMeter(pause time.Duration) *Meter {
	return &Meter{pause: pause, tracks: map[string]*track{}}
}

// Dispatched notes when the agent was asked for.
func (m *Meter) Dispatched(at time.Time) { m.dispatched = at }

// Joined notes that an agent is in the room; only the first counts.
func (m *Meter) Joined(at time.Time) {
	if len(m.result.Joined) == 0 {
		m.result.Joined = append(m.result.Joined, at.Sub(m.dispatched))
	}
}

// Heard takes a packet of an agent's track.
func (m *Meter) Heard(s Sound) {
	m.Advance(s.At)
	t := m.tracks[s.Track]
	if t == nil {
		t = &track{}
		m.tracks[s.Track] = t
		m.order = append(m.order, t)
	}
	m.result.BytesReceived += int64(s.Bytes)
	m.gap(t.receive(s, len(s.Levels) > 0 && s.Levels[0] > Threshold))
	for i, level := range s.Levels {
		offset := time.Duration(i) * s.Frame
		f := frame{at: s.At, timestamp: s.Timestamp + rtpSamples(offset), length: s.Frame, voiced: level > Threshold, marker: s.Marker && i == 0}
		m.gap(t.next(f))
		if f.voiced {
			m.voice(t, f)
		}
	}
}

// gap notes a gap, if there is one.
func (m *Meter) gap(length time.Duration) {
	if length <= gapLimit {
		return
	}
	m.result.Counters.Gaps++
	if len(m.result.Gaps) < maxGaps {
		m.result.Gaps = append(m.result.Gaps, length)
	}
}

// voice continues or begins a stretch.
func (m *Meter) voice(t *track, f frame) {
	m.overlaps(t, f)
	s := &m.stretch
	if !s.active {
		over := m.own.active && !m.own.onset.IsZero()
		*s = stretch{active: true, onset: f.at, over: over, paused: over && f.at.Sub(m.own.last) >= reactionTime, goesOn: t.unbroken}
	}
	s.last = f.at
	s.voiced += f.length
	if !s.counts && s.voiced >= minSpeech {
		s.counts = true
		m.begun()
	}
	if s.counts {
		m.lastVoice = s.last
	}
	m.answered()
}

// overlaps notes whether another track is voiced at the same time.
func (m *Meter) overlaps(t *track, f frame) {
	for _, other := range m.order {
		if other == t || !other.talking || f.at.Sub(other.lastVoiced) > overlapReach {
			continue
		}
		if o := &m.overlap; !o.active {
			*o = span{active: true, start: f.at}
		}
		m.overlap.end = other.lastVoiced.Add(f.length) // until then both were
		return
	}
}

// begun draws conclusions from a stretch that has just come to count.
func (m *Meter) begun() {
	s := &m.stretch
	if len(m.result.FirstVoice) == 0 {
		m.result.FirstVoice = append(m.result.FirstVoice, s.onset.Sub(m.dispatched))
	}
	if m.lastVoice.IsZero() || s.onset.Sub(m.lastVoice) >= m.pause && !s.goesOn {
		m.utterance = s.onset
	}
	if !s.over {
		return
	}
	if s.onset.Sub(m.own.onset) <= reactionTime {
		m.result.Collisions++
		return
	}
	m.talkedOver(s.paused)
}

// talkedOver counts that the agent began to talk during the own speech, each time and each turn.
func (m *Meter) talkedOver(inPause bool) {
	m.result.TalkOvers++
	if m.own.talkedOver {
		return
	}
	m.own.talkedOver = true
	m.result.TalkedOver++
	if inPause {
		m.result.CutIns++
	}
}

// answered finds out whether the stretch going on is the awaited answer.
func (m *Meter) answered() {
	s := &m.stretch
	if !m.awaiting || !s.active || !s.counts {
		return
	}
	switch {
	case s.onset.After(m.own.last):
		if s.voiced < answerSpeech {
			return
		}
		m.result.Answers++
		latency := s.onset.Sub(m.own.last)
		if m.own.interrupting {
			m.result.InterruptionResponses = append(m.result.InterruptionResponses, latency)
		} else {
			m.result.Responses = append(m.result.Responses, latency)
			m.claimed()
		}
	case m.interrupt.IsZero() && s.last.Sub(m.own.last) >= earlyAnswer:
		m.result.EarlyAnswers++
	default:
		return
	}
	m.awaiting = false
}

// Advance says that it is now, and that everything heard before has been fed.
func (m *Meter) Advance(now time.Time) {
	if s := &m.stretch; s.active && now.Sub(s.last) >= endSilence {
		m.ended()
	}
	if o := &m.overlap; o.active && now.Sub(o.end) >= endSilence {
		m.endOverlap()
	}
	if m.crosstalk.active && now.Sub(m.crosstalk.last) >= endSilence {
		m.endCrosstalk()
	}
	if !m.interrupt.IsZero() && now.Sub(m.interrupt) >= ignoredAfter {
		m.result.InterruptionsIgnored++
		m.interrupt, m.awaiting = time.Time{}, false
	}
}

// ended closes the stretch going on.
func (m *Meter) ended() {
	s := m.stretch
	m.stretch = stretch{}
	if s.counts && m.awaiting && s.onset.After(m.own.last) {
		m.result.StaleBursts++
	}
	if !s.counts || m.interrupt.IsZero() {
		return
	}
	if s.last.Before(m.interrupt) { // it was over when the interruption began
		m.result.Interruptions--
		m.MissInterruption()
	} else {
		m.result.InterruptionsHeeded++
		m.result.Stops = append(m.result.Stops, s.last.Sub(m.interrupt))
	}
	m.interrupt = time.Time{}
}

func (m *Meter) endOverlap() {
	length := m.overlap.end.Sub(m.overlap.start)
	m.overlap = span{}
	if length > minOverlap {
		m.result.Counters.Overlaps++
		m.result.Overlaps = append(m.result.Overlaps, length)
	}
}

// BeginSpeech says that the candidate's next utterance begins; interrupting when it is meant to stop the agent.
func (m *Meter) BeginSpeech(interrupting bool) {
	m.own = ownSpeech{active: true, interrupting: interrupting}
	m.awaiting = false
}

// Sent says that a frame of the utterance is sent now.
func (m *Meter) Sent(at time.Time, voiced bool) {
	if !voiced {
		return
	}
	o := &m.own
	o.last = at
	m.bothVoiced(at)
	if !o.onset.IsZero() {
		return
	}
	o.onset = at
	if !o.interrupting {
		return
	}
	m.Advance(at)
	if !m.stretch.active || !m.stretch.counts {
		m.MissInterruption()
		return
	}
	m.result.Interruptions++
	m.interrupt = at
}

// EndSpeech says that the utterance has been sent; an answer is awaited from now on, unless the agent has ignored the
// interruption.
func (m *Meter) EndSpeech() {
	ignored := m.own.interrupting && !m.own.onset.IsZero() && m.interrupt.IsZero() && m.stretch.active && m.stretch.onset.Before(m.own.onset)
	m.own.active = false
	m.result.Turns++
	m.awaiting = !ignored && !m.own.last.IsZero()
	m.answered()
}

// MissInterruption says that an interruption was planned but the agent had fallen silent before.
func (m *Meter) MissInterruption() {
	m.own.interrupting = false
	m.result.InterruptionsMissed++
}

// GiveUp says that nobody waits for the agent's voice any longer.
func (m *Meter) GiveUp() {
	if m.awaiting {
		m.result.AnswersMissing++
		m.awaiting = false
		return
	}
	m.result.GreetingsMissing++
}

// Ear is what a candidate knows of the agent's voice.
type Ear struct {
	Heard    bool          // the agent has spoken
	Awaiting bool          // the answer to the latest utterance has not begun
	Made     int           // interruptions so far, heeded or not
	Voice    time.Duration // since the agent's utterance began
	Silence  time.Duration // since the latest voiced frame
}

// Ear returns what is known now.
func (m *Meter) Ear(now time.Time) Ear {
	m.Advance(now)
	e := Ear{Heard: !m.lastVoice.IsZero(), Awaiting: m.awaiting, Made: m.result.Interruptions}
	if e.Heard {
		e.Voice, e.Silence = now.Sub(m.utterance), now.Sub(m.lastVoice)
	}
	return e
}

// Finish ends what is going on and returns the measures. The meter must not be fed any more. An answer still awaited is not
// counted as missing.
func (m *Meter) Finish() Measurements {
	if m.stretch.active {
		m.ended()
	}
	if m.overlap.active {
		m.endOverlap()
	}
	if m.crosstalk.active {
		m.endCrosstalk()
	}
	if m.own.active && !m.own.onset.IsZero() {
		m.result.TurnsUnfinished++
	}
	for _, t := range m.order {
		m.result.PacketsReceived += t.received
		m.result.PacketsLost += t.lost()
	}
	return m.result
}

// heardAtOnce is how recently the agent must have been voiced for its voice to be in the air now: a packet and its jitter.
const heardAtOnce = 3 * audio.FrameDuration

// crosstalk is a time during which agent and candidate are voiced at once. Pauses between words do not end it, and do not count.
type crosstalk struct {
	active bool
	last   time.Time // latest moment of it
	length time.Duration
}

// bothVoiced notes that the candidate is voiced now, which the agent may be, too.
func (m *Meter) bothVoiced(now time.Time) {
	s := m.stretch
	if m.own.interrupting || !s.active || !s.counts || now.Sub(s.last) >= heardAtOnce {
		return
	}
	c := &m.crosstalk
	if c.active && now.Sub(c.last) >= endSilence {
		m.endCrosstalk()
	}
	c.active, c.last = true, now
	c.length += audio.FrameDuration
}

func (m *Meter) endCrosstalk() {
	length := m.crosstalk.length
	m.crosstalk = crosstalk{}
	if length > minOverlap {
		m.result.Crosstalk = append(m.result.Crosstalk, length)
	}
}
