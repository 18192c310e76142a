package eval

import (
	"cmp"
	"time"
)

// Pace is what a talk is charged for what really takes another time. The zero value of a field means its default.
type Pace struct {
	// Words is from the end of the candidate's turn to the first sound of a model's reply, beside the time that the end of the
	// turn takes. Default 700 ms: a small model's first clause and a voice's first sound.
	Words time.Duration
	// Task is what an expert or a judge that the talk waits for takes. Default 1.5 s.
	Task time.Duration
	// Judgement is what a judgement beside the talk takes, for which nobody waits. Default 3 s.
	Judgement time.Duration
	// Thought is how long a candidate thinks before speaking, where nothing else is said. Default 800 ms.
	Thought time.Duration
}

func (p Pace) filled() Pace {
	return Pace{
		Words: cmp.Or(p.Words, 700*time.Millisecond), Task: cmp.Or(p.Task, 1500*time.Millisecond),
		Judgement: cmp.Or(p.Judgement, 3*time.Second), Thought: cmp.Or(p.Thought, 800*time.Millisecond),
	}
}
