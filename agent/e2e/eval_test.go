package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/candidate"
	"github.com/vivavoice/viva/agent/eval"
	"github.com/vivavoice/viva/agent/eval/scenario"
	evaltalk "github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/pipeline/tts"
)

// prompter is a candidate's voice that tells the recogniser what it says.
type prompter struct {
	candidate.Voice
	service *provider
}

func (p prompter) Synthesize(ctx context.Context, text string) (pcm []int16, rate int, err error) {
	p.service.hears(text)
	return p.Voice.Synthesize(ctx, text)
}

const heldAloud = `
interview: two_stage
scenarios:
  - label: Told and gone
    metadata: {candidate: {name: Ada}}
    lines:
      - "Hello, I am Ada, I am a backend developer and I am good at making slow things fast."
      - "We rebuilt a billing run that took six hours, and I wrote the matching step."
      - {say: "It takes forty minutes now.", leave: true}
`

// TestScenarioHeldAloud: the same scenario that an eval holds in virtual time is held in a real room, with what the candidate's ears
// measured.
func TestScenarioHeldAloud(t *testing.T) {
	t.Parallel()
	engines, service := cloudEngines(t)
	engines.LLM, engines.TTS = nil, murmur{}
	o := open(t, plan{engines: engines})
	file, err := scenario.Parse("aloud.yaml", []byte(heldAloud))
	if err != nil {
		t.Fatal(err)
	}
	library, err := agent.LoadLibrary("", "two_stage")
	if err != nil {
		t.Fatal(err)
	}
	site := candidate.NewLiveKit(server.URL(), apiKey, apiSecret, zap.NewNop())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run, err := eval.Run(ctx, eval.Options{
		Library: library, Scenarios: file,
		Aloud: &eval.Aloud{
			AgentName: o.name, Deps: candidate.Deps{Server: site},
			Voice: func(string) candidate.Voice {
				return prompter{candidate.Whole(loaded.flite, tts.Request{Voice: candidateVoice, Speed: 1.7}), service}
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := run.Outcomes[0]
	if out.Error != "" || out.Talk == nil {
		t.Fatal(out.Error)
	}
	var ours, theirs strings.Builder
	for _, l := range out.Talk.Lines {
		t.Logf("%2d %6.2f-%6.2f %-11s %s", l.N, l.At.Seconds(), l.Until.Seconds(), l.Speaker, l.Text)
		if l.Speaker == evaltalk.Candidate {
			ours.WriteString(l.Text)
		} else {
			theirs.WriteString(l.Text)
		}
	}
	if !strings.Contains(theirs.String(), "Hello Ada") || !strings.Contains(ours.String(), "forty minutes") {
		t.Errorf("the talk was %+v", out.Talk.Lines)
	}
	v := out.Talk.Voice
	if v == nil || len(v.Responses) < 2 || v.Missing > 0 {
		t.Errorf("measured %+v", v)
	}
}
