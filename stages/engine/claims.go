package engine

import (
	"slices"

	"github.com/vivavoice/viva/stages/respond"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// takeClaims keeps claims, each once: one that is made again in other words has the later ones. It is settled when it is called so, or is
// right by now, or the candidate corrects the number in it; and taken up when the reading says so (takenUp goes by the words).
func (s *step) takeClaims(v *state.StageVisit, r *respond.Reading, turn uint64) {
	s.u.Claims = slices.Clone(s.u.Claims) // they are shared with the state before
	s.settleCorrected(r)
	says, first := false, -1
	var kept []int // of this reading: what it tells apart is not one
	for i := range r.Claims {
		c := &r.Claims[i]
		says = says || c.Taken != nil && *c.Taken
		if c.Verdict == respond.Settled || c.Verdict == state.ClaimRight {
			s.settleClaim(c, turn)
		}
		if c.Verdict == respond.Settled {
			continue
		}
		at := s.keepClaim(v, c, turn, kept)
		kept = append(kept, at)
		if at >= 0 && first < 0 && c.Taken == nil && s.u.Claims[at].Unsettled() && !s.u.Claims[at].Taken {
			first = at
		}
	}
	if r.Did == didChallenge && !says && first >= 0 { // it takes up one, and does not say which
		s.u.Claims[first].Taken, s.u.Claims[first].Later = true, false
	}
}

// settleClaim notes that claims of before do not stand any more.
func (s *step) settleClaim(c *respond.Claim, turn uint64) {
	for i := range s.u.Claims {
		was := &s.u.Claims[i]
		mended := c.Verdict == state.ClaimRight && was.Turn < turn && s.likeClaim(was, c.Quote, c.Why)
		if was.Unsettled() && (mended || sameWords(was.Quote, c.Quote)) {
			was.Taken, was.Settled = true, true
		}
	}
}

// settleCorrected settles what the candidate puts right without being asked: another number of the same thing.
func (s *step) settleCorrected(r *respond.Reading) {
	for _, a := range r.Acts {
		for i := range s.u.Claims {
			if was := &s.u.Claims[i]; a.Kind == "correction" && was.Unsettled() && s.recounts(a.Quote, was.Quote) {
				was.Taken, was.Settled = true, true
			}
		}
	}
}

// keepClaim notes a claim in the place of the same one of an earlier reading, and returns where it stands; -1 where there is no room.
func (s *step) keepClaim(v *state.StageVisit, c *respond.Claim, turn uint64, kept []int) int {
	claim := state.Claim{Quote: c.Quote, Verdict: c.Verdict, Why: understand.Clip(c.Why, maxNoted), Turn: turn, Stage: v.Stage}
	claim.Ask = c.Verdict == state.ClaimUnchecked && c.Taken != nil && !*c.Taken
	if c.Taken != nil && claim.Unsettled() {
		claim.Taken, claim.Later = *c.Taken, !*c.Taken
	}
	for at := range s.u.Claims {
		was := &s.u.Claims[at]
		switch named := sameWords(was.Quote, c.Quote); {
		case slices.Contains(kept, at):
		case claim.Unsettled() && was.Unsettled() && s.sameClaim(was, c.Quote, c.Why), !claim.Unsettled() && was.Verdict == c.Verdict && named:
			claim.Taken = claim.Taken || was.Taken
			if named { // the reading names it again, the candidate does not
				claim.Quote, claim.Turn, claim.Stage = was.Quote, was.Turn, was.Stage
			}
			*was = claim
			return at
		}
	}
	if len(s.u.Claims) >= maxClaims {
		return -1
	}
	s.u.Claims = append(s.u.Claims, claim)
	return len(s.u.Claims) - 1
}

// takenUp notes which claims were taken up by words that were heard, whatever they do: those that they speak of. What was to be left for
// later was named at most, so it stands open until a question asks about it.
func (s *step) takenUp(heard, asked string) {
	s.u.Claims = slices.Clone(s.u.Claims) // they are shared with the state before
	for i := range s.u.Claims {
		c := &s.u.Claims[i]
		words := heard + " " + asked
		if c.Later {
			words = lastQuestion(heard) + " " + asked
		}
		if c.Unsettled() && s.mentions(words, c) {
			c.Taken, c.Later = true, false
		}
	}
}

// openClaims are the claims that nobody has taken up yet, and those that were and are not put right yet, the latest of them. One that nobody
// could check is done with once it was asked about.
func (s brief) openClaims() (open, taken []string) {
	for i := range s.u.Claims {
		c := &s.u.Claims[i]
		switch line := "- " + c.Verdict + " (" + c.Why + "): " + Fence(c.Quote); {
		case !c.Unsettled(), c.Taken && c.Verdict == state.ClaimUnchecked:
		case c.Taken:
			taken = append(taken, line)
		default:
			open = append(open, line)
		}
	}
	return open[max(0, len(open)-maxOpen):], taken[max(0, len(taken)-maxTaken):]
}

// Bounds of what stands open in a brief.
const (
	maxOpen  = 8
	maxTaken = 4
)
