package openai_test

import (
	"net"
	"net/http"
	"sync"
)

// connCounter counts the connections that a server accepts.
func connCounter(n *int) func(net.Conn, http.ConnState) {
	var mu sync.Mutex
	return func(_ net.Conn, state http.ConnState) {
		if state != http.StateNew {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		*n++
	}
}
