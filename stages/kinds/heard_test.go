package kinds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/simulate"
	"github.com/vivavoice/viva/state"
)

// RM-22: whoever is interviewed, in whatever kind and language, hears no sentence twice that they did not ask for; fillers are in
// one of five utterances at most, and never in two running.
func TestNoSentenceIsHeardTwice(t *testing.T) {
	for _, kind := range []string{"two_stage", "conversation", "system_design", "algorithm_coach", "persona_interview", "evaluation"} {
		for _, locale := range loaded(t, kind, "en").Def.Locales {
			iv := loaded(t, kind, locale)
			for _, who := range simulate.Candidates() {
				for seed := range uint64(2) {
					r := simulate.Run(iv, simulate.Options{Candidate: who, Seed: seed})
					h := hearing{said: make(map[string]bool)}
					steps(t, iv, r.Journal, h.take)
					for _, again := range h.again {
						t.Errorf("%s %s, %s, seed %d: said again: %q", kind, locale, who, seed, again)
					}
					if h.utterances < 2 || h.running > 0 || h.fillers*5 > h.utterances {
						t.Errorf("%s %s, %s, seed %d: %d fillers in %d utterances, %d of them running", kind, locale, who, seed, h.fillers, h.utterances, h.running)
					}
				}
			}
		}
	}
}

// hearing is what a candidate has heard.
type hearing struct {
	said  map[string]bool // sentences
	again []string        // those that came twice unasked

	utterances, fillers, running int
	last                         bool // the latest had a filler
	air                          state.Reply
	utterance                    uint64
	turns                        int
}

func (h *hearing) take(u *state.UserData, _ []engine.Effect) {
	for ; h.turns < len(u.Turns); h.turns++ {
		turn := &u.Turns[h.turns]
		if turn.Speaker != state.SpeakerAgent || turn.Aside { // what cut in on the candidate counts for nothing
			continue
		}
		h.hear(turn)
	}
	if u.Floor.Utterance != 0 {
		h.air, h.utterance = u.Floor.Reply, u.Floor.Utterance
	}
}

func (h *hearing) hear(turn *state.Turn) {
	filler := slices.ContainsFunc(h.air.Prompts, func(id string) bool {
		id, _, _ = strings.Cut(id, "#")
		return strings.HasSuffix(id, "ack") && !strings.HasSuffix(id, "back") || strings.HasSuffix(id, "hold")
	})
	h.utterances++
	if filler {
		h.fillers++
		if h.last {
			h.running++
		}
	}
	h.last = filler
	whole := strings.FieldsFunc(turn.Text, func(c rune) bool { return strings.ContainsRune(".!?。！？", c) })
	if turn.Interrupted && len(whole) > 0 {
		whole = whole[:len(whole)-1]
	}
	asked := h.air.Wished || h.air.Move == string(engine.MoveRephrase) || h.air.Move == string(engine.MoveReport)
	for _, sentence := range whole {
		sentence = strings.ToLower(strings.TrimSpace(sentence))
		if sentence == "" {
			continue
		}
		if h.said[sentence] && !asked {
			h.again = append(h.again, sentence)
		}
		h.said[sentence] = true
	}
}
