package state

// Note is something that the candidate told and that is worth keeping: under an id of the definition's, or a new one. Of two notes
// with the same id and stage the later one holds.
type Note struct {
	ID    string `json:"id"`
	Value string `json:"value"`
	Quote string `json:"quote"` // as it was said in the turn
	Turn  uint64 `json:"turn"`
	Stage string `json:"stage"`
	Part  string `json:"part,omitempty"` // sub-phase, in an expanded stage
	// Corrects says that it came with a correction of what was told before.
	Corrects bool `json:"corrects,omitempty"`
}

// Cover says how well the candidate's words met a criterion of a part: 1 = touched, 2 = sound, 3 = strong. The latest one of a
// criterion in a part holds.
type Cover struct {
	Criterion string `json:"criterion"`
	Level     int    `json:"level"`
	Quote     string `json:"quote"`
	Turn      uint64 `json:"turn"`
	Stage     string `json:"stage"`
	Part      string `json:"part,omitempty"`
}

// Claim is something that the candidate held to be so, and what is thought of it.
type Claim struct {
	Quote   string `json:"quote"`
	Verdict string `json:"verdict"` // ClaimRight, ClaimWrong, ClaimContradicts or ClaimUnchecked
	Why     string `json:"why,omitempty"`
	Turn    uint64 `json:"turn"`
	Stage   string `json:"stage"`
	Taken   bool   `json:"taken,omitempty"`   // a wrong one was taken up with the candidate
	Later   bool   `json:"later,omitempty"`   // the words under way leave it for later
	Ask     bool   `json:"ask,omitempty"`     // an unchecked one is to be asked about
	Settled bool   `json:"settled,omitempty"` // and was put right
}

// Unsettled reports whether a claim that does not hold was not put right yet, or one that nobody could check was not asked about.
func (c *Claim) Unsettled() bool {
	return !c.Settled && (c.Verdict == ClaimWrong || c.Verdict == ClaimContradicts || c.Verdict == ClaimUnchecked && c.Ask)
}

// The verdicts of a Claim.
const (
	ClaimRight       = "right"
	ClaimWrong       = "wrong"
	ClaimContradicts = "contradicts"
	ClaimUnchecked   = "unchecked"
)
