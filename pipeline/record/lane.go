package record

import "github.com/vivavoice/viva/pipeline/audio"

const (
	// rate of the file's sound, in Hz: that of the interviewer's voice. Opus plays it at 48 kHz.
	rate = audio.VoiceRate
	// frameLen is 20 ms.
	frameLen = rate / 50
	// laneLen bounds what waits in a lane: 2.7 s, more than the lag.
	laneLen = 1 << 16
	// resync is how far, in samples, a side may be off before it is moved: 100 ms.
	resync = rate / 10
	// driftFrames is how many frames are looked at before a side is moved: 10 s of them.
	driftFrames = 500
	// hole is how late a frame of the voice is before the time before it counts as silence: 80 ms. A late tick of the playout
	// gate sends three frames at once.
	hole = 4 * frameLen
)

// lane is one side between arriving and being written. Indices are samples since the beginning.
type lane struct {
	pcm  [laneLen]int16 // what is not written yet; silence where nothing came
	next int64          // where what follows without a gap belongs
	end  int64          // behind the last sample that came

	least int64 // how late frames were, at least, in the window
	seen  int   // frames in the window
}

// put places samples at next and moves it on. What belongs before from was written already: that much is lost.
func (l *lane) put(pcm []int16, from int64) (lost int) {
	start := l.next
	l.next += int64(len(pcm))
	if late := from - start; late > 0 {
		lost = int(min(late, int64(len(pcm))))
		start, pcm = start+int64(lost), pcm[lost:]
	}
	if room := from + laneLen - start; int64(len(pcm)) > room {
		n := int(max(0, room))
		lost += len(pcm) - n
		pcm = pcm[:n]
	}
	if len(pcm) == 0 {
		return lost
	}
	at := int(start & (laneLen - 1))
	n := copy(l.pcm[at:], pcm)
	copy(l.pcm[:], pcm[n:])
	l.end = max(l.end, start+int64(len(pcm)))
	return lost
}

// drift watches how late the frames of a stream are that counts its own time, and says by how much it has to be moved: its
// clock differs from ours, and its first packet may have been a slow one. The least late frame of a while tells.
func (l *lane) drift(late int64) (move int64) {
	if l.seen == 0 || late < l.least {
		l.least = late
	}
	if l.seen++; l.seen < driftFrames {
		return 0
	}
	l.seen = 0
	if l.least > resync || l.least < -resync {
		return l.least
	}
	return 0
}

// take moves the frame at from into every second element of dst, starting with the first, and leaves silence.
func (l *lane) take(dst []int16, from int64) {
	for i := range frameLen {
		j := int(from+int64(i)) & (laneLen - 1)
		dst[channels*i] = l.pcm[j]
		l.pcm[j] = 0
	}
}

// timeline puts the frames of both sides where they belong.
type timeline struct {
	lanes    [channels]lane
	done     int64 // samples written
	lost     int64 // samples that came too late
	resample *audio.Resampler
	begun    bool
	expected int64 // position of the candidate's next frame on the clock of the track
	scratch  []int16
}

func newTimeline() (*timeline, error) {
	r, err := audio.NewResampler(audio.InputRate, rate)
	if err != nil {
		return nil, err
	}
	return &timeline{resample: r, scratch: make([]int16, 0, 2*frameLen+r.Capacity(r.Delay()))}, nil
}

// maxLeap is how far the clock of a track may leap, in samples at 16 kHz, and still be believed: 10 minutes.
const maxLeap = 600 * audio.InputRate

// candidate takes a frame that ended when it arrived, at index at. Its position says whether something is missing before it.
func (t *timeline) candidate(f *frame, at int64) {
	l := &t.lanes[left]
	began := at - int64(f.n)*rate/audio.InputRate
	leap := f.position - t.expected
	switch {
	case !t.begun || leap < 0 || leap > maxLeap: // another track
		t.flush(l)
		l.next = max(l.next, began, 0)
		l.seen = 0
	case leap > 0:
		t.flush(l)
		l.next += leap * rate / audio.InputRate
	}
	t.begun, t.expected = true, f.position+int64(f.n)
	if move := l.drift(began - l.next); move != 0 {
		t.flush(l)
		l.next = max(0, l.next+move)
	}
	t.scratch = t.resample.Resample(t.scratch[:0], f.pcm[:f.n])
	t.lost += int64(l.put(t.scratch, t.done))
}

// flush puts down what the resampler still holds, a few samples, if there is time for them.
func (t *timeline) flush(l *lane) {
	if !t.begun {
		return
	}
	t.scratch = t.resample.Flush(t.scratch[:0])
	l.put(t.scratch, t.done)
}

// interviewer takes a frame that began when it was sent, at index at.
func (t *timeline) interviewer(f *frame, at int64) {
	l := &t.lanes[right]
	if at-l.next > hole {
		l.next = at
	}
	t.lost += int64(l.put(f.pcm[:f.n], t.done))
}

// next moves the next frame into dst, both sides interleaved. silent says that nothing came for its time.
func (t *timeline) next(dst []int16) (silent bool) {
	silent = true
	for side := range t.lanes {
		l := &t.lanes[side]
		silent = silent && t.done >= l.end
		l.take(dst[side:], t.done)
	}
	t.done += frameLen
	return silent
}
