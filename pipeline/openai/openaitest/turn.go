package openaitest

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// turnSchema is the name of the schema by which an interviewer that leads the talk is asked for a turn.
const turnSchema = "turn"

// Turn reports whether the reply is to be a turn of an interview: an object of what is said and what was understood.
func (r *ChatRequest) Turn() bool {
	var f struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name string `json:"name"`
		} `json:"json_schema"`
	}
	return json.Unmarshal(r.ResponseFormat, &f) == nil && f.Type == "json_schema" && f.JSONSchema.Name == turnSchema
}

// finishEvery is how many turns of the candidate the interviewer takes before it tries to finish a part: as few as a guard lets
// pass at all. A talk without a limit goes on for as long as the candidate likes, so that a load test has its turns.
const finishEvery = 2

// turnText is a turn that follows the schema: the reply's words first, then what was understood.
func turnText(req ChatRequest, reply Scripted) string {
	if strings.HasPrefix(strings.TrimSpace(reply.Text), "{") {
		return reply.Text
	}
	reading := json.RawMessage(reply.Reading)
	if reply.Reading == "" {
		reading = understood(req, reply.Text)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Say     string          `json:"say"`
		Reading json.RawMessage `json:"reading"`
	}{reply.Text, reading})
	if err != nil { // a script may send what is no JSON
		return `{"say":` + quoted(reply.Text) + `,"reading":` + reply.Reading
	}
	return strings.TrimSpace(b.String())
}

// understood takes the candidate's last words for an answer, with all of them as its quote.
func understood(req ChatRequest, said string) json.RawMessage {
	words, turns := candidate(req)
	type act struct {
		Kind  string `json:"kind"`
		About string `json:"about"`
		Quote string `json:"quote"`
	}
	acts := []act{}
	if words != "" {
		acts = append(acts, act{Kind: "answer", Quote: words})
	}
	did := "ask"
	switch {
	case req.goodbye():
		did = "end"
	case req.may("next:"):
		did = "next"
	case turns > 0 && turns%finishEvery == 0 && req.planned():
		did = "finish"
	}
	asked := ""
	if i := strings.LastIndexAny(strings.TrimSuffix(said, "?"), ".!?"); strings.HasSuffix(said, "?") {
		asked = strings.TrimSpace(said[i+1:])
	}
	none := []string{}
	raw, err := json.Marshal(map[string]any{
		"acts": acts, "notes": none, "covered": none, "claims": none, "flags": none, "did": did, "to": "", "asked": asked,
	})
	if err != nil {
		return json.RawMessage("{}") // strings always marshal; this is for the compiler
	}
	return raw
}

// may reports whether the interviewer is told that its words may do this now, with how the telling begins.
func (r *ChatRequest) may(did string) bool {
	return strings.Contains(r.standing(), "\n- "+did)
}

// goodbye reports whether the interview is at its end, and the candidate has had the chance of a last question.
func (r *ChatRequest) goodbye() bool {
	return r.Turn() && r.may("end: say goodbye,") && !strings.Contains(r.standing(), "\nThis reply has to do this:")
}

// planned reports whether the interview is to end at some time.
func (r *ChatRequest) planned() bool {
	standing := r.standing()
	return strings.Contains(standing, " left of about ") || strings.Contains(standing, ". This part alone has about ")
}

// standing is what the interviewer is told last: where the interview stands.
func (r *ChatRequest) standing() string {
	var text string
	if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != "system" || json.Unmarshal(r.Messages[n-1].Content, &text) != nil {
		return ""
	}
	return text
}

// candidate is what the candidate said last, without the tags around it, and how often they spoke.
func candidate(req ChatRequest) (words string, turns int) {
	for _, m := range req.Messages {
		var text string
		if m.Role != "user" || json.Unmarshal(m.Content, &text) != nil {
			continue
		}
		turns++
		words = text
		if _, inner, is := strings.Cut(text, "<candidate>"); is {
			words, _, _ = strings.Cut(inner, "</candidate>")
		}
	}
	return strings.TrimSpace(words), turns
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(b)
}

// Sizes of a prompt cache as OpenAI documents its own: nothing below the least, and then whole steps, in tokens.
const (
	cacheLeast = 1024
	cacheStep  = 128
	cacheKept  = 64 // prompts
)

// promptCache knows the prompts that were asked with, the last ones, to tell how much of one a service would have at hand.
type promptCache struct {
	mu   sync.Mutex
	kept [][]byte // guarded by mu
}

// cached is how many tokens of the prompt are at its beginning the same as in a request before, as a service reports them.
func (s *Server) cached(req ChatRequest) int {
	var prompt []byte
	for _, m := range req.Messages {
		prompt = append(append(append(prompt, m.Role...), 0), m.Content...)
	}
	c := &s.prompts
	c.mu.Lock()
	defer c.mu.Unlock()
	best := 0
	for _, before := range c.kept {
		best = max(best, common(before, prompt))
	}
	if len(c.kept) == cacheKept {
		c.kept = c.kept[:copy(c.kept, c.kept[1:])]
	}
	c.kept = append(c.kept, prompt)
	tokens := best / 4
	if tokens < cacheLeast {
		return 0
	}
	return tokens / cacheStep * cacheStep
}

func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
