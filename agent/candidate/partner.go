package candidate

import (
	"context"
	"time"

	"github.com/vivavoice/viva/agent/eval/talk"
)

// Partner decides what a candidate says as the talk goes on: a model, a script, or a person.
//
// Calls come one at a time, in the order of the talk, from a goroutine that Converse owns. A call may take as long as it needs, within
// the limit of the conversation: the candidate sends silence and goes on hearing meanwhile. But the room's time is real: an
// interviewer who asks whether anybody is still there, or who goes on without an answer, does so while the call lasts. A partner who
// is slower than the interviewer's patience has to be held with interviews that are patient enough.
type Partner interface {
	// Next is told what has been said and returns what the candidate does. It returns soon after ctx has ended. An error ends the
	// conversation.
	Next(ctx context.Context, heard Heard) (Move, error)
}

// Heard is what a partner is told.
type Heard struct {
	// Lines are what the interviewer has said since the last call, by its own transcript. Words that came while the partner thought
	// or the candidate talked are among the next call's. A voice without a transcript is a line without text. The lines belong to
	// the partner.
	Lines []talk.Line
	// Missing says that the interviewer was waited for in vain: it did not greet, or did not answer.
	Missing bool
	// Stage is the latest value of Call.StageAttribute.
	Stage string
	At    time.Duration // since the conversation began
}

// Move is what a candidate does next. The zero value is silence until the interviewer speaks again, or Call.AnswerTimeout has passed.
type Move struct {
	// Wait counts from when the interviewer fell silent; what the partner's call, and making the sound, took are part of it. A
	// candidate waits longer where the interviewer talks or thinks. Of silence it is the length: the partner is asked again
	// then, or once the interviewer has spoken, whichever is first. 0 = at once; of silence, Call.AnswerTimeout.
	Wait time.Duration
	// Send is sent before anything is said, in order.
	Send []Message
	// Type is typed into the chat; "" = nothing.
	Type string
	// Say is spoken; "" = nothing.
	Say string
	// Leave ends the conversation, after the words if there are any.
	Leave bool
	// Note is kept as a line of its own, talk.Happening, when the move is made: what the words do not tell, such as silence. "" =
	// none.
	Note string
}

// Message is a data packet of at most 15 000 bytes, such as a page's editor sends.
type Message struct {
	Topic   string
	Payload []byte
}

// silent says whether a move holds nothing that an interviewer could react to.
func (m Move) silent() bool { return m.Say == "" && m.Type == "" && len(m.Send) == 0 && !m.Leave }

// reply is a partner's move, and the sound of its words.
type reply struct {
	move Move
	clip *Clip // nil: nothing is spoken
	err  error
}
