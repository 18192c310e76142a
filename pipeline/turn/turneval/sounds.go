package turneval

import (
	"bufio"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/listen"
	"github.com/vivavoice/viva/pipeline/turn"
	"github.com/vivavoice/viva/pipeline/turn/audiomodel"
	"github.com/vivavoice/viva/pipeline/vad"
)

// Silence is one in a recording of somebody who speaks, as voice activity detection finds it, for the audio model to learn from.
type Silence struct {
	Corpus int // its place among Corpora
	Group  int // the utterance's place in its corpus: silences of one are kept together
	// Over says that the utterance is over, PutIn that it was cut there and a pause put in. Left is how long the silence lasts, at most 10 s; of
	// one that ends an utterance it says nothing.
	Over, PutIn bool
	Left        time.Duration
	// Features are those of package audiomodel.
	Features []float32
}

const (
	// strung is how many utterances are heard in a row, and lineLeast to lineMost the silence between them in milliseconds: the
	// model must not learn that what is young goes on.
	strung              = 8
	lineLeast, lineMost = 500, 1500
	cutLeast, cutMost   = 300, 1500          // of a pause that is put in, in milliseconds
	utteranceLeast      = turn.Rate * 7 / 10 // what is shorter is a cry or a sound
	endsWithin          = turn.Rate / 5      // of the true end the detected one is the same
	quantised           = 32                 // features are written as 1/32
	phoneLow, phoneHigh = 300, 3400          // Hz
)

// Silences strings utterances of one corpus together, mixes noise in, has them heard, and calls each for every silence.
func (s *Studio) Silences(ctx context.Context, model *vad.Model, corpus int, all []Utterance, each func(Silence) error) error {
	extractor := audiomodel.NewExtractor()
	for from := 0; from < len(all); from += strung {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := s.row(all[from:min(from+strung, len(all))], from)
		for _, silence := range hearSilences(model, extractor, row) {
			silence.Corpus, silence.Group = corpus, silence.Group+from
			if err := each(silence); err != nil {
				return err
			}
		}
	}
	return nil
}

// row is some utterances one after the other, and where each begins and truly ends.
type row struct {
	pcm  []int16
	said []span
	cuts []int // where pauses were put in
}

func (s *Studio) row(utterances []Utterance, number int) row {
	random := seeded(utterances[0].Corpus + utterances[0].Name)
	r := row{pcm: make([]int16, ms(leadIn))}
	for _, u := range utterances {
		from, to := trim(u.PCM)
		if to-from < utteranceLeast {
			r.said = append(r.said, span{len(r.pcm), len(r.pcm)})
			continue
		}
		sound := slices.Clone(u.PCM[from:to])
		normalise(sound)
		soften(sound)
		begin := len(r.pcm)
		if at := cutInside(sound); at > 0 && random.IntN(2) == 0 {
			soften(sound[:at])
			soften(sound[at:])
			r.pcm = append(r.pcm, sound[:at]...)
			r.cuts = append(r.cuts, len(r.pcm))
			r.pcm = append(r.pcm, make([]int16, ms(cutLeast+random.IntN(cutMost-cutLeast)))...)
			sound = sound[at:]
		}
		r.pcm = append(r.pcm, sound...)
		r.said = append(r.said, span{begin, len(r.pcm)})
		r.pcm = append(r.pcm, make([]int16, ms(lineLeast+random.IntN(lineMost-lineLeast)))...)
	}
	for i, v := range r.pcm {
		r.pcm[i] = round16(float64(v) + 6*random.NormFloat64())
	}
	level := []float64{0, 0, 25, 20, 15, 10}[number/strung%6]
	if level > 0 {
		Noise{Kind: NoiseKinds[number/strung/6%len(NoiseKinds)], SNR: level}.mix(r.pcm, s.babble, random)
	}
	if number/strung%3 == 1 {
		telephone(r.pcm)
	}
	return r
}

// cutInside is the quietest place in the middle of a sound of 1.5 s or more, 0 in shorter ones.
func cutInside(sound []int16) int {
	if len(sound) < turn.Rate*3/2 {
		return 0
	}
	best, level := 0, 1.0
	for at := len(sound) * 3 / 10; at < len(sound)*3/4; at += tick {
		if l := audio.Level(sound[at : at+tick]); level > 0 || l < level {
			best, level = at+tick/2, l
		}
	}
	return best
}

// telephone leaves what a telephone does, by two filters of the first order below and two above.
func telephone(pcm []int16) {
	low := 1 - math.Exp(-2*math.Pi*phoneLow/turn.Rate)
	high := 1 - math.Exp(-2*math.Pi*phoneHigh/turn.Rate)
	var a, b, c, d float64
	for i, v := range pcm {
		x := float64(v)
		a += low * (x - a)
		b += low * (x - a - b)
		c += high * (x - a - b - c)
		d += high * (c - d)
		pcm[i] = round16(d)
	}
}

// hearSilences finds the silences as a session does.
func hearSilences(model *vad.Model, extractor *audiomodel.Extractor, r row) (found []Silence) {
	analyzer := listen.NewAnalyzer(model)
	open := -1
	var stop int64
	report := func(at int) func(vad.Status) {
		return func(st vad.Status) {
			switch st.Kind {
			case vad.SpeechStart:
				if open >= 0 {
					found[open].Left = turn.Duration(st.At - stop)
					open = -1
				}
			case vad.SpeechEnd:
				stop = st.At
				i := slices.IndexFunc(r.said, func(s span) bool { return s.to > s.from && int(stop) > s.from && int(stop) < s.to+endsWithin*2 })
				if i < 0 {
					return
				}
				silence := Silence{Group: i, Over: int(stop) > r.said[i].to-endsWithin, Left: 10 * time.Second, Features: make([]float32, audiomodel.Frames*audiomodel.Channels)}
				silence.PutIn = slices.ContainsFunc(r.cuts, func(at int) bool { return at > int(stop)-endsWithin && at < int(stop)+endsWithin })
				extractor.Features(silence.Features, r.pcm[max(0, at-8*turn.Rate):at])
				found = append(found, silence)
				open = len(found) - 1
			case vad.Unchanged:
			}
		}
	}
	for at := 0; at+vad.Window <= len(r.pcm); at += vad.Window {
		analyzer.Write(r.pcm[at:at+vad.Window], int64(at), report(at+vad.Window))
	}
	return found
}

// WriteSilence appends a silence to a file for train.py: the corpus, whether it is over (1) or put in (2), its length in ms and its group, as four
// uint16, and its features as int8 in 1/32, little-endian.
func WriteSilence(w *bufio.Writer, s Silence) error {
	over := 0
	switch {
	case s.Over:
		over = 1
	case s.PutIn:
		over = 2
	}
	for _, v := range []int{s.Corpus, over, int(s.Left.Milliseconds()), s.Group} {
		if err := binary.Write(w, binary.LittleEndian, uint16(v)); err != nil {
			return err
		}
	}
	packed := make([]byte, len(s.Features))
	for i, v := range s.Features {
		packed[i] = byte(int8(min(max(math.Round(float64(v)*quantised), -128), 127)))
	}
	_, err := w.Write(packed)
	return err
}
