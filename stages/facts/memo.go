package facts

import "sync"

// memo keeps what was made of texts: those of sheets are few, and are looked at in every turn of every interview. It is bounded, since
// a sheet can be made of a document: when it is full it starts over.
type memo[V any] struct {
	mu   sync.RWMutex
	made map[inLanguage]V
}

type inLanguage struct{ text, language string }

const maxMemo = 1 << 14

// get returns what make makes of a text in a language; it must be the same each time, and read-only.
func (m *memo[V]) get(text, language string, make func(text, language string) V) V {
	at := inLanguage{text, language}
	m.mu.RLock()
	v, there := m.made[at]
	m.mu.RUnlock()
	if there {
		return v
	}
	v = make(text, language)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) >= maxMemo {
		m.made = map[inLanguage]V{}
	}
	m.made[at] = v
	return v
}
