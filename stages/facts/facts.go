// Package facts holds what an interviewer knows and may be asked about: a Sheet of Facts, each with the wordings it is asked in,
// its answer, and who may hear it. Rules answer from it, and a model is shown it.
package facts

// Fact is one thing that candidates ask about. Texts are by language: en, zh, vi.
type Fact struct {
	// ID is the fact's name. One that is there already, such as recorded, takes that one's place.
	ID string `yaml:"id" json:"id"`
	// Asks are wordings of the question, or of what marks it; Find says how they are written.
	Asks map[string][]string `yaml:"asks" json:"asks,omitempty"`
	// Say is the answer, at most two sentences: a text/template over Now.
	Say map[string]string `yaml:"say" json:"say,omitempty"`
	// Tell says who may hear it.
	Tell Tell `yaml:"tell" json:"tell,omitempty"`
}

// Tell says who may hear a fact.
type Tell string

// Who may hear a fact.
const (
	WhenAsked Tell = ""       // whoever asks
	Always    Tell = "always" // the interviewer may bring it up
	Never     Tell = "never"  // nobody: it is for judging what is said
)

// Now is what answers depend on: where the interview stands.
type Now struct {
	Minutes   int    // that the whole interview is meant to take; 0 = nobody can say
	Left      int    // minutes until its end, to the nearest; 0 = nobody can say
	Over      bool   // all parts are behind
	Ahead     bool   // it goes much quicker than planned
	Asked     int    // questions so far
	Questions int    // in all; 0 = nobody can say
	Part      string // the title of the part that is on
	Next      string // of the one that follows; empty = none
	Parts     int
	Recorded  bool // the sound is kept
	Report    bool // a report follows
	Company   string
	Role      string
	Persona   string   // who interviews
	Editor    bool     // a task is shown, and code can be written beside the talk
	Others    []string // languages that the interview can change over to: en, zh, vi
}
