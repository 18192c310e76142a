package agent

import (
	"fmt"
	"time"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// rule is the number of an invariant of the voice-pipeline facts, section 12. Beside each stands where it is checked.
type rule int

const (
	oneFloor     rule = iota + 1 // one stage holds the floor, every frame carries its visit: frame, visits
	oneReply                     // a turn is answered once, merged, or dropped for a reason: turn, answer, frame
	oneEnd                       // an utterance has at most one start and exactly one end: voiceStarted, voiceEnded, end
	noneAfterCut                 // no frame follows a cut: frame
	onlyHeard                    // no more is kept than was heard, marked when it was cut: voiceEnded, kept
	oneReading                   // an utterance is read once at most, by the model that gave its words: read
	oneHandoff                   // a visit is handed over once, and left before the next is entered: fact, visits
	pauseEnds                    // a paused voice goes on, is cut or ends within the limit: see
	manners                      // only firm speech begins, and goes on, over the candidate: frame, effects, spoke
	closes                       // the end comes in bounded time, and nothing after it: frame, end
	nothingLost                  // what was heard arrives, once and in order: arrived, sound, reopened
	sameStory                    // the journal, replayed, gives the same state and the same facts: journalled, logged, end
)

var ruleNames = [...]string{
	oneFloor: "one floor", oneReply: "one reply a turn", oneEnd: "one end an utterance", noneAfterCut: "silence after a cut",
	onlyHeard: "only what was heard is kept", oneReading: "one reading an utterance", oneHandoff: "one handoff a visit",
	pauseEnds: "a pause ends", manners: "manners", closes: "it closes", nothingLost: "nothing heard is lost", sameStory: "the same story again",
}

func (r rule) String() string { return fmt.Sprintf("rule %d (%s)", int(r), ruleNames[r]) }

// breach is a rule that was broken.
type breach struct {
	rule rule
	at   time.Duration
	what string
}

func (b breach) String() string { return fmt.Sprintf("%v after %v: %s", b.rule, b.at, b.what) }

// noteKind says what a note is about.
type noteKind int

const (
	noteJournalled noteKind = iota // the session is about to act on event; user is its state before
	notePosted                     // the world handed event to the session
	noteLogged                     // the session told fact
	noteAsked                      // the voice was given an utterance; on: held back
	noteReleased                   // a held utterance may be heard
	noteFrame                      // a frame of an utterance reached the track, n samples of it speech: 0 while it waits for more
	noteCut                        // the utterance was cancelled
	notePaused                     // the voice was paused (on), or goes on
	noteSpoke                      // the voice is done with an utterance; text was heard, on: completely
	noteShown                      // words of the utterance, or that it is audible, were shown
	noteSpeech                     // the candidate began (on) or stopped to speak
	noteSound                      // the recogniser heard the microphone's samples from generation on, n of them
	noteOpened                     // a recogniser was opened
	noteOver                       // all is closed; user is the session's last state, err why it failed
)

var noteNames = [...]string{
	notePosted: "posted", noteAsked: "asked for", noteReleased: "released", noteCut: "cut", notePaused: "paused", noteSpoke: "spoken",
	noteSpeech: "the candidate speaks", noteOpened: "recogniser opened", noteOver: "over",
}

func (k noteKind) String() string { return noteNames[k] }

// note is one line of the trace of an interview.
type note struct {
	kind       noteKind
	at         time.Duration // since the interview began
	clock      state.Millis  // the same on the session's clock, where it counts
	generation uint64
	utterance  uint64
	n          int64
	on         bool
	firm       bool
	text       string
	err        error
	event      engine.Event
	fact       engine.Fact
	user       *state.UserData
}

// step is engine.Interview.Step.
type step func(*state.UserData, state.Millis, engine.Event) (*state.UserData, []engine.Effect)

// rules hold an interview to the twelve invariants while it goes on: every note is checked as it comes, every journalled
// event is stepped through again beside the session. They know nothing of how the interview is held.
type rules struct {
	step     step
	def      *definition.Definition
	patience time.Duration // how long a voice may stay paused
	wordTime time.Duration // how long the voice takes for a word
	fed      bool          // all that the ears report is noted, by notePosted

	broken []breach
	now    time.Duration
	events int
	over   bool

	u          *state.UserData // as the journal tells it
	visitSince time.Duration
	floorSince time.Duration
	endedAt    time.Duration
	said       map[uint64]*saying // by utterance
	calls      map[uint64]*call   // by generation
	asked      uint64             // the last generation asked for
	lastFrame  uint64             // the generation last heard
	paused     *call
	resumed    *call // and not heard since
	speaking   bool
	spokeSince time.Duration
	held       *reply
	waiting    []engine.Event // posted and not journalled yet
	told       []engine.Fact  // journalled and not acted on yet
	names      map[string]bool
	handoffs   map[uint64]int
	left       map[uint64]int
	entered    map[uint64]int
	heardTo    uint64 // the end of the sound that the recogniser heard
	opened     int
}

// saying is an utterance that the engine has asked for.
type saying struct {
	engine.Say
	reply          *reply
	started, ended int
	readings       int
}

// reply is a move of the interviewer: one utterance, or several when nobody heard the first.
type reply struct {
	words words
	heard uint64 // the utterance of it that was heard
}

// call is one use of the voice.
type call struct {
	generation, utterance uint64
	firm, held            bool
	cut, spoke            bool
	cutAt                 time.Duration
	pausedAt, resumedAt   time.Duration
	samples               int64
	text                  string
	complete, failed      bool
}

func newRules(iv *engine.Interview) *rules {
	return &rules{
		step: iv.Step, def: iv.Def, patience: time.Second, wordTime: wordTime, fed: true, u: &state.UserData{},
		said: make(map[uint64]*saying), calls: make(map[uint64]*call), names: make(map[string]bool),
		handoffs: make(map[uint64]int), left: make(map[uint64]int), entered: make(map[uint64]int),
	}
}

func (r *rules) breach(broken rule, format string, args ...any) {
	r.broken = append(r.broken, breach{broken, r.now, fmt.Sprintf(format, args...)})
}

// see takes the next line of the trace.
func (r *rules) see(n note) {
	r.now = n.at
	if c := r.paused; c != nil && n.at-c.pausedAt > r.patience {
		r.breach(pauseEnds, "utterance %d has been paused for %v", c.utterance, n.at-c.pausedAt)
		r.paused = nil
	}
	if c := r.resumed; c != nil && n.at-c.resumedAt > prompt {
		r.breach(pauseEnds, "utterance %d was told to go on %v ago, and does not", c.utterance, n.at-c.resumedAt)
		r.resumed = nil
	}
	switch n.kind {
	case noteJournalled:
		r.journalled(n)
	case notePosted:
		r.waiting = append(r.waiting, n.event)
	case noteLogged:
		r.logged(n.fact)
	case noteSpeech:
		r.speaking, r.spokeSince = n.on, n.at
	case noteSound:
		r.sound(n.generation, uint64(n.n))
	case noteOpened:
		r.reopened()
	case noteOver:
		r.end(n)
	default:
		r.voice(n)
	}
}
