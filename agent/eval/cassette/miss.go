package cassette

import (
	"fmt"
	"strings"
)

// Miss is a request that was not recorded.
type Miss struct {
	Path string // of the recording
	Role string
	N    int // the request's place among those of its role, from 1
	// Why says how it differs from the recorded request that is most like it, in words for a developer.
	Why string
}

// Error implements error.
func (m *Miss) Error() string {
	return fmt.Sprintf("%s: request %d of the %s is not in the recording: %s; if this is meant, record again with --refresh", m.Path, m.N, m.Role, m.Why)
}

// miss explains a request that is not on the tape; at is its place among those of its role.
func (c *Cassette) miss(a ask, at int) *Miss {
	m := &Miss{Path: c.path, Role: a.Role, N: at + 1}
	var same []*exchange
	for _, e := range c.tape.ordered() {
		if e.Role == a.Role {
			same = append(same, e)
		}
	}
	near, times := nearest(same, a, at)
	switch {
	case near == nil:
		m.Why = fmt.Sprintf("nothing of the %s was recorded", a.Role)
	case times > 0:
		m.Why = fmt.Sprintf("it was recorded, and is asked more often now than then (%d)", times)
	default:
		m.Why = c.tape.difference(near.ask, a)
	}
	return m
}

// nearest returns the recorded request that is most like a; of several, the one whose place is closest to at. times is how
// often the very same was recorded.
func nearest(same []*exchange, a ask, at int) (near *exchange, times int) {
	best, far := -1, 0
	for i, e := range same {
		if e.key == a.key {
			times++
		}
		like, off := alike(e.ask, a), max(i-at, at-i)
		if like > best || like == best && off < far {
			near, best, far = e, like, off
		}
	}
	return near, times
}

// alike counts what two requests share: their messages from the front and from the back, their schema.
func alike(a, b ask) int {
	asked, now := a.messages(), b.messages()
	front, back := shared(asked, now)
	n := 2 * (front + back)
	if len(asked) == len(now) {
		n++
	}
	if a.Schema == b.Schema && a.SchemaAs == b.SchemaAs {
		n += 3 // a question of another form is another question
	}
	return n
}

// shared counts what two lists have in common at the front, and at the back of what is left.
func shared[T comparable](a, b []T) (front, back int) {
	for front < min(len(a), len(b)) && a[front] == b[front] {
		front++
	}
	for back < min(len(a), len(b))-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	return front, back
}

// difference tells where a recorded request and the one that is put now begin to differ.
func (t *tape) difference(old, now ask) string {
	was, is := t.parts(old), t.parts(now)
	i, _ := shared(was, is)
	i = min(i, len(was)-1, len(is)-1)
	what := fmt.Sprintf("message %d", i+1)
	if i == len(was)-1 && i == len(is)-1 {
		what = "the schema of the answer"
	}
	return what + " changed: " + differ(was[i], is[i])
}

// parts are the messages of a request with their roles, and behind them its schema.
func (t *tape) parts(a ask) []string {
	var out []string
	for _, h := range a.messages() {
		m := t.Messages[h]
		out = append(out, m.Role+": "+string(m.Text))
	}
	return append(out, a.SchemaAs+": "+string(t.Schemas[a.Schema]))
}

// How much of a difference is shown, in bytes.
const (
	shownBefore = 40
	shownAfter  = 80
)

// differ shows the first difference of two texts, with what stands around it.
func differ(old, now string) string {
	old, now = oneLine(old), oneLine(now)
	if old == now {
		return "only the spaces differ"
	}
	same := 0
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	return fmt.Sprintf("recorded %q, now %q", around(old, same), around(now, same))
}

// around returns what stands at a place of a line, with some before it.
func around(line string, at int) string {
	from, to := max(0, at-shownBefore), min(len(line), at+shownAfter)
	shown := strings.ToValidUTF8(line[from:to], "")
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(line) {
		shown += "…"
	}
	return shown
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
