package agent

import (
	"encoding/json"
	"strings"
	"unicode"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/stages/engine"
)

// Topics of the packets that the candidate's page sends. An empty one on topicPersonas, topicProblem or assessment.Topic asks for what
// the page missed, which comes on the same topic.
const (
	TopicCode     = "viva.code"     // the code, whole: {"text":"…","language":"…"}
	topicTurn     = "viva.turn"     // the button to talk: {"type":"press"} and {"type":"release"}
	topicMend     = "viva.mend"     // what the candidate said with their latest turn, which was misheard: {"segment":"SG_…","text":"…"}
	topicConsent  = "viva.consent"  // agrees to a recording, or takes that back: {"recording":true}
	topicPersona  = "viva.persona"  // whom the candidate has chosen: {"id":"senior_developer"}
	topicPersonas = "viva.personas" // the menu: [{"id":…,"name":…}]
	topicProblem  = "viva.problem"  // the task: {"id","title","text","difficulty"}
)

// Limits of a packet of code.
const (
	maxCode     = 64 << 10 // bytes of text
	maxLanguage = 32       // bytes of its name
)

// topic is what is done with the packets of one topic.
type topic struct {
	kind string                                   // by which it is counted
	take func(a *attendance, payload []byte) bool // false: the packet is not as it should be
}

// topics are all that the candidate's page may send on. Others are nobody's.
var topics = map[string]topic{
	TopicCode:        {kindCode, decoded(parseCode, func(a *attendance, c engine.CodeChanged) { a.editor.change(c) })},
	topicTurn:        {kindButton, decoded(parsePush, func(a *attendance, p session.Push) { a.session.Load().Post(p) })},
	topicMend:        {kindChat, decoded(parseMending, (*attendance).mended)},
	topicConsent:     {kindConsent, decoded(parseConsent, (*attendance).consent)},
	topicPersona:     {kindChoice, decoded(parseChoice, func(a *attendance, c engine.Chosen) { a.post(c) })},
	topicPersonas:    {kindQuestion, question(func(a *attendance) { a.presence.askedMenu() })},
	topicProblem:     {kindQuestion, question(func(a *attendance) { a.presence.asked() })},
	assessment.Topic: {kindQuestion, question(func(a *attendance) { a.handout.again() })},
}

// decoded hands on what a packet says.
func decoded[T any](parse func([]byte) (T, bool), take func(*attendance, T)) func(*attendance, []byte) bool {
	return func(a *attendance, payload []byte) bool {
		v, ok := parse(payload)
		if ok {
			take(a, v)
		}
		return ok
	}
}

// question takes a packet that asks for something, whatever is in it.
func question(answer func(*attendance)) func(*attendance, []byte) bool {
	return func(a *attendance, _ []byte) bool {
		answer(a)
		return true
	}
}

// packet takes a packet of the candidate's page; others hold no button and no pen.
func (a *attendance) packet(d room.Data) {
	t, known := topics[d.Topic]
	if !known || d.From != a.candidate || a.session.Load() == nil {
		return
	}
	if !t.take(a, d.Payload) {
		a.log.Debug("packet.refused", zap.String("topic", d.Topic), zap.Int("bytes", len(d.Payload)))
	}
}

func parseCode(payload []byte) (change engine.CodeChanged, ok bool) {
	if err := json.Unmarshal(payload, &change); err != nil {
		return change, false
	}
	ok = len(change.Text) <= maxCode && len(change.Language) <= maxLanguage
	change.Text = strings.Map(written, change.Text)
	return change, ok
}

// written leaves control characters out: nobody writes them, and each takes six bytes of a journal.
func written(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
		return -1
	}
	return r
}

func parsePush(payload []byte) (push session.Push, ok bool) {
	var m struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return push, false
	}
	return session.Push{Down: m.Type == "press"}, m.Type == "press" || m.Type == "release"
}

// mending is what the page sends on topicMend.
type mending struct {
	Segment string `json:"segment"` // of the turn's transcript
	Text    string `json:"text"`
}

func parseMending(payload []byte) (m mending, ok bool) {
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, false
	}
	m.Text = strings.TrimSpace(strings.Map(written, m.Text))
	return m, m.Segment != "" && m.Text != ""
}

// mended takes what the candidate said in place of what was understood, as long as nothing was said after it.
func (a *attendance) mended(m mending) {
	if turns := a.presence.turns(m.Segment); turns > 0 {
		a.session.Load().Post(session.Turn{Text: m.Text, Typed: true, Mends: turns, Reason: "mended"})
	}
}

// parseConsent reads a packet; one that does not say is refused, for it is not for us to guess.
func parseConsent(payload []byte) (recording, ok bool) {
	var m struct {
		Recording *bool `json:"recording"`
	}
	if err := json.Unmarshal(payload, &m); err != nil || m.Recording == nil {
		return false, false
	}
	return *m.Recording, true
}

func parseChoice(payload []byte) (choice engine.Chosen, ok bool) {
	var m struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return choice, false
	}
	return engine.Chosen{Persona: m.ID}, m.ID != "" && len(m.ID) <= maxName
}
