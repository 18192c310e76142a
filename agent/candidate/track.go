package candidate

import "time"

const (
	rtpRate = 48_000 // Hz, of Opus whatever is inside: RFC 7587 §4.1
	// maxDropout is the jump in sequence numbers up to which packets were lost and beyond which the sender counts anew; RFC 3550
	// appendix A.1 uses the same.
	maxDropout = 3000
	// maxMediaJump separates pauses from a sender that begins its RTP clock anew.
	maxMediaJump = 10 * time.Minute
)

// track follows one RTP stream: what was lost, and whether voiced audio came when it was due.
type track struct {
	received   int64
	lostBefore int64 // before the sender counted anew
	first      uint16
	highest    int64 // extended sequence number relative to first
	counted    int64 // received since then

	end    uint32 // RTP time at which the latest frame ends
	voiced bool   // that frame was

	talking    bool      // there was a voiced frame
	lastVoiced time.Time // arrival of the latest voiced frame
	voiceEnd   uint32    // RTP time at its end
	due        time.Time // when the audio at voiceEnd has to be there for the voice to go on
	unbroken   bool      // the latest voiced frame goes on with the one before by the RTP clock, however late it came
}

// frame is a piece of at most 20 ms of a packet.
type frame struct {
	at        time.Time
	timestamp uint32
	length    time.Duration
	voiced    bool
	marker    bool
}

// receive counts a packet and returns how much audio was lost before it, if both sides of the hole are voiced.
func (t *track) receive(s Sound, voiced bool) time.Duration {
	t.received++
	if t.counted == 0 {
		t.restart(s.Sequence)
		return 0
	}
	// Sequence numbers are modulo 2^16.
	step := int64(int16(s.Sequence - t.first - uint16(t.highest)))
	if step > maxDropout || step < -maxDropout {
		t.lostBefore = t.lost()
		t.restart(s.Sequence)
		return 0
	}
	t.counted++
	t.highest = max(t.highest, t.highest+step)
	if step <= 1 || !voiced || !t.voiced || s.Marker {
		return 0
	}
	lost := time.Duration(step-1) * s.Frame * time.Duration(len(s.Levels))
	return min(lost, mediaTime(s.Timestamp, t.end)) // the rest is a pause
}

func (t *track) restart(sequence uint16) {
	t.first, t.highest, t.counted = sequence, 0, 1
}

// lost is the number of packets that never came: expected minus received, RFC 3550 appendix A.3; not negative.
func (t *track) lost() int64 {
	return t.lostBefore + max(0, t.highest+1-t.counted)
}

// next takes the next frame and returns by how much it came too late for voice that was going on, else 0. The audio of a stretch is
// due in real time from its first frame on, as it is for a player without delay; after a late frame the rest is due that much
// later, as for a player that had to wait.
func (t *track) next(f frame) time.Duration {
	t.end, t.voiced = f.timestamp+rtpSamples(f.length), f.voiced
	if !f.voiced {
		return 0
	}
	pause := mediaTime(f.timestamp, t.voiceEnd)
	halt := f.at.Sub(t.lastVoiced)
	t.unbroken = t.talking && !f.marker && pause < endSilence && pause > -maxMediaJump && halt <= haltLimit
	goesOn := t.unbroken && halt <= stallLimit
	due, late := f.at, time.Duration(0)
	if goesOn {
		due = t.due.Add(pause)
		late = f.at.Sub(due)
	}
	if late > gapLimit {
		due = f.at
	}
	t.due, t.voiceEnd, t.lastVoiced, t.talking = due.Add(f.length), t.end, f.at, true
	return late
}

// mediaTime is the time from RTP timestamp b to a, negative if a comes first; timestamps are modulo 2^32 (RFC 3550 §5.1).
func mediaTime(a, b uint32) time.Duration {
	return time.Duration(int32(a-b)) * time.Second / rtpRate
}

// rtpSamples is the length of d on the RTP clock.
func rtpSamples(d time.Duration) uint32 {
	return uint32(d * rtpRate / time.Second)
}
