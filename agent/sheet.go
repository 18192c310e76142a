package agent

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

const (
	maxTask = 4000 // characters of a task's text; so that it fits a packet in any script
	// askedEvery is how often a page gets the task again that asks for it.
	askedEvery = time.Second
	// settled is when a page that came back can take packets for certain.
	settled = 2 * time.Second
)

// sheet is what a candidate may see of a problem: no other field of it ever leaves.
type sheet struct {
	ID         string `json:"id"` // for the page to tell tasks apart
	Title      string `json:"title"`
	Text       string `json:"text"`
	Difficulty string `json:"difficulty"`
}

// sheetOf makes the packet of a problem. An id that would give its pattern away is replaced (R003-31).
func sheetOf(p *problem.Problem, locale string) ([]byte, error) {
	s := sheet{
		ID: p.ID, Title: problem.In(p.Title, locale), Text: understand.Clip(problem.In(p.Text, locale), maxTask), Difficulty: p.Difficulty,
	}
	words := strings.NewReplacer("_", " ", "-", " ").Replace(p.ID)
	if understand.Reveals(words, append(p.Secrets(), strings.ReplaceAll(p.Pattern, "_", " "))) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(p.ID)) // a hash takes everything
		s.ID = strconv.FormatUint(h.Sum64(), 36)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // six bytes for each sign
	err := enc.Encode(s)
	return bytes.TrimSpace(b.Bytes()), err
}

// Problem implements session.Sheet.
func (p *presence) Problem(id string) {
	var packet []byte
	if task := p.interview.Problem(id); task != nil {
		var err error
		if packet, err = sheetOf(task, p.interview.Words.Locale()); err != nil {
			p.log.Warn("problem.unsent", zap.Error(err))
		}
	}
	p.mu.Lock()
	p.task = packet
	p.mu.Unlock()
	p.showTask()
}

// showTask sends the task, if there is one.
func (p *presence) showTask() {
	p.mu.Lock()
	packet := p.task
	p.mu.Unlock()
	if packet != nil {
		p.send(topicProblem, packet, nil)
	}
}

// asked sends the task again to a page that asks for it, not too often.
func (p *presence) asked() {
	if p.taskAsked.now() {
		p.showTask()
	}
}

// seldom lets a page have the same thing again no more often than every askedEvery.
type seldom struct {
	mu sync.Mutex
	at time.Time // guarded by mu: the last time
}

// now reports whether it may have it now, and notes that it does.
func (s *seldom) now() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.at) < askedEvery {
		return false
	}
	s.at = now
	return true
}

// returned shows the task to a candidate who came back: at once, and when their page can take it for certain.
func (p *presence) returned() {
	p.showTask()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.again != nil {
		p.again.Stop()
	}
	p.again = p.guard.After(settled, "page", p.showTask)
}

// takesCode reports whether a stage looks at what the candidate writes.
func takesCode(iv *engine.Interview, stage string) bool {
	st := iv.Def.Stage(stage)
	_, declared := iv.Def.Fields[expert.FieldCode]
	return declared && st != nil && st.Responder == definition.ByExperts
}
