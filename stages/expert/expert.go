package expert

// Expert makes the moves of some stages by rules: where there is no model, or it does not lead.
type Expert interface {
	Name() string
	// ShouldActivate reports whether it is this expert's turn. It reads the stage only, so that a load-time check can
	// find stages with no expert or several.
	ShouldActivate(Board) bool
	// ValidateContext reports what is missing for Process to make sense.
	ValidateContext(Board) error
	// Process answers the candidate's turn.
	Process(Board) (Response, error)
}

// Onward as Response.NextStage is whatever stage comes next: Safe puts its id there.
const Onward = "onward"

// Response is what an expert proposes.
type Response struct {
	Success bool
	// Message is said to the candidate. It asks at most one question, and none when Queue is not empty or a question
	// already waits: then the first waiting question follows it.
	Message string
	// NextStage is the stage to go to if the guard of the current one holds; "" = stay. A Message that asks something
	// then takes the place of that stage's opening.
	NextStage string
	Updates   map[string]any // new values of fields
	Metadata  map[string]any // for logs; never spoken (R003-27)
	Queue     []string       // questions to be asked one per turn, in order
	// QueueField is the field that the queued questions belong to.
	QueueField string
	Hint       bool // Message is the hint of level Board.HintLevel+1
	// Wished says that the candidate asked for what Message says, so that it may have been heard before (RM-22).
	Wished bool
	Flags  []string // flags to raise
	// Answered is the question that the candidate's turn was an answer to; it may be judged then.
	Answered *Answered
}

// Answered is a question with the candidate's turns that answer it.
type Answered struct {
	Question string
	Number   int               // from 1
	Turns    []uint64          // none = the latest
	Refused  bool              // it was put, and the candidate would not answer it
	Vars     map[string]string // what a judge should know besides, such as persona and role
}

// Update is one field with its new value.
type Update struct {
	Field string
	Value any
}

// Success builds the response of an expert whose turn went well.
func Success(message, next string, fields ...Update) Response {
	r := Response{Success: true, Message: message, NextStage: next, Metadata: make(map[string]any)}
	for _, f := range fields {
		if r.Updates == nil {
			r.Updates = make(map[string]any, len(fields))
		}
		r.Updates[f.Field] = f.Value
	}
	return r
}
