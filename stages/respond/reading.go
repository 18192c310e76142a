// Package respond is the seam between what an interview allows and what is said: a Brief is what a responder is told, and a Reading
// what it understood of the candidate's turn and did itself. Code alone decides what comes of a Reading.
package respond

import "encoding/json"

// A model answers a brief with one object, whose first field is spoken while the second is still being written:
//
//	{"say": "…", "reading": {…}}
const (
	FieldSay     = "say"
	FieldReading = "reading"
)

// Reading is what a responder understood and did. What it says of the candidate's turn holds even if the words after it are cut off; what
// it says of those words only as far as they were heard.
type Reading struct {
	// Of the candidate's turn.
	Acts    []Act    `json:"acts"`
	Notes   []Note   `json:"notes"`
	Covered []Cover  `json:"covered"`
	Claims  []Claim  `json:"claims"`
	Flags   []string `json:"flags"`
	// Of the responder's own words.
	Did   string `json:"did"`   // the allowance used
	To    string `json:"to"`    // the part that it leads to, for go and finish
	Asked string `json:"asked"` // what the candidate is asked now, in a few words; empty = nothing
}

// Act is one thing that the candidate did with the turn.
type Act struct {
	Kind  string `json:"kind"`
	About string `json:"about"`
	Quote string `json:"quote"`
}

// Note is something worth keeping: under an id of the definition's, or a new one.
type Note struct {
	ID    string `json:"id"`
	Value string `json:"value"`
	Quote string `json:"quote"`
}

// Cover says how well the candidate's words meet a criterion: 1 = touched, 2 = sound, 3 = strong.
type Cover struct {
	Criterion string `json:"criterion"`
	Level     int    `json:"level"`
	Quote     string `json:"quote"`
}

// Settled is the verdict on a claim of before, named by its quote: it was put right, or they were told what is so.
const Settled = "settled"

// Claim is something that the candidate holds to be so.
type Claim struct {
	Quote   string `json:"quote"`
	Verdict string `json:"verdict"` // right, wrong, contradicts, unchecked or Settled
	Why     string `json:"why"`
	Taken   *bool  `json:"taken,omitempty"` // the responder's words take it up; nil = it does not say
}

// Raw keeps a Reading as it came.
type Raw = json.RawMessage
