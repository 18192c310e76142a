package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state"
)

// Event is one fact that reached the session. The set is closed: each kind is a struct of this file.
type Event interface{ event() }

// JournalVersion is the version of the journals that are written now. Earlier ones are read: up to 1, which no event names, a TaskDone has
// in Result what was read of a model's answer; up to 2 a model leads only where the field lead says so. Where it says nothing, a model
// worded the moves that rules had chosen: that is no longer known here, and such a journal is refused.
const JournalVersion = 3

// Started opens the session: the candidate is in the room and can hear. It carries all that the first state needs.
type Started struct {
	Version int    `json:"version,omitempty"` // of the journal from here on; Encode sets it
	Session string `json:"session"`
	// Kind and DefHash name the definition, so that a journal tells what it is of.
	Kind      string            `json:"kind,omitempty"`
	DefHash   string            `json:"def_hash,omitempty"`
	Locale    string            `json:"locale,omitempty"`
	Candidate state.Candidate   `json:"candidate"`
	Vars      map[string]string `json:"vars,omitempty"`
	Model     bool              `json:"model"`
	// Recording says how the candidate agreed to being recorded before the talk: page or metadata; empty = not.
	Recording string `json:"recording,omitempty"`
	// Helplines say by language (en, zh …) whom somebody in distress is told to turn to, as a sentence; for others the words of the
	// language do.
	Helplines map[string]string `json:"helplines,omitempty"`
}

// SpeechStarted says that the candidate began to speak.
type SpeechStarted struct{}

// SpeechStopped says that the candidate fell silent. A UserTurn or NoWords may follow.
type SpeechStopped struct{}

// UserTurn is a whole turn of the candidate, spoken or typed.
type UserTurn struct {
	Text       string       `json:"text"`
	Confidence float64      `json:"confidence,omitempty"`
	Typed      bool         `json:"typed,omitempty"`
	Began      state.Millis `json:"began"` // when its first word was spoken
	// Mends says that it is what the candidate said with their latest turn, which the recogniser misheard: it stands in place of that.
	Mends  bool   `json:"mends,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// NoWords says that the candidate was heard, but nothing was understood, or nothing was said after all.
type NoWords struct {
	Reason string `json:"reason,omitempty"`
}

// LongSpeech says that one answer has been going on for this long.
type LongSpeech struct {
	Lasted state.Millis `json:"lasted"`
	Words  int          `json:"words"`
}

// BargeIn says that the candidate took the floor while this utterance was audible.
type BargeIn struct {
	Utterance uint64       `json:"utterance"`
	Onset     state.Millis `json:"onset,omitempty"` // when their speech began; 0 = not known
}

// VoiceStarted says that the first frame of the utterance was sent.
type VoiceStarted struct {
	Utterance uint64 `json:"utterance"`
}

// VoiceEnded says that the utterance is over, played to its end, cut, or never begun. It comes exactly once for every Say.
type VoiceEnded struct {
	Utterance uint64 `json:"utterance"`
	Visit     uint64 `json:"visit"`
	Heard     string `json:"heard"`              // the words that reached the track
	Cut       bool   `json:"cut,omitempty"`      // stopped before its end
	Worded    bool   `json:"worded,omitempty"`   // the words are a model's
	Degraded  string `json:"degraded,omitempty"` // why scripted words stood in for the model's
	Failed    string `json:"failed,omitempty"`   // why it could not be heard
	Tokens    int    `json:"tokens,omitempty"`   // that the talk has used of models so far, as the session counts them
}

// Read says what the model that worded an utterance understood of the turn before it, and did with its words: the field reading of its
// reply, as it came. At most one comes for an utterance that carries a Lead: before its VoiceEnded where it is there in time, up
// to 2 s after that of one that was cut off, or whose words were over long before.
type Read struct {
	Utterance uint64          `json:"utterance"`
	Visit     uint64          `json:"visit"`
	Reading   json.RawMessage `json:"reading"`
}

// TimerFired says that an armed timer ran out.
type TimerFired struct {
	Name  string `json:"name"`
	ID    uint64 `json:"id"`
	Visit uint64 `json:"visit"`
}

// Away says that the candidate's connection is lost, perhaps for a moment.
type Away struct{}

// Back says that the candidate is connected again.
type Back struct{}

// Gone says that the candidate left for good.
type Gone struct {
	Reason string `json:"reason,omitempty"`
}

// Stop ends the interview from outside: an operator, the server, a shutdown.
type Stop struct {
	Reason string `json:"reason"`
}

// TaskDone answers a Run: with a model's Answer to its question, which Step reads, or with a Result. That is JSON by the task's
// kind: for phases a Phases, for question a Question, for report a ReportDone;
// for evaluate, from who is no model, an evaluate.Evaluation. A task that is not under way any more changes nothing.
type TaskDone struct {
	Task     uint64          `json:"task"`
	Visit    uint64          `json:"visit"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`   // up to journal version 1, what was read of a model's answer too
	Failed   string          `json:"failed,omitempty"`   // why there is no result
	Degraded string          `json:"degraded,omitempty"` // why the result is another's than it should be
}

// Phases is the result of a phases task; none means that the company holds the design talk as one phase.
type Phases struct {
	Phases []state.Phase `json:"phases"`
	Source string        `json:"source,omitempty"` // the company that answered
	// Local says that the source judges by the same rules as the engine, so that nobody else has to be asked.
	Local    bool   `json:"local,omitempty"`
	Degraded string `json:"degraded,omitempty"`
}

// Question is the result of a question task.
type Question struct {
	Question string `json:"question"`
	Source   string `json:"source,omitempty"`
}

// CodeChanged carries the text of the candidate's editor, whole, after a pause in typing.
type CodeChanged struct {
	Text     string `json:"text"`
	Language string `json:"language,omitempty"`
}

// Operator is a command from outside: "skip" leaves the stage, "goto" enters the stage or sub-phase named by Argument,
// "rollback" undoes the patch with that number, "end" says goodbye.
type Operator struct {
	Command  string `json:"command"`
	Argument string `json:"argument,omitempty"`
}

// Judged answers a Judge: what was judged, or why it was not (a reason of package report). It comes once for an item; what
// comes again changes nothing (R002-44).
type Judged struct {
	Item       string               `json:"item"`
	Evaluation *evaluate.Evaluation `json:"evaluation,omitempty"`
	Missing    string               `json:"missing,omitempty"`
}

// ReportDone is the Result of a report task.
type ReportDone struct {
	Spoken string `json:"spoken"` // a summary of at most 45 s
	Status string `json:"status"`
	Link   string `json:"link,omitempty"` // where the candidate can read it
}

// Consent says that the candidate agreed to being recorded, or no longer does.
type Consent struct {
	Recording bool   `json:"recording"`
	By        string `json:"by"` // page, metadata or spoken
}

// Resumed says that another worker has taken the interview up, so long after its last event.
type Resumed struct {
	Version int          `json:"version,omitempty"` // of the journal from here on; Encode sets it
	Gap     state.Millis `json:"gap"`
}

// Chosen says that the candidate chose on the page who interviews.
type Chosen struct {
	Persona string `json:"persona"` // id, alias or name
}

// Material is a document that the candidate or the employer handed in, read and screened by package material.
type Material struct {
	Kind string `json:"kind"` // resume or job_description
	Text string `json:"text"`
}

func (Started) event()       {}
func (Chosen) event()        {}
func (Material) event()      {}
func (SpeechStarted) event() {}
func (SpeechStopped) event() {}
func (UserTurn) event()      {}
func (NoWords) event()       {}
func (LongSpeech) event()    {}
func (BargeIn) event()       {}
func (VoiceStarted) event()  {}
func (VoiceEnded) event()    {}
func (Read) event()          {}
func (TimerFired) event()    {}
func (Away) event()          {}
func (Back) event()          {}
func (Gone) event()          {}
func (Stop) event()          {}
func (TaskDone) event()      {}
func (CodeChanged) event()   {}
func (Operator) event()      {}
func (Judged) event()        {}
func (Consent) event()       {}
func (Resumed) event()       {}

// names maps the kinds of events to their names in a journal.
var names = map[string]reflect.Type{
	"started": reflect.TypeFor[Started](), "speech.started": reflect.TypeFor[SpeechStarted](),
	"speech.stopped": reflect.TypeFor[SpeechStopped](), "turn": reflect.TypeFor[UserTurn](),
	"no_words": reflect.TypeFor[NoWords](), "long_speech": reflect.TypeFor[LongSpeech](),
	"barge_in": reflect.TypeFor[BargeIn](), "voice.started": reflect.TypeFor[VoiceStarted](),
	"voice.ended": reflect.TypeFor[VoiceEnded](), "read": reflect.TypeFor[Read](),
	"timer": reflect.TypeFor[TimerFired](), "away": reflect.TypeFor[Away](), "back": reflect.TypeFor[Back](),
	"gone": reflect.TypeFor[Gone](), "stop": reflect.TypeFor[Stop](), "task.done": reflect.TypeFor[TaskDone](),
	"code": reflect.TypeFor[CodeChanged](), "code.edit": reflect.TypeFor[CodeEdited](), "operator": reflect.TypeFor[Operator](),
	"judged": reflect.TypeFor[Judged](), "consent": reflect.TypeFor[Consent](), "resumed": reflect.TypeFor[Resumed](),
	"chosen": reflect.TypeFor[Chosen](), "material": reflect.TypeFor[Material](),
}

// Name returns the event's name in a journal and in logs.
func Name(ev Event) string {
	t := reflect.TypeOf(ev)
	for name, known := range names {
		if known == t {
			return name
		}
	}
	return "unknown"
}

// Encode turns an event into a journal entry. Signs of HTML stay as they are: escaped, they are six bytes each.
func Encode(seq uint64, at state.Millis, ev Event) (state.Entry, error) {
	switch e := ev.(type) {
	case Started:
		e.Version = JournalVersion
		ev = e
	case Resumed:
		e.Version = JournalVersion
		ev = e
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(ev); err != nil {
		return state.Entry{}, fmt.Errorf("encode event %s: %w", Name(ev), err)
	}
	return state.Entry{Seq: seq, At: at, Type: Name(ev), Data: bytes.TrimSpace(b.Bytes())}, nil
}

// Decode turns a journal entry back into its event. An entry that says that a newer program wrote it is refused, and so is the beginning of
// an interview that a model worded and did not lead.
func Decode(entry state.Entry) (Event, error) {
	t, ok := names[entry.Type]
	if !ok {
		return nil, fmt.Errorf("journal entry %d: unknown event %q", entry.Seq, entry.Type)
	}
	v := reflect.New(t)
	if err := json.Unmarshal(entry.Data, v.Interface()); err != nil {
		return nil, fmt.Errorf("journal entry %d (%s): %w", entry.Seq, entry.Type, err)
	}
	ev, _ := v.Elem().Interface().(Event) // every type in names is an Event
	version := 0
	switch e := ev.(type) {
	case Started:
		if version = e.Version; version < leadOnly && e.Model && !leads(entry.Data) {
			return nil, fmt.Errorf("journal entry %d: in this interview a model worded what rules had decided, which this Viva no longer does: use the one that wrote it",
				entry.Seq)
		}
	case Resumed:
		version = e.Version
	}
	if version > JournalVersion {
		return nil, fmt.Errorf("journal entry %d: it was written by a newer Viva (journal version %d; this one reads up to %d): use that one",
			entry.Seq, version, JournalVersion)
	}
	return ev, nil
}

// leadOnly is the version from which on a model leads wherever there is one.
const leadOnly = 3

// leads reports whether a Started of an earlier version has the model lead.
func leads(started json.RawMessage) bool {
	var e struct {
		Lead bool `json:"lead"`
	}
	return json.Unmarshal(started, &e) == nil && e.Lead
}
