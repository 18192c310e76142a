package state

import (
	"encoding/json"
)

// Field is one entry of the blackboard that experts share.
type Field struct {
	Value json.RawMessage `json:"value,omitempty"`
	By    string          `json:"by,omitempty"` // who wrote it last
	Visit uint64          `json:"visit,omitempty"`
}

// Empty reports whether the field holds nothing: no value, null, or an empty text or list.
func (f Field) Empty() bool {
	switch string(f.Value) {
	case "", "null", `""`, "[]", "{}", "false", "0":
		return true
	}
	return false
}

// Patch is one change of a field: enough to trace it and to undo it (acceptance R003-20).
type Patch struct {
	ID     uint64          `json:"id"`
	Author string          `json:"author"`
	At     Millis          `json:"at"`
	Visit  uint64          `json:"visit"`
	Field  string          `json:"field"`
	Before json.RawMessage `json:"before,omitempty"` // absent: there was no such field
	After  json.RawMessage `json:"after,omitempty"`
	Delta  *Delta          `json:"delta,omitempty"` // in place of the two: how one long text became another
	Undone bool            `json:"undone,omitempty"`
}

// QueueStatus says what became of a queued question.
type QueueStatus string

// The states of a queued question. Answered and waived are final.
const (
	Waiting  QueueStatus = "waiting"
	Asked    QueueStatus = "asked"
	Answered QueueStatus = "answered"
	Waived   QueueStatus = "waived"
)

// Queued is a question that waits for its turn: one is asked at a time (R003-41).
type Queued struct {
	ID     uint64      `json:"id"`
	Source string      `json:"source"` // the expert that put it there
	Text   string      `json:"text"`
	Field  string      `json:"field,omitempty"` // what it belongs to, such as detected_issues
	Status QueueStatus `json:"status"`
	Visit  uint64      `json:"visit"`
}

// Open reports whether the question still wants asking or answering.
func (q Queued) Open() bool { return q.Status == Waiting || q.Status == Asked }

// EvaluationRecord is one judgement, kept for the final feedback (R000-24).
type EvaluationRecord struct {
	ID      uint64 `json:"id"`
	Stage   string `json:"stage"`
	Item    string `json:"item,omitempty"` // sub-phase
	Visit   uint64 `json:"visit"`
	Attempt int    `json:"attempt"` // 1, 2, 3 … within the visit and item
	At      Millis `json:"at"`
	// Evaluation is an evaluate.Evaluation as JSON; Decision and Score are two of its values.
	Evaluation json.RawMessage `json:"evaluation,omitempty"`
	Decision   string          `json:"decision"`
	Score      float64         `json:"score"`
	Gaps       []string        `json:"gaps,omitempty"`
	Status     string          `json:"status"`
	By         string          `json:"by"`
}

// Judgement is something that was sent to be judged beside the talk, and what came of it (R002-42, R002-58).
type Judgement struct {
	Item       string   `json:"item"` // its id: attachment/stage/number
	Attachment string   `json:"attachment"`
	Stage      string   `json:"stage"`
	Visit      uint64   `json:"visit"`
	At         Millis   `json:"at"`
	Question   string   `json:"question,omitempty"` // empty = a whole stage
	Number     int      `json:"number"`             // from 1
	Turns      []uint64 `json:"turns,omitempty"`    // the candidate's turns that are judged
	// Vars are what the judge is told besides, such as persona and role.
	Vars map[string]string `json:"vars,omitempty"`
	// Held: it is not sent yet, because the answer may go on. It is as soon as the reply to it is heard.
	Held bool `json:"held,omitempty"`
	// Evaluation is an evaluate.Evaluation as JSON; Missing is why there is none. Both empty = it is out.
	Evaluation json.RawMessage `json:"evaluation,omitempty"`
	Missing    string          `json:"missing,omitempty"`
}

// Out reports whether its result is still to come.
func (j Judgement) Out() bool { return len(j.Evaluation) == 0 && j.Missing == "" }

// Task is asynchronous work under way: a question to a provider, an expert or an evaluator.
type Task struct {
	ID      uint64 `json:"id"`
	Visit   uint64 `json:"visit"`
	Kind    string `json:"kind"`              // phases, question, evaluate or report
	Subject string `json:"subject,omitempty"` // which: a company or an evaluator
	Started Millis `json:"started"`
	Attempt int    `json:"attempt"` // 1 for the first try
	// Source is what asked for a judgement: rule, auto (it came on its own) or tool.
	Source string `json:"source,omitempty"`
	// Waiting: its answer waits for the end of the hold phrase, or for the floor; nothing runs.
	Waiting bool `json:"waiting,omitempty"`
	// Answer is that answer, as the engine's event in JSON.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Asked is what the engine has asked for, which is never changed. It is not kept: who folds the journal asks it again.
	Asked any `json:"-"`
}
