package state

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// SubPhases is a stage that is held as several sub-phases, one visit each. Nil in UserData means that nothing was
// expanded: the stage, if there is one, is held as a single phase.
type SubPhases struct {
	Stage string  `json:"stage"` // id of the stage
	Items []Phase `json:"items,omitempty"`
	// Index is the position of the current sub-phase, from 0; of the last one once all are done.
	Index int `json:"index"`
	// Completed, Skipped and Unfinished are ids in the order in which they were left; they only grow, and no id is in two
	// of them. Unfinished ones were held, but ended by time or attempts.
	Completed  []string `json:"completed,omitempty"`
	Skipped    []string `json:"skipped,omitempty"`
	Unfinished []string `json:"unfinished,omitempty"`
	Complete   bool     `json:"complete,omitempty"` // the last sub-phase passed
	Company    string   `json:"company,omitempty"`  // who was asked for the items
	Source     string   `json:"source,omitempty"`   // who gave them
	Local      bool     `json:"local,omitempty"`    // the source judges by rules that the engine has, too
	Degraded   string   `json:"degraded,omitempty"` // why somebody else had to give them
}

// Current returns the sub-phase on the floor: the one at Index, or the first one where Index is out of range, or nil
// without any (acceptance R000-26, R000-27).
func (e *SubPhases) Current() *Phase {
	switch {
	case e == nil || len(e.Items) == 0:
		return nil
	case e.Index < 0 || e.Index >= len(e.Items):
		return &e.Items[0]
	}
	return &e.Items[e.Index]
}

// Item returns the sub-phase with this id, or nil.
func (e *SubPhases) Item(id string) *Phase {
	if e == nil {
		return nil
	}
	for i := range e.Items {
		if e.Items[i].ID == id {
			return &e.Items[i]
		}
	}
	return nil
}

// Closed reports whether the sub-phase is over, in whichever way.
func (e *SubPhases) Closed(id string) bool {
	return slices.Contains(e.Completed, id) || slices.Contains(e.Skipped, id) || slices.Contains(e.Unfinished, id)
}

// Remaining returns the ids of those that are neither over nor current, in order.
func (e *SubPhases) Remaining() []string {
	if e == nil {
		return nil
	}
	var out []string
	for i := range e.Items {
		if i != e.Index && !e.Closed(e.Items[i].ID) {
			out = append(out, e.Items[i].ID)
		}
	}
	return out
}

// Phase is one sub-phase as its provider describes it.
type Phase struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Names are the name in other languages, as far as they are known: the interview may change over to one.
	Names       map[string]string `json:"names,omitempty"`
	Description string            `json:"description"`
	Keywords    []Keyword         `json:"keywords"`
	// Pass is the share of the full score that passes; 0 = the gate's.
	Pass float64 `json:"pass,omitempty"`
	// Soft and Hard replace the stage's limits; 0 = the stage's.
	Soft Millis `json:"soft,omitempty"`
	Hard Millis `json:"hard,omitempty"`
	// Irrelevant says that the question needs no such sub-phase: it is skipped when its turn comes (R000-79).
	Irrelevant bool `json:"irrelevant,omitempty"`
}

// Called returns the sub-phase's name in the language of a locale, or as it was given.
func (p *Phase) Called(locale string) string {
	language, _, _ := strings.Cut(locale, "-")
	return cmp.Or(p.Names[locale], p.Names[language], p.Name)
}

// Keyword is one thing that the candidate's words should cover. In JSON it is a plain string, or an object where there
// is more to say than the phrase.
type Keyword struct {
	Phrase  string              `json:"phrase"`
	Aliases map[string][]string `json:"aliases,omitempty"` // other ways to say it, by language; "any" serves all
	Weight  float64             `json:"weight,omitempty"`  // 0 = 1
}

var (
	_ json.Marshaler   = Keyword{}
	_ json.Unmarshaler = (*Keyword)(nil)
)

// MarshalJSON implements json.Marshaler.
func (k Keyword) MarshalJSON() ([]byte, error) {
	if len(k.Aliases) == 0 && k.Weight == 0 {
		return json.Marshal(k.Phrase)
	}
	type plain Keyword
	return json.Marshal(plain(k))
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *Keyword) UnmarshalJSON(b []byte) error {
	*k = Keyword{}
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &k.Phrase)
	}
	type plain Keyword
	return json.Unmarshal(b, (*plain)(k))
}
