package cassette

import (
	"fmt"
	"strings"

	"github.com/vivavoice/viva/pipeline/llm"
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

// maxNamed bounds how many differences an error names.
const maxNamed = 3

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
		m.Why = fmt.Sprintf("it was recorded %s, and is asked once more now", count(times, "time"))
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

// difference tells what differs between a recorded request and the one that is put now.
func (t *tape) difference(old, now ask) string {
	said := t.inMessages(old, now)
	if old.SchemaAs != now.SchemaAs {
		said = append(said, fmt.Sprintf("the name of the schema changed: recorded %q, now %q", old.SchemaAs, now.SchemaAs))
	}
	if old.Schema != now.Schema {
		said = append(said, "the schema of the answer changed: "+differ(string(t.Schemas[old.Schema]), string(t.Schemas[now.Schema])))
	}
	if len(said) > maxNamed {
		said = append(said[:maxNamed], fmt.Sprintf("and %d more", len(said)-maxNamed))
	}
	return strings.Join(said, "; ")
}

// inMessages tells which messages differ. Where the lists have different lengths it tells what was put in or left out.
func (t *tape) inMessages(old, now ask) (said []string) {
	was, is := old.messages(), now.messages()
	front, back := shared(was, is)
	gone, come := was[front:len(was)-back], is[front:len(is)-back]
	for i := range min(len(gone), len(come)) {
		before, after := t.Messages[gone[i]], t.Messages[come[i]]
		if gone[i] == come[i] {
			continue
		}
		if before.Role != after.Role {
			said = append(said, fmt.Sprintf("message %d was one of the %s and is one of the %s now: %q", front+i+1, before.Role, after.Role, clip(string(after.Text))))
			continue
		}
		said = append(said, fmt.Sprintf("%s changed in line %d: %s", called(after, front+i, now.Role), lineOf(before.Text, after.Text), differ(string(before.Text), string(after.Text))))
	}
	for i, h := range come[min(len(gone), len(come)):] {
		m := t.Messages[h]
		said = append(said, fmt.Sprintf("%s was not there before: %q", called(m, front+len(gone)+i, now.Role), clip(string(m.Text))))
	}
	for _, h := range gone[min(len(gone), len(come)):] {
		m := t.Messages[h]
		said = append(said, fmt.Sprintf("a message of the %s is missing: %q", m.Role, clip(string(m.Text))))
	}
	return said
}

func called(m message, i int, role string) string {
	if m.Role == string(llm.RoleSystem) && i == 0 {
		return "the system prompt of the " + role
	}
	return fmt.Sprintf("message %d (%s)", i+1, m.Role)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
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

// clip returns the beginning of a text, on one line.
func clip(s string) string { return around(oneLine(s), 0) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// lineOf returns the line, from 1, of the first difference.
func lineOf(old, now text) int {
	front, _ := shared(strings.Split(string(old), "\n"), strings.Split(string(now), "\n"))
	return front + 1
}
