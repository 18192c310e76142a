package engine

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// maxQueue bounds the questions that may wait at a time, maxQuestion one of them in characters.
const (
	maxQueue    = 12
	maxQuestion = 400
)

// queue holds the questions that are asked one at a time.
type queue struct{ *change }

// enqueue lets questions wait for their turn; one that was queued before is not queued again.
func (s queue) enqueue(source, name string, list []string) {
	for _, text := range list {
		text = understand.Clip(strings.Join(strings.Fields(text), " "), maxQuestion)
		known := func(q state.Queued) bool { return normalise(q.Text) == normalise(text) }
		if text == "" || slices.ContainsFunc(s.u.Queue, known) || s.openQuestions() >= maxQueue {
			continue
		}
		s.u.NextID++
		s.u.Queue = append(s.u.Queue, state.Queued{
			ID: s.u.NextID, Source: source, Text: text, Field: name, Status: state.Waiting, Visit: s.u.Visit,
		})
	}
}

func (s queue) openQuestions() int {
	n := 0
	for _, q := range s.u.Queue {
		if q.Open() {
			n++
		}
	}
	return n
}

// at is the first question with a status, or nil: the one whose turn it is, or that waits for its answer.
func (s queue) at(status state.QueueStatus) *state.Queued {
	i := slices.IndexFunc(s.u.Queue, func(q state.Queued) bool { return q.Status == status })
	if i < 0 {
		return nil
	}
	return &s.u.Queue[i]
}

// queued notes that a question was asked, or that nobody heard it.
func (s queue) queued(id uint64, asked bool) {
	for i := range s.u.Queue {
		if q := &s.u.Queue[i]; q.ID == id && q.Open() {
			q.Status = state.Waiting
			if asked {
				q.Status = state.Asked
			}
		}
	}
}

// hear takes the turn as the answer to the queued question that was asked, or as a refusal to give one.
func (s queue) hear(intents []understand.Intent) {
	for i := range s.u.Queue {
		q := &s.u.Queue[i]
		if q.Status != state.Asked {
			continue
		}
		q.Status = state.Answered
		if slices.Contains(intents, understand.Refuse) || slices.Contains(intents, understand.Skip) {
			q.Status = state.Waived
		}
		s.fact("queue.settled", field("question", q.ID), field("status", string(q.Status)))
	}
}

// waive lets go of what is still open when the stage is left.
func (s queue) waive() {
	for i := range s.u.Queue {
		if q := &s.u.Queue[i]; q.Open() {
			q.Status = state.Waived
		}
	}
}

// queueEmpty reports whether every question that belongs to the field was asked and answered, or waived (R003-56).
func (s *situation) queueEmpty(name string) bool {
	return !slices.ContainsFunc(s.u.Queue, func(q state.Queued) bool { return q.Open() && (q.Field == name || q.Field == "") })
}
