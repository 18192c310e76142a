package main

import (
	"errors"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/pipeline/local"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/kinds/persona"
)

// rendered is a text in a persona's voice, by the engine of this machine.
func rendered(t *testing.T, voice tts.Synthesizer, p *cast.Persona, text string) []int16 {
	t.Helper()
	sound := p.Voice("local")
	audio, err := voice.Synthesize(t.Context(), tts.Request{Text: text, Voice: sound.Name, Speed: sound.Speed, Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := audio.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out []int16
	piece := make([]int16, 4096)
	for {
		n, err := audio.Read(piece)
		out = append(out, piece[:n]...)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// pitch is the middle of the voiced frames' fundamental frequency, in Hz, by autocorrelation between 70 and 320 Hz.
func pitch(pcm []int16, rate int) float64 {
	const frame = 1024
	counts := make(map[int]int)
	voiced := 0
	for at := 0; at+2*frame < len(pcm); at += frame {
		var energy, best float64
		lag := 0
		for i := range frame {
			energy += float64(pcm[at+i]) * float64(pcm[at+i])
		}
		if energy/frame < 1e5 {
			continue // silence
		}
		for l := rate / 320; l <= rate/70; l++ {
			sum := 0.0
			for i := range frame {
				sum += float64(pcm[at+i]) * float64(pcm[at+i+l])
			}
			if sum > best {
				best, lag = sum, l
			}
		}
		if best > 0.5*energy {
			counts[lag]++
			voiced++
		}
	}
	seen := 0
	for l := rate / 320; l <= rate/70; l++ {
		if seen += counts[l]; 2*seen >= voiced && voiced > 0 {
			return float64(rate) / float64(l)
		}
	}
	return 0
}

// R002-64: a different persona sounds different: the same sentence by the voices of this machine differs in pitch by a tenth, or in
// length by a twentieth, between any two; and HR, a woman's voice, lies well above the executive.
func TestPersonasSoundDifferent(t *testing.T) {
	voice, err := local.NewFlite(local.FliteOptions{})
	if err != nil {
		t.Skipf("the local voice is not here: %v", err)
	}
	cast, err := persona.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	const text = "Good morning, I would like to hear about a decision that you made yourself."
	type sound struct {
		seconds, hertz float64
	}
	heard := make(map[string]sound)
	for _, p := range cast.Personas() {
		pcm := rendered(t, voice, p, text)
		heard[p.ID] = sound{float64(len(pcm)) / local.VoiceRate, pitch(pcm, local.VoiceRate)}
		t.Logf("%s: %.2f s, %.0f Hz", p.ID, heard[p.ID].seconds, heard[p.ID].hertz)
	}
	for a, x := range heard {
		if x.seconds < 2 || x.seconds > 12 || x.hertz < 70 {
			t.Errorf("%s is no speech: %+v", a, x)
		}
		for b, y := range heard {
			if a < b && math.Abs(x.hertz-y.hertz) < 0.1*max(x.hertz, y.hertz) && math.Abs(x.seconds-y.seconds) < 0.05*max(x.seconds, y.seconds) {
				t.Errorf("%s and %s sound alike: %+v, %+v", a, b, x, y)
			}
		}
	}
	if hr, exec := heard[persona.HR], heard[persona.Executive]; hr.hertz < 1.3*exec.hertz {
		t.Errorf("HR is at %.0f Hz, the executive at %.0f Hz", hr.hertz, exec.hertz)
	}
}

// R002-5: the candidate's page offers the personas before the interview too.
func TestLobbyOffersPersonas(t *testing.T) {
	library, err := agent.LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range lobby(library.Kinds(), nil, false) {
		for _, v := range i.Vars {
			if v.Name != "persona" {
				continue
			}
			want := []agent.Choice{
				{Value: "hr", Title: "HR"}, {Value: "junior_developer", Title: "Junior Developer"},
				{Value: "senior_developer", Title: "Senior Developer"}, {Value: "corporate_executive", Title: "Corporate Executive"},
			}
			if diff := cmp.Diff(want, v.Choices); diff != "" || i.ID != "persona_interview" || v.Default != "" {
				t.Errorf("%s: %s", i.ID, diff)
			}
			return
		}
	}
	t.Error("no interview offers personas")
}
