package turneval

import (
	"math"
	"math/rand/v2"

	"github.com/vivavoice/viva/pipeline/turn"
)

// Noise is what a case is mixed with.
type Noise struct {
	// Kind is one of NoiseKinds, or "" for none.
	Kind string
	// SNR is the level of the speech above that of the noise, in dB.
	SNR float64
}

// NoiseKinds are the noises that can be mixed in.
var NoiseKinds = []string{"babble", "keyboard", "fan"}

// mix adds noise to a clip in place. babble is what people in the background say.
func (n Noise) mix(pcm, babble []int16, random *rand.Rand) {
	var noise []float64
	switch n.Kind {
	case "babble":
		noise = makeBabble(len(pcm), babble, random)
	case "keyboard":
		noise = makeKeyboard(len(pcm), random)
	case "fan":
		noise = makeFan(len(pcm), random)
	default:
		return
	}
	gain := decibels(speechLevel-n.SNR) * 32768 / rms(noise)
	for i, v := range noise {
		pcm[i] = round16(float64(pcm[i]) + gain*v)
	}
}

func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum/float64(len(x))) + 1e-9
}

// makeBabble adds six talkers, made of one by playing it at different speeds from different places.
func makeBabble(n int, voice []int16, random *rand.Rand) []float64 {
	out := make([]float64, n)
	for range 6 {
		at, speed := random.Float64()*float64(len(voice)), 0.8+0.5*random.Float64()
		for i := range out {
			out[i] += float64(voice[int(at)%len(voice)])
			at += speed
		}
	}
	return out
}

// makeKeyboard makes some six strokes a second, each a press and a weaker release: short noise through a resonance.
func makeKeyboard(n int, random *rand.Rand) []float64 {
	out := make([]float64, n)
	for at := 0; at < n; at += ms(80 + random.IntN(200)) {
		strike(out, at, 1, random)
		strike(out, at+ms(60+random.IntN(40)), 0.4, random)
	}
	return out
}

// strike adds a decaying resonance of 1.5 to 3.5 kHz, hit by noise.
func strike(out []float64, at int, gain float64, random *rand.Rand) {
	w := 2 * math.Pi * (1500 + 2000*random.Float64()) / turn.Rate
	a, b := 2*0.97*math.Cos(w), -0.97*0.97
	y1, y2 := 0.0, 0.0
	for i := at; i < min(at+ms(25), len(out)); i++ {
		x := random.NormFloat64() * math.Exp(-float64(i-at)/float64(ms(3)))
		y := x + a*y1 + b*y2
		y1, y2 = y, y1
		out[i] += gain * y
	}
}

// makeFan makes low-passed noise with the hum of a motor.
func makeFan(n int, random *rand.Rand) []float64 {
	out := make([]float64, n)
	low := 0.0
	for i := range out {
		low += 0.06 * (random.NormFloat64() - low)
		hum := 0.05*math.Sin(2*math.Pi*100*float64(i)/turn.Rate) + 0.03*math.Sin(2*math.Pi*237*float64(i)/turn.Rate)
		out[i] = low + 0.02*random.NormFloat64() + hum
	}
	return out
}

// Sounds are the kinds of sound that are no speech.
var Sounds = []string{"cough", "click", "breath", "burst", "knock", "typing"}

// makeSound makes one of Sounds at a level that the kind has in front of a microphone.
func makeSound(kind string, random *rand.Rand) []int16 {
	var x []float64
	level := speechLevel
	switch kind {
	case "cough":
		x, level = makeCough(random), speechLevel+3
	case "click":
		x, level = make([]float64, ms(60)), speechLevel+3
		strike(x, 0, 1, random)
	case "breath":
		x, level = makeBreath(random), speechLevel-8
	case "knock":
		x, level = makeKnock(random), speechLevel+3
	case "typing":
		x, level = makeKeyboard(ms(1500), random), speechLevel-6
	case "burst":
		x = make([]float64, ms(60+random.IntN(400)))
		for i := range x {
			x[i] = random.NormFloat64()
		}
	}
	pcm := make([]int16, len(x))
	gain := decibels(level) * 32768 / rms(x)
	for i, v := range x {
		pcm[i] = round16(gain * v)
	}
	soften(pcm)
	return pcm
}

// makeCough makes one to three coughs: a burst of noise through the resonances of an open mouth, then a short rough voice.
func makeCough(random *rand.Rand) []float64 {
	var out []float64
	for range 1 + random.IntN(3) {
		n, voice := ms(180+random.IntN(120)), 110+120*random.Float64()
		one := make([]float64, n)
		phase := 0.0
		for i := range one {
			t := float64(i) / float64(n)
			phase += voice * (1 - 0.3*t) * (1 + 0.1*random.NormFloat64()) / turn.Rate
			glottis := 0.0
			if t > 0.35 && phase >= 1 {
				glottis = 6
			}
			phase -= math.Floor(phase)
			one[i] = (random.NormFloat64()*math.Exp(-3*t) + glottis*math.Exp(-4*t)) * min(1, float64(i)/float64(ms(4)))
		}
		out = append(out, resonate(resonate(one, 700, 0.96), 1600, 0.93)...)
		out = append(out, make([]float64, ms(60+random.IntN(120)))...)
	}
	return out
}

// makeKnock makes two to four knocks on a table: a resonance of 120 to 300 Hz that dies away in some 50 ms, hit by noise.
func makeKnock(random *rand.Rand) []float64 {
	hz := 120 + 180*random.Float64()
	var out []float64
	for range 2 + random.IntN(3) {
		one := make([]float64, ms(160+random.IntN(120)))
		for i := range one {
			one[i] = random.NormFloat64() * math.Exp(-float64(i)/float64(ms(2)))
		}
		out = append(out, resonate(one, hz, 0.998)...)
	}
	return out
}

// makeBreath makes noise that swells and fades, as of drawing breath.
func makeBreath(random *rand.Rand) []float64 {
	x := make([]float64, ms(300+random.IntN(500)))
	for i := range x {
		x[i] = random.NormFloat64() * math.Sin(math.Pi*float64(i)/float64(len(x)))
	}
	return resonate(x, 1200+800*random.Float64(), 0.8)
}

// resonate passes x through a resonance at a frequency in Hz; radius below 1 says how narrow it is.
func resonate(x []float64, hz, radius float64) []float64 {
	a, b := 2*radius*math.Cos(2*math.Pi*hz/turn.Rate), -radius*radius
	out := make([]float64, len(x))
	y1, y2 := 0.0, 0.0
	for i, v := range x {
		out[i] = v + a*y1 + b*y2
		y1, y2 = out[i], y1
	}
	return out
}
